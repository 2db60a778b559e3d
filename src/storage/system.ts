import type { Services } from '../kernel/context.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import type { System } from '../kernel/system.ts'
import type { RowChange } from './change-set.ts'
import type { Store } from './store.ts'
import { createUnit } from './unit.ts'

export interface SystemParts {
  readonly operations: ReadonlyMap<string, AnyOperation>
  readonly services: Services
  /** The present store; a restore replaces it. */
  store(): Store
  clock(): Date
  acquireShared(): Promise<() => void>
  /** Gets what a transaction changed, after its commit. */
  announce(changes: readonly RowChange[]): void
  readonly fileProposal: System['fileProposal']
}

/** The pipeline's view of the storage. */
export function createSystem(parts: SystemParts): System {
  /** The instant of a call: the same whenever it asks, and most reads never do. */
  const instant = (): (() => string) => {
    let known: string | undefined
    return () => {
      known ??= parts.clock().toISOString()
      return known
    }
  }
  return {
    operations: parts.operations,
    services: parts.services,
    acquireShared: parts.acquireShared,
    fileProposal: parts.fileProposal,
    view: (work) => work(createUnit(parts.store(), instant())),
    transaction(work) {
      const store = parts.store()
      const unit = createUnit(store, instant())
      const result = store.transaction(() => work(unit))
      if (unit.changes.length > 0) parts.announce(unit.changes)
      return result
    },
  }
}
