import { wallTimeAt } from '../../../kernel/zoned-time.ts'
import type { GameNight, RsvpAnswer } from '../../api/contract.ts'
import { capitalize, joinNames, locale } from '../../kit/format.ts'
import { ownZone } from '../../kit/zoned-time.ts'

// What is said of a night, and what an answer makes of it. No components, so that it can be tested alone.

export const answerWords: Readonly<Record<RsvpAnswer, string>> = { yes: 'Coming', maybe: 'Maybe', no: 'Can’t' }
/** How an answer is shown as a mark, and how it is read aloud. */
export const marks = {
  yes: { look: 'mark-yes', word: 'can' },
  maybe: { look: 'mark-maybe', word: 'maybe' },
  no: { look: 'mark-no', word: 'cannot' },
  none: { look: 'mark-none', word: 'no answer' },
} as const satisfies Readonly<Record<RsvpAnswer | 'none', { look: string; word: string }>>

const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long' })
const shortDay = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short' })
const longDay = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' })

/** `Fri 4 Dec` where the reader lives. */
export const shortDayOf = (instant: string): string => shortDay.format(new Date(instant)).replace(',', '')
/** `Friday 4 December` where the reader lives. */
export const longDayOf = (instant: string): string => longDay.format(new Date(instant)).replace(',', '')
export const weekdayOf = (instant: string): string => weekday.format(new Date(instant))

const clocks = new Map<string, Intl.DateTimeFormat>()

/** `19:00` or `7:00 PM`, as the reader writes it: where they live, or on a clock in a zone. */
export function clockOf(instant: string, timeZone = ownZone()): string {
  const clock =
    clocks.get(timeZone) ?? new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit', timeZone })
  clocks.set(timeZone, clock)
  return clock.format(new Date(instant))
}

const startOfDay = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()

/** `Tonight`, `Tomorrow`, `Friday`, or `Friday 4 December` where it is further off. */
export function dayWord(instant: string, now: Date): string {
  const then = new Date(instant)
  const days = Math.round((startOfDay(then) - startOfDay(now)) / 86_400_000)
  if (days === 0) return then.getHours() >= 17 ? 'Tonight' : 'Today'
  if (days === 1) return 'Tomorrow'
  return days > 1 && days < 7 ? weekdayOf(instant) : longDayOf(instant)
}

/** `Tonight at 19:00, at Noor’s`. */
export function headline({ startsAt, location }: Pick<GameNight, 'startsAt' | 'location'>, now: Date): string {
  const where =
    location && location.length <= 40 ? `, ${location.replace(/^(At|In|On) /, (word) => word.toLowerCase())}` : ''
  return `${dayWord(startsAt, now)} at ${clockOf(startsAt)}${where}`
}

/** `About four hours`. */
export function lasting(minutes: number): string {
  const hours = Math.round(minutes / 30) / 2
  if (hours < 1) return `About ${minutes} minutes`
  const word = ['', 'an hour', 'two hours', 'three hours', 'four hours', 'five hours', 'six hours'][hours]
  return `About ${word ?? `${String(hours).replace('.5', '½')} hours`}`
}

