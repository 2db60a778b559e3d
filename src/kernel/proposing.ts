import { admit, type KnownCall, sameCampaign } from './admission.ts'
import type { Context, ProposedChange, RehearsedChanges, TakenProposal, TouchedRow } from './context.ts'
import { nearest } from './edit-distance.ts'
import { Failure, fail, invalid } from './errors.ts'
import { parseInput } from './input.ts'
import { checkNames, refersToResult, withReferences, withResults } from './named-results.ts'
import type { AnyOperation } from './operation.ts'
import { ownerOf } from './ownership.ts'
import type { ChangeSetHead, OpenChangeSet, System, Unit } from './system.ts'
import { personIn, type Role, type Viewer } from './viewer.ts'
import { whyNotWaiting } from './waiting.ts'

/** Where proposed changes run: one transaction, of one caller. */
export interface Stage {
  readonly operations: System['operations']
  readonly unit: Unit
  readonly call: KnownCall
  readonly viewer: Viewer
  contextOf(operation: AnyOperation, prepared: unknown, authorRole: Role | null): Context<never>
}

/** One change of several, as it ran. */
interface Ran {
  readonly operation: AnyOperation
  readonly input: Readonly<Record<string, unknown>>
  readonly own: boolean
  readonly target: RehearsedChanges['target']
  /** The first of its changes of rows in the open change set. */
  readonly from: number
}

/**
 * Tries changes together as their proposer and rolls them back, so that what could never be approved is refused when it is
 * asked. Throws what the operations throw; where there are several, with the number of the one that it was.
 */
export function rehearse(
  stage: Stage,
  asked: readonly ProposedChange[],
  prepared: readonly unknown[],
): RehearsedChanges {
  const { unit, viewer, operations } = stage
  refuseArchived(stage)
  checkNames(asked)
  const changes = asked.map((change) => inCampaign(operations.get(change.operation), change, viewer))
  const [first] = changes
  if (first === undefined) throw invalid('changes', 'at least one', 'changes: at least one.')
  const head = headOf(stage, { name: first.operation, effect: 'write' }, null)
  return unit.rehearse(head, (set) => {
    const made = new Map<string, number>()
    const ran = changes.map((change, index) =>
      withPlace(placeOf(changes, index), () => {
        const result = run(stage, set, change, changes, made, prepared[index], viewer.role)
        if (result.own) return result
        const unseen = set.unseenBy({ ...viewer, ai: null, toolsets: null }, result.from)
        if (unseen !== null) throw fail('forbidden', `This touches what you may not see: ${unseen}. Leave it away.`)
        return result
      }),
    )
    return {
      changes: ran.map(({ input }, index) => keptOf(changes[index] as ProposedChange, input)),
      title: titleOf(ran.map(({ operation }) => operation.title)),
      target: ran[0]?.target ?? null,
      touched: touchedBefore(set, ran),
      journalAt: unit.journalAt(),
      forAuthor: isForAuthor(stage, set, ran),
    }
  })
}

/**
 * Runs what was proposed, as the approver, in one change set. Refused where it is stale: a field that it changes was changed
 * since it was filed. And where it touches what its author does not see (any more): nobody overwrites in the dark, by
 * another's hand either.
 */
export function apply(stage: Stage, taken: readonly TakenProposal[]): number {
  const { unit, operations } = stage
  const all = taken.flatMap(({ changes }) => changes)
  const single = all.length === 1 ? operations.get(all[0]?.operation ?? '') : undefined
  const authors = new Set(taken.map(({ authorUserId }) => authorUserId))
  const [proposal] = taken
  const head = headOf(stage, single ?? { name: 'approve_proposals', effect: 'write' }, {
    proposalId: taken.length === 1 ? (proposal?.proposalId ?? null) : null,
    proposedByUserId: authors.size === 1 ? (proposal?.authorUserId ?? null) : null,
  })
  return unit.changeSet(head, (set) => {
    for (const each of taken) applyOne(stage, set, each, taken.length > 1)
    return set.id
  })
}

