import ICAL from 'ical.js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Person, TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'

// The calendars of members: an address that is a secret, and what a calendar that knows nothing of us reads there.

let world: TestWorld
beforeEach(async () => {
  world = await startWorld()
})
afterEach(() => world.server.stop())

const campaignId = () => world.id('campaign')
const pathOf = async (person: Person): Promise<string> =>
  (await world.as(person, 'get_calendar_feed', { campaignId: campaignId() })).path
const fetchFeed = (path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  world.server.app.server.inject({ method, url: path, headers: { host: '127.0.0.1', ...headers } })
const night = async (values: object): Promise<number> =>
  (await world.as('dm', 'create_game_night', { campaignId: campaignId(), ...values })).id

interface Read {
  readonly uid: string
  readonly summary: string
  readonly start: string
  readonly end: string
  readonly sequence: number
  readonly status: string
  readonly location: string | null
  readonly description: string | null
}

/** The events as ical.js reads them. */
function eventsIn(text: string): readonly Read[] {
  const calendar = new ICAL.Component(ICAL.parse(text) as never)
  return calendar.getAllSubcomponents('vevent').map((component) => {
    const event = new ICAL.Event(component)
    return {
      uid: event.uid,
      summary: event.summary,
      start: event.startDate.toJSDate().toISOString(),
      end: event.endDate.toJSDate().toISOString(),
      sequence: event.sequence,
      status: String(component.getFirstPropertyValue('status')),
      location: event.location,
      description: event.description,
    }
  })
}

describe('what a calendar reads', () => {
  test('are the settled nights, in UTC on both sides of a change of the clocks', async () => {
    const at = (startsAt: string) => night({ startsAt, timeZone: 'Europe/Brussels', durationMinutes: 90 })
    await at('2027-03-26T19:00')
    await at('2027-04-02T19:00')
    await at('2027-10-30T23:30')
    const { body, headers, statusCode } = await fetchFeed(await pathOf('viewer'))
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/calendar; charset=utf-8'])
    expect([headers['cache-control'], headers['x-robots-tag'], headers['referrer-policy']]).toEqual([
      'no-store',
      'noindex',
      'no-referrer',
    ])
    const events = eventsIn(body)
    expect(events.map(({ start, end }) => [start, end])).toEqual([
      ['2026-11-13T18:00:00.000Z', '2026-11-13T22:00:00.000Z'],
      ['2026-11-27T18:00:00.000Z', '2026-11-27T22:00:00.000Z'],
      ['2027-03-26T18:00:00.000Z', '2027-03-26T19:30:00.000Z'],
      ['2027-04-02T17:00:00.000Z', '2027-04-02T18:30:00.000Z'],
      ['2027-10-30T21:30:00.000Z', '2027-10-30T23:00:00.000Z'],
    ])
    expect(events.map(({ status }) => status)).toEqual([
      'CANCELLED',
      'CONFIRMED',
      'CONFIRMED',
      'CONFIRMED',
      'CONFIRMED',
    ])
    expect(events[0]).toMatchObject({
      summary: 'Cancelled: The Orchard in Winter',
      description: 'Half of us are coughing',
    })
    expect(events[1]).toMatchObject({ summary: 'The Orchard in Winter', location: 'At Noor’s' })
    // Every time says by itself that it is in UTC, and no line is longer than 75 octets (RFC 5545 3.1).
    const lines = body.split('\r\n')
    expect(body).not.toMatch(/[^\r]\n/)
    for (const line of lines) expect(Buffer.byteLength(line), line).toBeLessThanOrEqual(75)
    const times = lines.filter((line) => /^(DTSTAMP|DTSTART|DTEND|LAST-MODIFIED)/.test(line))
    expect(times.length).toBe(20)
    for (const line of times) expect(line).toMatch(/^[A-Z-]+:\d{8}T\d{6}Z$/)
    expect(body).not.toContain('VTIMEZONE')
    expect(new Set(events.map(({ uid }) => uid)).size).toBe(5)
  })

  test('moves a night in its place, calls it off and takes it back, always with a higher number', async () => {
    const path = await pathOf('player')
    const gameNightId = await night({ startsAt: '2027-01-08T19:00', timeZone: 'Europe/Brussels' })
    const read = async () =>
      eventsIn((await fetchFeed(path)).body).find(({ start }) => start.startsWith('2027')) as Read
    const seen = [await read()]
    const change = async (operation: string, values: object = {}) => {
      await world.as('dm', operation, { gameNightId, ...values })
      seen.push(await read())
    }
    await change('update_game_night', { startsAt: '2027-01-08T20:00' })
    await change('update_game_night', { location: 'At Tom’s; second floor, left' })
    await change('cancel_game_night')
    await change('reinstate_game_night')
    const { items } = await world.as('dm', 'list_audit_records', {
      campaignId: campaignId(),
      operation: 'update_game_night',
    })
    // The first of them is taken back last: the time of then comes with a number of now.
    await world.as('dm', 'revert_change', { auditRecordId: items[0].id })
    seen.push(await read())
    expect(new Set(seen.map(({ uid }) => uid)).size).toBe(1)
    expect(seen.map(({ start }) => start.slice(11, 16))).toEqual(['18:00', '19:00', '19:00', '19:00', '19:00', '19:00'])
    expect(seen.map(({ status }) => status)).toEqual([
      'CONFIRMED',
      'CONFIRMED',
      'CONFIRMED',
      'CANCELLED',
      'CONFIRMED',
      'CONFIRMED',
    ])
    expect(seen.map(({ location }) => location)).toEqual([
      null,
      null,
      ...Array(3).fill('At Tom’s; second floor, left'),
      null,
    ])
    for (const [before, after] of seen.slice(1).map((each, index) => [seen[index] as Read, each] as const))
      expect(after.sequence).toBeGreaterThan(before.sequence)
  })

  test('holds words of every kind as they were written, and no day that is only asked about', async () => {
    const title = 'Tea, "cake"; a \\ and 🫖 '.repeat(4).trim()
    const notes = 'Bring:\r\n- bread, soup;\n- BEGIN:VEVENT\n\\n'
    await world.as('dm', 'update_campaign', { campaignId: campaignId(), name: 'Orchard; winter, \\' })
    await night({ startsAt: '2027-01-08T19:00:00Z', title, notes })
    await night({ startsAt: '2027-02-08T19:00:00Z', title: 'Perhaps', tentative: true })
    const { body } = await fetchFeed(await pathOf('player'))
    const events = eventsIn(body)
    expect(events).toHaveLength(3)
    expect(events[2]).toMatchObject({
      summary: `Orchard; winter, \\: ${title}`,
      description: notes.replaceAll('\r\n', '\n'),
    })
    // ical.js knows neither property, and so leaves them as they are written.
    for (const property of ['NAME', 'X-WR-CALNAME'])
      expect(body).toContain(`\r\n${property}:Orchard\\; winter\\, \\\\\r\n`)
  })

  test('forgets what was long ago, and what was called off a month ago', async () => {
    const path = await pathOf('player')
    const off = await night({ startsAt: '2027-01-08T19:00:00Z' })
    await world.as('dm', 'cancel_game_night', { gameNightId: off })
    const starts = async () => eventsIn((await fetchFeed(path)).body).map(({ start }) => start.slice(0, 10))
    expect(await starts()).toEqual(['2026-11-13', '2026-11-27', '2027-01-08'])
    world.server.clock.advance(31 * 24 * 3600 * 1000)
    expect(await starts()).toEqual(['2026-11-27'])
    world.server.clock.advance(70 * 24 * 3600 * 1000)
    expect(await starts()).toEqual([])
  })

  test('is the same text while nothing changes, and is not sent twice', async () => {
    const path = await pathOf('player')
    const first = await fetchFeed(path)
    world.server.clock.advance(3600_000)
    const tag = String(first.headers.etag)
    expect((await fetchFeed(path)).body).toBe(first.body)
    const unchanged = await fetchFeed(path, { 'if-none-match': `"other", W/${tag}` })
    expect([unchanged.statusCode, unchanged.body]).toEqual([304, ''])
    const head = await fetchFeed(path, {}, 'HEAD')
    expect([head.statusCode, head.body, head.headers.etag]).toEqual([200, '', tag])
    // Who comes is nothing that a calendar tells.
    await world.as('player', 'set_rsvp', { gameNightId: world.id('game_night'), answer: 'no', note: 'ill' })
    expect((await fetchFeed(path, { 'if-none-match': tag })).statusCode).toBe(304)
    await world.as('dm', 'update_game_night', { gameNightId: world.id('game_night'), title: 'Another' })
    expect((await fetchFeed(path, { 'if-none-match': tag })).statusCode).toBe(200)
  })
})

describe('the address', () => {
  test('is each member’s own, can be shown again, and is in no log', async () => {
    const [mine, theirs] = [await pathOf('player'), await pathOf('otherPlayer')]
    expect(mine).toMatch(/^\/ics\/\d+-[\w-]{43}\.ics$/)
    expect(await pathOf('player')).toBe(mine)
    expect(theirs).not.toBe(mine)
    for (const path of [mine, theirs, '/ics/1-none.ics']) await fetchFeed(path)
    const secret = mine.slice(mine.indexOf('-') + 1, -4)
    expect(world.server.logs()).not.toContain(secret)
    const stored = world.server.app.store().all('SELECT * FROM memberships', {})
    expect(JSON.stringify(stored)).not.toContain(secret)
    expect(JSON.stringify(world.server.app.store().all('SELECT * FROM changes', {}))).not.toContain(secret)
  })

  test('is dead once there is a new one, for its owner alone, and undoing does not bring it back', async () => {
    const [old, theirs] = [await pathOf('player'), await pathOf('otherPlayer')]
    const { path } = await world.as('player', 'rotate_calendar_feed', { campaignId: campaignId() })
    expect(path).not.toBe(old)
    const codes = async () => Promise.all([old, path, theirs].map(async (each) => (await fetchFeed(each)).statusCode))
    expect(await codes()).toEqual([404, 200, 200])
    expect(await pathOf('player')).toBe(path)
    const { items } = await world.as('dm', 'list_audit_records', {
      campaignId: campaignId(),
      operation: 'rotate_calendar_feed',
    })
    expect(items[0].revertible).toBe(false)
    expect(await codes()).toEqual([404, 200, 200])
  })

  test.each([
    ['leaves', (at: TestWorld) => at.as('player', 'leave_campaign', { campaignId: at.id('campaign') })],
    ['is removed', (at: TestWorld) => at.as('dm', 'remove_member', { memberId: at.id('member', 'player') })],
    [
      'sees the campaign thrown away',
      (at: TestWorld) => at.as('dm', 'delete_campaign', { campaignId: at.id('campaign') }),
    ],
    [
      'may not sign in any more',
      async (at: TestWorld) =>
        at.server.app
          .store()
          .run("UPDATE users SET disabled_at = '2026-11-20T18:00:00.000Z' WHERE id = @id", { id: at.userId.player }),
    ],
  ])('ends when its owner %s', async (_, end) => {
    const path = await pathOf('player')
    expect((await fetchFeed(path)).statusCode).toBe(200)
    await end(world)
    expect((await fetchFeed(path)).statusCode).toBe(404)
  })

  test('of somebody who comes back is another one', async () => {
    const old = await pathOf('player')
    await world.as('player', 'leave_campaign', { campaignId: campaignId() })
    await world.as('dm', 'add_member', { campaignId: campaignId(), userId: world.userId.player, role: 'player' })
    await world.as('player', 'accept_invitation', { campaignId: campaignId() })
    expect((await fetchFeed(old)).statusCode).toBe(404)
    expect((await fetchFeed(await pathOf('player'))).statusCode).toBe(200)
  })

  test('that is wrong in any way is the same 404', async () => {
    const path = await pathOf('player')
    const [id, proof] = path.slice(5, -4).split(/-(.*)/s) as [string, string]
    const wrong = [
      `/ics/${id}-${proof}`,
      `/ics/${id}.ics`,
      `/ics/${Number(id) + 1}-${proof}.ics`,
      `/ics/0${id}-${proof}.ics`,
      `/ics/999999-${proof}.ics`,
      `/ics/${id}-${proof.slice(1)}A.ics`,
      `/ics/${id}-${proof}A.ics`,
      `/ics/${'9'.repeat(200)}-${proof}.ics`,
      '/ics/%00.ics',
    ]
    const bodies = new Set<string>()
    for (const each of wrong) {
      const { statusCode, body } = await fetchFeed(each)
      expect(statusCode, each).toBe(404)
      bodies.add(body)
    }
    expect(bodies.size).toBe(1)
  })

  test('is answered so often and no oftener', async () => {
    const [path, other] = [await pathOf('player'), await pathOf('viewer')]
    const codes = new Set<number>()
    for (let call = 0; call < 31; call++) codes.add((await fetchFeed(path)).statusCode)
    expect([...codes]).toEqual([200, 429])
    expect((await fetchFeed(other)).statusCode).toBe(200)
  })
})
