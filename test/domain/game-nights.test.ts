import { beforeEach, describe, expect, test } from 'vitest'
import { type Answer, makeTable, type Person, type Table } from './support.ts'

// Game nights: who comes and when, asked again when the time moves; days that the table is asked about; who was there.

let table: Table
beforeEach(async () => {
  table = await makeTable()
})

/** It is Friday 20 November 2026, 18:00 in UTC. */
const friday = '2026-11-27T19:00'
const night = (values: object = {}): Promise<Answer> =>
  table.call('ellen', 'create_game_night', { startsAt: friday, timeZone: 'Europe/Brussels', ...values })
const answer = (person: Person, gameNightId: number, values: object): Promise<Answer> =>
  table.call(person, 'set_rsvp', { gameNightId, ...values })
const get = (gameNightId: number, person: Person = 'pell'): Promise<Answer> =>
  table.call(person, 'get_game_night', { gameNightId })
const said = ({ rsvps }: Answer) =>
  rsvps.map(({ name, answer: given, note, current }: Answer) => [name, given, note, current])

describe('a night', () => {
  test('is planned by a clock on the wall and kept as an instant with its zone', async () => {
    const { id, ...planned } = await night({ durationMinutes: 180, location: 'At Noor’s' })
    const expected = {
      startsAt: '2026-11-27T18:00:00.000Z',
      endsAt: '2026-11-27T21:00:00.000Z',
      timeZone: 'Europe/Brussels',
      localDate: '2026-11-27',
      localTime: '19:00',
      status: 'planned',
      answers: { yes: 0, maybe: 0, no: 0 },
    }
    expect(planned).toMatchObject(expected)
    expect(await get(id)).toMatchObject(expected)
  })

  test('takes the zone of the last one where none is said, and UTC for the first', async () => {
    const plain = (startsAt: string) => table.call('ellen', 'create_game_night', { startsAt })
    expect((await plain('2026-11-20T19:00')).startsAt).toBe('2026-11-20T19:00:00.000Z')
    await night({ timeZone: 'america/toronto' })
    const next = await plain('2026-12-04T19:00')
    expect([next.timeZone, next.startsAt]).toEqual(['America/Toronto', '2026-12-05T00:00:00.000Z'])
  })

  test('stays at seven on both sides of a change of the clocks', async () => {
    const before = await night({ startsAt: '2027-03-26T19:00' })
    const after = await night({ startsAt: '2027-04-02T19:00' })
    expect([before.startsAt, after.startsAt]).toEqual(['2027-03-26T18:00:00.000Z', '2027-04-02T17:00:00.000Z'])
    expect([before.localTime, after.localTime]).toEqual(['19:00', '19:00'])
  })

  test('in an hour that is skipped, or that comes twice, is refused with what there is instead', async () => {
    const skipped = await table.refusal('ellen', 'create_game_night', {
      startsAt: '2027-03-28T02:30',
      timeZone: 'Europe/Brussels',
    })
    expect(skipped).toMatchObject({ code: 'validation_failed', message: expect.stringContaining('Take 03:30') })
    const twice = await table.refusal('ellen', 'create_game_night', {
      startsAt: '2027-10-31T02:30',
      timeZone: 'Europe/Brussels',
    })
    expect(twice.code).toBe('validation_failed')
    expect(twice.message).toContain('2027-10-31T00:30:00.000Z')
    expect(twice.message).toContain('2027-10-31T01:30:00.000Z')
    expect((await night({ startsAt: '2027-10-31T02:30:00+01:00' })).startsAt).toBe('2027-10-31T01:30:00.000Z')
  })

  test.each([
    ['Europe/Atlantis', friday],
    ['+01:00', friday],
    ['Europe/Brussels', '1999-12-31T19:00:00Z'],
    ['Europe/Brussels', '2026-02-30T19:00'],
  ])('in %s at %s is wrong input', async (timeZone, startsAt) => {
    expect(await table.refusal('ellen', 'create_game_night', { startsAt, timeZone })).toMatchObject({
      code: 'validation_failed',
    })
  })

  test('in another zone is the same instant, spoken of otherwise', async () => {
    const { id } = await night()
    await answer('pell', id, { answer: 'yes' })
    const moved = await table.call('ellen', 'update_game_night', { gameNightId: id, timeZone: 'Asia/Kathmandu' })
    expect([moved.startsAt, moved.localDate, moved.localTime]).toEqual([
      '2026-11-27T18:00:00.000Z',
      '2026-11-27',
      '23:45',
    ])
    expect(moved.answers.yes).toBe(1)
  })

  test('is called off with a reason and planned again, each of them once', async () => {
    const { id: gameNightId } = await night()
    await answer('pell', gameNightId, { answer: 'yes' })
    const off = await table.call('ellen', 'cancel_game_night', { gameNightId, reason: 'Coughing' })
    expect([off.status, off.cancelReason]).toEqual(['cancelled', 'Coughing'])
    expect(await table.refusal('ellen', 'cancel_game_night', { gameNightId })).toMatchObject({ code: 'invalid_state' })
    expect(await table.refusal('pell', 'set_rsvp', { gameNightId, answer: 'no' })).toMatchObject({
      code: 'invalid_state',
    })
    const on = await table.call('ellen', 'reinstate_game_night', { gameNightId })
    expect([on.status, on.cancelReason, on.answers.yes]).toEqual(['planned', null, 1])
    expect(await table.refusal('ellen', 'reinstate_game_night', { gameNightId })).toMatchObject({
      code: 'invalid_state',
    })
  })
})

