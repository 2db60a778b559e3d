import * as z from 'zod'
import type { Context, PrepareContext, RehearsedChanges, TakenProposal } from '../../kernel/context.ts'
import type { VisibleRowOf } from '../../kernel/entity.ts'
import { fail } from '../../kernel/errors.ts'
import { line } from '../../kernel/fields.ts'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { type CursorKey, listInput, pageFrom, pageOf } from '../../kernel/paging.ts'
import { atLeast } from '../../kernel/viewer.ts'
import { speaksOf, wordsIn } from '../../kernel/words.ts'
import { campaign } from '../campaign/entity.ts'
import { fileProposal, keptOf } from '../file-proposal.ts'
import { changesOf, shownChange } from './difference.ts'
import { proposal, proposalStatus } from './entity.ts'
import { staleOf } from './rules.ts'

const proposalDetail = proposal.output.extend({
  /** In the order in which they will run, each with the difference it would make. */
  changes: z.array(shownChange),
  changeCount: z.int(),
  /** What it changes is gone, or a field that it changes was changed since it was filed: approval would be refused. */
  stale: z.boolean(),
})
/** Only where `full` was asked for, a line of a list has the changes too. */
const proposalLine = proposalDetail.extend({ changes: z.array(shownChange).optional() })
/** What a write answers that became a proposal. */
export const filedOutput = z.object({ proposal: proposalDetail })

const one = { proposalId: proposal.id }
const mostChanges = 50
const asked = z.strictObject({
  operation: z.string().max(60),
  input: z.record(z.string().max(60), z.unknown()),
  as: z.string().trim().min(1).max(40).optional(),
})
const changes = z
  .array(asked)
  .min(1)
  .max(mostChanges, `at most ${mostChanges} in one proposal; file the rest as another`)
const reason = line(limits.reason).optional()
const note = line(1000).optional()
/** Taking a change names what was read of it: it may have been revised since. */
const asRead = z.strictObject({ proposalId: proposal.id, revision: z.int().min(1) })

type Row = VisibleRowOf<typeof proposal>

function details(context: Context, rows: readonly Row[]): (row: Row) => z.input<typeof proposalDetail> {
  const [changesIn, isStale] = [changesOf(context, rows), staleOf(context, rows)]
  return (row) => ({ ...row, changeCount: row.changes.length, changes: changesIn(row), stale: isStale(row) })
}

function detailOf(context: Context, proposalId: number): z.input<typeof proposalDetail> {
  const row = context.read(proposal).get(proposalId)
  return details(context, [row])(row)
}

/** Files what was tried, and answers it as somebody reads it. */
export function filed(context: Context, rehearsed: RehearsedChanges, why: string | null) {
  return { proposal: detailOf(context, fileProposal(context, rehearsed, why)) }
}

/**
 * A pending proposal as it was read. Throws `forbidden` for another's where the caller is no Dungeon Master, `invalid_state`
 * for one that is decided, and `stale_revision` where it is not as it was read.
 */
function asItWasRead(
  context: Pick<Context, 'viewer' | 'read'>,
  { proposalId, revision }: z.output<typeof asRead>,
): Row {
  const rows = context.read(proposal)
  const row = atLeast(context.viewer.role, 'dm') ? rows.get(proposalId) : rows.find(proposalId)
  if (row === null) throw fail('forbidden', 'Only a Dungeon Master takes what others ask for.')
  if (row.status !== 'pending') throw fail('invalid_state', `Proposal ${proposalId} is ${row.status} already.`)
  if (row.revision !== revision)
    throw fail('stale_revision', `Proposal ${proposalId} was changed since you read it. Read it again, then decide.`)
  return row
}

