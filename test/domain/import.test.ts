import { beforeEach, describe, expect, test } from 'vitest'
import { entities } from '../../src/catalogue.ts'
import { organisedPlay } from '../../src/transfer/arriving-schema.ts'
import { type FilledDocument, filledDocument } from '../support/filled-document.ts'
import { long, walkLimitMs } from '../support/long.ts'
import { seededRandom } from '../support/random.ts'
import { type Answer, makeTable, type Table } from './support.ts'

// What comes in from outside: SPEC 4.5, and what nobody means well with.

let table: Table
beforeEach(async () => {
  table = await makeTable()
})

const bring = (document: unknown): Promise<Answer> => table.call('ellen', 'import_campaign', { document } as never)
const refused = (document: unknown) => table.refusal('ellen', 'import_campaign', { document } as never)
const small = (rows: object = {}, campaign: object = { name: 'The Ferry' }): Answer => ({
  format: 'talekeeper-campaign',
  version: 1,
  campaign,
  rows,
})

/** How many rows there are of everything. */
function counted(): Readonly<Record<string, unknown>> {
  const tables = [...entities.map((entity) => entity.table), 'search_documents', 'mentions', 'change_sets']
  return Object.fromEntries(tables.map((name) => [name, table.store.get(`SELECT count(*) AS n FROM ${name}`)?.n]))
}

