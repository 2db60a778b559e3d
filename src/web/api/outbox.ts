import { type Signal, signal } from '@preact/signals'
import { CallError, type Client, uuid } from './call.ts'
import type { Input } from './contract.ts'

/** What may wait for a connection (shell/actions.ts says why nothing else does). */
export type CaptureOperation = 'create_note' | 'send_whisper' | 'submit_inbox_item'

interface Waiting {
  readonly key: string
  readonly userId: number
  readonly kind: CaptureOperation
  readonly input: Input<CaptureOperation>
}

export interface Outbox {
  /** How many of this person's words wait on this device. */
  readonly waiting: Signal<number>
  /** Keeps the words here first, then sends them. Answers whether they have arrived. Throws what the server refused. */
  post<K extends CaptureOperation>(userId: number, kind: K, input: Input<K>): Promise<boolean>
  /** Sends what waits; called when the server can be reached again. */
  flush(userId: number): Promise<void>
}

export interface OutboxParts {
  readonly client: Client
  readonly store: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  /** The server has these words. */
  readonly onSent: (operation: CaptureOperation) => void
  /** The server will never take these words; hand them back to whoever wrote them. */
  readonly onRefused: (body: string, why: string) => void
}

const STORAGE_KEY = 'talekeeper-outbox'

/** Words written down in a cellar without reception: kept in this browser until the server has them, sent once each. */
export function createOutbox({ client, store, onSent, onRefused }: OutboxParts): Outbox {
  const waiting = signal(0)
  let flushing: Promise<void> | undefined

  function load(): Waiting[] {
    try {
      return JSON.parse(store.getItem(STORAGE_KEY) ?? '[]') as Waiting[]
    } catch {
      return []
    }
  }

  function save(all: readonly Waiting[], userId: number) {
    if (all.length === 0) store.removeItem(STORAGE_KEY)
    else store.setItem(STORAGE_KEY, JSON.stringify(all))
    waiting.value = all.filter((one) => one.userId === userId).length
  }

  const remove = (key: string, userId: number) =>
    save(
      load().filter((one) => one.key !== key),
      userId,
    )

  /** True when it arrived, false when the server cannot be reached. */
  async function deliver(one: Waiting): Promise<boolean> {
    try {
      await client.write(one.kind, one.input as never, { key: one.key })
      remove(one.key, one.userId)
      onSent(one.kind)
      return true
    } catch (error) {
      const later = error instanceof CallError && (error.status === 0 || error.status >= 500 || error.status === 429)
      if (later) return false
      remove(one.key, one.userId)
      throw error
    }
  }

  return {
    waiting,

    async post(userId, kind, input) {
      const one: Waiting = { key: uuid(), userId, kind, input }
      save([...load(), one], userId)
      return deliver(one)
    },

    flush(userId) {
      flushing ??= (async () => {
        save(load(), userId)
        for (const one of load()) {
          if (one.userId !== userId) continue
          const arrived = await deliver(one).catch((error: CallError) => {
            onRefused(one.input.body, error.message)
            return true
          })
          if (!arrived) break
        }
      })().finally(() => {
        flushing = undefined
      })
      return flushing
    },
  }
}
