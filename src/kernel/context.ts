import * as z from 'zod'
import type { Entity, FieldsOf, NewRowOf, Patch } from './entity.ts'
import type { Fields, KindAbility } from './fields.ts'
import type { Journal } from './journal.ts'
import { linkedThingOutput, type Reference } from './linked-things.ts'
import type { ModelPort } from './model-port.ts'
import type { Page, PageRequest } from './paging.ts'
import type { Random } from './random.ts'
import type { AcrossReader, Reader, UnfilteredReader, Where } from './reader.ts'
import type { RulePacks, RuleSearchPage, RuleSearchRequest, RuleShelf } from './rule-shelf.ts'
import type { ExportFormat, Profile } from './travel.ts'
import type { Actor, ConsentTerms, Door, Role, Viewer } from './viewer.ts'

/** Every write is journalled, indexed and announced by the transaction around it, never by the handler. */
export interface Writer<E extends Entity> {
  /** Returns the new id. Throws `validation_failed` where a link names nothing the writer can see. */
  insert(values: NewRowOf<E>): number
  /** Undefined members are left alone. Throws `stale_revision` when `expectedRevision` is not the row's. */
  update(id: number, patch: Patch<FieldsOf<E>>, expectedRevision?: number): void
  /** Moves it and what it owns to the trash as one batch. */
  trash(id: number): void
  /** Deletes a row that has no trash: memberships, spent invites. */
  remove(id: number): void
}

export interface UserSummary {
  readonly id: number
  readonly username: string
}

export type SecretKind = 'tkp' | 'tkw' | 'tka' | 'tkr' | 'tkc' | 'tkcl' | 'tki' | 'tks' | 'tkv' | 'tkd'
export interface MintedSecret {
  /** Shown once. */
  readonly value: string
  /** What is stored. */
  readonly hash: string
  /** The first 12 characters, for display. */
  readonly hint: string
}

export interface ImageFile {
  readonly fileKey: string
  readonly sha256: string
  readonly byteSize: number
  readonly mimeType: string
  readonly width: number
  readonly height: number
}

/** The bytes of an image that is to be kept, in pieces that are asked for when its turn has come. */
export interface ImageSource {
  /** How many bytes are expected; there may be more or fewer. */
  readonly size: number
  /** A piece is good until the next one is asked for. */
  readonly pieces: AsyncIterable<Uint8Array>
}

/** Asynchronous helpers for `prepare`: they read and compute, and leave nothing behind that a sweep would not remove. */
export interface Services {
  readonly images: {
    /** Checks type, size and pixels by the bytes, and keeps the file under its own hash. Throws `validation_failed`, `too_large`. */
    keep(image: Uint8Array | ImageSource): Promise<ImageFile>
  }
  readonly passwords: {
    /** A hash to be stored, of a new salt. Throws `rate_limited` when too many wait. */
    hash(password: string): Promise<string>
    /**
     * The stored hash of a user that a password fits; null where it is wrong, which counts against who calls from this
     * address. The handler compares it with what is stored then. Throws `rate_limited`.
     */
    prove(userId: number, password: string, address: string | null): Promise<string | null>
  }
  readonly calendarFeeds: CalendarFeeds
  readonly rulePacks: RulePacks
  readonly travel: Travel
  readonly model: ModelPort
}

/** Campaigns that come in and go out (transfer/). */
export interface Travel {
  /**
   * Brings a document in, up to where nobody sees it yet: `adopt` of domain/campaign/arrival.ts shows it to its importer.
   * What is not adopted is taken back. Throws `validation_failed` naming the place, and `too_large`.
   */
  stageDocument(
    document: Readonly<Record<string, unknown>>,
    request: { readonly userId: number; readonly signal: AbortSignal },
  ): Promise<StagedCampaign>
  /** The same with the sample campaign and its pictures, which are files of the program. */
  stageSample: Travel['stageDocument']
  /** The same with a copy of a campaign, as far as the viewer reads it. `anew`: without what came of playing it. */
  stageCopy(request: {
    readonly campaignId: number
    readonly viewer: Viewer
    readonly name: string | undefined
    readonly anew: boolean
    readonly signal: AbortSignal
  }): Promise<StagedCampaign>
  /** A small document whole; of everything else a link that works once. */
  offer(request: {
    readonly campaignId: number
    readonly viewer: Viewer
    readonly actor: Actor
    readonly profile: Profile
    readonly format: ExportFormat
    readonly signal: AbortSignal
  }): Promise<ExportOffer>
}

/** A campaign that is in the database, and that nobody is a member of yet. */
export interface StagedCampaign {
  readonly campaignId: number
  /** What came in and what did not; domain/campaign/arrival.ts says of which form. */
  readonly report: unknown
}