function pending(context: Context, proposalId: number): Row {
  const row = context.read(proposal).get(proposalId)
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

/** What each proposal's changes got ready: for the version that was read, or it is refused as stale (asItWasRead). */
type Prepared = ReadonlyMap<number, readonly unknown[]>

/** One after the other, as they will be applied: what one of them calls out to is not called fifty times at once. */
async function prepareApproval(context: PrepareContext, read: readonly z.output<typeof asRead>[]): Promise<Prepared> {
  const ready = new Map<number, readonly unknown[]>()
  for (const each of read) asItWasRead(context, each)
  for (const proposalId of distinct(read.map((each) => each.proposalId))) {
    const { changes, status } = context.read(proposal).get(proposalId)
    ready.set(proposalId, status === 'pending' ? await context.pipeline.prepare(changes) : [])
  }
  return ready
}

function takenOf(context: Context<Prepared>, proposalId: number): TakenProposal {
  const { authorUserId, changes, journalAt } = context.unfiltered(proposal).get(proposalId)
  return { proposalId, authorUserId, changes, journalAt, prepared: context.prepared.get(proposalId) ?? [] }
}

/** Proposals in whose title, reason or author's app every word of a query begins a word, behind a place in the list. */
function* askedFor(
  rows: ReturnType<typeof reading>,
  status: z.output<typeof proposalStatus> | undefined,
  query: string,
  behind: CursorKey | null,
): Generator<Row> {
  const words = wordsIn(query)
  const before = Number(behind?.[0] ?? Number.POSITIVE_INFINITY)
  for (const row of rows.each({ where: { status }, order: [['id', 'desc']] })) {
    if (row.id >= before) continue
    const inputs = JSON.stringify(row.changes.map(({ input }) => input))
    const said = [row.title, row.reason, row.appName, row.authorUser?.title, inputs]
    if (speaksOf(said.join(' '), words)) yield row
  }
}

const reading = (context: Context) => context.read(proposal)

function distinct(ids: readonly number[]): readonly number[] {
  return Array.from(new Set(ids))
}

export const proposalOperations = {
  list_proposals: defineOperation({
    name: 'list_proposals',
    title: 'List proposals',
    description: 'Newest first: the DM sees all, others their own. full: with differences.',
    toolset: 'review',
    access: 'player',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/proposals',
    input: z.strictObject({
      campaignId: campaign.id,
      status: proposalStatus.optional(),
      ...listInput,
    }),
    output: pageOf(proposalLine),
    example: (world) => ({ campaignId: world.id('campaign'), status: 'pending' as const }),
    handle(context, { status, query, view, limit, cursor }) {
      const rows = context.read(proposal)
      const { items, ...rest } =
        query === undefined
          ? rows.page({ where: { status }, order: [['id', 'desc']], limit, cursor })
          : pageFrom(
              { limit, cursor },
              (key) => askedFor(rows, status, query, key),
              ({ id }) => [id],
            )
      if (view === 'full') return { items: items.map(details(context, items)), ...rest }
      const isStale = staleOf(context, items)
      const lines = items.map(({ changes: all, ...row }) => ({ ...row, changeCount: all.length }))
      return { items: lines.map((row, index) => ({ ...row, stale: isStale(items[index] as Row) })), ...rest }
    },
  }),
  get_proposal: defineOperation({
    name: 'get_proposal',
    title: 'Get proposal',
    description: 'With its difference.',
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
      'Up to 50 changes: tool and its input. as names a result, {"$of":name} is its id in later ones. Tried at once (dry run); taken all or none.',
    toolset: 'review',
    access: 'player',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/proposals',
    creates: true,
    tells: ['changes'],
    proposes: true,
    input: z.strictObject({ campaignId: campaign.id, changes, reason }),
    output: proposalDetail,
    example: (world) => ({
      campaignId: world.id('campaign'),
      changes: [
        { operation: 'create_location', input: { name: 'The old mill' }, as: 'mill' },
        { operation: 'create_npc', input: { name: 'Old Marta', locationId: { $of: 'mill' } } },
      ],
      reason: 'We met her at the mill',
    }),
    prepare: (context, { changes: wanted }) => context.pipeline.prepare(wanted),
    handle(context: Context<readonly unknown[]>, { changes: wanted, reason: why }) {
      const rehearsed = context.pipeline.rehearse(wanted, context.prepared)
      return filed(context, rehearsed, why ?? context.reason).proposal
    },
  }),
  revise_proposal: defineOperation({
    name: 'revise_proposal',
    title: 'Revise proposal',
    description: "Put other changes in one's own pending one; tried again.",
    toolset: 'review',
    access: 'author',
    effect: 'write',
    route: 'PATCH /proposals/{proposalId}',
    proposes: true,
    tells: ['changes'],
    input: z.strictObject({ ...one, changes, reason }),
    output: proposalDetail,
    example: (world) => ({
      proposalId: world.id('proposal', 'own'),
      changes: [{ operation: 'create_npc', input: { name: 'Old Marta of the mill' } }],
    }),
    prepare: (context, { changes: wanted }) => context.pipeline.prepare(wanted),
    handle(context: Context<readonly unknown[]>, { proposalId, changes: wanted, reason: why }) {
      pending(context, proposalId)
      const kept = keptOf(context, context.pipeline.rehearse(wanted, context.prepared))
      context.write(proposal).update(proposalId, { ...kept, ...(why === undefined ? {} : { reason: why }) })
      return detailOf(context, proposalId)
    },
  }),
  withdraw_proposal: defineOperation({
    name: 'withdraw_proposal',
    title: 'Withdraw proposal',
    description: "One's own, while pending.",
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
    description: 'As read (proposalId, revision), all or none, as one record for revert_change.',
    toolset: 'review',
    access: 'dm',
    playersOwn: true,
    effect: 'write',
    byPerson: 'whoever asks for a change does not take it',
    route: 'POST /campaigns/{campaignId}/proposals/approve',
    input: z.strictObject({ campaignId: campaign.id, proposals: z.array(asRead).min(1).max(limits.batch), note }),
    output: z.object({
      approved: z.array(z.int()),
      /** The record of what was changed, for Dungeon Masters: revert_change takes it all back. */
      auditRecordId: z.int().nullable(),
    }),
    example: (world) => ({
      campaignId: world.id('campaign'),
      proposals: [{ proposalId: world.id('proposal'), revision: 1 }],
    }),
    prepare: (context, { proposals }) => prepareApproval(context, proposals),
    handle(context: Context<Prepared>, { proposals, note }) {
      for (const each of proposals) asItWasRead(context, each)
      const approved = distinct(proposals.map(({ proposalId }) => proposalId)).toSorted((one, other) => one - other)
      const recordId = context.pipeline.apply(approved.map((proposalId) => takenOf(context, proposalId)))
      for (const proposalId of approved) decide(context, proposalId, 'approved', note)
      return { approved, auditRecordId: atLeast(context.viewer.role, 'dm') ? recordId : null }
    },
  }),
  reject_proposals: defineOperation({
    name: 'reject_proposals',
    title: 'Reject proposals',
    description: 'Decline with a note.',
    toolset: 'review',
    access: 'dm',
    effect: 'write',
    byPerson: 'whoever asks for a change does not decline it',
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
