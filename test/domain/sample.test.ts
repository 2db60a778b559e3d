import { beforeEach, expect, test } from 'vitest'
import { entities } from '../../src/catalogue.ts'
import { travels } from '../../src/kernel/travel.ts'
import { type Answer, makeTable, type Table } from './support.ts'

// The first campaign that somebody sees.

let table: Table
let campaignId: number
beforeEach(async () => {
  table = await makeTable()
  campaignId = (await table.call('ellen', 'create_sample_campaign')).id
})

/** Pictures would have to be files of the program. */
const without: readonly string[] = ['attachment']

test('it has something of every kind of thing that a campaign can have', () => {
  const empty = entities
    .filter((entity) => entity.scope === 'campaign' && travels(entity) && !without.includes(entity.name))
    .filter(
      ({ table: name }) =>
        table.store.get(`SELECT 1 AS n FROM ${name} WHERE campaign_id = @campaignId`, { campaignId }) === undefined,
    )
  expect(
    empty.map(({ name }) => name),
    'add some to src/domain/campaign/sample',
  ).toEqual([])
})

test('its evenings are around today, and the next is one to answer', async () => {
  const { gameNight: next } = await table.call('ellen', 'get_next_game_night', { campaignId })
  expect(Date.parse(next.startsAt)).toBeGreaterThan(Date.parse(table.now()))
  const { items } = await table.call('ellen', 'list_sessions', { campaignId })
  expect(items.map(({ number, status }: Answer) => [number, status])).toEqual([
    [15, 'planned'],
    [14, 'played'],
    [13, 'played'],
    [12, 'played'],
  ])
})

test('every mention in its prose leads somewhere', () => {
  const texts = JSON.stringify(
    entities.filter(travels).map(({ table: name }) => table.store.all(`SELECT * FROM ${name}`)),
  )
  const mentions = Array.from(texts.matchAll(/\]\(([a-z_]+):(\d+)\)/g), ([, kind, id]) => [kind, Number(id)] as const)
  expect(mentions.length).toBeGreaterThan(10)
  const lost = mentions.filter(([kind, id]) => {
    const name = entities.find((entity) => entity.name === kind)?.table
    return (
      table.store.get(`SELECT 1 AS n FROM ${name} WHERE id = @id AND campaign_id = @campaignId`, { id, campaignId }) ===
      undefined
    )
  })
  expect(lost).toEqual([])
})

test('its numbers are what was played', async () => {
  const answer = await table.call('ellen', 'get_campaign_statistics', { campaignId })
  expect(answer.sessions).toEqual({ played: 3, planned: 1 })
  expect(
    answer.evenings.map(({ number, present, asked, daysSince }: Answer) => [number, present, asked, daysSince]),
  ).toEqual([
    [12, 5, 5, null],
    [13, 4, 5, 7],
    [14, 4, 5, 7],
  ])
  expect(answer.gaps).toEqual({ median: 7, longest: 7 })
  expect(answer.attendance[0]).toEqual({ name: 'Imke', present: 3, asked: 3 })
  expect(answer.attendance.at(-1)).toEqual({ name: 'Jonas', present: 2, asked: 3 })
  expect(answer.objectives.total).toBe(10)
})

test('as a template it has the people and the threads, and nothing of the evenings', async () => {
  const { id } = await table.call('ellen', 'duplicate_campaign', { campaignId, asTemplate: true, name: 'Once more' })
  const rows = (entity: string, where = '1'): Answer => {
    const name = entities.find((each) => each.name === entity)?.table
    return table.store.get(`SELECT count(*) AS n FROM ${name} WHERE campaign_id = @id AND ${where}`, { id })?.n
  }
  expect([rows('npc'), rows('beat'), rows('quest')]).toEqual([10, 13, 6])
  const ofPlay = ['session', 'game_night', 'rsvp', 'attendance', 'reputation_change', 'note', 'inbox_item']
  expect(ofPlay.map((name) => rows(name))).toEqual(ofPlay.map(() => 0))
  expect([
    rows('objective', 'done = 1'),
    rows('beat', "status <> 'planned'"),
    rows('quest', "status <> 'available'"),
  ]).toEqual([0, 0, 0])
  expect(rows('beat', 'session_id IS NOT NULL')).toBe(0)
})