describe('SPEC 4.5', () => {
  test('the importer is its only member and its Dungeon Master, and everything has another id', async () => {
    const given = filledDocument(entities)
    const { id, myRole } = await bring(given)
    expect(myRole).toBe('dm')
    const { items } = await table.call('ellen', 'list_members', { campaignId: id })
    expect(items.map((each: Answer) => [each.username ?? each.user?.title, each.role])).toHaveLength(1)
    const { items: quests } = await table.call('ellen', 'list_quests', { campaignId: id, view: 'full' })
    const given0 = given.rows.quest?.map((row) => row.id)
    for (const quest of quests) expect(given0).not.toContain(quest.id)
    expect(await table.refusal('pell', 'get_campaign', { campaignId: id })).toMatchObject({ code: 'not_found' })
  })

  test('the history begins with the import, which cannot be undone by halves', async () => {
    const { id } = await bring(filledDocument(entities))
    const { items } = await table.call('ellen', 'list_audit_records', { campaignId: id })
    expect(items).toEqual([expect.objectContaining({ operation: 'import_campaign', revertible: false })])
    expect((await table.call('ellen', 'list_proposals', { campaignId: id })).items).toEqual([])
  })

  test('a mention in prose leads to the thing in its new place', async () => {
    const npc = [{ id: 7, name: 'Nettie' }]
    const quest = [{ id: 3, title: 'A cradle', body: 'Asked by [her](npc:7), and by [nobody](npc:8).' }]
    const { id, report } = await bring(small({ quest, npc }))
    const [one] = (await table.call('ellen', 'list_quests', { campaignId: id, view: 'full' })).items
    const [nettie] = (await table.call('ellen', 'list_npcs', { campaignId: id })).items
    expect(one.body).toBe(`Asked by [her](npc:${nettie.id}), and by nobody.`)
    expect(report.plainMentions).toBe(1)
    const { items } = await table.call('ellen', 'list_mentions', {
      campaignId: id,
      entityType: 'npc',
      entityId: nettie.id,
    })
    expect(items).toHaveLength(1)
  })

  test('ids and mentions inside of other values lead where their things are now', async () => {
    const npc = [{ id: 7, name: 'Nettie' }]
    const character = [
      { id: 4, name: 'Wren' },
      { id: 9, name: 'Oda' },
    ]
    const one = [
      { id: 30, name: 'Trouble', rows: [{ text: 'A goat' }] },
      { id: 31, name: 'Night', rows: [{ text: 'It is [her](npc:7)', tableId: 30 }] },
    ]
    const given = { xp: 5, each: 5, characterIds: [9], coins: {}, items: [], at: '2026-11-01T18:00:00Z' }
    const encounter = [{ id: 2, name: 'At the wall', status: 'ended', rewards: given }]
    const { id: first } = await bring(small({ npc, character, table: one, encounter }))
    const { id: second } = await table.call('ellen', 'duplicate_campaign', { campaignId: first })
    for (const campaignId of [first, second]) {
      const tables = (await table.call('ellen', 'list_random_tables', { campaignId })).items
      const idOf = (name: string): number => tables.find((each: Answer) => each.name === name).id
      const [nettie] = (await table.call('ellen', 'list_npcs', { campaignId })).items
      const night = await table.call('ellen', 'get_random_table', { tableId: idOf('Night') })
      expect(night.rows).toEqual([{ text: `It is [her](npc:${nettie.id})`, tableId: idOf('Trouble') }])
      const party = (await table.call('ellen', 'list_characters', { campaignId })).items
      const [fight] = (await table.call('ellen', 'list_encounters', { campaignId })).items
      const { rewards } = await table.call('ellen', 'get_encounter_aftermath', { encounterId: fight.id })
      expect(rewards.characterIds).toEqual([party.find((each: Answer) => each.name === 'Oda').id])
    }
    const dangling = await refused(small({ table: [{ id: 1, name: 'Night', rows: [{ text: 'x', tableId: 8 }] }] }))
    expect(dangling.message).toContain('rows.table[0].rows[0].tableId: names table 8')
  })

  test('what comes in is found by its words', async () => {
    const { id } = await bring(small({ npc: [{ id: 7, name: 'Nettie Harrow' }] }))
    const { items } = await table.call('ellen', 'search_campaign', { campaignId: id, query: 'harrow' })
    expect(items).toEqual([expect.objectContaining({ entityType: 'npc', title: 'Nettie Harrow' })])
  })

  test('a night of organised play becomes a plain one, and what it had is named', async () => {
    const night = {
      ...{ id: 5, startsAt: '2026-12-04T18:00:00Z', timeZone: 'Europe/Berlin', durationMinutes: 180 },
      ...{ localDate: '2026-12-04', location: 'Above the bakery' },
      ...Object.fromEntries(Object.keys(organisedPlay).map((key) => [key, 'x'])),
    }
    const answers = [
      { id: 1, gameNightId: 5, userId: 99, name: 'Wren', answer: 'yes', note: 'late', forStartsAt: night.startsAt },
    ]
    const { id, report } = await bring(small({ game_night: [night], rsvp: answers }))
    const [planned] = (await table.call('ellen', 'list_game_nights', { campaignId: id })).items
    expect(planned).toMatchObject({ durationMinutes: 180, location: 'Above the bakery', status: 'planned' })
    const [answer] = planned.rsvps ?? (await table.call('ellen', 'get_game_night', { gameNightId: planned.id })).rsvps
    expect(answer).toMatchObject({ name: 'Wren', answer: 'yes', note: 'late', userId: null })
    const named = report.dropped.filter(({ entityType }: Answer) => entityType === 'game_night')
    expect(named.map(({ member }: Answer) => member).sort()).toEqual(Object.keys(organisedPlay).sort())
    expect(named[0]).toMatchObject({ count: 1, places: ['rows.game_night[0]'], reason: expect.any(String) })
    expect(report.dropped).toContainEqual(expect.objectContaining({ entityType: 'rsvp', member: 'userId' }))
  })

  test('members, proposals and what nobody knows stay behind, and the report says so', async () => {
    const { report } = await bring(
      small({
        member: [{ id: 1, userId: 3 }],
        dragon: [{ id: 1 }, { id: 2 }],
        npc: [{ id: 1, name: 'Osk', mood: 'low' }],
      }),
    )
    const said = report.dropped.map(({ entityType, member, count }: Answer) => [entityType, member, count])
    expect(said).toEqual([
      ['member', '', 1],
      ['dragon', '', 2],
      ['npc', 'mood', 1],
    ])
  })

  test('a token that is bound to a campaign neither imports nor copies', async () => {
    const row = table.store.get('SELECT id FROM campaigns ORDER BY id LIMIT 1')
    expect(row?.id).toBe(table.campaignId)
  })
})

