import { describe, expect, test } from 'vitest'
import type { GameNight, RsvpAnswer } from '../../src/web/api/contract.ts'
import {
  bestDay,
  clockIn,
  clocksDisagree,
  dayWord,
  headline,
  lasting,
  placeOf,
  saidOf,
  whoComes,
  withAnswer,
} from '../../src/web/pages/nights/night-words.ts'

// What is said of a night, and what an answer makes of it before the server has spoken.

const startsAt = '2026-11-27T18:00:00.000Z'
const rsvp = (name: string, answer: RsvpAnswer, current = true) => ({
  userId: name.length,
  name,
  answer,
  note: null,
  timeZone: null,
  forStartsAt: startsAt,
  current,
})
const night = (values: Partial<GameNight> = {}): GameNight =>
  ({
    id: 1,
    startsAt,
    timeZone: 'Europe/Brussels',
    location: null,
    answers: { yes: 0, maybe: 0, no: 0 },
    rsvps: [],
    unanswered: [{ userId: 9, username: 'Asha' }],
    ...values,
  }) as unknown as GameNight

describe('an answer', () => {
  const me = { userId: 9, name: 'Asha', timeZone: 'America/Toronto' }

  test('is shown as the server will tell it, with the word that was there', () => {
    const once = withAnswer(night(), me, 'yes', 'late')
    expect(once.answers).toEqual({ yes: 1, maybe: 0, no: 0 })
    expect(once.unanswered).toEqual([])
    expect(once.rsvps).toEqual([
      {
        userId: 9,
        name: 'Asha',
        timeZone: 'America/Toronto',
        answer: 'yes',
        note: 'late',
        forStartsAt: startsAt,
        current: true,
      },
    ])
    const again = withAnswer(once, me, 'no')
    expect([again.answers, again.rsvps.length, again.rsvps[0]?.note]).toEqual([{ yes: 0, maybe: 0, no: 1 }, 1, 'late'])
    expect(withAnswer(again, me, 'no', '').rsvps[0]?.note).toBeNull()
    expect(withAnswer(again, me, 'no')).toEqual(again)
  })

  test('to an earlier time counts again once it is given again', () => {
    const moved = night({ rsvps: [{ ...rsvp('Asha', 'yes', false), userId: 9 }] })
    expect(withAnswer(moved, me, 'yes').answers.yes).toBe(1)
  })
})

describe('the best day', () => {
  const day = (id: number, yes: number, maybe: number, no: number) =>
    night({ id, answers: { yes, maybe, no } } as never)

  test('is the one that most can, then may, then fewest cannot, then the earlier', () => {
    expect(bestDay([day(1, 2, 0, 0), day(2, 3, 0, 2), day(3, 3, 1, 1)])?.id).toBe(3)
    expect(bestDay([day(1, 3, 0, 2), day(2, 3, 0, 1), day(3, 3, 0, 1)])?.id).toBe(2)
    expect(bestDay([day(1, 0, 4, 0), day(2, 0, 0, 1)])).toBeUndefined()
  })
})

describe('clocks', () => {
  test('are those of each reader, with the day where it is another', () => {
    expect(clockIn('Europe/Brussels', night())).toMatch(/^(19:00|7:00.PM)$/)
    expect(clockIn('America/Toronto', night())).toMatch(/^(13:00|1:00.PM)$/)
    expect(clockIn('Asia/Tokyo', night())).toMatch(/^Sat (0?3:00|3:00.AM)$/)
    expect(placeOf('America/Argentina/Buenos_Aires')).toBe('Buenos Aires')
  })

  test('disagree while one of two has changed and the other has not', () => {
    const now = new Date('2027-03-01T12:00:00Z')
    const on = (day: string) => night({ startsAt: `2027-03-${day}T18:00:00.000Z` })
    // Toronto changes on 14 March 2027, Brussels on 28 March.
    expect(['12', '19', '30'].map((day) => clocksDisagree(on(day), 'America/Toronto', now))).toEqual([
      false,
      true,
      false,
    ])
    expect(clocksDisagree(on('19'), 'Europe/Paris', now)).toBe(false)
  })
})

describe('words', () => {
  test('are about the day as one speaks of it', () => {
    const at = (iso: string) => dayWord(iso, new Date(2026, 10, 20, 12))
    const local = (day: number, hour = 19) => new Date(2026, 10, day, hour).toISOString()
    expect([at(local(20)), at(local(20, 14)), at(local(21)), at(local(24))]).toEqual([
      'Tonight',
      'Today',
      'Tomorrow',
      'Tuesday',
    ])
    expect(at(local(28))).toMatch(/Saturday.*28/)
    expect(headline({ startsAt: local(20), location: 'At Noor’s' }, new Date(2026, 10, 20, 12))).toMatch(
      /^Tonight at .+, at Noor’s$/,
    )
  })

  test('say how long, and who comes', () => {
    expect([45, 90, 240, 450].map(lasting)).toEqual([
      'About an hour',
      'About 1½ hours',
      'About four hours',
      'About 7½ hours',
    ])
    const mixed = night({
      rsvps: [rsvp('Ellen', 'yes'), rsvp('Tom', 'yes'), rsvp('Jonas', 'maybe'), rsvp('Imke', 'no', false)],
    })
    expect(whoComes(mixed)).toBe('Ellen and Tom are coming. Jonas may. One has not said.')
    expect(saidOf({ ...mixed, answers: { yes: 2, maybe: 1, no: 0 } })).toBe('Two can, Jonas may, Asha has not said.')
  })
})
