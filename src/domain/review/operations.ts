import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail } from '../../kernel/errors.ts'
import { idOf, instant, type KindAbility, kindOfThing } from '../../kernel/fields.ts'
import type { ThingOf } from '../../kernel/journal.ts'
import { limits } from '../../kernel/limits.ts'
import { referenceOutput } from '../../kernel/linked-things.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'

const { query } = listInput
const changeKind = z.enum(['create', 'update', 'trash', 'restore', 'purge'])
const image = z.record(z.string(), z.unknown()).nullable()
const recordOutput = z.object({
  id: z.int(),
  campaignId: z.int(),
  at: instant(),
  operation: z.string(),
  effect: z.enum(['read', 'write', 'destroy']),
  door: z.string(),
  actorUserId: z.int().nullable(),
  actorUser: referenceOutput.nullable(),
  credentialKind: z.string().nullable(),
  credentialId: z.int().nullable(),
  clientId: z.string().nullable(),
  proposalId: z.int().nullable(),
  proposal: referenceOutput.nullable(),
  proposedByUserId: z.int().nullable(),
  proposedByUser: referenceOutput.nullable(),
  reason: z.string().nullable(),
  revertible: z.boolean(),
  revertedByRecordId: z.int().nullable(),
  /** The first 50 of what it changed, in the trash or not; the title is null for what is gone for good. */
  entities: z.array(
    z.object({ entityType: z.string(), entityId: z.int(), kind: z.string(), title: z.string().nullable() }),
  ),
  entityCount: z.int(),
})
const changeOutput = z.object({
  id: z.int(),
  entityType: z.string(),
  entityId: z.int(),
  revision: z.int(),
  kind: changeKind,
  fields: z.array(z.string()),
  before: image,
  after: image,
})
/** What the ids in the changes name, as far as it is there to be seen. */
const names = z.array(z.object({ entityType: z.string(), entityId: z.int(), title: z.string() }))
const revisionOutput = z.object({
  id: z.int(),
  title: z.string().nullable(),
  entityType: z.string(),
  entityId: z.int(),
  revision: z.int(),
  kind: changeKind,
  at: instant(),
  actorUserId: z.int().nullable(),
  actorUser: referenceOutput.nullable(),
  auditRecordId: z.int(),
  fields: z.array(z.string()),
})
const thing = (can: KindAbility) => ({
  campaignId: campaign.id,
  entityType: kindOfThing[can],
  entityId: z.int().min(1),
})
const thingOutput = z.object({ entityType: z.string(), entityId: z.int() })
const record = { auditRecordId: idOf('audit_record') }
const revision = { revisionId: idOf('revision') }

/** What the ids in some values of a thing's fields refer to. */
function* referredIn(
  context: Context,
  entityType: string,
  values: Readonly<Record<string, unknown>> | null,
): Generator<ThingOf> {
  const fields = context.findEntity(entityType)?.fields ?? {}
  for (const [field, value] of Object.entries(values ?? {})) {
    const { references, link } = fields[field]?.marks ?? {}
    const kind = references ?? (link !== undefined && 'type' in link ? values?.[link.type] : undefined)
    if (typeof kind === 'string' && typeof value === 'number') yield { entityType: kind, entityId: value }
  }
}

function setHidden(context: Context, entityType: string, entityId: number, hidden: boolean) {
  const entity = context.entity(entityType, 'hide')
  context.read(entity).get(entityId)
  context.write(entity).update(entityId, { hidden } as never)
  return { entityType, entityId, hidden }
}

