import type { ComponentChildren, JSX, RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { CallError } from '../api/call.ts'
import { FieldErrors } from './field.tsx'
import { Icon } from './icon.tsx'
import { fieldLabel } from './labels.ts'

export interface Submitting {
  readonly busy: boolean
  readonly error: CallError | null
  /** Runs once at a time; what it throws is shown in the form. Answers whether it went well. */
  run(work: () => Promise<unknown>): Promise<boolean>
  clear(): void
}

export function useSubmit(): Submitting {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<CallError | null>(null)
  return {
    busy,
    error,
    clear: () => setError(null),
    async run(work) {
      if (busy) return false
      setBusy(true)
      setError(null)
      try {
        await work()
        return true
      } catch (thrown) {
        setError(
          thrown instanceof CallError
            ? thrown
            : new CallError(0, 'failed', 'This page stumbled. What you wrote is still here; try once more.'),
        )
        return false
      } finally {
        setBusy(false)
      }
    },
  }
}

/** A form whose complaints stand where they belong: at the field, or above the buttons. */
export function Form({
  submitting,
  onSubmit,
  class: extra = 'stack form',
  children,
}: {
  submitting: Submitting
  onSubmit: () => void
  class?: string
  children: ComponentChildren
}): JSX.Element {
  const { error } = submitting
  return (
    <FieldErrors.Provider value={error?.details ?? []}>
      <form
        class={extra}
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        {children}
      </form>
    </FieldErrors.Provider>
  )
}

/** Brings what has just appeared into the window: a form may be longer than a screen. */
export function useScrollIntoView(self: RefObject<HTMLElement>, when: unknown): void {
  useEffect(() => {
    if (when) self.current?.scrollIntoView({ block: 'center' })
  }, [self, when])
}

/** What went wrong, in words: each complaint with the name of its field. */
export function FormError({ error }: { error: CallError | null }): JSX.Element | null {
  const self = useRef<HTMLDivElement>(null)
  useScrollIntoView(self, error)
  if (!error) return null
  return (
    <div ref={self} class="banner bad" role="alert">
      <Icon name="warn" />
      {error.details.length === 0 ? (
        <span class="grow">{error.message}</span>
      ) : (
        <span class="grow">
          Not everything can be kept as it is.
          {error.details.map(({ path, message }) => (
            <span key={`${path} ${message}`} class="detail">
              {path ? `${pathLabel(path)}: ${message}` : message}
            </span>
          ))}
        </span>
      )}
    </div>
  )
}

/** `dmSecret` -> `Secret`, `steps.2.text` -> `Step 3`. */
function pathLabel(path: string): string {
  const parts = path.split('.')
  const name = parts.findLast((part) => !/^\d+$/.test(part)) ?? ''
  const index = parts.find((part) => /^\d+$/.test(part))
  return index === undefined ? fieldLabel(name) : `${fieldLabel(name)} ${Number(index) + 1}`
}
