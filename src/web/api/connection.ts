import { computed, type ReadonlySignal, signal } from '@preact/signals'

export type ConnectionStatus = 'saved' | 'sending' | 'offline'

export interface Connection {
  readonly word: ReadonlySignal<ConnectionStatus>
  wrote(change: 1 | -1): void
  reached(reached: boolean): void
}

/** Whether this page and the server are of one mind, in one word. */
export function createConnection(): Connection {
  const underWay = signal(0)
  const away = signal(false)
  return {
    word: computed(() => (away.value ? 'offline' : underWay.value > 0 ? 'sending' : 'saved')),
    wrote(change) {
      underWay.value += change
    },
    reached(reached) {
      away.value = !reached
    },
  }
}
