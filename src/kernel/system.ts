import type * as z from 'zod'
import type { Context, Pipeline, RehearsedChanges, SearchPage, SearchRequest, Services, TouchedRow } from './context.ts'
import type { Entity } from './entity.ts'
import type { Facts } from './journal.ts'
import type { SharedHold } from './maintenance-lock.ts'
import type { AnyOperation } from './operation.ts'
import type { OwnedRow, RowOf } from './ownership.ts'
import type { RuleSearchPage, RuleSearchRequest } from './rule-shelf.ts'
import type { Actor, ConsentTerms, Door, Role, Viewer } from './viewer.ts'

// What a call of an operation is, and what the pipeline (execute.ts) needs of the storage under it.

/** One call of one operation, from whichever door. */
export interface Call {
  /** Null where no credential was sent; only operations open to the public take that. */
  readonly actor: Actor | null
  readonly door: Door
  readonly idempotencyKey: string | null
  readonly reason: string | null
  readonly requestId: string
  /** Aborts when the caller goes away; absent where nobody can. */
  readonly signal?: AbortSignal | undefined
  /** The caller's address, for limits; absent where there is none. */
  readonly address?: string | undefined
  /** The membership through whose eyes a Dungeon Master reads (kernel/looking-as.ts); absent where they read with their own. */
  readonly viewAs?: number | undefined
  /** The first page of a list says how many there are in all. */
  readonly totals?: boolean
}

export interface Outcome {
  /** `proposed`: nothing was changed yet; the answer is the proposal that was filed. */
  readonly status: 'done' | 'proposed'
  readonly output: unknown
  /** What a write did to the row that it answers; absent where it answers none, or left it as it was. */
  readonly changed?: ChangedRow
  /** The record of the journal that a write made; absent where none is kept. */
  readonly recordId?: number
  /** Whoever made it may take that record back (`revert_change`), as long as nothing later depends on it. */
  readonly revertible?: true
}

export interface ChangedRow {
  readonly isNew: boolean
  readonly fields: readonly string[]
  /** The member by which the row is called. */
  readonly title: string | null
}

export interface CampaignFacts {
  readonly id: number
  readonly status: string
  readonly trashed: boolean
  readonly playersPropose: boolean
}

export interface Located {
  /** Null for rows of the server and of a person. */
  readonly campaignId: number | null
  /** Null for records of the journal, which are not entities. */
  readonly entity: Entity | null
  /** Its id, revision, owner and what decides who sees it; not its texts. */
  readonly row: Readonly<Record<string, unknown>> | null
}

/** Who is named in the journal for what a unit of work changes. */
export interface ChangeSetHead {
  readonly operation: Pick<AnyOperation, 'name' | 'effect' | 'unrecorded'>
  readonly campaignId: number | null
  /** Null for an anonymous call, and until `OpenChangeSet.attribute` where it is known only in the end. */
  readonly actor: Actor | null
  readonly door: Door
  readonly reason: string | null
  /** Whose proposal it is that is taken; null in it where several are taken at once, of several members. */
  readonly proposal: { readonly proposalId: number | null; readonly proposedByUserId: number | null } | null
  /** What the changed rows do not say. Only for what belongs to no campaign. */
  readonly facts?: Facts | undefined
}

/** The change set that is open while its work runs. */
export interface OpenChangeSet {
  readonly id: number
  /** How many changes of rows it holds so far. */
  readonly size: number
  /** What of it, from a change on, the viewer does not see, in a few words: a thing, or a member of one. Null where they see all. */
  unseenBy(viewer: Viewer, from?: number): string | null
  /** The rows that it has changed so far, from one change to another. */
  touched(from?: number, to?: number): readonly (TouchedRow & { readonly isNew: boolean; readonly whose: OwnedRow })[]
  /** Names who did it, where that is known only now: somebody who signs in, a first user. */
  attribute(actor: Actor): void
}

export interface ContextParts {
  readonly viewer: Viewer
  readonly actor: Actor
  readonly reason: string | null
  /** As in Context. */
  readonly authorRole: Role | null
  readonly prepared: unknown
  /** Made when it is asked for: most calls never do. */
  pipeline(): Pipeline
  /** First pages say how many there are in all. */
  readonly totals?: boolean
}

