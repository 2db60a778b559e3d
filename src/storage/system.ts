import { createHmac, randomBytes } from 'node:crypto'
import type { Services } from '../kernel/context.ts'
import type { SharedHold } from '../kernel/maintenance-lock.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import type { Random } from '../kernel/random.ts'
import type { System } from '../kernel/system.ts'
import type { Actor } from '../kernel/viewer.ts'
import type { RowChange } from './change-set.ts'
import { createGroupCommit } from './group-commit.ts'
import type { SealedPasswords } from './idempotency.ts'
import { ruleSearchPage, ruleSearchPlan } from './rule-search.ts'
import { searchPage, searchPlan, withheldTexts } from './search.ts'
import { runAmid, type Searcher } from './searcher.ts'
import type { Store } from './store.ts'
import { createUnit, type UnitWithChanges, whole } from './unit.ts'

export interface SystemParts {
  readonly operations: ReadonlyMap<string, AnyOperation>
  readonly services: Services
  /** The present store; a restore replaces it. */
  store(): Store
  clock(): Date
  readonly random: Random
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal
  acquireShared(): SharedHold | Promise<SharedHold>
  /** The actor behind the same credential as it is now, for every write. Throws `unauthenticated`. */
  recheck(store: Store, actor: Actor, now: string): Actor
  /** Runs searches beside the main thread; without it they run on it. */
  readonly searcher?: Searcher
  /** Gets what a transaction changed, after its commit. */
  announce(changes: readonly RowChange[]): void
  /** Told where `announce` threw: what was changed stays changed, and whoever should have heard of it must read anew. */
  onUnannounced(error: unknown): void
  readonly fileProposal: System['fileProposal']
}

/** The pipeline's view of the storage. */
export function createSystem(parts: SystemParts): System {
  const { operations, services, stopping, acquireShared, fileProposal, random } = parts
  // Kept nowhere: what it sealed means nothing to who reads the database, nor to this program after its next start.
  const sealKey = randomBytes(32)
  const seal = (text: string): string => createHmac('sha256', sealKey).update(text).digest('base64url')
  const sealedPasswords: SealedPasswords = new Map()
  const unit = (): UnitWithChanges => {
    /** The instant of a call: the same whenever it asks, and most reads never do. */
    let instant: string | undefined
    const now = (): string => {
      instant ??= parts.clock().toISOString()
      return instant
    }
    return createUnit({ store: parts.store(), now, random, seal, sealedPasswords, recheck: parts.recheck })
  }
  const tell = ({ changes }: UnitWithChanges): void => {
    if (changes.length === 0) return
    // The write has happened, and its answer says so whatever becomes of telling others.
    try {
      parts.announce(changes)
    } catch (error) {
      parts.onUnannounced(error)
    }
  }
  return {
    operations,
    services,
    stopping,
    acquireShared,
    fileProposal,
    view: (work) => work(unit()),
    async search(viewer, request, signal) {
      const store = parts.store()
      const plan = searchPlan(store, viewer, request)
      const withheld = withheldTexts(store, viewer, request.entityTypes)
      const found = await (parts.searcher?.run(store, viewer.userId, plan, signal) ?? runAmid(store, plan))
      return { ...searchPage(plan, request, found), ...withheld }
    },
    async searchRules(viewer, request, signal) {
      const store = parts.store()
      const plan = ruleSearchPlan(store, viewer, request)
      const found = await (parts.searcher?.run(store, viewer.userId, plan, signal) ?? runAmid(store, plan))
      return ruleSearchPage(plan, request.query, found)
    },
    transaction(work) {
      const written = unit()
      const result = parts.store().transaction(() => whole(written, work))
      tell(written)
      return result
    },
    transactionSoon: createGroupCommit({ store: parts.store, unit, tell }),
  }
}
