import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type Field, idOf, nullable, required, userId } from '../../src/kernel/fields.ts'
import { withChangedIds } from '../../src/kernel/inner-ids.ts'
import { byDependence, carryOf, checkTravel } from '../../src/kernel/travel.ts'
import { createJsonReader, placeText } from '../../src/transfer/json-values.ts'
import { remapMentions, withoutMentions } from '../../src/transfer/mention-text.ts'
import { createPageNames, pageName, pluralOf } from '../../src/transfer/page-names.ts'

const of = (field: Field) => () => carryOf({ name: 'thing', fields: { field } }, 'field')

describe('a field that says nothing of how it travels', () => {
  test('goes along where its type says so', () => {
    expect(of(required(z.string()))()).toBe('carry')
    expect(of(nullable(idOf('npc'), { references: 'npc' }))()).toBe('remap')
  })

  test.each([
    ['names a user', required(userId(), { references: 'user' })],
    ['never leaves the storage', required(z.string(), { internal: true })],
    ['never leaves the storage', required(z.string(), { lookup: true })],
    ['holds ids of npc', required(z.array(idOf('npc')))],
    ['holds ids of user', required(z.array(z.object({ who: userId() })))],
    ['rows.tableId is an id', required(z.object({ rows: z.array(z.object({ tableId: z.int().optional() })) }))],
    ['each.characterIds is an id', nullable(z.object({ each: z.object({ characterIds: z.array(z.int()) }) }))],
  ] as const)('is refused at the declaration: it %s', (why, field) => {
    expect(of(field)).toThrow(why)
  })

  test('nor can one that every row needs stay behind', () => {
    const fields = { name: required(z.string()), code: required(z.string(), { carry: { drop: 'a secret' } }) }
    expect(() => checkTravel([{ name: 'thing', scope: 'campaign', journal: 'full', fields }])).toThrow('thing.code')
  })
})

describe('ids inside of a value', () => {
  const schema = z.object({
    leads: z.array(z.object({ toId: idOf('npc'), why: z.string() })),
    nextId: idOf('npc').optional(),
    lastId: idOf('npc').nullable(),
    seenIds: z.array(idOf('npc')),
  })
  const value = {
    leads: [
      { toId: 1, why: 'a' },
      { toId: 2, why: 'b' },
    ],
    nextId: 2,
    lastId: 2,
    seenIds: [1, 2, 3],
  }

  test('are followed wherever they stand', () => {
    const places: string[] = []
    const changed = withChangedIds(schema, value, (kind, id, place) => {
      places.push(`${kind}${place}`)
      return id + 10
    })
    expect(changed).toEqual({
      leads: [
        { toId: 11, why: 'a' },
        { toId: 12, why: 'b' },
      ],
      nextId: 12,
      lastId: 12,
      seenIds: [11, 12, 13],
    })
    expect(places).toEqual([
      ...['npc.leads[0].toId', 'npc.leads[1].toId', 'npc.nextId', 'npc.lastId'],
      ...['npc.seenIds[0]', 'npc.seenIds[1]', 'npc.seenIds[2]'],
    ])
  })

  test('of what does not come along go, with what cannot be without them', () => {
    expect(withChangedIds(schema, value, (_, id) => (id === 2 ? null : id))).toEqual({
      leads: [{ toId: 1, why: 'a' }],
      lastId: null,
      seenIds: [1, 3],
    })
  })
})

test('kinds of things stand behind what they cannot be without, whatever the order', () => {
  const below = { name: 'below', fields: { aboveId: required(idOf('above'), { references: 'above' }) } }
  const above = { name: 'above', fields: { nextId: nullable(idOf('below'), { references: 'below' }) } }
  expect(byDependence([below, above]).map(({ name }) => name)).toEqual(['above', 'below'])
})

describe('a document that comes in pieces', () => {
  const document = {
    format: 'x',
    campaign: { name: 'A "quoted" \\ name', deep: [[1], { a: null }] },
    rows: { npc: [{ id: 1 }, 2, 'drei', null], quest: [] },
    last: 1.5e3,
  }
  const told = (text: string, size: number): readonly (readonly [string, unknown])[] => {
    const found: (readonly [string, unknown])[] = []
    const opens = (place: readonly unknown[]): boolean =>
      place.length === 0 || (place[0] === 'rows' && place.length <= 2)
    const reader = createJsonReader(
      { opens, value: (place, value) => void found.push([placeText(place), value]) },
      { valueBytes: 1000, depth: 8 },
    )
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size))
    reader.end()
    return found
  }

  test('is told the same, wherever it is cut', () => {
    const text = JSON.stringify(document, null, 1)
    const whole = told(text, text.length)
    expect(whole.map(([place]) => place)).toEqual([
      'format',
      'campaign',
      'rows.npc[0]',
      'rows.npc[1]',
      'rows.npc[2]',
      'rows.npc[3]',
      'last',
    ])
    expect(whole.find(([place]) => place === 'campaign')?.[1]).toEqual(document.campaign)
    for (const size of [1, 2, 3, 7, 16]) expect(told(text, size), `pieces of ${size}`).toEqual(whole)
  })

  test.each(['{"a":1,}', '{"a" 1}', '{"a":1]', '[1', '{"a":1}{', '{"rows":{"npc":[1 2]}}', '{"a":tru}', '{1:2}', ''])(
    'is no JSON: %s',
    (text) => {
      for (const size of [1, 100]) expect(() => told(text, size)).toThrow('not valid JSON')
    },
  )

  test('is bounded in depth and in one piece', () => {
    expect(() => told(`{"a":${'['.repeat(20)}${']'.repeat(20)}}`, 3)).toThrow('levels deep')
    expect(() => told(`{"a":"${'x'.repeat(2000)}"}`, 64)).toThrow('larger than')
  })
})

test('mentions keep their words, and lead where their things have gone', () => {
  const text = 'Ask [Nettie](npc:7), [Hob](npc:8) or [the web](https://example.org).'
  expect(withoutMentions(text, (_, id) => id === 7)).toBe('Ask [Nettie](npc:7), Hob or [the web](https://example.org).')
  expect(remapMentions(text, (_, id) => (id === 7 ? 70 : null))).toBe(
    'Ask [Nettie](npc:70), Hob or [the web](https://example.org).',
  )
})

test('pages have names that every system takes, and no two alike', () => {
  const names = createPageNames()
  expect(
    ['The Reeve’s office', 'the reeve’s office', 'a/b: c?', 'CON', '..', ''].map((title) => names.take('x', title)),
  ).toEqual(['The Reeve’s office', 'the reeve’s office (2)', 'a b c', 'CON (page)', 'Untitled', 'Untitled (2)'])
  expect(Buffer.byteLength(pageName('ö'.repeat(500)))).toBeLessThanOrEqual(180)
  expect(['faction', 'change of reputation', 'branch', 'NPC', 'story'].map(pluralOf)).toEqual([
    'Factions',
    'Changes of reputation',
    'Branches',
    'NPCs',
    'Stories',
  ])
})