/** The storage's side of one call. Synchronous; inside `transaction` everything it does is one unit. */
export interface Unit {
  campaign(id: number): CampaignFacts | null
  /** The role of a member; null of who is none, and while they have not accepted to be one. */
  roleOf(userId: number, campaignId: number): Role | null
  /** Who a membership is of, and where; null where it has ended, or was not accepted yet. */
  memberAt(id: number): { readonly userId: number; readonly username: string; readonly campaignId: number } | null
  /** What the campaign gives to outside AIs. */
  termsOf(campaignId: number): ConsentTerms
  /** The campaign and row that an id of the path names; null where it is absent, in the trash, or not to be seen by the viewer. */
  locate(entity: string, id: number, viewerOf: (campaignId: number | null) => Viewer | null): Located | null
  /** A row whoever may see it, to judge whose it is. */
  readonly rowOf: RowOf
  /** The operation that lists an entity. */
  listedBy(entity: string): string
  /** A kind of thing of campaigns that texts can speak of by name; null for any other. */
  mentionable(entity: string): Entity | null
  context(parts: ContextParts): Context<never>
  /** The campaign of the open change set; where it began outside of one, the campaign that `Context.within` entered, or null. */
  entered(): number | null
  /** A text that stands for another and that nobody can turn back: what it was made with lasts as long as the process. */
  seal(text: string): string
  /**
   * The actor behind the same credential as it is now: work that took time was allowed for what may have ended meanwhile.
   * Throws `unauthenticated`.
   */
  recheck(actor: Actor): Actor
  /** Runs `work` as one change set in a savepoint. */
  changeSet<T>(head: ChangeSetHead, work: (set: OpenChangeSet) => T): T
  /** Names of the members of a row that changed behind a place in the journal. */
  changedSince(entityType: string, entityId: number, journalAt: number): readonly string[]
  /** The last place in the journal that is taken. */
  journalAt(): number
  /** Whether a change set that has ended can be taken back, as long as nothing later depends on it. */
  isRevertible(changeSetId: number): boolean
  /** What was changed of a row so far; null where nothing was. */
  changedRow(entity: string, id: number): ChangedRow | null
  /** Runs `work` as a change set and undoes all of it. */
  rehearse<T>(head: ChangeSetHead, work: (set: OpenChangeSet) => T): T
  idempotent: {
    find(scope: string): { readonly inputHash: string; readonly answer: string | null } | null
    /** `secrets` are the passwords of the input, or null. Nothing of them is stored. */
    keep(scope: string, inputHash: string, answer: string | null, secrets: unknown): void
    hash(input: unknown): string
    /** Whether a key was kept with these passwords; null where that is forgotten, since the server was started anew. */
    isSame(scope: string, secrets: unknown): boolean | null
  }
}

export interface System {
  readonly operations: ReadonlyMap<string, AnyOperation>
  readonly services: Services
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal
  /** Waits while a restore swaps the database; the returned function ends the call. */
  acquireShared(): SharedHold | Promise<SharedHold>
  /** Runs `work` in one transaction and announces what it changed after the commit. */
  transaction<T>(work: (unit: Unit) => T): T
  /**
   * The same before the next turn of the event loop, together with what others ask for until then: the disk is waited for once
   * for all of them. What throws is undone alone.
   */
  transactionSoon<T>(work: (unit: Unit) => T): Promise<T>
  /** For reads: one consistent view, nothing written. */
  view<T>(work: (unit: Unit) => T): T
  /** See PrepareContext. */
  search(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<SearchPage>
  searchRules(viewer: Viewer, request: RuleSearchRequest, signal: AbortSignal): Promise<RuleSearchPage>
  /** Writes a proposal through the caller's context and returns it. */
  fileProposal(
    context: Context,
    rehearsed: RehearsedChanges,
    reason: string | null,
  ): { readonly output: unknown; readonly schema: z.ZodType }
}
