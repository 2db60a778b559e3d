import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entities } from '../../src/catalogue.ts'
import type { Entity } from '../../src/kernel/entity.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { buildWorld, type TestWorld } from '../support/world.ts'
import { wordOf, wordsFor, wordsIn } from './canaries.ts'
import { addHiddenThings, addOpenThings } from './content.ts'
import { everybody, walk } from './walk.ts'

// Every caller puts every question at every door (SPEC 5.4: caps are enforced identically on REST and
// MCP). Whoever meets a word that canaries.ts does not give them has found a leak; whoever misses one has found a hole in
// the walk.

/** Bytes of images do not travel over MCP. */
const byRestAlone = new Set([wordOf('hidden attachment bytes'), wordOf('open attachment metadata')])

let server: TestServer
let world: TestWorld
/** By caller: the words they met, with the first call that showed each. */
const met = new Map<string, Map<string, string>>()
/** By caller: credentials and keys in any answer. */
const exposed: string[] = []
let calls = 0

beforeAll(async () => {
  server = await startServer({ env: { LOG_LEVEL: 'debug' } })
  world = await buildWorld(server)
  await addHiddenThings(world, await addOpenThings(world))
  const secrets = credentials()
  const anySecret = new RegExp(secrets.map((text) => text.replaceAll(/[^\w]/g, '\\$&')).join('|'))
  for (const name of everybody) {
    for (const door of ['rest', 'mcp'] as const) {
      const words = new Map<string, string>()
      met.set(`${name} ${door}`, words)
      calls += await walk(world, name, door, ({ question, text }) => {
        for (const word of wordsIn(text)) if (!words.has(word)) words.set(word, question)
        const secret = anySecret.exec(text)
        if (secret !== null) exposed.push(`${name} ${door} ${question}: ${secret[0]}`)
      })
    }
  }
  console.log(`canaries: ${calls} calls by ${everybody.length} callers, ${secrets.length} credentials and keys`)
}, 120_000)
afterAll(() => server.stop())

/** What nobody reads anywhere: the credentials of a Dungeon Master, hashes, codes, and the AI key file in every spelling. */
function credentials(): readonly string[] {
  const store = server.app.store()
  const column = (sql: string): string[] => store.all(sql).map((row) => String(Object.values(row)[0]))
  const headers = [world.session('coDm').headers, world.token('coDm').headers, world.oauth('coDm').headers]
  const shown = headers.map(({ cookie, authorization }) =>
    (cookie ?? authorization ?? '').replace(/^(Bearer |\w+=)/, ''),
  )
  const hashes = [
    ...column('SELECT password_hash FROM users'),
    ...column('SELECT hash FROM sessions'),
    ...column('SELECT code_hash FROM invites'),
    ...shown.map((text) => createHash('sha256').update(text).digest('hex')),
  ]
  const key = readFileSync(path.join(server.dataDir, 'ai-config.key'))
  const spelled = (['hex', 'base64', 'base64url'] as const).map((encoding) => key.toString(encoding).slice(0, 40))
  const all = [...shown, world.text('invite'), ...hashes, ...spelled, key.toString('latin1').slice(0, 40)]
  return Array.from(new Set(all)).filter((text) => text.length >= 16)
}

describe.each(everybody)('%s', (name) => {
  test.each(['rest', 'mcp'] as const)('meets over %s the words that are theirs, and no other', (door) => {
    const words = met.get(`${name} ${door}`) ?? new Map<string, string>()
    const mine = wordsFor(name).filter((word) => door === 'rest' || !byRestAlone.has(word))
    const leaks = [...words].filter(([word]) => !mine.includes(word)).map(([word, call]) => `${word}: ${call}`)
    expect(leaks).toEqual([])
    expect(mine.filter((word) => !words.has(word))).toEqual([])
  })
})

test('no answer holds a credential, a hash or a key', () => {
  expect(exposed).toEqual([])
})

test('no line of the log holds a word, a credential or a key', () => {
  const log = server.logs()
  expect(log.length).toBeGreaterThan(10_000)
  expect([...wordsIn(log)]).toEqual([])
  expect(credentials().filter((text) => log.includes(text))).toEqual([])
})

test('documents and pages hold no word', async () => {
  for (const address of ['/api/openapi.json', '/api/docs', '/', '/healthz', '/readyz']) {
    const { text } = await world.callers.anonymous.get(address)
    expect([...wordsIn(text)]).toEqual([])
  }
})

test('every secret field and every kind of hidden thing holds a word', () => {
  const store = server.app.store()
  const held = ({ table }: Entity, test: string): string =>
    store
      .all(`SELECT * FROM ${table} WHERE ${test}`)
      .map((row) => JSON.stringify(row))
      .join('\n')
  const bare = entities.flatMap((entity) => [
    ...Object.entries(entity.fields)
      .filter(([, { marks }]) => marks.readableBy === 'dm')
      .map(([key]) => [`${entity.name}.${key}`, columnText(entity, key)] as const),
    ...(entity.hide ? [[`hidden ${entity.name}`, held(entity, 'hidden = 1')] as const] : []),
  ])
  expect(bare.length).toBeGreaterThan(8)
  expect(bare.filter(([, text]) => wordsIn(text).size === 0).map(([what]) => what)).toEqual([])
})

function columnText({ table }: Entity, key: string): string {
  const column = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return server.app
    .store()
    .all(`SELECT ${column} AS text FROM ${table}`)
    .map(({ text }) => String(text))
    .join('\n')
}
