import sharp from 'sharp'
import { beforeEach, expect, test } from 'vitest'
import { samplePicture } from '../../scripts/lib/sample-pictures.ts'
import { entities } from '../../src/catalogue.ts'
import { pictures } from '../../src/domain/campaign/sample/pictures.ts'
import { travels } from '../../src/kernel/travel.ts'
import { type Answer, makeTable, type Table } from './support.ts'

// The first campaign that somebody sees.

let table: Table
let campaignId: number
beforeEach(async () => {
  table = await makeTable()
  campaignId = (await table.call('ellen', 'create_sample_campaign')).id
})

test('it has something of every kind of thing that a campaign can have', () => {
  const empty = entities
    .filter((entity) => entity.scope === 'campaign' && travels(entity))
    .filter(
      ({ table: name }) =>
        table.store.get(`SELECT 1 AS n FROM ${name} WHERE campaign_id = @campaignId`, { campaignId }) === undefined,
    )
  expect(
    empty.map(({ name }) => name),
    'add some to src/domain/campaign/sample',
  ).toEqual([])
})

test('each of its pictures is drawn by the build', async () => {
  for (const name of Object.keys(pictures)) {
    const { format, width, height } = await sharp(await samplePicture(name)).metadata()
    expect([name, format, Math.max(width, height)]).toEqual([name, 'webp', width > height ? 1600 : 640])
  }
})

test('players see its map painted over, and no picture that would show the rest', async () => {
  const { items } = await table.call('ellen', 'list_maps', { campaignId, view: 'full' })
  const fogged = items.filter((map: Answer) => map.fogEnabled)
  expect(fogged.length).toBeGreaterThan(0)
  for (const { attachmentId } of fogged)
    expect(await table.call('ellen', 'get_attachment', { attachmentId })).toMatchObject({ kind: 'map', hidden: true })
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

test('its characters, fights, requests and tables can be played with', async () => {
  const call = (name: string, input: Readonly<Record<string, unknown>> = { campaignId }): Promise<Answer> =>
    table.call('ellen', name, input)
  const { items: characters } = await call('list_characters')
  const wren = characters.find(({ name }: Answer) => name === 'Wren Tallow')
  const { items: checks } = await call('list_checks', { characterId: wren.id, limit: 50 })
  expect(checks.find(({ id }: Answer) => id === 'skill.stealth').modifier).toBe(10)

  const { items: fights } = await call('list_encounters')
  const [planned] = fights.filter(({ status }: Answer) => status === 'planning')
  const [fought] = fights.filter(({ status }: Answer) => status === 'ended')
  const begun = await call('begin_encounter', { encounterId: planned.id })
  expect(begun.combatants).toHaveLength(7)
  const { items: log } = await call('list_encounter_events', { encounterId: fought.id, limit: 50 })
  expect(log[0].says).toBe(fought.outcome)
  const dog = (await call('list_combatants', { encounterId: fought.id })).items.find(
    ({ name }: Answer) => name === 'Bramble',
  )
  const harm = log.filter(({ kind, targetId }: Answer) => kind === 'damage' && targetId === dog.id)
  expect(harm.reduce((sum: number, { amount }: Answer) => sum + amount, 0)).toBeGreaterThanOrEqual(dog.hpMax)
  for (const { amount, rolls } of log.filter(({ kind }: Answer) => kind === 'initiative'))
    expect(rolls[0].total).toBe(amount)

  const { items: waiting } = await call('list_check_requests', { campaignId, status: 'open' })
  expect(waiting).toHaveLength(1)
  await call('answer_check_request', { checkRequestId: waiting[0].id })

  const { items: tables } = await call('list_random_tables')
  const { rows } = await call('get_random_table', { tableId: tables[0].id })
  await call('update_random_table', { tableId: tables[0].id, rows })
  await call('roll_random_table', { tableId: tables[0].id })

  const { items: rules } = await call('list_homebrew')
  for (const { id } of rules) {
    const { statblock, summary } = await call('get_rule_entry', { ruleEntryId: id, campaignId })
    const after = await call('update_homebrew', { ruleEntryId: id, statblock })
    expect(after.summary).toBe(summary)
  }
})

test('the lines of its ledger add up to what is in the purse', async () => {
  const { coins, entries } = await table.call('ellen', 'get_treasury', { campaignId })
  const sums: Record<string, number> = {}
  for (const { delta, balance } of entries.toReversed()) {
    for (const [coin, count] of Object.entries(delta as Record<string, number>)) sums[coin] = (sums[coin] ?? 0) + count
    expect(balance).toEqual(sums)
  }
  expect(coins).toEqual(sums)
})
