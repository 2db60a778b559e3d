import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { notification } from './entity.ts'

const notificationOutput = notification.output
  .omit({ userId: true, user: true, updatedAt: true })
  .extend({ campaignName: z.string() })

/** The caller's own, in one campaign or in all that their credential opens. */
function reader(context: Context, campaignId: number | undefined) {
  return campaignId === undefined ? context.across(notification) : context.read(notification)
}

/** The campaigns in which the caller marks something: that of the call, or all. */
function places(context: Context): readonly Context[] {
  return context.memberships().map((mine) => context.within(mine.campaignId, mine.role))
}

/** Nobody reads a larger number than "more than 99". */
const mostUnread = 100

function unreadCount(context: Context, campaignId?: number): number {
  return reader(context, campaignId).count({ userId: context.actor.userId, readAt: null }, mostUnread)
}

export const notificationOperations = {
  list_notifications: defineOperation({
    name: 'list_notifications',
    title: 'List notifications',
    description: "What wants the caller's attention, newest first.",
    toolset: 'table',
    access: 'user',
    effect: 'read',
    route: 'GET /notifications',
    input: z.strictObject({ unread: z.boolean().optional(), campaignId: campaign.id.optional(), ...pageInput }),
    output: pageOf(notificationOutput).extend({ unreadCount: z.int() }),
    example: () => ({}),
    handle(context, { unread, campaignId, limit, cursor }) {
      const where = { userId: context.actor.userId, ...(unread ? { readAt: null } : {}) }
      const page = reader(context, campaignId).page({ where, order: [['id', 'desc']], limit, cursor })
      const names = new Map<number, string>()
      const nameOf = (id: number): string => {
        const known = names.get(id)
        if (known !== undefined) return known
        const role = context.memberships().find((mine) => mine.campaignId === id)?.role ?? 'viewer'
        const { name } = context.within(id, role).read(campaign).get(id)
        names.set(id, name)
        return name
      }
      return {
        ...page,
        items: page.items.map((row) => ({ ...row, campaignName: nameOf(row.campaignId) })),
        unreadCount: unreadCount(context, campaignId),
      }
    },
  }),
  mark_notifications_read: defineOperation({
    name: 'mark_notifications_read',
    title: 'Mark notifications read',
    description: "Some of the caller's, or all.",
    toolset: 'table',
    access: 'user',
    effect: 'write',
    route: 'POST /notifications/read',
    unrecorded: true,
    viewerMay: true,
    input: z.strictObject({
      notificationIds: z.array(notification.id).min(1).max(limits.batch).optional(),
      all: z.literal(true).optional(),
    }),
    output: z.object({ read: z.int(), unreadCount: z.int() }),
    example: (world) => ({ notificationIds: [world.id('notification')] }),
    handle(context, { notificationIds, all }) {
      if ((notificationIds === undefined) === (all === undefined))
        throw invalid('notificationIds', 'or all, one of the two', 'Give either notificationIds or all: true.')
      const where = { userId: context.actor.userId, readAt: null, id: notificationIds }
      let read = 0
      for (const place of places(context)) {
        const rows = Array.from(place.read(notification).each({ where, columns: ['id'] }))
        for (const { id } of rows) place.write(notification).update(id, { readAt: context.now })
        read += rows.length
      }
      return { read, unreadCount: unreadCount(context) }
    },
  }),
}
