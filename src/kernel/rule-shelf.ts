import type { Page, PageRequest } from './paging.ts'

// Books of rules as the pipeline knows them: what is read of a document, what is kept, and how entries are found.

/** The least id of an entry of a pack. What a campaign has written itself has the ids below: one number names either. */
export const firstPackEntryId = 1_000_001

/** All of a pack but its entries. */
export interface PackHead {
  readonly key: string
  readonly title: string
  readonly version: string
  readonly description?: string | undefined
  readonly authors?: string[] | undefined
  readonly licence: { readonly name: string; readonly url: string }
  readonly attribution: string
  readonly source?: string | undefined
}

/** An entry as it is kept. */
export interface KeptEntry {
  readonly key: string
  readonly kind: string
  readonly system: string
  readonly name: string
  readonly summary: string
  readonly body: string | null
  readonly statblock: Readonly<Record<string, unknown>> | null
}

/** What was read of a document: all but its entries, which lie in a file, a line for each. */
export interface ReadPack {
  readonly head: PackHead
  readonly systems: string[]
  readonly kinds: Readonly<Record<string, number>>
  readonly entryCount: number
  /** What an importer left out, in sentences; no more than a hundred. */
  readonly notes: string[]
}

/** A pack that waits to be shown: its entries lie in the database under an edition that nothing names yet. */
export interface StagedPack extends ReadPack {
  readonly edition: number
}

export interface RulePacks {
  /**
   * Reads a document on another thread and keeps its entries under a new edition, a few at a time. What no pack comes to name
   * is swept away. Throws `validation_failed` naming the place, `too_large`, `rate_limited` where others wait already.
   */
  stage(document: PackSource, signal: AbortSignal): Promise<StagedPack>
}

/** Where a document is: a file that was received, or what came as a value. */
export type PackSource = { readonly path: string } | { readonly value: unknown }

/** An entry of an installed pack. */
export interface PackEntry extends KeptEntry {
  readonly id: number
  readonly rulePackId: number
  readonly rulePackTitle: string
}

/** Which creatures of packs are wanted. Words are in small letters. */
export interface CreatureRequest {
  /** Those of this game. */
  readonly system: string
  /** Only of these packs; null is all of them. */
  readonly rulePackIds: readonly number[] | null
  readonly environment?: string | undefined
  readonly type?: string | undefined
  readonly limit: number
}

export interface CreatureOnShelf {
  readonly id: number
  readonly name: string
  /** Challenge or level; null where it has none. */
  readonly rating: number | null
  readonly experience: number | undefined
}

/** What handlers ask of the installed packs. */
export interface RuleShelf {
  /** Null where no installed pack has it. */
  entry(id: number): PackEntry | null
  /** Creatures that an encounter can be made of, in the order of their ids, with no more of them than they are chosen by. */
  creatures(request: CreatureRequest): readonly CreatureOnShelf[]
  /** How many campaigns name a pack among those that they read; those in the trash too. */
  campaignsWith(rulePackId: number): number
}

export interface RuleSearchRequest {
  /** Without words it goes through all there is. */
  readonly query: string
  readonly page: PageRequest
  readonly kind?: string | undefined
  readonly system?: string | undefined
  /** Only these packs; null is all of them. */
  readonly rulePackIds: readonly number[] | null
  /** With what the campaign of the viewer has written itself. */
  readonly withHomebrew: boolean
}

export interface RuleHit {
  readonly id: number
  readonly kind: string
  readonly system: string
  readonly name: string
  readonly summary: string
  /** Text around the match; matched words stand between U+0002 and U+0003. */
  readonly snippet: string
  /** Null for what the campaign has written itself. */
  readonly rulePackId: number | null
  readonly rulePackTitle: string | null
}

export interface RuleSearchPage extends Page<RuleHit> {
  readonly incomplete: string | null
}
