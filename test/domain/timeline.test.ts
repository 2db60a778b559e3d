import { beforeEach, describe, expect, test } from 'vitest'
import { asRead } from '../support/proposals.ts'
import { type Answer, makeTable, type Table } from './support.ts'

// What happened when, in a world that counts its own days.

let table: Table
beforeEach(async () => {
  table = await makeTable()
})

const months = [
  { name: 'Leaffall', days: 30 },
  { name: 'Rimefall', days: 30 },
  { name: 'Deepwinter', days: 30 },
]
const weekdays = ['Ploughday', 'Riverday', 'Marketday', 'Bellday', 'Candleday', 'Restday']
const calendar = (values: object = {}): Promise<Answer> =>
  table.call('ellen', 'update_world_calendar', { months, weekdays, ...values })
const advance = (days: number): Promise<Answer> => table.call('ellen', 'advance_world_date', { days })
const event = async (title: string, worldDate?: string, values: object = {}): Promise<number> =>
  (await table.call('ellen', 'create_timeline_event', { title, ...(worldDate ? { worldDate } : {}), ...values })).id
const list = async (
  values: Readonly<Record<string, unknown>> = {},
  person: 'ellen' | 'pell' = 'ellen',
): Promise<Answer[]> => (await table.call(person, 'list_timeline_events', values)).items
const titles = (events: readonly Answer[]): string[] => events.map(({ title }: Answer) => title)
const revertLast = async (operation: string): Promise<void> => {
  const { items } = await table.call('ellen', 'list_audit_records', { operation })
  await table.call('ellen', 'revert_change', { auditRecordId: items[0].id })
}

describe('the calendar', () => {
  test('is the Gregorian one until somebody says another, and tells what day it is', async () => {
    const before = await table.call('pell', 'get_world_calendar')
    expect([before.gregorian, before.months.length, before.weekdays[0], before.currentDate, before.today]).toEqual([
      true,
      12,
      'Monday',
      null,
      null,
    ])
    const moons = [{ name: 'The Lantern', period: 27, fullOn: '412-2-6' }]
    const own = await calendar({ moons, currentDate: '412-2-9' })
    expect([own.gregorian, own.currentDate, own.today.text, own.today.weekday]).toEqual([
      false,
      '412-2-9',
      '9 Rimefall, 412',
      'Marketday',
    ])
    expect(own.today.moons).toEqual([{ name: 'The Lantern', phase: expect.closeTo(0.611), word: 'waning gibbous' }])
    const campaign = await table.call('pell', 'get_campaign')
    expect([campaign.worldDate, campaign.worldDateText]).toEqual(['412-2-9', '9 Rimefall, 412'])
    expect(campaign).not.toHaveProperty('calendar')
  })

  test('keeps what a change leaves out: moons, eras and the day', async () => {
    const moons = [{ name: 'The Pip', period: 41, fullOn: '412-2-9' }]
    await calendar({ moons, eras: [{ name: 'The bell', from: 390 }], firstWeekday: 2, currentDate: '412-2-9' })
    const after = await calendar()
    expect([after.moons, after.eras, after.firstWeekday, after.currentDate]).toEqual([
      moons,
      [{ name: 'The bell', from: 390 }],
      2,
      '412-2-9',
    ])
    expect((await calendar({ currentDate: null, moons: [] })).today).toBeNull()
  })

  test.each([
    ['no months', { months: [] }, 'months'],
    ['a week of none', { weekdays: [] }, 'weekdays'],
    ['a month of no day', { months: [{ name: 'None', days: 0 }] }, 'has a day in every year'],
    ['days between years alone', { months: [{ name: 'Feast', days: 3, between: true }] }, 'a year needs a month'],
    ['61 months', { months: Array.from({ length: 61 }, (_, index) => ({ name: `m${index}`, days: 1 })) }, 'months'],
    ['a day that it has not', { currentDate: '412-2-31' }, 'this world has no 412-2-31'],
    ['a day that is a month', { currentDate: '412-2' }, 'a day, as 412-10-9'],
    ['two months of a name', { months: [...months, { name: 'rimefall', days: 2 }] }, 'months'],
    ['a moon that never turns', { moons: [{ name: 'M', period: 0, fullOn: '1-1-1' }] }, 'period'],
  ])('of %s is refused in words, and nothing is changed', async (_, values, word) => {
    const refusal = await table.refusal('ellen', 'update_world_calendar', { months, weekdays, ...values })
    expect(refusal).toMatchObject({ code: 'validation_failed', message: expect.stringContaining(word) })
    expect((await table.call('ellen', 'get_world_calendar')).gregorian).toBe(true)
  })

  test('refuses a writer who read an older one', async () => {
    const { revision } = await calendar()
    await calendar({ currentDate: '412-1-1' })
    const refusal = await table.refusal('ellen', 'update_world_calendar', {
      months,
      weekdays,
      expectedRevision: revision,
    })
    expect(refusal.code).toBe('stale_revision')
  })
})

