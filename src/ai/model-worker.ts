import type { ModelPort } from '../kernel/model-port.ts'
import type { System } from '../kernel/system.ts'
import type { RowChange } from '../storage/change-set.ts'
import type { Store } from '../storage/store.ts'

/** What whoever works with the model beside the requests is made of. */
export interface ModelWorkerParts {
  system(): System
  store(): Store
  readonly model: ModelPort
  clock(): Date
  readonly log: { error(facts: object, message: string): void }
}

/** Takes up rows that a request wrote, one after the other, behind its commit. */
export interface ModelWorker {
  /** Told of what was changed, behind each commit. */
  onChanges(changes: readonly RowChange[]): void
  /**
   * At start, ahead of the first request: what was at work has failed, since nobody knows how far it came; what it changed
   * stays. What waited waits again.
   */
  recover(): void
  /** When nothing is at work and nothing waits. */
  idle(): Promise<void>
  /** Ends what is at work and takes no more. */
  close(): Promise<void>
}
