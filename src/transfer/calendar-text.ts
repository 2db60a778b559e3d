import ical, { ICalCalendarMethod, ICalEventStatus } from 'ical-generator'
import type { FeedNights } from '../domain/calendar-feed/nights.ts'

/** How soon a calendar should ask again, in seconds. Many ask when they like. */
const askAgainSeconds = 3600

/**
 * The nights as an iCalendar object (RFC 5545). All times are in UTC: a night is an instant, and a calendar shows it in its
 * reader's zone. What names a night (UID) never changes, and SEQUENCE rises with every change, so that a night that moves is
 * moved and not doubled; nothing in it depends on when it is asked for, so that an unchanged feed is the same text.
 */
export function calendarText({ campaign, nights }: FeedNights): string {
  const calendar = ical({
    // The library writes it as it is, in NAME (RFC 7986) and X-WR-CALNAME alike.
    name: escaped(campaign),
    prodId: { company: 'Talekeeper', product: 'Talekeeper', language: 'EN' },
    method: ICalCalendarMethod.PUBLISH,
    scale: 'GREGORIAN',
    ttl: askAgainSeconds,
  })
  for (const night of nights) {
    const { key, revision, updatedAt, startsAt, durationMinutes, title, location } = night
    const cancelled = night.status === 'cancelled'
    const changed = new Date(updatedAt)
    const text = description(night)
    const summary = title === null ? campaign : `${campaign}: ${title}`
    calendar.createEvent({
      id: `${key}@talekeeper`,
      sequence: revision - 1,
      stamp: changed,
      lastModified: changed,
      start: new Date(startsAt),
      end: new Date(Date.parse(startsAt) + durationMinutes * 60_000),
      summary: cancelled ? `Cancelled: ${summary}` : summary,
      status: cancelled ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
      ...(location === null ? {} : { location }),
      ...(text === null ? {} : { description: text }),
    })
  }
  return calendar.toString()
}

function description({ status, cancelReason, notes }: FeedNights['nights'][number]): string | null {
  const parts = [status === 'cancelled' ? cancelReason : null, notes].filter((part) => part !== null && part !== '')
  return parts.length === 0 ? null : parts.join('\n\n').replaceAll(/\r\n?/g, '\n')
}

/** A TEXT value (RFC 5545 3.3.11) of one line. */
function escaped(text: string): string {
  return text.replaceAll(/[\\;,]/g, (char) => `\\${char}`)
}