function applyOne(stage: Stage, set: OpenChangeSet, taken: TakenProposal, isOneOfSeveral: boolean): void {
  const { unit, viewer, call, operations } = stage
  const { proposalId, authorUserId, prepared } = taken
  const changes = taken.changes.map((change) => inCampaign(operations.get(change.operation), change, viewer))
  const begin = set.size
  const made = new Map<string, number>()
  const author = personIn(viewer.campaignId, authorRole(unit, authorUserId, viewer.campaignId), authorUserId)
  for (const [index, change] of changes.entries()) {
    const place = placeOf(changes, index)
    const where = isOneOfSeveral ? [`Proposal ${proposalId}`, ...(place === null ? [] : [place])].join(', ') : place
    withPlace(where, () => {
      const { input, target, from, verdict } = run(stage, set, change, changes, made, prepared[index], author.role)
      if (verdict !== 'direct') throw fail('forbidden', 'Only somebody who could make this change may approve it.')
      const earlier = set.touched(0, begin)
      const fresh = new Set(set.touched().flatMap((row) => (row.isNew ? [keyOf(row)] : [])))
      for (const row of set.touched(from)) {
        if (fresh.has(keyOf(row))) continue
        const since = [
          ...unit.changedSince(row.entityType, row.entityId, taken.journalAt),
          ...earlier.flatMap((each) => (keyOf(each) === keyOf(row) ? each.fields : [])),
        ]
        const wanted = target !== null && keyOf(target) === keyOf(row) ? Object.keys(input) : []
        if ([...wanted, ...row.fields].some((field) => since.includes(field))) throw staleProposal(proposalId)
      }
      const unseen = authorUserId === call.actor.userId ? null : set.unseenBy(author, from)
      if (unseen !== null)
        throw fail(
          'invalid_state',
          `Proposal ${proposalId} touches what its author does not see: ${unseen}. Reject it, and make the change yourself if it is right.`,
        )
    })
  }
}

function staleProposal(proposalId: number): Error {
  return fail(
    'stale_revision',
    `Proposal ${proposalId} was made for an earlier version: what it changes was changed since. Reject it, or ask for it again.`,
  )
}

/** Parses one change, with ids for references, and runs it as the caller. */
function run(
  stage: Stage,
  set: OpenChangeSet,
  change: ProposedChange,
  changes: readonly ProposedChange[],
  made: Map<string, number>,
  prepared: unknown,
  authorRole: Role | null,
): Ran & { readonly verdict: 'direct' | 'propose' } {
  const { unit, call, viewer, operations } = stage
  const operation = waitable(operations, change.operation)
  if (operation.prepare !== undefined && refersToResult(change.input))
    throw fail(
      'validation_failed',
      `${operation.name} is got ready ahead of the others: name things that exist already.`,
    )
  const input = parseInput(operation.input, withResults(change.input, made, changes)) as never
  const { entity, row } = sameCampaign(unit, operation, input, viewer)
  // By whatever tool it is asked for: who may not propose this operation is refused here.
  const { verdict, own } = admit(unit, operation, input, call)
  const from = set.size
  const output = operation.handle(stage.contextOf(operation, prepared, authorRole), input)
  if (change.as !== undefined) made.set(change.as, madeBy(operation, output, set, from))
  const target =
    entity !== null && entity.scope === 'campaign' && row !== null
      ? { entityType: entity.name, entityId: Number(row.id) }
      : null
  return { operation, input, own, target, from, verdict }
}

function madeBy(operation: AnyOperation, output: unknown, set: OpenChangeSet, from: number): number {
  const { id } = (output ?? {}) as { readonly id?: unknown }
  if (operation.creates && typeof id === 'number') return id
  const fresh = set.touched(from).find(({ isNew }) => isNew)
  if (fresh === undefined) throw fail('validation_failed', `${operation.name} makes nothing that "as" could name.`)
  return fresh.entityId
}

/** What is kept of a change. What its author read was compared when it was filed; whoever approves it counts other revisions. */
function keptOf(change: ProposedChange, parsed: Ran['input']): ProposedChange {
  const { expectedRevision: _, ...input } = parsed
  return { ...change, input: withReferences(input, change.input) as ProposedChange['input'] }
}

/** A change may leave the campaign away: it is in that of its proposal. */
export function inCampaign(
  operation: AnyOperation | undefined,
  change: ProposedChange,
  viewer: Viewer,
): ProposedChange {
  const isMissing = operation !== undefined && 'campaignId' in operation.input.shape && !('campaignId' in change.input)
  if (!isMissing || viewer.campaignId === null) return change
  return { ...change, input: { campaignId: viewer.campaignId, ...change.input } }
}

/** What was there before and is touched, with all that is asked of it, be it as it is already. */
function touchedBefore(set: OpenChangeSet, ran: readonly Ran[]): readonly TouchedRow[] {
  const rows = set.touched()
  const fresh = new Set(rows.flatMap((row) => (row.isNew ? [keyOf(row)] : [])))
  const asked = ran.flatMap(({ target, input, operation }): TouchedRow[] =>
    target === null || operation.creates ? [] : [{ ...target, fields: Object.keys(input) }],
  )
  const found = new Map<string, { readonly row: TouchedRow; readonly fields: Set<string> }>()
  for (const row of [...rows, ...asked]) {
    if (fresh.has(keyOf(row))) continue
    const known = found.get(keyOf(row)) ?? { row, fields: new Set<string>() }
    for (const field of row.fields) known.fields.add(field)
    found.set(keyOf(row), known)
  }
  return Array.from(found.values(), ({ row: { entityType, entityId }, fields }) => ({
    entityType,
    entityId,
    fields: [...fields],
  }))
}

