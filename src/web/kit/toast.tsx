import { type Signal, signal } from '@preact/signals'
import type { JSX } from 'preact'
import { Button, IconButton } from './button.tsx'

export interface Offer {
  readonly word: string
  readonly run: () => unknown
}

interface Toast {
  readonly id: number
  readonly text: string
  readonly bad: boolean
  readonly offer: Offer | undefined
}

export interface Toasts {
  readonly list: Signal<readonly Toast[]>
  /** It is done; with an offer it can be undone for 8 seconds. */
  say(text: string, offer?: Offer): void
  /** It was not done, and why. */
  fail(text: string): void
  drop(id: number): void
}

const SHOWN_MS = 8000

export function createToasts(): Toasts {
  const list = signal<readonly Toast[]>([])
  let next = 1
  const drop = (id: number) => {
    list.value = list.value.filter((toast) => toast.id !== id)
  }
  const add = (text: string, bad: boolean, offer: Offer | undefined) => {
    const id = next++
    list.value = [...list.value.slice(-2), { id, text, bad, offer }]
    setTimeout(() => drop(id), SHOWN_MS)
  }
  return {
    list,
    say: (text, offer) => add(text, false, offer),
    fail: (text) => add(text, true, undefined),
    drop,
  }
}

export function ToastList({ toasts }: { toasts: Toasts }): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.list.value.map(({ id, text, bad, offer }) => (
        <div key={id} class={bad ? 'toast bad' : 'toast'}>
          <span>{text}</span>
          {offer ? (
            <Button
              onClick={() => {
                toasts.drop(id)
                offer.run()
              }}
            >
              {offer.word}
            </Button>
          ) : (
            <IconButton icon="x" label="Close" onClick={() => toasts.drop(id)} />
          )}
        </div>
      ))}
    </div>
  )
}
