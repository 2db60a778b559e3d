/** The time on a clock on a wall: `2026-11-27`, `19:30`. Which instant that is depends on where the wall is. */
export interface WallTime {
  readonly date: string
  readonly time: string
}

const formats = new Map<string, Intl.DateTimeFormat>()

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

/**
 * The instant (ISO 8601 in UTC) at which a clock of this zone shows the time; null where the parts are no date and time.
 * Where clocks are put back it is shown twice: the first is meant. Where they are put forward it is never shown: it is
 * taken as if they had not been, as calendars do (the rule `compatible` of RFC 5545 and Temporal).
 */
export function instantOf(wall: WallTime, zone: string): string | null {
  const guess = asUtc(wall)
  if (Number.isNaN(guess)) return null
  const offsetAt = (instant: number) => asUtc(wallTimeAt(instant, zone)) - Math.floor(instant / 60_000) * 60_000
  const [before, after] = [guess - offsetAt(guess - DAY), guess - offsetAt(guess + DAY)]
  const shown = [before, after].filter((instant) => asUtc(wallTimeAt(instant, zone)) === guess)
  return new Date(shown.length > 0 ? Math.min(...shown) : before).toISOString()
}

/** The zone that this device lives in. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** All zones that this browser knows, by their region: `Europe` -> `Europe/Berlin`. */
export function zonesByRegion(): ReadonlyMap<string, readonly string[]> {
  const regions = new Map<string, string[]>()
  for (const zone of ['UTC', ...Intl.supportedValuesOf('timeZone')]) {
    const region = zone.includes('/') ? zone.slice(0, zone.indexOf('/')) : 'Other'
    const zones = regions.get(region) ?? []
    if (!zones.includes(zone)) zones.push(zone)
    regions.set(region, zones)
  }
  return regions
}
