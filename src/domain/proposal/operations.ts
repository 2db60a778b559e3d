import * as z from 'zod'
import type { Context, PrepareContext } from '../../kernel/context.ts'
import type { VisibleRowOf } from '../../kernel/entity.ts'
import { fail } from '../../kernel/errors.ts'
import { line } from '../../kernel/fields.ts'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { proposal, proposalStatus } from './entity.ts'
import { difference, fileProposal } from './rules.ts'

const change = z.object({
  field: z.string(),
  before: z.unknown(),
  after: z.unknown(),
  beforeTitle: z.string().nullish(),
  afterTitle: z.string().nullish(),
})
const proposalDetail = proposal.output.extend({
  changes: z.array(change),
  /** What it is about is gone, or a field that it changes was changed since it was filed: approval would be refused. */
  stale: z.boolean(),
})
/** Only where `full` was asked for, a line of a list has the difference too. */
const proposalLine = proposalDetail.extend({ changes: z.array(change).optional() })
/** What a write answers that became a proposal. */
export const filedOutput = z.object({ proposal: proposal.output })

const one = { proposalId: proposal.id }
const proposedInput = z.record(z.string().max(60), z.unknown())
const reason = line(limits.reason).optional()
const note = line(1000).optional()
/** Taking a change names what was read of it: it may have been revised since. */
const asRead = z.strictObject({ proposalId: proposal.id, revision: z.int().min(1) })

type Row = VisibleRowOf<typeof proposal>
type Target = Readonly<Record<string, unknown>> | null

/** What proposals are about, as far as the reader sees it: one statement for each kind. */
function targetsOf(context: Context, rows: readonly Row[]): (row: Row) => Target {
  const byKind = Map.groupBy(rows, ({ targetType }) => targetType)
  const seen = new Map<string, Target>()
  for (const [kind, about] of byKind) {
    if (kind === null) continue
    const ids = about.map(({ targetId }) => targetId).filter((id) => id !== null)
    const found = context.read(context.entity(kind)).all({ where: { id: ids } as never })
    for (const target of found) seen.set(`${kind} ${target.id}`, target)
  }
  return ({ targetType, targetId }) => seen.get(`${targetType} ${targetId}`) ?? null
}

function detail(context: Context, row: Row, target: Target) {
  const changes = difference(context, row.input, target, context.pipeline.describe(row.operation))
  return { ...row, stale: staleIn(context, row, target), changes }
}

function detailOf(context: Context, proposalId: number) {
  const row = context.read(proposal).get(proposalId)
  return detail(context, row, targetsOf(context, [row])(row))
}

/** What it is about is gone, or a field that it would change was changed since it was filed. */
function staleIn(context: Context, { id, status }: Row, target: Target): boolean {
  if (status !== 'pending') return false
  const { targetType, targetId, targetRevision, input } = context.unfiltered(proposal).get(id)
  if (targetType === null || targetId === null || targetRevision === null) return false
  if (target === null) return true
  const changed = context.journal.changedSince(targetType, targetId, targetRevision)
  return changed.some((field) => field in input)
}

/** Throws `stale_revision` where a proposal is not as it was read. */
function requireAsRead(context: Pick<Context, 'read'>, { proposalId, revision }: z.output<typeof asRead>): void {
  const row = context.read(proposal).get(proposalId)
  if (row.status !== 'pending') throw fail('invalid_state', `Proposal ${proposalId} is ${row.status} already.`)
  if (row.revision !== revision)
    throw fail('stale_revision', `Proposal ${proposalId} was changed since you read it. Read it again, then decide.`)
}

function pending(context: Context, proposalId: number) {
  const row = context.unfiltered(proposal).get(proposalId)
  if (row.status !== 'pending') throw fail('invalid_state', `Proposal ${proposalId} is ${row.status} already.`)
  return row
}

function decide(context: Context, proposalId: number, status: 'approved' | 'rejected', note: string | undefined): void {
  context.write(proposal).update(proposalId, {
    status,
    decidedByUserId: context.actor.userId,
    decidedAt: context.now,
    decisionNote: note ?? null,
  })
}