export interface ExportOffer {
  /** As text. */
  readonly document: string | null
  readonly download: { readonly path: string; readonly expiresAt: string; readonly fileName: string } | null
}

/** The secret addresses of members' calendars. */
export interface CalendarFeeds {
  /** The address below the server's own, of a membership and the version of its feed. Not to be stored or logged. */
  pathOf(feed: { readonly id: number; readonly version: number }): string
}

export interface TrashItem {
  readonly entityType: string
  readonly entityId: number
  readonly title: string | null
  readonly deletedAt: string
  readonly deletedByUserId: number | null
  readonly deletedByUser: Reference | null
  /** How many rows it took with it. */
  readonly owned: number
}

export interface Trash {
  page(
    filter: { readonly entityType?: string | undefined; readonly query?: string | undefined },
    page: PageRequest,
  ): Page<TrashItem>
  /** Brings back a trashed row with what its batch took. Returns how many rows came back. Throws `not_found`. */
  restore(entity: Entity, id: number): number
  /** Deletes a trashed row and its batch for good and blanks their images in the journal. */
  purge(entity: Entity, id: number): number
  /** The campaign of the call, in the trash as a whole. Throws `not_found` where it is not. */
  campaign(): { readonly name: string; readonly deletedAt: string }
  restoreCampaign(): void
}

/**
 * What `prepare` gets, after authorisation and before the transaction: it reads, calls out and computes, and writes nothing.
 * Each read sees the database as it is then; what must still be true in the end, the handler asks again.
 */
export interface PrepareContext {
  readonly viewer: Viewer
  readonly actor: Actor
  /** The instant at which it is asked, ISO 8601 in UTC. */
  readonly now: string
  /** The campaign of the call. Throws `not_found` where the operation has none. */
  readonly campaignId: number
  /** Where the call comes from, for limits; null where nobody can tell, and in an anonymous call. */
  readonly address: string | null
  readonly services: Services
  readonly random: Random
  /** Aborts when the caller goes away, the server stops, or the time is up. Pass it to all that waits. */
  readonly signal: AbortSignal
  /** Rows through the viewer's eyes. */
  read<E extends Entity>(entity: E): Reader<E>
  /** Rows that the model of this server may be given: see `modelEyes`. Nothing else goes into a message. */
  readForModel<E extends Entity>(entity: E, options: { readonly secrets: boolean }): Reader<E>
  /**
   * Full-text search over what the viewer may see, beside the thread that answers everybody. Throws `rate_limited` where too
   * many wait, and `unavailable` where it did not come to an end.
   */
  search(request: SearchRequest): Promise<SearchPage>
  /** The same over installed rule packs, and what the campaign of the call has written itself. */
  searchRules(request: RuleSearchRequest): Promise<RuleSearchPage>
  readonly pipeline: {
    /**
     * Runs the `prepare` of each change that is proposed, as the caller, one after the other; what they give goes to
     * `Pipeline.rehearse` or `apply`. Throws what the operations would throw before their transaction.
     */
    prepare(changes: readonly ProposedChange[]): Promise<readonly unknown[]>
  }
}

/** What a handler may do. Everything is synchronous: it runs inside one transaction. */
export interface Context<P = unknown> {
  readonly viewer: Viewer
  readonly actor: Actor
  readonly door: Door
  /** The instant of the call, ISO 8601 in UTC. */
  readonly now: string
  readonly reason: string | null
  /** The role of whose change it is: the viewer's, or, where it is taken from a proposal, that of who proposed it. */
  readonly authorRole: Role | null
  /** The campaign of the call. Throws `not_found` where the operation has none. */
  readonly campaignId: number
  /** What `prepare` returned. */
  readonly prepared: P
  readonly random: Random
  read<E extends Entity>(entity: E): Reader<E>
  unfiltered<E extends Entity>(entity: E): UnfilteredReader<E>
  write<E extends Entity>(entity: E): Writer<E>
  /**
   * Reads over all campaigns of the acting user that the credential allows and that are not in the trash. It costs one
   * statement for each of them, of a page at most.
   */
  across<E extends Entity<string, Fields, 'campaign'>>(entity: E): AcrossReader<E>
  /** The same context in another campaign, for what begins outside one: creating, joining, listing one's own. */
  within(campaignId: number, role: Role): Context<P>
  readonly users: {
    find(id: number): UserSummary | null
    /** Somebody who can sign in and has that name, in any case and composition. */
    byUsername(username: string): UserSummary | null
    /** Whoever has that name, disabled or not. */
    named(username: string): UserSummary | null
    /** Those whose name could be taken for this one by somebody who reads it. */
    alike(username: string): readonly UserSummary[]
  }
  /**
   * Campaigns of the acting user as the credential allows; with `of` those of another user, all of them; with `waiting` those
   * to which somebody added them and they have not agreed yet.
   */
  memberships(options?: {
    readonly trashed?: boolean
    readonly waiting?: boolean
    readonly of?: number
  }): readonly { readonly campaignId: number; readonly role: Role }[]
  /** What the app behind the credential is called: a token by its name, a connected app by its own. Null for a person. */
  readonly appName: string | null
  /** Where a secret's hash is kept, in whichever campaign: what an invite code opens. */
  byHash(entity: Entity, field: string, hash: string): { readonly campaignId: number; readonly id: number } | null
  readonly secrets: {
    mint(kind: SecretKind): MintedSecret
    hash(value: string): string
  }
  /** What the campaign gives to outside AIs, whoever asks. */
  readonly consentTerms: ConsentTerms
  /**
   * How many rows that the person behind an outside AI sees are kept from it, of those that pass; no more than
   * `mostWithheld` are counted. 0 where a person reads.
   */
  withheld<E extends Entity>(entity: E, where?: Where<E>): number
  /** Things that mention this one in their text. */
  mentions(entityType: string, entityId: number, page: PageRequest): Page<SearchHit>
  /** The rules of installed packs. */
  readonly rules: RuleShelf
  readonly journal: Journal
  readonly trash: Trash
  readonly pipeline: Pipeline
  /** A kind of thing of campaigns by its name. Throws `validation_failed` with the names it knows. */
  entity(name: string, can?: KindAbility): Entity
  /** The same, null where there is no such kind. */
  findEntity(name: string): Entity | null
}