describe('the days that pass', () => {
  beforeEach(async () => {
    await calendar({ currentDate: '412-2-9' })
    await event('The winter is pressed', '412-2-10', { hidden: true })
    await event('Market at Aldersey', '412-2-12')
    await event('Tonight', '412-2-9')
    await event('Deep winter', '412-3')
    await event('A new year', '413')
    await event('Nobody knows when')
  })

  test('tell what they go by, forwards and backwards, and are taken back by a revert', async () => {
    const on = await advance(3)
    expect([on.currentDate, titles(on.reached), on.reachedCount]).toEqual([
      '412-2-12',
      ['The winter is pressed', 'Market at Aldersey'],
      2,
    ])
    const back = await advance(-4)
    expect([back.currentDate, titles(back.reached)]).toEqual([
      '412-2-8',
      ['Market at Aldersey', 'The winter is pressed', 'Tonight'],
    ])
    await revertLast('advance_world_date')
    expect((await table.call('ellen', 'get_world_calendar')).currentDate).toBe('412-2-12')
  })

  test('reach a month or a year on its first day', async () => {
    expect(titles((await advance(21)).reached)).toEqual(['The winter is pressed', 'Market at Aldersey'])
    expect(titles((await advance(1)).reached)).toEqual(['Deep winter'])
    expect(titles((await advance(30)).reached)).toEqual(['A new year'])
    expect(titles((await advance(-1)).reached)).toEqual(['A new year'])
  })

  test('need a day to begin with, and go by at least one of them', async () => {
    expect(await table.refusal('ellen', 'advance_world_date', { days: 0 })).toMatchObject({ code: 'validation_failed' })
    await calendar({ currentDate: null })
    expect(await table.refusal('ellen', 'advance_world_date', { days: 1 })).toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('update_world_calendar'),
    })
    await calendar({ currentDate: '999999-3-30' })
    expect(await table.refusal('ellen', 'advance_world_date', { days: 1 })).toMatchObject({ code: 'validation_failed' })
  })
})