/** `Europe/Brussels` -> `Brussels`, as people call where somebody is. */
export const placeOf = (zone: string): string => (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ')

/** What a clock in a zone shows; with the weekday where it is another day than in the night's own zone. */
export function clockIn(zone: string, night: Pick<GameNight, 'startsAt' | 'timeZone'>): string {
  const there = wallTimeAt(night.startsAt, zone)
  const clock = clockOf(night.startsAt, zone)
  if (there.date === wallTimeAt(night.startsAt, night.timeZone).date) return clock
  const [year = 0, month = 1, day = 1] = there.date.split('-').map(Number)
  return `${new Intl.DateTimeFormat(locale, { weekday: 'short' }).format(new Date(year, month - 1, day))} ${clock}`
}

const minutesApart = (instant: string, one: string, other: string): number => {
  const at = (zone: string): number => {
    const { date, time: clock } = wallTimeAt(instant, zone)
    return Date.parse(`${date}T${clock}Z`) / 60_000
  }
  return at(one) - at(other)
}

/**
 * Whether the clocks of two zones are further apart, or closer, at the night than they are now: one of them has changed
 * meanwhile and the other has not, so that whoever counts as usual is wrong.
 */
export function clocksDisagree(night: Pick<GameNight, 'startsAt' | 'timeZone'>, zone: string, now: Date): boolean {
  return minutesApart(night.startsAt, zone, night.timeZone) !== minutesApart(now.toISOString(), zone, night.timeZone)
}

const numbers = ['nobody', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const numberWord = (count: number): string => numbers[count] ?? String(count)

/** One line about who comes: `Ellen and Tom are coming. Jonas may. Two have not said.` */
export function whoComes({ rsvps, unanswered }: Pick<GameNight, 'rsvps' | 'unanswered'>): string {
  const named = (answer: RsvpAnswer) =>
    rsvps.filter((each) => each.current && each.answer === answer).map(({ name }) => name)
  const [yes, maybe, no] = [named('yes'), named('maybe'), named('no')]
  const is = (names: readonly string[], one: string, many: string) =>
    names.length === 0 ? null : `${joinNames(names)} ${names.length === 1 ? one : many}.`
  const silent =
    unanswered.length === 0
      ? null
      : unanswered.length === 1
        ? 'One has not said.'
        : capitalize(`${numberWord(unanswered.length)} have not said.`)
  return [is(yes, 'is coming', 'are coming'), is(maybe, 'may', 'may'), is(no, 'cannot', 'cannot'), silent]
    .filter(Boolean)
    .join(' ')
}

export interface Me {
  readonly userId: number
  readonly name: string
  readonly timeZone: string
}

/** The night as it will be once somebody has answered; a word that is not given stays. */
export function withAnswer<N extends GameNight>(night: N, me: Me, answer: RsvpAnswer, note?: string | null): N {
  const before = night.rsvps.find(({ userId }) => userId === me.userId)
  const mine = {
    ...me,
    answer,
    note: note === undefined ? (before?.note ?? null) : note || null,
    forStartsAt: night.startsAt,
    current: true,
  }
  const rsvps = before ? night.rsvps.map((each) => (each === before ? mine : each)) : [...night.rsvps, mine]
  const count = (wanted: RsvpAnswer) => rsvps.filter((each) => each.current && each.answer === wanted).length
  return {
    ...night,
    rsvps,
    answers: { yes: count('yes'), maybe: count('maybe'), no: count('no') },
    unanswered: night.unanswered.filter(({ userId }) => userId !== me.userId),
  }
}

/** The day that most can and fewest cannot; the earlier of two alike. Undefined while nobody can. */
export function bestDay(nights: readonly GameNight[]): GameNight | undefined {
  const worth = ({ answers }: GameNight) => answers.yes * 1000 + answers.maybe * 10 - answers.no
  return nights.reduce<GameNight | undefined>(
    (best, each) => (each.answers.yes > 0 && (best === undefined || worth(each) > worth(best)) ? each : best),
    undefined,
  )
}

/** `Four can, Noor may, Asha has not said.` */
export function saidOf({ answers, rsvps, unanswered }: GameNight): string {
  const of = (count: number, names: readonly string[], one: string, many: string) =>
    count === 0 ? [] : [`${count === 1 ? (names[0] ?? 'one') : numberWord(count)} ${count === 1 ? one : many}`]
  const who = (answer: RsvpAnswer) =>
    rsvps.filter((each) => each.current && each.answer === answer).map(({ name }) => name)
  const parts = [
    ...of(answers.yes, who('yes'), 'can', 'can'),
    ...of(answers.maybe, who('maybe'), 'may', 'may'),
    ...of(answers.no, who('no'), 'cannot', 'cannot'),
    ...of(
      unanswered.length,
      unanswered.map(({ username }) => username),
      'has not said',
      'have not said',
    ),
  ]
  return capitalize(`${parts.join(', ')}.`)
}
