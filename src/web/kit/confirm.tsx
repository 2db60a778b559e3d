import { type Signal, signal } from '@preact/signals'
import type { JSX } from 'preact'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

export interface Question {
  readonly title: string
  readonly text?: string
  /** The word on the button that goes on: it says what happens. */
  readonly yes: string
  readonly no?: string
  /** It destroys. */
  readonly danger?: boolean
}

interface Asked extends Question {
  readonly answer: (yes: boolean) => void
}

export interface Confirmations {
  readonly open: Signal<Asked | null>
  /** Asks before the irreversible or the revealing. */
  ask(question: Question): Promise<boolean>
}

export function createConfirmations(): Confirmations {
  const open = signal<Asked | null>(null)
  return {
    open,
    ask: (question) =>
      new Promise((resolve) => {
        open.peek()?.answer(false)
        open.value = {
          ...question,
          answer(yes) {
            open.value = null
            resolve(yes)
          },
        }
      }),
  }
}

export function ConfirmDialog({ confirmations }: { confirmations: Confirmations }): JSX.Element | null {
  const asked = confirmations.open.value
  if (!asked) return null
  return (
    <Dialog title={asked.title} onClose={() => asked.answer(false)}>
      {asked.text && <p class="soft">{asked.text}</p>}
      <div class="actions">
        <Button onClick={() => asked.answer(false)}>{asked.no ?? 'Not now'}</Button>
        <Button variant={asked.danger ? 'danger' : 'primary'} onClick={() => asked.answer(true)} autofocus>
          {asked.yes}
        </Button>
      </div>
    </Dialog>
  )
}