describe('an event', () => {
  test('stands where its date puts it, without one before all others', async () => {
    await calendar()
    await event('Third', '412-2-9')
    await event('Second', '412')
    await event('Fourth', '412-2-10')
    await event('First')
    await event('Long ago', '-3-1-1')
    const order = ['First', 'Long ago', 'Second', 'Third', 'Fourth']
    expect(titles(await list())).toEqual(order)
    expect(titles(await list({ direction: 'backward' }))).toEqual([...order].reverse())
    expect(titles(await list({ from: '412-2', to: '412-2-9' }))).toEqual(['Third'])
    expect(titles(await list({ to: '412-1' }))).toEqual(['Long ago', 'Second'])
    expect(titles(await list({ query: 'four' }))).toEqual(['Fourth'])
  })

  test('pages over dates and none, both ways', async () => {
    await calendar({ eras: [{ name: 'The bell', from: 400 }] })
    for (const [title, date] of [['a'], ['b'], ['c', '390'], ['d', '412'], ['e', '412-1-3'], ['f', '412-1-3']] as const)
      await event(title, date, date === undefined ? { era: 'The bell' } : {})
    const walk = async (values: object): Promise<string[]> => {
      const found: string[] = []
      let cursor: string | undefined
      do {
        const page = await table.call('pell', 'list_timeline_events', {
          ...values,
          limit: 2,
          ...(cursor ? { cursor } : {}),
        })
        found.push(...titles(page.items))
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      return found
    }
    expect(await walk({})).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
    expect(await walk({ direction: 'backward' })).toEqual(['f', 'e', 'd', 'c', 'b', 'a'])
    expect(await walk({ era: 'the bell' })).toEqual(['a', 'b', 'd', 'e', 'f'])
    expect(await walk({ era: 'the bell', direction: 'backward' })).toEqual(['f', 'e', 'd', 'b', 'a'])
    expect(await walk({ era: 'The bell', to: '412-1-2' })).toEqual(['d'])
  })

  test('has the era of its year, or a word of its own', async () => {
    await calendar({ eras: [{ name: 'The bell', from: 390 }] })
    const ofYear = await event('Cracked', '390-1-1')
    await event('Of the stags', undefined, { era: 'The age of stags' })
    expect((await table.call('pell', 'get_timeline_event', { timelineEventId: ofYear })).era).toBe('The bell')
    expect(titles(await list({ era: 'The age of stags' }))).toEqual(['Of the stags'])
  })

  test('of a session is told apart, and one that is hidden is nowhere', async () => {
    const { id: sessionId } = await table.call('ellen', 'create_session', { title: 'The wall' })
    await event('They climbed the wall', '2026-11-22', { sessionId })
    const hidden = await event('A secret', '2026-11-23', { hidden: true })
    await event('The rest')
    expect(titles(await list({ atTable: true }, 'pell'))).toEqual(['They climbed the wall'])
    expect(titles(await list({ atTable: false }, 'pell'))).toEqual(['The rest'])
    expect(titles(await list({}, 'pell'))).toEqual(['The rest', 'They climbed the wall'])
    expect(await table.refusal('pell', 'get_timeline_event', { timelineEventId: hidden })).toMatchObject({
      code: 'not_found',
    })
  })

  test('on a day that there is not is refused with the months that there are', async () => {
    await calendar()
    const refusal = await table.refusal('ellen', 'create_timeline_event', { title: 'x', worldDate: '412-2-31' })
    expect(refusal).toMatchObject({ code: 'validation_failed', message: expect.stringContaining('2 Rimefall (30)') })
    for (const worldDate of ['spring', '412-4-1', '412-0-1', '99999999'])
      expect(await table.refusal('ellen', 'create_timeline_event', { title: 'x', worldDate })).toMatchObject({
        code: 'validation_failed',
      })
  })

  test('keeps what a change does not name, and loses its date by null', async () => {
    const timelineEventId = await event('A day', '2026-11-22', { body: 'It rained.' })
    const renamed = await table.call('ellen', 'update_timeline_event', { timelineEventId, title: 'A wet day' })
    expect([renamed.worldDate, renamed.worldDateText, renamed.body]).toEqual([
      '2026-11-22',
      '22 November, 2026',
      'It rained.',
    ])
    const undated = await table.call('ellen', 'update_timeline_event', { timelineEventId, worldDate: null })
    expect([undated.worldDate, undated.worldDateText, undated.title]).toEqual([null, null, 'A wet day'])
    await revertLast('update_timeline_event')
    expect((await list()).map(({ worldDate }: Answer) => worldDate)).toEqual(['2026-11-22'])
  })

  test('of a player is a proposal, and theirs to see only once it is taken', async () => {
    const answer = await table.call('pell', 'create_timeline_event', {
      title: 'We met the clerk',
      worldDate: '2026-11-1',
    })
    expect(titles(await list())).toEqual([])
    await table.call('ellen', 'approve_proposals', { proposals: asRead(table, answer.proposal.id) })
    expect(titles(await list({}, 'pell'))).toEqual(['We met the clerk'])
  })

  test('goes to the trash and comes back, and is found and spoken of by its new name', async () => {
    const timelineEventId = await event('The ledger taken', '2026-11-5')
    await table.call('ellen', 'create_quest', {
      title: 'The ledger',
      body: `Since [that day](timeline_event:${timelineEventId}).`,
    })
    await table.call('ellen', 'update_timeline_event', { timelineEventId, title: 'The ledger stolen' })
    const one = await table.call('pell', 'get_timeline_event', { timelineEventId })
    expect(titles(one.mentionedBy.items)).toEqual(['The ledger'])
    const { items: hits } = await table.call('pell', 'search_campaign', { query: 'stolen' })
    expect(hits).toMatchObject([{ entityType: 'timeline_event', entityId: timelineEventId }])
    await table.call('ellen', 'delete_timeline_event', { timelineEventId })
    expect(await list()).toEqual([])
    await table.call('ellen', 'restore_from_trash', { entityType: 'timeline_event', entityId: timelineEventId })
    expect(titles(await list())).toEqual(['The ledger stolen'])
  })
})

describe('a calendar that changes under its events', () => {
  test('moves what stood on days that are gone to the last before, marks it, and gives it back', async () => {
    await calendar({ currentDate: '412-2-29' })
    await event('On the 9th', '412-2-9')
    await event('On the 28th', '412-2-28')
    await event('In deep winter', '412-3-4')
    const shorter = [months[0], { name: 'Rimefall', days: 24 }]
    const changed = await calendar({ months: shorter })
    expect([titles(changed.moved), changed.movedCount, changed.currentDate]).toEqual([
      ['On the 28th', 'In deep winter'],
      2,
      '412-2-24',
    ])
    expect((await list()).map(({ worldDateText, movedFrom }: Answer) => [worldDateText, movedFrom])).toEqual([
      ['9 Rimefall, 412', null],
      ['24 Rimefall, 412', '412-2-28'],
      ['24 Rimefall, 412', '412-3-4'],
    ])
    await revertLast('update_world_calendar')
    expect((await list()).map(({ worldDate, movedFrom }: Answer) => [worldDate, movedFrom])).toEqual([
      ['412-2-9', null],
      ['412-2-28', null],
      ['412-3-4', null],
    ])
    expect((await table.call('ellen', 'get_world_calendar')).currentDate).toBe('412-2-29')
  })

  test('keeps events in their month when one is put before it, or when it is called otherwise', async () => {
    await calendar()
    await event('Market', '412-2-12')
    const { months: now } = await calendar({
      months: [months[0], { name: 'Frostwake', days: 10 }, months[1], months[2]],
    })
    expect(now.map(({ id }: Answer) => id)).toEqual([1, 1.5, 2, 3])
    await event('Frost', '412-1.5-3')
    await calendar({ months: [now[0], now[1], { ...now[2], name: 'Hoarfrost' }, now[3]] })
    expect((await list()).map(({ worldDateText }: Answer) => worldDateText)).toEqual([
      '3 Frostwake, 412',
      '12 Hoarfrost, 412',
    ])
  })

  test('is reached by days as it is now: what was moved is gone by with the day that it was moved to', async () => {
    await calendar({ currentDate: '412-2-23' })
    await event('On the 28th', '412-2-28')
    await calendar({ months: [months[0], { name: 'Rimefall', days: 24 }, months[2]] })
    expect(titles((await advance(1)).reached)).toEqual(['On the 28th'])
    expect(titles((await advance(1)).reached)).toEqual([])
  })
})
