/** The time on a clock on a wall: `2026-11-27`, `19:30`. Which instant that is depends on where the wall is. */
export interface WallTime {
  readonly date: string
  readonly time: string
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Throws a RangeError for a zone that there is not. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  formats.set(zone, format)
  return format
}

/** What a clock of this IANA time zone shows at an instant (ISO 8601). */
export function wallTimeAt(instant: string | number, zone: string): WallTime {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(new Date(instant))
      .map(({ type, value }) => [type, value]),
  )
  const get = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? ''
  return {
    date: `${get('year').padStart(4, '0')}-${get('month')}-${get('day')}`,
    time: `${get('hour')}:${get('minute')}`,
  }
}

const asUtc = ({ date, time }: WallTime): number => Date.parse(`${date}T${time}:00.000Z`)
const DAY = 24 * 3600 * 1000

/** What a time on the wall means in a zone. */
export interface Meaning {
  /** The instants (ISO 8601 in UTC) at which a clock shows it: two where clocks are put back, none where they skip it. */
  readonly shown: readonly string[]
  /**
   * The one that calendars take (the rule `compatible` of RFC 5545 and Temporal): the first of two; and for a time that is
   * never shown, as if the clocks had not been put forward.
   */
  readonly taken: string
}

/** Null where the parts are no date and time. */
export function meaningOf(wall: WallTime, zone: string): Meaning | null {
  const guess = asUtc(wall)
  if (Number.isNaN(guess)) return null
  const offsetAt = (instant: number) => asUtc(wallTimeAt(instant, zone)) - Math.floor(instant / 60_000) * 60_000
  // No zone changes its clocks twice within two days.
  const [before, after] = [guess - offsetAt(guess - DAY), guess - offsetAt(guess + DAY)]
  const shown = [...new Set([before, after])].filter((instant) => asUtc(wallTimeAt(instant, zone)) === guess)
  const iso = (instant: number): string => new Date(instant).toISOString()
  return { shown: shown.sort((one, other) => one - other).map(iso), taken: iso(shown[0] ?? before) }
}

/** The instant (ISO 8601 in UTC) that a time on the wall means; null where the parts are no date and time. */
export function instantOf(wall: WallTime, zone: string): string | null {
  return meaningOf(wall, zone)?.taken ?? null
}