describe('answers', () => {
  test('are one for each who plays, their own, with a word that stays until it is taken away', async () => {
    const { id } = await night()
    await answer('pell', id, { answer: 'yes', note: 'Half past, the train' })
    await answer('wren', id, { answer: 'no' })
    const again = await answer('pell', id, { answer: 'maybe' })
    expect(said(again)).toEqual([
      ['pell', 'maybe', 'Half past, the train', true],
      ['wren', 'no', null, true],
    ])
    expect(again.answers).toEqual({ yes: 0, maybe: 1, no: 1 })
    expect(again.unanswered).toEqual([{ userId: table.userId('ellen'), username: 'ellen' }])
    const elsewhere = await answer('pell', id, { answer: 'yes', note: null, timeZone: 'america/toronto' })
    expect(said(elsewhere)[0]).toEqual(['pell', 'yes', null, true])
    expect(elsewhere.rsvps[0].timeZone).toBe('America/Toronto')
    expect(await table.refusal('gast', 'set_rsvp', { gameNightId: id, answer: 'yes' })).toMatchObject({
      code: 'forbidden',
    })
  })

  test('to another time stand in grey and are asked for again; moved back, they count', async () => {
    const { id: gameNightId } = await night()
    await answer('pell', gameNightId, { answer: 'yes' })
    const moved = await table.call('ellen', 'update_game_night', { gameNightId, startsAt: '2026-11-27T20:00' })
    expect(said(moved)).toEqual([['pell', 'yes', null, false]])
    expect(moved.rsvps[0].forStartsAt).toBe('2026-11-27T18:00:00.000Z')
    expect(moved.answers.yes).toBe(0)
    expect(moved.unanswered.map(({ username }: Answer) => username)).toContain('pell')
    const back = await table.call('ellen', 'update_game_night', { gameNightId, startsAt: '2026-11-27T18:00:00Z' })
    expect(said(back)).toEqual([['pell', 'yes', null, true]])
    await table.call('ellen', 'update_game_night', { gameNightId, startsAt: '2026-11-27T20:00' })
    expect(said(await answer('pell', gameNightId, { answer: 'maybe' }))).toEqual([['pell', 'maybe', null, true]])
  })

  test('come until the night is over, and go with whoever leaves', async () => {
    const { id } = await night()
    table.pass(7 * 24 * 60 + 200)
    await answer('pell', id, { answer: 'yes' })
    table.pass(60)
    expect(await table.refusal('wren', 'set_rsvp', { gameNightId: id, answer: 'yes' })).toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('set_session_attendance'),
    })
    await table.call('pell', 'leave_campaign')
    expect((await get(id, 'ellen')).rsvps).toEqual([])
  })

  test('of a night that is taken back go with it', async () => {
    const { id } = await night()
    await answer('pell', id, { answer: 'yes' })
    const { items } = await table.call('ellen', 'list_audit_records', { operation: 'set_rsvp' })
    await table.call('ellen', 'revert_change', { auditRecordId: items[0].id })
    expect((await get(id)).rsvps).toEqual([])
  })
})