describe('what no campaign of ours holds', () => {
  const npc = (values: object): object => ({ id: 1, name: 'Osk', ...values })
  const cases: Readonly<Record<string, readonly [document: () => unknown, place: string]>> = {
    'another format': [() => ({ ...small(), format: 'kanka' }), 'format'],
    'a later version': [() => ({ ...small(), version: 2 }), 'later Talekeeper'],
    'no campaign': [() => ({ format: 'talekeeper-campaign', version: 1, rows: {} }), 'campaign'],
    'a campaign without a name': [() => small({}, {}), 'campaign.name'],
    'rows that are no lists': [() => small({ npc: { id: 1, name: 'Osk' } }), 'rows'],
    'a row that is none': [() => small({ npc: [null] }), 'rows.npc[0]'],
    'a row without an id': [() => small({ npc: [{ name: 'Osk' }] }), 'rows.npc[0].id'],
    'two rows with one id': [() => small({ npc: [npc({}), npc({})] }), 'rows.npc[1].id'],
    'a text for a number': [() => small({ session: [{ id: 1, number: 'three' }] }), 'rows.session[0].number'],
    'a number for a text': [() => small({ npc: [npc({ name: 7 })] }), 'rows.npc[0].name'],
    'a choice that there is not': [
      () => small({ quest: [{ id: 1, title: 'A', status: 'won' }] }),
      'rows.quest[0].status',
    ],
    'a huge text': [() => small({ npc: [npc({ body: 'x'.repeat(60_000) })] }), 'rows.npc[0].body'],
    'a huge list': [
      () => small({ npc: [npc({ tags: Array.from({ length: 5000 }, (_, each) => `t${each}`) })] }),
      'rows.npc[0].tags',
    ],
    'a reference to nothing': [() => small({ npc: [npc({ locationId: 4 })] }), 'rows.npc[0].locationId'],
    'a reference to another kind': [
      () => small({ npc: [npc({ locationId: 2 })], quest: [{ id: 2, title: 'A' }] }),
      'rows.npc[0].locationId',
    ],
    'an owner that is not there': [
      () => small({ objective: [{ id: 1, questId: 9, text: 'Go' }] }),
      'rows.objective[0].questId',
    ],
    'half a link': [
      () => small({ note: [{ id: 1, body: 'A', visibility: 'party', entityType: 'npc' }] }),
      'rows.note[0].entityId',
    ],
    'a link to no kind': [
      () => small({ note: [{ id: 1, body: 'A', visibility: 'party', entityType: 'user', entityId: 1 }] }),
      'rows.note[0].entityType',
    ],
    'a place inside of itself': [
      () => small({ location: [{ id: 1, name: 'A', parentLocationId: 1 }] }),
      'rows.location[0].parentLocationId',
    ],
    'places inside of each other': [
      () =>
        small({
          location: [
            { id: 1, name: 'A', parentLocationId: 2 },
            { id: 2, name: 'B', parentLocationId: 1 },
          ],
        }),
      'rows.location',
    ],
    'two sessions with one number': [
      () =>
        small({
          session: [
            { id: 1, number: 3 },
            { id: 2, number: 3 },
          ],
        }),
      'rows.session[1].number',
    ],
    'a bond to oneself': [
      () =>
        small({
          npc: [npc({})],
          relation: [{ id: 1, fromType: 'npc', fromId: 1, toType: 'npc', toId: 1, label: 'a' }],
        }),
      'rows.relation[0].toId',
    ],
    'a calendar without a month': [
      () =>
        small(
          {},
          {
            name: 'A',
            calendar: {
              months: [{ id: 1, name: 'Gap', days: 3, between: true }],
              weekdays: ['A'],
              firstWeekday: 0,
              moons: [],
              eras: [],
            },
          },
        ),
      'campaign.calendar.months',
    ],
    'a night nowhere': [
      () =>
        small({
          game_night: [{ id: 1, startsAt: '2026-12-04T18:00:00Z', timeZone: 'Mars/Olympus', localDate: '2026-12-04' }],
        }),
      'rows.game_night[0].timeZone',
    ],
  }
  test.each(Object.entries(cases))(
    '%s is refused, names its place and leaves nothing',
    async (_, [document, place]) => {
      const before = counted()
      const failure = await refused(document())
      expect(failure.code).toBe('validation_failed')
      expect(failure.message).toContain(place.replace(/\[\d+\]$/, ''))
      expect(counted()).toEqual(before)
    },
  )

  test('deep nesting', async () => {
    let deep: unknown = 'x'
    for (let level = 0; level < 5000; level += 1) deep = [deep]
    expect(await refused(small({ npc: [npc({ tags: deep })] }))).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('levels deep'),
    })
  })
})