function keyOf({ entityType, entityId }: Pick<TouchedRow, 'entityType' | 'entityId'>): string {
  return `${entityType} ${entityId}`
}

/**
 * Whether only their author takes these changes. What they make in their own name (a note, an answer) would become that of
 * whoever took it, and what they could do without a Dungeon Master needs none. Throws `validation_failed` where such a change
 * stands together with one that needs a Dungeon Master.
 */
function isForAuthor({ unit, call }: Stage, set: OpenChangeSet, ran: readonly Ran[]): boolean {
  const { userId } = call.actor
  const theirs = ran.findIndex(({ operation, from }, index) => {
    if (operation.access === 'dm+propose') return false
    const rows = set.touched(from, ran[index + 1]?.from)
    return rows.some(({ whose }) => ownerOf(whose, unit.rowOf) === userId)
  })
  if (theirs < 0) return ran.every(({ own }) => own)
  const others = ran[theirs]?.own === true ? ran.findIndex(({ own }) => !own) : -1
  if (others < 0) return true
  throw fail(
    'validation_failed',
    `Change ${theirs + 1} is for its author alone to take, and change ${others + 1} for a Dungeon Master. Ask for them apart.`,
  )
}

/** Names an operation that can wait. Throws `validation_failed`, with why not, or with the nearest one. */
export function waitable(operations: System['operations'], name: string): AnyOperation {
  const operation = operations.get(name)
  const why = operation === undefined ? null : whyNotWaiting(operation)
  if (operation !== undefined && why === null) return operation
  const label = name.slice(0, 60)
  if (why !== null) throw invalid('operation', 'cannot be proposed', `${label} cannot be proposed, since ${why}.`)
  const known = Array.from(operations.values(), (each) => each).filter((each) => whyNotWaiting(each) === null)
  const near = nearest(
    name,
    known.map((each) => each.name),
  )
  const hint = near === null ? 'Use the name of a tool that changes something.' : `Did you mean ${near}?`
  throw invalid('operation', 'not an operation', `There is no operation ${label}. ${hint}`)
}

function headOf(
  { call, viewer }: Stage,
  operation: ChangeSetHead['operation'],
  proposal: ChangeSetHead['proposal'],
): ChangeSetHead {
  const { actor, door, reason } = call
  const { name, effect } = operation
  return { operation: { name, effect }, campaignId: viewer.campaignId, actor, door, reason, proposal }
}

/** `Create NPC`, or of several `12 changes: create NPC, create quest`. */
function titleOf(titles: readonly string[]): string {
  const [only, ...others] = titles
  if (only === undefined || others.length === 0) return only ?? ''
  const kinds = Array.from(new Set(titles), (title) => title.charAt(0).toLowerCase() + title.slice(1))
  const text = `${titles.length} changes: ${kinds.join(', ')}`
  return text.length <= 200 ? text : `${text.slice(0, 199)}…`
}

/** Which of several changes it is, for a sentence; null where there is one. */
function placeOf(changes: readonly ProposedChange[], index: number): string | null {
  const { operation, as } = changes[index] ?? {}
  if (changes.length < 2 || operation === undefined) return null
  return `Change ${index + 1} (${operation.slice(0, 60)}${as === undefined ? '' : ` "${as}"`})`
}

/** What `work` throws, with where it was ahead of it. */
export function withPlace<T>(place: string | null, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw placed(place, error)
  }
}

function placed(place: string | null, error: unknown): unknown {
  if (place === null || !(error instanceof Failure)) return error
  const { details } = error
  return fail(error.code, `${place}: ${error.message}`, { ...(details === undefined ? {} : { details }), cause: error })
}

/** The same for the changes that are got ready, each in its turn. */
export async function eachInPlace<T>(
  changes: readonly ProposedChange[],
  work: (change: ProposedChange) => Promise<T>,
): Promise<readonly T[]> {
  const done: T[] = []
  for (const [index, change] of changes.entries()) {
    try {
      done.push(await work(change))
    } catch (error) {
      throw placed(placeOf(changes, index), error)
    }
  }
  return done
}

/** Nothing is taken in an archived campaign, so that nothing waits in one either. */
function refuseArchived({ unit, viewer }: Stage): void {
  const campaign = viewer.campaignId === null ? null : unit.campaign(viewer.campaignId)
  if (campaign?.status === 'archived')
    throw fail('invalid_state', 'This campaign is archived and nothing waits in it. A person sets its status first.')
}

/** Whoever has left meanwhile is judged as a player. */
function authorRole(unit: Unit, userId: number, campaignId: number | null): Role {
  return (campaignId === null ? null : unit.roleOf(userId, campaignId)) ?? 'player'
}
