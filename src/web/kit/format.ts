/**
 * Dates, times and numbers as the reader's country writes them: 9 December or December 9, 20:15 or 8:15 PM, 1.200 or 1,200.
 * The words of the pages are English, so the names of days and months are too.
 */
export const locale = localeOf(typeof navigator === 'undefined' ? 'en-GB' : navigator.language)

export function localeOf(preferred: string): string {
  try {
    const { language, region } = new Intl.Locale(preferred).maximize()
    // A language without a country is nobody's clock: English alone is American to Intl.
    return preferred === 'en' || !region ? 'en-GB' : language === 'en' ? preferred : `en-${region}`
  } catch {
    return 'en-GB'
  }
}

const dayMonth = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long' })
const dayMonthYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric' })
const clock = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' })
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long' })
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
const whole = new Intl.NumberFormat(locale)
const brief = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 })
const list = new Intl.ListFormat(locale)

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Calendar days from `now` to `then` where the reader lives: 0 today, -1 yesterday. */
function daysBetween(then: Date, now: Date): number {
  const at = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
  return Math.round((at(then) - at(now)) / DAY)
}

/** `12 November`, with the year when it is another one. */
export function day(iso: string, now = new Date()): string {
  const then = new Date(iso)
  return (then.getFullYear() === now.getFullYear() ? dayMonth : dayMonthYear).format(then)
}

export const time = (iso: string): string => clock.format(new Date(iso))

/** `just now`, `3 hours ago`, `yesterday, 22:40`, `Thursday, 09:12`, `12 November`. */
export function when(iso: string, now = new Date()): string {
  const then = new Date(iso)
  const past = now.getTime() - then.getTime()
  const days = daysBetween(then, now)
  if (past >= 0 && past < MINUTE) return 'just now'
  if (past >= 0 && past < HOUR) return relative.format(-Math.round(past / MINUTE), 'minute')
  if (past >= 0 && days === 0) return relative.format(-Math.round(past / HOUR), 'hour')
  if (days >= -1 && days <= 1) return `${relative.format(days, 'day')}, ${clock.format(then)}`
  if (days < 0 && days > -7) return `${weekday.format(then)}, ${clock.format(then)}`
  return day(iso, now)
}

/** `in 3 days`, `2 days ago`, `tomorrow`; counted in hours within a day. */
export function span(iso: string, now = new Date()): string {
  const then = new Date(iso)
  const days = daysBetween(then, now)
  if (days !== 0) return relative.format(days, 'day')
  const hours = Math.round((then.getTime() - now.getTime()) / HOUR)
  if (Math.abs(then.getTime() - now.getTime()) < MINUTE) return 'just now'
  return hours === 0
    ? relative.format(Math.round((then.getTime() - now.getTime()) / MINUTE), 'minute')
    : relative.format(hours, 'hour')
}

/** A calendar day (`2026-11-20`) as `20 November`: the same day wherever it is read. */
export function calendarDay(date: string, now = new Date()): string {
  const [year = 0, month = 1, dayOfMonth = 1] = date.split('-').map(Number)
  const then = new Date(year, month - 1, dayOfMonth)
  return (year === now.getFullYear() ? dayMonth : dayMonthYear).format(then)
}

/** A title that ends with a day, as of a game night that nobody named, with that day as people write it. */
export const withDay = (title: string): string => title.replace(/\b\d{4}-\d\d-\d\d$/, (date) => calendarDay(date))

/** The calendar day of an instant (`2026-11-20`) where the reader lives. */
export function localDay(iso: string): string {
  const then = new Date(iso)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())}`
}

/** `86 MB`, in steps of 1000 as file managers count. */
export function bytes(size: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB']
  let step = 0
  let value = size
  while (value >= 1000 && step < units.length - 1) {
    value /= 1000
    step++
  }
  return `${brief.format(value)} ${units[step]}`
}

export const number = (value: number): string => whole.format(value)

/** `1 note`, `3 notes`, `no notes`. */
export function count(value: number, one: string, many = `${one}s`): string {
  if (value === 0) return `no ${many}`
  return `${whole.format(value)} ${value === 1 ? one : many}`
}

/** `Imke, Tom, and Noor` */
export const joinNames = (names: readonly string[]): string => list.format(names)

/** For comparing what people type: without accents and capitals. */
export const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Upper-cases the first letter, for a sentence that begins with a counted word. */
export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Up to two letters for a round badge: `IM`, `EL`. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = words.length > 1 ? `${words[0]?.[0] ?? ''}${words[1]?.[0] ?? ''}` : name.trim().slice(0, 2)
  return letters.toUpperCase()
}