describe('a good document with something wrong in it', () => {
  const count = long ? 2000 : 500
  test(`${count} times: refused with a reason, or in as a whole`, { timeout: walkLimitMs }, async () => {
    const random = seededRandom(20261122)
    const text = JSON.stringify(filledDocument(entities))
    const outcomes = { refused: 0, in: 0 }
    for (let round = 0; round < count; round += 1) {
      const document = mutated(JSON.parse(text) as FilledDocument, random)
      const before = counted()
      try {
        const { id, report } = await bring(document)
        outcomes.in += 1
        const whole = report.kinds.every(({ entityType, count: rows }: Answer) => {
          const name = entities.find((each) => each.name === entityType)?.table
          return table.store.get(`SELECT count(*) AS n FROM ${name} WHERE campaign_id = @id`, { id })?.n === rows
        })
        expect(whole, `round ${round}`).toBe(true)
      } catch (error) {
        expect((error as Answer).code, `round ${round}: ${error}`).toMatch(/^(validation_failed|too_large)$/)
        expect(counted(), `round ${round}`).toEqual(before)
        outcomes.refused += 1
      }
    }
    expect(table.store.get('SELECT count(*) AS n FROM campaigns WHERE importing = 1')?.n).toBe(0)
    expect(table.store.all('PRAGMA foreign_key_check')).toEqual([])
    // Both happen, or the mutations are of no use.
    expect(Math.min(outcomes.refused, outcomes.in)).toBeGreaterThan(count / 20)
  })
})

const oddities: readonly unknown[] = [
  null,
  0,
  -1,
  1.5,
  1e300,
  9_007_199_254_740_992,
  '',
  ' ',
  'x'.repeat(400),
  '\u0000',
  '\ud800',
  true,
  [],
  [[]],
  {},
  { id: 1 },
  ['a', 'a'],
  '412-99-99',
  'constructor',
  '__proto__',
  999_999,
]

/** Changes one to three things somewhere in a document. */
function mutated(document: FilledDocument, random: ReturnType<typeof seededRandom>): unknown {
  const pick = <T>(list: readonly T[]): T => list[random.integer(0, list.length - 1)] as T
  for (let times = random.integer(1, 3); times > 0; times -= 1) {
    const [parent, key] = pick(membersOf(document))
    const target = parent as Record<string | number, unknown>
    const kind = random.integer(0, 4)
    if (kind === 0 && !Array.isArray(parent)) delete target[key]
    else if (kind === 1 && Array.isArray(parent)) parent.push(structuredClone(parent[0]))
    else if (kind === 2)
      target[key] = structuredClone(pick(membersOf(document).map(([from, name]) => (from as Answer)[name])))
    else target[key] = pick(oddities)
  }
  return document
}

function membersOf(value: unknown, depth = 0): readonly (readonly [parent: object, key: string | number])[] {
  if (typeof value !== 'object' || value === null || depth > 6) return []
  const keys = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value)
  return keys.flatMap((key) => [[value, key] as const, ...membersOf((value as Answer)[key], depth + 1)])
}