/** What each proposal's operation got ready, and for which version of the proposal. */
type Prepared = ReadonlyMap<number, { readonly revision: number; readonly prepared: unknown }>

/** One after the other, as they will be applied: what one of them calls out to is not called fifty times at once. */
async function prepareApproval(context: PrepareContext, read: readonly z.output<typeof asRead>[]): Promise<Prepared> {
  const ready = new Map<number, { readonly revision: number; readonly prepared: unknown }>()
  for (const each of read) requireAsRead(context, each)
  const proposalIds = distinct(read.map(({ proposalId }) => proposalId))
  for (const proposalId of proposalIds) {
    const { operation, input, revision, status } = context.read(proposal).get(proposalId)
    const prepared = status === 'pending' ? await context.pipeline.prepare({ operation, input }) : undefined
    ready.set(proposalId, { revision, prepared })
  }
  return ready
}

function distinct(ids: readonly number[]): readonly number[] {
  return Array.from(new Set(ids))
}

export const proposalOperations = {
  list_proposals: defineOperation({
    name: 'list_proposals',
    title: 'List proposals',
    description:
      'Proposals, newest first: the Dungeon Master sees all, others their own. With view full each has the difference it would make.',
    toolset: 'review',
    access: 'player',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/proposals',
    input: z.strictObject({
      campaignId: campaign.id,
      status: proposalStatus.optional(),
      view: z.enum(['brief', 'full']).optional(),
      ...pageInput,
    }),
    output: pageOf(proposalLine),
    example: (world) => ({ campaignId: world.id('campaign'), status: 'pending' as const }),
    handle(context, { status, view, limit, cursor }) {
      const { items, ...rest } = context
        .read(proposal)
        .page({ where: { status }, order: [['id', 'desc']], limit, cursor })
      const targetOf = targetsOf(context, items)
      const lines = items.map((row) =>
        view === 'full' ? detail(context, row, targetOf(row)) : { ...row, stale: staleIn(context, row, targetOf(row)) },
      )
      return { items: lines, ...rest }
    },
  }),
  get_proposal: defineOperation({
    name: 'get_proposal',
    title: 'Get proposal',
    description: 'One proposal with the difference it would make.',
    toolset: 'review',
    access: 'player',
    effect: 'read',
    route: 'GET /proposals/{proposalId}',
    input: z.strictObject(one),
    output: proposalDetail,
    example: (world) => ({ proposalId: world.id('proposal', 'own') }),
    handle: (context, { proposalId }) => detailOf(context, proposalId),
  }),
  create_proposal: defineOperation({
    name: 'create_proposal',
    title: 'Create proposal',
    description:
      'Ask for any change that can be proposed, by operation name and input. It is tried at once and applied when approved.',
    toolset: 'review',
    access: 'player',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/proposals',
    creates: true,
    tells: ['changes'],
    proposes: true,
    input: z.strictObject({ campaignId: campaign.id, operation: z.string().max(60), input: proposedInput, reason }),
    output: proposal.output,
    example: (world) => ({
      campaignId: world.id('campaign'),
      operation: 'create_npc',
      input: { campaignId: world.id('campaign'), name: 'Old Marta' },
      reason: 'We met her at the mill',
    }),
    prepare: (context, { operation, input }) => context.pipeline.prepare({ operation, input }),
    handle(context: Context, { operation, input, reason: why }) {
      const call = { operation, input }
      const rehearsed = context.pipeline.rehearse(call, context.prepared)
      return fileProposal(context, { ...call, ...rehearsed }, why ?? context.reason).proposal
    },
  }),
  revise_proposal: defineOperation({
    name: 'revise_proposal',
    title: 'Revise proposal',
    description: "Change one's own pending proposal; it is tried again.",
    toolset: 'review',
    access: 'author',
    effect: 'write',
    route: 'PATCH /proposals/{proposalId}',
    proposes: true,
    tells: ['changes'],
    input: z.strictObject({ ...one, input: proposedInput, reason }),
    output: proposalDetail,
    example: (world) => ({
      proposalId: world.id('proposal', 'own'),
      input: { campaignId: world.id('campaign'), name: 'Old Marta of the mill' },
    }),
    prepare: (context, { proposalId, input }) =>
      context.pipeline.prepare({ operation: context.read(proposal).get(proposalId).operation, input }),
    handle(context: Context, { proposalId, input, reason: why }) {
      const row = pending(context, proposalId)
      const call = { operation: row.operation, input }
      const { input: parsed, target } = context.pipeline.rehearse(call, context.prepared)
      const aim = {
        targetType: target?.entityType ?? null,
        targetId: target?.entityId ?? null,
        targetRevision: target?.revision ?? null,
      }
      context
        .write(proposal)
        .update(proposalId, { input: { ...parsed }, ...aim, ...(why === undefined ? {} : { reason: why }) })
      return detailOf(context, proposalId)
    },
  }),
  withdraw_proposal: defineOperation({
    name: 'withdraw_proposal',
    title: 'Withdraw proposal',
    description: "Take one's own pending proposal back.",
    toolset: 'review',
    access: 'author',
    effect: 'destroy',
    route: 'POST /proposals/{proposalId}/withdraw',
    proposes: true,
    input: z.strictObject(one),
    output: proposal.output,
    example: (world) => ({ proposalId: world.id('proposal', 'own') }),
    handle(context, { proposalId }) {
      pending(context, proposalId)
      context.write(proposal).update(proposalId, { status: 'withdrawn' })
      return context.read(proposal).get(proposalId)
    },
  }),
  approve_proposals: defineOperation({
    name: 'approve_proposals',
    title: 'Approve proposals',
    description:
      'Apply proposals as read (proposalId, revision), all or none; refused when one was revised or what it changes was changed since.',
    toolset: 'review',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/proposals/approve',
    input: z.strictObject({ campaignId: campaign.id, proposals: z.array(asRead).min(1).max(limits.batch), note }),
    output: z.object({ approved: z.array(z.int()) }),
    example: (world) => ({
      campaignId: world.id('campaign'),
      proposals: [{ proposalId: world.id('proposal'), revision: 1 }],
    }),
    prepare: (context, { proposals }) => prepareApproval(context, proposals),
    handle(context: Context<Prepared>, { proposals, note }) {
      const approved = distinct(proposals.map(({ proposalId }) => proposalId)).toSorted((one, other) => one - other)
      for (const each of proposals) requireAsRead(context, each)
      for (const proposalId of approved) {
        const { operation, input, authorUserId, targetRevision, revision } = pending(context, proposalId)
        const ready = context.prepared.get(proposalId)
        if (ready?.revision !== revision)
          throw fail('stale_revision', `Proposal ${proposalId} was changed meanwhile. Read it again, then decide.`)
        const from = { proposalId, proposedByUserId: authorUserId, targetRevision }
        context.pipeline.apply({ operation, input }, from, ready.prepared)
        decide(context, proposalId, 'approved', note)
      }
      return { approved }
    },
  }),
  reject_proposals: defineOperation({
    name: 'reject_proposals',
    title: 'Reject proposals',
    description: 'Decline proposals with a note.',
    toolset: 'review',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/proposals/reject',
    input: z.strictObject({
      campaignId: campaign.id,
      proposalIds: z.array(proposal.id).min(1).max(limits.batch),
      note,
    }),
    output: z.object({ rejected: z.array(z.int()) }),
    example: (world) => ({ campaignId: world.id('campaign'), proposalIds: [world.id('proposal')], note: 'Not yet' }),
    handle(context, { proposalIds, note }) {
      for (const proposalId of distinct(proposalIds)) {
        pending(context, proposalId)
        decide(context, proposalId, 'rejected', note)
      }
      return { rejected: [...distinct(proposalIds)] }
    },
  }),
}
