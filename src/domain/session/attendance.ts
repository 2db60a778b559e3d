import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { groupOf } from '../../kernel/reader.ts'
import { attendance } from '../attendance/entity.ts'
import { member } from '../member/entity.ts'
import { session } from './entity.ts'

/** Who was at the table and who was known to be away, the first 200; empty where nobody has said. */
export const attendanceOutput = z.array(attendance.output.pick({ userId: true, name: true, present: true }))

export function withAttendance<R extends { readonly id: number }>(
  context: Context,
  sessions: readonly R[],
): (R & { attendance: z.input<typeof attendanceOutput> })[] {
  if (sessions.length === 0) return []
  const ids = sessions.map(({ id }) => id)
  const given = context.read(attendance).groupBy('sessionId', ids, { columns: ['userId', 'name', 'present'] })
  return sessions.map((row) => ({
    ...row,
    attendance: groupOf(given, row.id).items.map(({ userId, name, present }) => ({ userId, name, present })),
  }))
}

/** Writes down who was there. Who plays or leads and is not named was away. Throws `validation_failed` for who is no member. */
export function setAttendance(context: Context, sessionId: number, userIds: readonly number[]): void {
  context.read(session).get(sessionId)
  const there = new Set(userIds)
  const members = Array.from(
    context.read(member).each({ where: { accepted: true }, columns: ['userId', 'user', 'role'] }),
  )
  const before = new Map(
    context
      .read(attendance)
      .all({ where: { sessionId }, columns: ['userId', 'present'] })
      .map((row) => [row.userId, row]),
  )
  const known = new Set<number | null>([...members.map(({ userId }) => userId), ...before.keys()])
  const stranger = userIds.findIndex((userId) => !known.has(userId))
  if (stranger >= 0)
    throw invalid(
      `userIds.${stranger}`,
      'no member of this campaign',
      `User ${userIds[stranger]} is no member of this campaign. list_members has their user ids.`,
    )
  const rows = context.write(attendance)
  for (const [userId, { id, present }] of before) {
    // Nobody here knows whose the answers are that came with an import: they stay.
    if (userId !== null && present !== there.has(userId)) rows.update(id, { present: there.has(userId) })
  }
  for (const { userId, user, role } of members) {
    if (before.has(userId) || (role === 'viewer' && !there.has(userId))) continue
    rows.insert({ sessionId, userId, name: user.title, present: there.has(userId) })
  }
}