/** One change that is asked for. In its input `{"$of": "marta"}` stands for the id of what the earlier change `as: "marta"` makes. */
export interface ProposedChange {
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
  readonly as?: string | undefined
}

/** A row that a change touches: which, and which members of it. */
export interface TouchedRow {
  readonly entityType: string
  readonly entityId: number
  readonly fields: readonly string[]
}

/** Changes that were tried together, as their author, and rolled back. */
export interface RehearsedChanges {
  /** As they are kept: parsed, without the revisions that their author read, and with `$of` where it stood. */
  readonly changes: readonly ProposedChange[]
  /** What they are called together. */
  readonly title: string
  /** What the first of them is about, where that exists already. */
  readonly target: { readonly entityType: string; readonly entityId: number } | null
  /** What they change of what exists already. */
  readonly touched: readonly TouchedRow[]
  /** The place in the journal at which they were tried. */
  readonly journalAt: number
  /** They are the author's own: what they make or change is theirs, or needs no Dungeon Master. */
  readonly forAuthor: boolean
}

/** A proposal that is being taken. */
export interface TakenProposal extends Pick<RehearsedChanges, 'changes' | 'journalAt'> {
  readonly proposalId: number
  readonly authorUserId: number
  /** What `prepare` gave for each change. */
  readonly prepared: readonly unknown[]
}

/** The doors back into the pipeline, for proposals. */
export interface Pipeline {
  /**
   * Parses and tries changes as the caller, in one savepoint that is rolled back. Throws what the operations would throw, and
   * says which change it is where there are several.
   */
  rehearse(changes: readonly ProposedChange[], prepared: readonly unknown[]): RehearsedChanges
  /**
   * Runs proposals for real as the approver, in the order given, all or none, each change authorised again, as one record of
   * the journal: proposed by one and approved by the other. Returns the id of the record.
   */
  apply(proposals: readonly TakenProposal[]): number
  /** What the input of an operation names; of one that there is no more, nothing. */
  describe(operation: string): ProposedInput
}

export interface ProposedInput {
  /** What the operation is called; its name where there is no more. */
  readonly title: string
  readonly toolset: string
  /** The member with the id of what a call is about, and which kind of thing that is. */
  readonly about: { readonly member: string; readonly entity: string } | null
  /** It makes something new, below what it is about. */
  readonly creates: boolean
  /** Members with ids, and of which kind of thing. */
  readonly references: Readonly<Record<string, string>>
}

/** A thing that a search or a mention has found. */
export const searchHit = z.object({
  entityType: z.string(),
  entityId: z.int(),
  /** The thing that it is a part of: the quest of a step. Null for what stands by itself. */
  partOf: linkedThingOutput.nullable(),
  title: z.string(),
  /** Text around the match; matched words stand between U+0002 and U+0003. */
  snippet: z.string(),
})

export type SearchHit = z.output<typeof searchHit>

export interface SearchRequest {
  readonly query: string
  readonly entityTypes: readonly string[] | undefined
  readonly page: PageRequest
}

export interface SearchPage extends Page<SearchHit> {
  /** What was not looked for or not looked at, in sentences; null where all was. */
  readonly incomplete: string | null
}
