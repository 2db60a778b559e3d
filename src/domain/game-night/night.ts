import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { ListedRowOf } from '../../kernel/entity.ts'
import { fail } from '../../kernel/errors.ts'
import { instant } from '../../kernel/fields.ts'
import { groupOf } from '../../kernel/reader.ts'
import { atLeast } from '../../kernel/viewer.ts'
import { wallTimeAt } from '../../kernel/zoned-time.ts'
import { member } from '../member/entity.ts'
import { gameNight, rsvp } from './entity.ts'
import { endOf, isCurrent, tally } from './rules.ts'

const answered = {
  endsAt: instant(),
  /** What a clock shows at its beginning in its own time zone, on localDate. */
  localTime: z.string(),
  /** How many have answered for the time as it is. */
  answers: z.object({ yes: z.int(), maybe: z.int(), no: z.int() }),
  /** Of who is a member now, the first 200. Not `current`: given for forStartsAt, and asked for again. */
  rsvps: z.array(
    rsvp.output.pick({ userId: true, name: true, answer: true, note: true, timeZone: true, forStartsAt: true }).extend({
      current: z.boolean(),
    }),
  ),
  /** Players and Dungeon Masters without an answer for the time as it is, the first 50. */
  unanswered: z.array(z.object({ userId: z.int(), username: z.string() })),
}
/** A night with the answers to it. */
export const nightOutput = gameNight.output.extend(answered)
/** The same in a list. */
export const nightListed = gameNight.listed.extend(answered)

type Night = ListedRowOf<typeof gameNight>
type Answered = Pick<z.input<typeof nightOutput>, keyof typeof answered>

/** Nights with the answers to them. What somebody who left had said counts no more. */
export function withAnswers<N extends Night>(context: Context, nights: readonly N[]): (N & Answered)[] {
  if (nights.length === 0) return []
  const members = Array.from(
    context.read(member).each({ where: { accepted: true }, columns: ['userId', 'user', 'role'] }),
  )
  const here = new Map(members.map(({ userId, user }) => [userId, user.title]))
  const asked = members.filter(({ role }) => atLeast(role, 'player'))
  const given = context.read(rsvp).groupBy(
    'gameNightId',
    nights.map(({ id }) => id),
    { columns: ['userId', 'name', 'answer', 'note', 'timeZone', 'forStartsAt'] },
  )
  return nights.map((night) => {
    const rsvps = groupOf(given, night.id as number)
      .items.filter(({ userId }) => userId === null || here.has(userId))
      .map(({ userId, name, answer, note, timeZone, forStartsAt }) => ({
        userId,
        name: (userId !== null && here.get(userId)) || name,
        answer,
        note,
        timeZone,
        forStartsAt,
        current: isCurrent({ forStartsAt }, night),
      }))
    const answered = new Set(rsvps.filter(({ current }) => current).map(({ userId }) => userId))
    return {
      ...night,
      endsAt: endOf(night),
      localTime: wallTimeAt(night.startsAt, night.timeZone).time,
      answers: tally(rsvps, night),
      rsvps,
      unanswered: asked
        .filter(({ userId }) => !answered.has(userId))
        .slice(0, 50)
        .map(({ userId, user }) => ({ userId, username: user.title })),
    }
  })
}

export function detail(context: Context, gameNightId: number) {
  const [night] = withAnswers(context, [context.read(gameNight).get(gameNightId)])
  if (night === undefined) throw fail('not_found')
  return night
}
