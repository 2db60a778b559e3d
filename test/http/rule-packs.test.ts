import { describe, expect, test } from 'vitest'
import { mostPackBytes } from '../../src/domain/rule-pack/format.ts'
import { examplePack } from '../../src/domain/rule-pack/operations.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { Person } from '../support/world.ts'

// Rule packs over REST, where the body is the document: what is no pack is refused with its place, and nothing of it is kept.

const shared = shareWorld()
const hound = examplePack.entries[0]
const pack = (entries: readonly unknown[], more: object = {}) => JSON.stringify({ ...examplePack, ...more, entries })

interface Answer {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly paths: readonly string[]
}

async function send(payload: string | Buffer, person: Person = 'admin', type = 'application/json'): Promise<Answer> {
  const { app } = shared.world.server
  const answer = await app.server.inject({
    method: 'POST',
    url: '/api/v1/rule-packs',
    headers: { ...shared.world.session(person).headers, host: 'localhost', 'content-type': type },
    payload,
  })
  const { error } = answer.json() as {
    readonly error?: { readonly code: string; readonly message: string; readonly details?: { path: string }[] }
  }
  const paths = error?.details?.map(({ path }) => path) ?? []
  return { status: answer.statusCode, code: error?.code ?? '', message: error?.message ?? '', paths }
}

const kept = (): readonly unknown[] =>
  ['rule_packs', 'rule_entries', 'rule_entry_ids', 'rule_editions'].map(
    (table) => shared.world.server.app.store().get(`SELECT count(*) AS n FROM ${table}`)?.n,
  )

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
const strange: readonly (readonly [string, string, string | RegExp])[] = [
  ['nothing', '', 'The body is'],
  ['no JSON', '{"format": ', 'byte 11'],
  ['half a pack', pack([hound]).slice(0, -40), /byte \d+/],
  ['a list', '[]', 'the document'],
  ['a word', '"pack"', 'byte 0'],
  ['two documents', `${pack([hound])}{}`, /byte \d+/],
  ['bytes that are no UTF-8', '{"title": "\u00ff', /byte \d+/],
  ['a member twice', '{"key": "a", "key": "b"}', /byte \d+/],
  ['a key that changes prototypes', pack([hound]).replace('"key":"salt-hound"', '"__proto__":{}'), /byte \d+/],
  ['no licence', pack([hound], { licence: undefined }), 'licence'],
  ['a licence without an address', pack([hound], { licence: { name: 'Mine', url: 'mine' } }), 'licence.url'],
  ['a script for an address', pack([hound], { licence: { name: 'x', url: 'javascript:alert(1)' } }), 'licence.url'],
  ['no attribution', pack([hound], { attribution: ' ' }), 'attribution'],
  ['another format', pack([hound], { format: 'talekeeper-rules/2' }), 'format'],
  ['a version in words', pack([hound], { version: 'new' }), 'version'],
  ['no entries', pack([]), 'entries'],
  ['entries that are an object', JSON.stringify({ ...examplePack, entries: {} }), 'entries'],
  ['a stranger beside them', pack([hound], { script: 'x' }), 'script'],
  ['an entry that is none', pack([hound, 7]), 'entries[1]'],
  ['an entry of no kind', pack([{ ...hound, kind: 'god' }]), 'entries[0].kind'],
  ['an entry without a name', pack([{ ...hound, name: ' ' }]), 'entries[0].name'],
  ['one key twice', pack([hound, hound]), 'entries[1].key'],
  ['a key that is an address', pack([{ ...hound, key: '../../etc' }]), 'entries[0].key'],
  [
    'dice that are none',
    pack([{ ...hound, statblock: { hitPoints: { value: 1, dice: '9999d9999' } } }]),
    'statblock.hitPoints.dice',
  ],
  ['a number beyond all', pack([{ ...hound, statblock: { rating: 1e308 } }]), 'statblock.rating'],
  ['a member that no creature has', pack([{ ...hound, statblock: { soul: 1 } }]), 'entries[0].statblock'],
  [
    'a multiattack of itself',
    pack([{ ...hound, statblock: { actions: [{ name: 'A', multiattack: [{ action: 'A', count: 2 }] }] } }]),
    'multiattack',
  ],
  ['an entry that is too large', pack([{ ...hound, text: 'x'.repeat(300 * 1024) }]), 'entries[0]'],
  ['a text that is too long', pack([{ ...hound, text: 'x'.repeat(30_000) }]), 'entries[0].text'],
  ['an entry that is too deep', `{"entries": [${deep(40)}]}`, 'entries[0]'],
  ['a head that is too deep', `{"authors": ${deep(1000)}}`, 'authors'],
  [
    'a page of Open5e without a licence',
    JSON.stringify({ count: 1, results: [{ name: 'Goblin', hit_points: 7 }] }),
    'licence',
  ],
  ['both kinds of lists', JSON.stringify({ ...examplePack, results: [{}] }), 'results'],
]

describe('what is no rule pack', () => {
  test.each(strange)('%s: refused with its place, and nothing is kept', async (_, text, place) => {
    const before = kept()
    const answer = await send(text)
    expect([answer.status, answer.code]).toEqual([400, 'validation_failed'])
    const said = `${answer.message} ${answer.paths.join(' ')}`
    expect(said).toMatch(typeof place === 'string' ? new RegExp(place.replaceAll(/[[\]().]/g, '\\$&')) : place)
    expect(kept()).toEqual(before)
  })

  test('a document as large as allowed that opens millions of brackets ends at once', {
    timeout: 600_000,
  }, async () => {
    const before = kept()
    const bytes = Buffer.alloc(mostPackBytes, '[')
    bytes.write('{"entries": [')
    expect(await send(bytes)).toMatchObject({ status: 400, paths: ['entries[0]'] })
    expect(kept()).toEqual(before)
  })

  test('a larger one is not taken', async () => {
    expect(await send(Buffer.alloc(mostPackBytes + 1, ' '))).toMatchObject({ status: 413, code: 'too_large' })
  })

  test('more entries than a pack may have are refused with where it begins to be too many', {
    timeout: 600_000,
  }, async () => {
    const before = kept()
    const text = `{"entries": [${Array.from({ length: 50_001 }, (_, n) => `{"key":"a${n}","kind":"rule","system":"x","name":"a"}`).join()}]}`
    expect(await send(text)).toMatchObject({ status: 400, paths: ['entries'] })
    expect(kept()).toEqual(before)
  })

  test('a form has the document as its file', async () => {
    expect(await send('--x--', 'admin', 'multipart/form-data; boundary=x')).toMatchObject({ status: 400 })
  })
})

test('who does not administer the server is refused, whatever is sent', async () => {
  expect(await send('{', 'dm')).toMatchObject({ status: 403, code: 'forbidden' })
})

test(
  'a pack of thousands is kept whole, and everybody else is answered meanwhile',
  { timeout: 600_000 },
  shared.owned(async (world) => {
    const entries = Array.from({ length: 4000 }, (_, n) => ({ ...hound, key: `hound-${n}`, name: `Hound ${n}` }))
    let answered = 0
    const sending = send(pack(entries, { key: 'many', title: 'Many hounds' }))
    let isSent = false
    void sending.finally(() => {
      isSent = true
    })
    while (!isSent) {
      await world.as('player', 'get_campaign', { campaignId: world.id('campaign') })
      answered += 1
      await new Promise(setImmediate)
    }
    expect((await sending).status).toBe(201)
    expect(answered).toBeGreaterThan(20)
    const { items } = await world.as('player', 'search_rules', { query: 'hound 3999' })
    expect(items[0].name).toBe('Hound 3999')
  }),
)
