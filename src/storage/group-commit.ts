import type { System, Unit } from '../kernel/system.ts'
import type { Store } from './store.ts'
import { type UnitWithChanges, whole } from './unit.ts'

// Writes that come in one turn of the event loop go in one transaction of the database. What a small write costs is mostly its
// commit: the pages that it changes, nearly the same for each, and the wait for the disk. Nobody is answered before it.

/** Milliseconds after which whoever still waits goes with the next one: between the two others get their turn. */
const longestGroup = 8

interface Waiting {
  readonly work: (unit: Unit) => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

export interface GroupCommitParts {
  /** The present store. */
  store(): Store
  unit(): UnitWithChanges
  /** Gets what each has written, after the commit and in their order. */
  tell(written: UnitWithChanges): void
}

/** See `System.transactionSoon`. */
export function createGroupCommit({ store, unit, tell }: GroupCommitParts): System['transactionSoon'] {
  const waiting: Waiting[] = []
  let isDue = false
  const runSoon = (): void => {
    if (isDue) return
    isDue = true
    setImmediate(runGroup)
  }
  const runGroup = (): void => {
    isDue = false
    const group = waiting.splice(0)
    const done: (Omit<Waiting, 'work'> & { readonly written: UnitWithChanges; readonly value: unknown })[] = []
    let begun = 0
    try {
      const present = store()
      present.transaction(() => {
        const until = performance.now() + longestGroup
        for (const { work, resolve, reject } of group) {
          if (begun > 0 && performance.now() > until) break
          begun += 1
          const written = unit()
          try {
            // One alone is undone with its transaction: for a savepoint SQLite keeps a copy of every page that it changes.
            const value = group.length === 1 ? whole(written, work) : present.savepoint(() => whole(written, work))
            done.push({ resolve, reject, written, value })
          } catch (error) {
            // A full disk may end the whole transaction.
            if (group.length === 1 || !present.connection.inTransaction) throw error
            reject(error)
          }
        }
      })
    } catch (error) {
      // Of those that were begun nothing is left; who was refused by then keeps their own answer.
      if (begun === 0) begun = group.length
      for (const { reject } of group.slice(0, begun)) reject(error)
      done.length = 0
    }
    waiting.unshift(...group.slice(begun))
    if (waiting.length > 0) runSoon()
    for (const { resolve, reject, written, value } of done) {
      try {
        tell(written)
        resolve(value)
      } catch (error) {
        // The others are told of all the same.
        reject(error)
      }
    }
  }
  return <T>(work: (of: Unit) => T) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ work, resolve: resolve as Waiting['resolve'], reject })
      runSoon()
    })
}
