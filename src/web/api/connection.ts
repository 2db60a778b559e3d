import { computed, type ReadonlySignal, signal } from '@preact/signals'

/** `unsaved`: the last change was refused or did not arrive, and nothing was changed since. */
export type ConnectionState = 'saved' | 'sending' | 'offline' | 'unsaved'

export interface Connection {
  readonly state: ReadonlySignal<ConnectionState>
  /** A write leaves, was taken, or came to nothing. */
  wrote(event: WriteEvent): void
  reached(reached: boolean): void
  /** Somebody has gone to another page: what was not saved on the last one is no matter of this one. */
  movedOn(): void
}

export type WriteEvent = 'sent' | 'taken' | 'failed'

/** Whether this page and the server are of one mind. Nothing is called saved that the server has not taken. */
export function createConnection(): Connection {
  const underWay = signal(0)
  const away = signal(false)
  const failed = signal(false)
  return {
    state: computed(() => {
      if (away.value) return 'offline'
      if (underWay.value > 0) return 'sending'
      return failed.value ? 'unsaved' : 'saved'
    }),
    wrote(event) {
      underWay.value += event === 'sent' ? 1 : -1
      if (event !== 'taken') failed.value = event === 'failed'
    },
    reached(reached) {
      away.value = !reached
    },
    movedOn() {
      failed.value = false
    },
  }
}
