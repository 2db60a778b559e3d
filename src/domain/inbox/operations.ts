import * as z from 'zod'
import { fail } from '../../kernel/errors.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { deletes, trashedOutput } from '../plain.ts'
import { inboxItem, inboxStatus } from './entity.ts'

export const inboxOperations = {
  list_inbox_items: defineOperation({
    name: 'list_inbox_items',
    title: 'List inbox items',
    description: "What members passed to the DM, newest first; a player's own.",
    toolset: 'journal',
    access: 'player',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/inbox',
    input: z.strictObject({ campaignId: campaign.id, status: inboxStatus.optional(), ...listInput }),
    output: pageOf(inboxItem.listed),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle: (context, { status, ...page }) =>
      context.read(inboxItem).list(page, { where: { status }, order: [['id', 'desc']] }),
  }),
  get_inbox_item: defineOperation({
    name: 'get_inbox_item',
    title: 'Get inbox item',
    description: 'One inbox item.',
    toolset: 'journal',
    access: 'player',
    effect: 'read',
    route: 'GET /inbox-items/{inboxItemId}',
    input: z.strictObject({ inboxItemId: inboxItem.id }),
    output: inboxItem.output,
    example: (world) => ({ inboxItemId: world.id('inbox_item', 'own') }),
    handle: (context, { inboxItemId }) => context.read(inboxItem).get(inboxItemId),
  }),
  submit_inbox_item: defineOperation({
    name: 'submit_inbox_item',
    title: 'Submit inbox item',
    description: 'Quick capture for the DM.',
    toolset: 'journal',
    access: 'player',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/inbox',
    creates: true,
    input: z.strictObject({ campaignId: campaign.id, ...inboxItem.create('body', 'entityType', 'entityId') }),
    output: inboxItem.output,
    example: (world) => ({
      campaignId: world.id('campaign'),
      body: 'Could Marta have rung the bell herself?',
      entityType: 'npc',
      entityId: world.id('npc'),
    }),
    handle(context, { campaignId: _, ...values }) {
      const id = context.write(inboxItem).insert({ ...values, authorUserId: context.actor.userId })
      return context.read(inboxItem).get(id)
    },
  }),
  resolve_inbox_item: defineOperation({
    name: 'resolve_inbox_item',
    title: 'Resolve inbox item',
    description: 'Dealt with: how, and the thing it went into.',
    toolset: 'journal',
    access: 'dm',
    effect: 'write',
    route: 'POST /inbox-items/{inboxItemId}/resolve',
    input: z.strictObject({ inboxItemId: inboxItem.id, ...inboxItem.create('resolution', 'entityType', 'entityId') }),
    output: inboxItem.output,
    example: (world) => ({ inboxItemId: world.id('inbox_item'), resolution: 'She did. It is in the quest now.' }),
    handle(context, { inboxItemId, ...values }) {
      const { status, resolvedAt } = context.read(inboxItem).get(inboxItemId)
      if (status === 'resolved')
        throw fail('invalid_state', `This item was resolved at ${resolvedAt}. reopen_inbox_item opens it again.`)
      context.write(inboxItem).update(inboxItemId, {
        ...values,
        status: 'resolved',
        resolvedAt: context.now,
        resolvedByUserId: context.actor.userId,
      })
      return context.read(inboxItem).get(inboxItemId)
    },
  }),
  reopen_inbox_item: defineOperation({
    name: 'reopen_inbox_item',
    title: 'Reopen inbox item',
    description: 'Back to open; its resolution is cleared.',
    toolset: 'journal',
    access: 'dm',
    effect: 'write',
    route: 'POST /inbox-items/{inboxItemId}/reopen',
    input: z.strictObject({ inboxItemId: inboxItem.id }),
    output: inboxItem.output,
    example: (world) => ({ inboxItemId: world.id('inbox_item', 'resolved') }),
    handle(context, { inboxItemId }) {
      if (context.read(inboxItem).get(inboxItemId).status === 'open')
        throw fail('invalid_state', 'This item is open already.')
      context
        .write(inboxItem)
        .update(inboxItemId, { status: 'open', resolution: null, resolvedAt: null, resolvedByUserId: null })
      return context.read(inboxItem).get(inboxItemId)
    },
  }),
  delete_inbox_item: defineOperation({
    name: 'delete_inbox_item',
    title: 'Delete inbox item',
    description: "One's own, to the trash.",
    toolset: 'journal',
    access: 'author',
    effect: 'destroy',
    route: 'DELETE /inbox-items/{inboxItemId}',
    input: z.strictObject({ inboxItemId: inboxItem.id }),
    output: trashedOutput,
    example: (world) => ({ inboxItemId: world.id('inbox_item', 'own') }),
    handle: deletes(inboxItem, 'inboxItemId'),
  }),
}
