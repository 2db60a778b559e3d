import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { measureCost } from '../support/cost.ts'
import { walkLimitMs } from '../support/long.ts'
import type { Door } from '../support/matrix.ts'
import { type SharedWorld, shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'
import { memberTexts, readsForAi, wordOf, wordsFor, wordsIn } from './canaries.ts'
import { everybody, walk } from './walk.ts'
import { hiddenThings } from './worlds.ts'

// Every caller puts every question at every door (SPEC 5.4: caps are enforced identically on REST and
// MCP). Whoever meets a word that canaries.ts does not give them has found a leak; whoever misses one has found a hole in
// the walk.

/** Bytes of images do not travel over MCP. */
const byRestAlone = new Set([wordOf('hidden attachment bytes'), wordOf('open attachment metadata')])

/** The tests of one door: a walk of each caller, and then the log of them all. */
export function testCanariesOver(door: Door): SharedWorld {
  const shared = shareWorld({ layer: hiddenThings, env: { LOG_LEVEL: 'debug' } })
  const cost = measureCost(`canaries over ${door}`, () => shared.world.server.app.system().operations.size)

  test.each(everybody)(
    `%s meets over ${door} the words that are theirs, and no other`,
    { timeout: walkLimitMs },
    async (name) => {
      const words = new Map<string, string>()
      const exposed: string[] = []
      const anySecret = new RegExp(
        credentials(shared.world)
          .map((text) => text.replaceAll(/[^\w]/g, '\\$&'))
          .join('|'),
      )
      cost.add(
        await walk(shared.world, name, door, ({ question, text }) => {
          for (const word of wordsIn(text)) if (!words.has(word)) words.set(word, question)
          const secret = anySecret.exec(text)
          if (secret !== null) exposed.push(`${question}: ${secret[0]}`)
        }),
      )
      const texts = wordsFor(name, readsForAi(name, door) ? memberTexts : {})
      const mine = texts.filter((word) => door === 'rest' || !byRestAlone.has(word))
      expect([...words].filter(([word]) => !mine.includes(word)).map(([word, call]) => `${word}: ${call}`)).toEqual([])
      expect(mine.filter((word) => !words.has(word))).toEqual([])
      expect(exposed, 'credentials, hashes and keys').toEqual([])
    },
  )

  test('no line of the log holds a word, a credential or a key', () => {
    const log = shared.world.server.logs()
    expect(log.length).toBeGreaterThan(10_000)
    expect([...wordsIn(log)]).toEqual([])
    expect(credentials(shared.world).filter((text) => log.includes(text))).toEqual([])
  })
  return shared
}

/** What nobody reads anywhere: the credentials of a Dungeon Master, hashes, codes, and the AI key file in every spelling. */
function credentials(world: TestWorld): readonly string[] {
  const { server } = world
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
    ...column('SELECT token_hash FROM session_shares'),
    ...column('SELECT code_hash FROM displays'),
    ...shown.map((text) => createHash('sha256').update(text).digest('hex')),
  ]
  const key = readFileSync(path.join(server.dataDir, 'ai-config.key'))
  const spelled = (['hex', 'base64', 'base64url'] as const).map((encoding) => key.toString(encoding).slice(0, 40))
  const all = [...shown, world.text('invite'), ...hashes, ...spelled, key.toString('latin1').slice(0, 40)]
  return Array.from(new Set(all)).filter((text) => text.length >= 16)
}
