import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { groupOf } from '../../kernel/reader.ts'
import { attendance } from '../attendance/entity.ts'
import { character } from '../character/entity.ts'
import { member } from '../member/entity.ts'
import { session } from './entity.ts'

/** Who was at the table and who was known to be away, the first 200; empty where nobody has said. */
export const attendanceOutput = z.array(
  attendance.output.pick({ userId: true, characterId: true, character: true, name: true, present: true }),
)

export function withAttendance<R extends { readonly id: number }>(
  context: Context,
  sessions: readonly R[],
): (R & { attendance: z.input<typeof attendanceOutput> })[] {
  if (sessions.length === 0) return []
  const ids = sessions.map(({ id }) => id)
  const given = context
    .read(attendance)
    .groupBy('sessionId', ids, { columns: ['userId', 'characterId', 'character', 'name', 'present'] })
  return sessions.map((row) => ({
    ...row,
    attendance: groupOf(given, row.id).items.map(({ userId, characterId, character, name, present }) => ({
      userId,
      characterId,
      character,
      name,
      present,
    })),
  }))
}

/** Who was there: members by their user ids, and characters, with whoever plays them. */
export interface Present {
  readonly userIds: readonly number[]
  readonly characterIds: readonly number[]
}

/**
 * Writes down who was there. Who plays or leads and is not named was away. Throws `validation_failed` for who is no member, and
 * `not_found` for a character that is not there.
 */
export function setAttendance(context: Context, sessionId: number, { userIds, characterIds }: Present): void {
  context.read(session).get(sessionId)
  const played = characterIds.map((characterId) => context.read(character).get(characterId))
  const playedBy = new Map(played.flatMap(({ id, ownerUserId }) => (ownerUserId === null ? [] : [[ownerUserId, id]])))
  const there = new Set([...userIds, ...playedBy.keys()])
  const members = Array.from(
    context.read(member).each({ where: { accepted: true }, columns: ['userId', 'user', 'role'] }),
  )
  const before = context.read(attendance).all({ where: { sessionId }, columns: ['userId', 'characterId', 'present'] })
  const known = new Set<number | null>([...members, ...before].map(({ userId }) => userId))
  const stranger = userIds.findIndex((userId) => !known.has(userId))
  if (stranger >= 0)
    throw invalid(
      `userIds.${stranger}`,
      'no member of this campaign',
      `User ${userIds[stranger]} is no member of this campaign. list_members has their user ids.`,
    )
  const rows = context.write(attendance)
  const alone = new Set<number>(played.filter(({ ownerUserId }) => ownerUserId === null).map(({ id }) => id))
  for (const { id, userId, characterId, present } of before) {
    // Nobody here knows whose the answers are that came with an import: they stay.
    if (userId === null && characterId === null) continue
    const now = userId === null ? characterId !== null && alone.has(characterId) : there.has(userId)
    const as = (userId === null ? undefined : playedBy.get(userId)) ?? characterId
    if (present !== now || as !== characterId) rows.update(id, { present: now, characterId: as })
  }
  const named = new Set(before.map(({ userId }) => userId))
  for (const { userId, user, role } of members) {
    if (named.has(userId) || (role === 'viewer' && !there.has(userId))) continue
    const characterId = playedBy.get(userId) ?? null
    rows.insert({ sessionId, userId, characterId, name: user.title, present: there.has(userId) })
  }
  const kept = new Set(before.filter(({ userId }) => userId === null).map(({ characterId }) => characterId))
  for (const { id, name, ownerUserId } of played)
    if (ownerUserId === null && !kept.has(id)) rows.insert({ sessionId, characterId: id, name, present: true })
}
