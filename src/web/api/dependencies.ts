import type { OperationName } from './contract.ts'

/**
 * What the build knows of an operation: its method and path below /api/v1, the entity types it reads and those it writes, and
 * how many characters its texts may have, as `name 120 role 300`; absent where it takes none.
 */
export type OperationFacts = readonly [route: string, reads: string, writes: string, limits?: string]

/** The most characters of each text that an operation takes. */
export function textLimits(facts: OperationFacts | undefined): Readonly<Record<string, number>> {
  const words = facts?.[3]?.split(' ') ?? []
  return Object.fromEntries(words.flatMap((word, index) => (index % 2 === 0 ? [[word, Number(words[index + 1])]] : [])))
}

/** Any entity type: what searches, lists or undoes whatever there is. */
export const everything: ReadonlySet<string> = new Set(['*'])

/** Which answers a change makes old. Recorded over the examples of all operations (test/pins/operation-reads.tsv). */
export interface Dependencies {
  /** The entity types whose changes change its answer. */
  readsOf(operation: OperationName): ReadonlySet<string>
  /** The entity types that it may change. */
  writesOf(operation: OperationName): ReadonlySet<string>
}

/** @param facts by name of the operation, entity types between spaces */
export function createDependencies(facts: Readonly<Record<string, OperationFacts>>): Dependencies {
  const setOf = (names: string | undefined) => new Set(names === undefined ? ['*'] : names.split(' ').filter(Boolean))
  const reads = new Map<string, ReadonlySet<string>>()
  const kept = (known: Map<string, ReadonlySet<string>>, name: string, names: string | undefined) => {
    const found = known.get(name) ?? setOf(names)
    known.set(name, found)
    return found
  }
  return {
    readsOf: (operation) => kept(reads, operation, facts[operation]?.[1]),
    writesOf: (operation) => setOf(facts[operation]?.[2]),
  }
}

/** Whether a change of `changed` makes a reading of `read` old. */
export function overlap(changed: ReadonlySet<string>, read: ReadonlySet<string>): boolean {
  if (changed.size === 0 || read.size === 0) return false
  if (changed.has('*') || read.has('*')) return true
  for (const one of changed) if (read.has(one)) return true
  return false
}
