import type { Actor } from '../kernel/viewer.ts'
import type { RowChange } from '../storage/change-set.ts'
import type { Store } from '../storage/store.ts'
import { clientIds } from './model-actor.ts'
import { createScribe, type ScribeParts } from './scribe.ts'
import { createSeat } from './seat.ts'
import { refuseStopped } from './seat-state.ts'

/** What the model of this server is put to beside the requests. */
export interface AiWork {
  /** Told of what was changed, behind each commit. */
  onChanges(changes: readonly RowChange[]): void
  /** The actor of a run as it is now, inside the transaction of each of its writes. Throws where it may not go on. */
  recheck(store: Store, actor: Actor): Actor
  /** At start, ahead of the first request: what was at work when the server stopped ends in words. */
  recover(): void
  /** When nothing is at work and nothing waits. */
  idle(): Promise<void>
  close(): Promise<void>
}

export type AiWorkParts = ScribeParts

export function createAiWork(parts: AiWorkParts): AiWork {
  const scribe = createScribe(parts)
  const seat = createSeat(parts)
  return {
    onChanges(changes) {
      scribe.onChanges(changes)
      seat.onChanges(changes)
    },
    recheck(store, actor) {
      const { clientId, id } = actor.credential
      if (clientId === clientIds.seat) refuseStopped(store, id)
      return actor
    },
    recover() {
      scribe.recover()
      seat.recover()
    },
    async idle() {
      await scribe.idle()
      await seat.idle()
    },
    async close() {
      await scribe.close()
      await seat.close()
    },
  }
}
