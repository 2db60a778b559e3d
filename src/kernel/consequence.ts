import type { Writer } from './context.ts'
import type { Entity } from './entity.ts'
import type { UnfilteredReader } from './reader.ts'

/** Whole rows of one campaign, to work something out and write it down. */
export interface Following {
  unfiltered<E extends Entity>(entity: E): UnfilteredReader<E>
  write<E extends Entity>(entity: E): Writer<E>
}

/** A row as it is behind its change; as it was, where it is gone for good. */
export interface Changed {
  readonly entityType: string
  readonly row: Readonly<Record<string, unknown>>
}

/**
 * What follows from rows and is kept in fields marked `derived`, since a statement could not work it out for each reader.
 * It is brought up to date at the end of every change set in which such a row was changed, whatever changed it: a call, an
 * undo, a restore from the trash, an import. What it writes belongs to that change set.
 */
export interface Consequence {
  /** Kinds of rows of a campaign. */
  readonly of: readonly string[]
  /** Writes nothing where all holds already: handlers bring it about themselves, so that their answer is of what is. */
  follow(changed: readonly Changed[], tools: Following): void
}
