import type { Entity } from './entity.ts'
import type { Reference } from './linked-things.ts'
import type { Page, PageRequest } from './paging.ts'
import type { Door, Effect } from './viewer.ts'

// The history of a campaign, as operations read it.

/** One changed row as the journal keeps it. */
export interface JournalChange {
  readonly id: number
  readonly entityType: string
  readonly entityId: number
  readonly revision: number
  readonly kind: 'create' | 'update' | 'trash' | 'restore' | 'purge'
  readonly fields: string[]
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>> | null
}

export interface AuditRecord {
  readonly id: number
  readonly campaignId: number
  readonly at: string
  readonly operation: string
  readonly effect: Effect
  readonly door: Door
  readonly actorUserId: number | null
  readonly actorUser: Reference | null
  readonly credentialKind: string | null
  readonly credentialId: number | null
  readonly clientId: string | null
  readonly proposalId: number | null
  readonly proposal: Reference | null
  readonly proposedByUserId: number | null
  readonly proposedByUser: Reference | null
  readonly reason: string | null
  readonly revertible: boolean
  readonly revertedByRecordId: number | null
  /** The first 50 of what it changed, by the titles that they have for the viewer now: null for what is not to be seen any more. */
  readonly entities: {
    readonly entityType: string
    readonly entityId: number
    readonly kind: string
    readonly title: string | null
  }[]
  readonly entityCount: number
}

export interface AuditFilter {
  readonly actorUserId?: number | undefined
  readonly clientId?: string | undefined
  readonly operation?: string | undefined
  readonly entityType?: string | undefined
  readonly entityId?: number | undefined
  readonly since?: string | undefined
  /** Words of who did it, why, with what, or of what a thing is called. */
  readonly query?: string | undefined
}

export interface Revision {
  readonly id: number
  /** What the thing is called today; null where it has no name or is gone for good. */
  readonly title: string | null
  readonly entityType: string
  readonly entityId: number
  readonly revision: number
  readonly kind: JournalChange['kind']
  readonly at: string
  readonly actorUserId: number | null
  readonly actorUser: Reference | null
  readonly auditRecordId: number
  readonly fields: string[]
}

export interface ThingOf {
  readonly entityType: string
  readonly entityId: number
}

export interface NamedThing extends ThingOf {
  readonly title: string
}

/** The change journal of the campaign: audit records, revisions, undo. It is the only history of fields. */
export interface Journal {
  records(filter: AuditFilter, page: PageRequest): Page<AuditRecord>
  record(id: number): AuditRecord
  changes(recordId: number): JournalChange[]
  /** What things are called, each once; those that the viewer does not see, or that have no names, are left out. */
  names(things: readonly ThingOf[]): NamedThing[]
  /** With `withOwned` the changes of what belongs to the thing are among them: the steps of a quest. */
  revisions(
    entity: Entity,
    entityId: number,
    page: PageRequest & { readonly withOwned?: boolean | undefined },
  ): Page<Revision>
  revision(id: number): Revision
  /** The values of a row as they were after a revision, without what the viewer may not see. */
  imageAt(revisionId: number): Readonly<Record<string, unknown>>
  /** Undoes a record. Throws `invalid_state` naming the later record that depends on it, or that it cannot be undone. */
  revert(recordId: number): readonly JournalChange[]
  /** Writes the values of a revision as a new one. Throws `invalid_state` where nothing was kept. */
  restore(revisionId: number): void
  /** Names of the members of a row that changed behind a place in the journal, whoever may read them. */
  changedSince(entityType: string, entityId: number, journalAt: number): readonly string[]
  /** What changed since, as far as the viewer sees it now. */
  recent(since: string, page: PageRequest): Page<RecentChange>
  /** The history of the server: what belongs to no campaign, newest first. For its administrators. */
  serverRecords(filter: ServerFilter, page: PageRequest): Page<ServerRecord>
}

export type ServerFilter = Pick<AuditFilter, 'operation' | 'actorUserId'>

/** Ids, names of changed fields and plain values. Never a password, a secret or a hash. */
export type Facts = Readonly<Record<string, unknown>>

export interface ServerRecord
  extends Pick<
    AuditRecord,
    'id' | 'at' | 'operation' | 'effect' | 'door' | 'actorUserId' | 'credentialKind' | 'credentialId'
  > {
  readonly actorName: string | null
  readonly clientId: string | null
  readonly reason: string | null
  /** Which row it was about and whose, what of it changed, and what its rows do not say. */
  readonly facts: Facts
}

export interface RecentChange {
  readonly entityType: string
  readonly entityId: number
  readonly title: string | null
  readonly kind: JournalChange['kind']
  readonly at: string
  readonly byUserId: number | null
  readonly byUser: Reference | null
}