export const reviewOperations = {
  list_audit_records: defineOperation({
    name: 'list_audit_records',
    title: 'List audit records',
    description: 'Who did what, by which token or client, newest first.',
    toolset: 'review',
    access: 'dm',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/audit',
    input: z.strictObject({
      campaignId: campaign.id,
      actorUserId: z.int().min(1).optional(),
      clientId: z.string().max(100).optional(),
      operation: z.string().max(60).optional(),
      entityType: kindOfThing.any.optional(),
      entityId: z.int().min(1).optional(),
      since: instant().optional(),
      query,
      ...pageInput,
    }),
    output: pageOf(recordOutput),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle: (context, { campaignId: _, limit, cursor, ...filter }) =>
      context.journal.records(filter, { limit, cursor }),
  }),
  get_audit_record: defineOperation({
    name: 'get_audit_record',
    title: 'Get audit record',
    description: 'Before and after of each thing.',
    toolset: 'review',
    access: 'dm',
    effect: 'read',
    route: 'GET /audit-records/{auditRecordId}',
    input: z.strictObject(record),
    output: recordOutput.extend({ changes: z.array(changeOutput), names }),
    example: (world) => ({ auditRecordId: world.id('audit_record') }),
    handle(context, { auditRecordId }) {
      const changes = context.journal.changes(auditRecordId)
      const referred = changes.flatMap(({ entityType, before, after }) =>
        [before, after].flatMap((values) => Array.from(referredIn(context, entityType, values))),
      )
      return { ...context.journal.record(auditRecordId), changes, names: context.journal.names(referred) }
    },
  }),
  revert_change: defineOperation({
    name: 'revert_change',
    title: 'Revert change',
    description: 'Undo one record when nothing later depends on it.',
    toolset: 'review',
    access: 'dm',
    effect: 'write',
    route: 'POST /audit-records/{auditRecordId}/revert',
    input: z.strictObject(record),
    output: z.object({ reverted: z.array(thingOutput) }),
    example: (world) => ({ auditRecordId: world.id('audit_record', 'revertible') }),
    handle(context, { auditRecordId }) {
      const undone = context.journal.revert(auditRecordId)
      return { reverted: undone.map(({ entityType, entityId }) => ({ entityType, entityId })) }
    },
  }),
  list_revisions: defineOperation({
    name: 'list_revisions',
    title: 'List revisions',
    description: 'Newest first; withOwned: of what belongs to it too.',
    toolset: 'review',
    access: 'dm',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/revisions',
    input: z.strictObject({ ...thing('any'), withOwned: z.boolean().optional(), ...pageInput }),
    output: pageOf(revisionOutput),
    example: (world) => ({ campaignId: world.id('campaign'), entityType: 'npc', entityId: world.id('npc') }),
    handle: (context, { entityType, entityId, withOwned, limit, cursor }) =>
      context.journal.revisions(context.entity(entityType), entityId, { limit, cursor, withOwned }),
  }),
  get_revision: defineOperation({
    name: 'get_revision',
    title: 'Get revision',
    description: 'With its difference to now.',
    toolset: 'review',
    access: 'dm',
    effect: 'read',
    route: 'GET /revisions/{revisionId}',
    input: z.strictObject(revision),
    output: revisionOutput.extend({
      values: z.record(z.string(), z.unknown()),
      changes: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
      names,
    }),
    example: (world) => ({ revisionId: world.id('revision') }),
    handle(context, { revisionId }) {
      const found = context.journal.revision(revisionId)
      const values = context.journal.imageAt(revisionId)
      const now: Readonly<Record<string, unknown>> | null = context
        .read(context.entity(found.entityType))
        .find(found.entityId)
      const changes = Object.entries(values)
        .map(([field, before]) => ({ field, before, after: now?.[field] ?? null }))
        .filter((each) => JSON.stringify(each.before) !== JSON.stringify(each.after))
      const referred = [values, now].flatMap((each) => Array.from(referredIn(context, found.entityType, each)))
      return { ...found, values: { ...values }, changes, names: context.journal.names(referred) }
    },
  }),
  restore_revision: defineOperation({
    name: 'restore_revision',
    title: 'Restore revision',
    description: 'Make an earlier version current, as a new revision.',
    toolset: 'review',
    access: 'dm',
    effect: 'write',
    route: 'POST /revisions/{revisionId}/restore',
    input: z.strictObject(revision),
    output: thingOutput,
    example: (world) => ({ revisionId: world.id('revision') }),
    handle(context, { revisionId }) {
      const { entityType, entityId } = context.journal.revision(revisionId)
      if (context.read(context.entity(entityType)).find(entityId) === null)
        throw fail('invalid_state', 'This thing is in the trash. Restore it from there first.')
      context.journal.restore(revisionId)
      return { entityType, entityId }
    },
  }),
  reveal_entity: defineOperation({
    name: 'reveal_entity',
    title: 'Reveal to players',
    description: 'Show a hidden thing to players, without its DM secret.',
    toolset: 'review',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/reveal',
    input: z.strictObject(thing('hide')),
    output: thingOutput.extend({ hidden: z.boolean() }),
    example: (world) => ({ campaignId: world.id('campaign'), entityType: 'npc', entityId: world.id('npc', 'hidden') }),
    handle: (context, { entityType, entityId }) => setHidden(context, entityType, entityId, false),
  }),
  hide_entity: defineOperation({
    name: 'hide_entity',
    title: 'Hide from players',
    description: 'Hide a thing from players.',
    toolset: 'review',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/hide',
    input: z.strictObject(thing('hide')),
    output: thingOutput.extend({ hidden: z.boolean() }),
    example: (world) => ({ campaignId: world.id('campaign'), entityType: 'npc', entityId: world.id('npc') }),
    handle: (context, { entityType, entityId }) => setHidden(context, entityType, entityId, true),
  }),
  list_trash: defineOperation({
    name: 'list_trash',
    title: 'List trash',
    description: 'What can come back, newest first.',
    toolset: 'review',
    access: 'dm',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/trash',
    input: z.strictObject({ campaignId: campaign.id, entityType: kindOfThing.trash.optional(), query, ...pageInput }),
    output: pageOf(
      z.object({
        entityType: z.string(),
        entityId: z.int(),
        title: z.string().nullable(),
        deletedAt: instant(),
        deletedByUserId: z.int().nullable(),
        deletedByUser: referenceOutput.nullable(),
        owned: z.int(),
      }),
    ),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle: (context, { entityType, query, limit, cursor }) =>
      context.trash.page({ entityType, query }, { limit, cursor }),
  }),
  restore_from_trash: defineOperation({
    name: 'restore_from_trash',
    title: 'Restore from trash',
    description: 'With what it owned.',
    toolset: 'review',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/trash/restore',
    input: z.strictObject(thing('trash')),
    output: thingOutput.extend({ restored: z.int() }),
    example: (world) => ({ campaignId: world.id('campaign'), entityType: 'npc', entityId: world.id('npc', 'trashed') }),
    handle: (context, { entityType, entityId }) => ({
      entityType,
      entityId,
      restored: context.trash.restore(context.entity(entityType, 'trash'), entityId),
    }),
  }),
  purge_from_trash: defineOperation({
    name: 'purge_from_trash',
    title: 'Purge from trash',
    description: 'Delete for good, with what it owned and its versions.',
    toolset: 'review',
    access: 'dm',
    effect: 'destroy',
    route: 'POST /campaigns/{campaignId}/trash/purge',
    input: z.strictObject(thing('trash')),
    output: thingOutput.extend({ purged: z.int().max(limits.batch * 1000) }),
    example: (world) => ({ campaignId: world.id('campaign'), entityType: 'npc', entityId: world.id('npc', 'trashed') }),
    handle: (context, { entityType, entityId }) => ({
      entityType,
      entityId,
      purged: context.trash.purge(context.entity(entityType, 'trash'), entityId),
    }),
  }),
}