describe('the next night', () => {
  const next = () => table.call('pell', 'get_next_game_night')

  test('is the one that is on, then the one that comes; neither one called off nor a day that is asked about', async () => {
    expect(await next()).toEqual({ gameNight: null, tentativeCount: 0 })
    const later = await night({ startsAt: '2026-12-04T19:00' })
    const { id } = await night()
    await night({ startsAt: '2026-11-22T19:00', tentative: true })
    const { id: off } = await night({ startsAt: '2026-11-23T19:00' })
    await table.call('ellen', 'cancel_game_night', { gameNightId: off })
    expect(await next()).toMatchObject({ gameNight: { id }, tentativeCount: 1 })
    table.pass(7 * 24 * 60 + 200)
    expect((await next()).gameNight.id).toBe(id)
    table.pass(60)
    expect((await next()).gameNight.id).toBe(later.id)
  })
})

describe('days that the table is asked about', () => {
  test('are let go together when one of them is taken, as one change that can be undone', async () => {
    const days: number[] = []
    for (const day of ['04', '05', '11'])
      days.push((await night({ startsAt: `2026-12-${day}T19:00`, tentative: true })).id)
    const settled = await night()
    const [one, taken] = days as [number, number]
    await answer('pell', taken, { answer: 'yes' })
    const kept = await table.call('ellen', 'update_game_night', {
      gameNightId: taken,
      tentative: false,
      callOffOthers: true,
    })
    expect([kept.tentative, kept.status, kept.answers.yes]).toEqual([false, 'planned', 1])
    const statuses = async () => Promise.all([...days, settled.id].map(async (id) => (await get(id)).status))
    expect(await statuses()).toEqual(['cancelled', 'planned', 'cancelled', 'planned'])
    const { items } = await table.call('ellen', 'list_audit_records', { operation: 'update_game_night' })
    await table.call('ellen', 'revert_change', { auditRecordId: items[0].id })
    expect(await statuses()).toEqual(['planned', 'planned', 'planned', 'planned'])
    expect(await table.refusal('ellen', 'update_game_night', { gameNightId: one, callOffOthers: true })).toMatchObject({
      code: 'validation_failed',
    })
  })
})

describe('a list', () => {
  test('goes by time in either direction, within bounds of any precision', async () => {
    for (const day of ['28', '30', '29']) await night({ startsAt: `2026-11-${day}T19:00`, timeZone: 'UTC' })
    const days = async (values: Readonly<Record<string, unknown>>) =>
      (await table.call('gast', 'list_game_nights', values)).items.map(({ localDate }: Answer) => localDate.slice(8))
    expect(await days({})).toEqual(['28', '29', '30'])
    expect(await days({ newestFirst: true, limit: 2 })).toEqual(['30', '29'])
    expect(await days({ from: '2026-11-29T19:00:00Z' })).toEqual(['29', '30'])
    expect(await days({ to: '2026-11-29T19:00:00.0000Z' })).toEqual(['28', '29'])
  })
})

describe('attendance', () => {
  const of = ({ attendance }: Answer) => attendance.map(({ name, present }: Answer) => [name, present])

  test('says of everybody who plays whether they were there, and is replaced as a whole', async () => {
    const { id: sessionId } = await table.call('ellen', 'create_session', { status: 'played' })
    const set = (...people: Person[]) =>
      table.call('ellen', 'set_session_attendance', { sessionId, userIds: people.map(table.userId) })
    expect((await table.call('pell', 'get_session', { sessionId })).attendance).toEqual([])
    expect(of(await set('ellen', 'pell'))).toEqual([
      ['ellen', true],
      ['pell', true],
      ['wren', false],
    ])
    await set('ellen', 'wren', 'gast')
    const { items } = await table.call('gast', 'list_sessions')
    expect(of(items[0])).toEqual([
      ['ellen', true],
      ['pell', false],
      ['wren', true],
      ['gast', true],
    ])
  })

  test('keeps whoever left, and takes no stranger', async () => {
    const { id: sessionId } = await table.call('ellen', 'create_session', { status: 'played' })
    const userIds = [table.userId('pell')]
    await table.call('ellen', 'set_session_attendance', { sessionId, userIds })
    await table.call('pell', 'leave_campaign')
    const after = await table.call('ellen', 'set_session_attendance', { sessionId, userIds })
    expect(of(after)[0]).toEqual(['ellen', false])
    expect(of(after)).toContainEqual(['pell', true])
    expect(await table.refusal('ellen', 'set_session_attendance', { sessionId, userIds: [999] })).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('list_members'),
    })
  })
})
