import * as z from 'zod'
import { invalid } from '../../kernel/errors.ts'
import type { Notice, NoticeKind } from '../../kernel/notices.ts'
import { meaningOf, wallTimeAt } from '../../kernel/zoned-time.ts'

// When a game night is. It is stored as an instant with the time zone in which the table speaks of it, so that seven o'clock
// stays seven o'clock on both sides of a change of the clocks.

export const usualMinutes = 240

/** The longest that a night lasts, in milliseconds: what began earlier is over. */
export const longestMs = 24 * 3600 * 1000

/** The name of an IANA time zone, of whatever spelling. */
export const zoneName = () => z.string().min(1).max(60)

/** An instant with `Z` or an offset, or without either a time on a clock in the night's zone. */
export const plannedTime = () =>
  z.iso.datetime({
    offset: true,
    local: true,
    error: 'an instant as 2026-11-27T18:00:00Z, or a time on a clock as 2026-11-27T19:00',
  })

const [earliest, latest] = ['2000-01-01T00:00:00.000Z', '2200-01-01T00:00:00.000Z']

/** An instant with an offset of any form as it is stored, so that texts compare as times do. */
export function storedInstant(instant: string): string {
  return new Date(instant).toISOString()
}

/** The zone as the world spells it. Throws `validation_failed` for what is none; offsets are none, since they do not move. */
export function knownZone(timeZone: string): string {
  try {
    const { timeZone: known } = new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions()
    if (!/^[+-]/.test(known)) return known
  } catch {
    // Falls through: it gets the same answer.
  }
  throw invalid(
    'timeZone',
    'not an IANA time zone',
    'timeZone is the name of an IANA time zone, as Europe/Berlin or America/Toronto.',
  )
}

export interface Moment {
  readonly startsAt: string
  readonly localDate: string
}

/**
 * The instant that somebody means. A time without `Z` or offset is one on a clock in the zone; where that clock skips it, or
 * shows it twice, `validation_failed` says so and which instants there are, and nothing is guessed.
 */
export function momentOf(startsAt: string, timeZone: string): Moment {
  const at = /(?:Z|[+-]\d\d:?\d\d)$/.test(startsAt) ? storedInstant(startsAt) : instantOnClock(startsAt, timeZone)
  if (at < earliest || at >= latest) throw invalid('startsAt', 'between the years 2000 and 2199')
  return { startsAt: at, localDate: wallTimeAt(at, timeZone).date }
}

function instantOnClock(local: string, timeZone: string): string {
  const [date = '', time = ''] = local.split('T')
  const wall = { date, time: time.slice(0, 5) }
  const meaning = meaningOf(wall, timeZone)
  if (meaning === null) throw invalid('startsAt', 'not a date and a time')
  const [first, second] = meaning.shown
  if (first === undefined) {
    const later = wallTimeAt(meaning.taken, timeZone).time
    throw invalid(
      'startsAt',
      'a time that clocks skip on that day',
      `Clocks in ${timeZone} are put forward on ${date} and skip ${wall.time}. Take ${later} or a time before the change.`,
    )
  }
  if (second !== undefined)
    throw invalid(
      'startsAt',
      'a time that clocks show twice on that day',
      `Clocks in ${timeZone} are put back on ${date} and show ${wall.time} twice: as ${first} and as ${second}. Give one of these.`,
    )
  return first
}

interface Lasting {
  readonly startsAt: string
  readonly durationMinutes: number
}

/** When a night ends, ISO 8601 in UTC. */
export function endOf({ startsAt, durationMinutes }: Lasting): string {
  return new Date(Date.parse(startsAt) + durationMinutes * 60_000).toISOString()
}

export function isOver(night: Lasting, now: string): boolean {
  return endOf(night) <= now
}

/** Before this, whatever began is over. */
export function longestAgo(now: string): string {
  return new Date(Date.parse(now) - longestMs).toISOString()
}

export interface Answered {
  readonly answer: 'yes' | 'maybe' | 'no'
  readonly forStartsAt: string
}

/** An answer to another time than the night's is asked for again; it counts as none. */
export function isCurrent({ forStartsAt }: Pick<Answered, 'forStartsAt'>, night: Pick<Lasting, 'startsAt'>): boolean {
  return forStartsAt === night.startsAt
}

/** How many come, may come and cannot, of those who have answered for the time as it is. */
export function tally(
  answers: readonly Answered[],
  night: Pick<Lasting, 'startsAt'>,
): { readonly yes: number; readonly maybe: number; readonly no: number } {
  const current = answers.filter((each) => isCurrent(each, night))
  const of = (answer: Answered['answer']): number => current.filter((each) => each.answer === answer).length
  return { yes: of('yes'), maybe: of('maybe'), no: of('no') }
}

interface Planned {
  readonly startsAt: string
  readonly status: 'planned' | 'cancelled'
  readonly tentative: boolean
}

/**
 * Everybody who is asked hears that a night is planned, asked about, moved, called off or on again. Days of a poll that go
 * when another one is taken go without a word.
 */
export function tellsOfNight(before: Planned | null, after: Planned): readonly Notice[] {
  const kind = newsOf(before, after)
  return kind === null ? [] : [{ kind, to: { least: 'player' } }]
}

function newsOf(before: Planned | null, after: Planned): NoticeKind | null {
  if (after.status === 'cancelled') return before?.status === 'planned' && !before.tentative ? 'night_cancelled' : null
  const planned = after.tentative ? 'night_asked' : 'night_planned'
  if (before === null) return planned
  if (before.status === 'cancelled') return 'night_reinstated'
  if (before.tentative && !after.tentative) return planned
  return before.startsAt === after.startsAt ? null : 'night_moved'
}
