import type { Actor } from '../kernel/viewer.ts'
import type { Store } from '../storage/store.ts'
import { clientIds } from './model-actor.ts'
import type { ModelWorker, ModelWorkerParts } from './model-worker.ts'
import { createScribe } from './scribe.ts'
import { createSeat } from './seat.ts'
import { refuseStopped } from './seat-state.ts'

/** What the model of this server is put to beside the requests. */
export interface AiWork extends ModelWorker {
  /** The actor of a run as it is now, inside the transaction of each of its writes. Throws where it may not go on. */
  recheck(store: Store, actor: Actor): Actor
}

export function createAiWork(parts: ModelWorkerParts): AiWork {
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
