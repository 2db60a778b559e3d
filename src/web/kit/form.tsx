import type { ComponentChildren, JSX, RefObject } from 'preact'
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { CallError } from '../api/call.ts'
import type { OperationName } from '../api/contract.ts'
import { useApp } from '../shell/context.ts'
import { complaintWords } from './complaint.ts'
import { FieldErrors, FieldLimits, ShownComplaints } from './field.tsx'
import { Icon } from './icon.tsx'
import { fieldLabel } from './labels.ts'
import { KeptTextsProvider, useKeptForm } from './words.ts'

export interface Submitting {
  readonly busy: boolean
  readonly error: CallError | null
  /**
   * Runs once at a time; what it throws is shown in the form, and false means that it was refused and said so. Answers whether
   * it went well.
   */
  run(work: () => Promise<unknown>): Promise<boolean>
  clear(): void
  /** What the form does once it was sent. */
  readonly sent: { current: () => void }
}

export function useSubmit(): Submitting {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<CallError | null>(null)
  const sent = useRef(() => {})
  return {
    busy,
    error,
    sent,
    clear: () => setError(null),
    async run(work) {
      if (busy) return false
      setBusy(true)
      setError(null)
      try {
        if ((await work()) === false) return false
        sent.current()
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

/**
 * A form whose complaints stand where they belong: at the field, or above the buttons. What is typed into its texts is kept
 * until it was sent. Without `submitting` its own words say what became of it (a toast), and `onSubmit` answers false where it
 * was refused.
 */
export function Form({
  submitting: given,
  onSubmit,
  onCancel,
  operation,
  ownWords = false,
  about = '',
  class: extra = 'stack form',
  children,
}: {
  submitting?: Submitting
  onSubmit: () => unknown
  /** Closes a form that stands in place: by Escape too, after a question where something was written. */
  onCancel?: () => void
  /** What it sends: its texts are no longer than that takes. Null where it is no operation of the catalogue. */
  operation: OperationName | null
  /** Whoever draws it keeps its words (`useDraft`, `useWords`). Those of one without an operation are kept nowhere. */
  ownWords?: boolean
  /** What it is about, where a page has more than one of its kind. */
  about?: string | number
  class?: string
  children: ComponentChildren
}): JSX.Element {
  const own = useSubmit()
  const submitting = given ?? own
  const { error } = submitting
  const kept = useKeptForm(`${operation} ${about}`)
  const keeps = operation !== null && !ownWords
  submitting.sent.current = kept.arrived
  const { confirmations, limitsOf } = useApp()
  const isWritten = useRef(false)
  const limits = useMemo(() => (operation ? limitsOf(operation) : {}), [operation, limitsOf])
  const shown = useMemo(() => new Set<string>(), [error])
  const onKeyDown = async (event: KeyboardEvent) => {
    if (onCancel === undefined || event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    const question = {
      title: 'Close it without saving?',
      text: 'What you wrote here would be gone.',
      yes: 'Throw it away',
    }
    const isEmpty = !isWritten.current && !kept.found
    if (!isEmpty && !(await confirmations.ask({ ...question, no: 'Go on writing', danger: true }))) return
    kept.forget()
    onCancel()
  }
  return (
    <FieldErrors.Provider value={error?.details ?? []}>
      <FieldLimits.Provider value={limits}>
        <ShownComplaints.Provider value={shown}>
          <form
            class={extra}
            onKeyDown={(event) => void onKeyDown(event)}
            onInput={() => {
              isWritten.current = true
            }}
            onSubmit={(event) => {
              event.preventDefault()
              kept.sending()
              if (given) onSubmit()
              else void own.run(async () => onSubmit())
            }}
          >
            <KeptTextsProvider value={keeps ? kept.texts : null}>
              {kept.found && <p class="small soft">What you wrote here earlier is still here.</p>}
              {children}
            </KeptTextsProvider>
          </form>
        </ShownComplaints.Provider>
      </FieldLimits.Provider>
    </FieldErrors.Provider>
  )
}

/** Texts inside of it are no longer than an operation takes. A `Form` sees to that by itself. */
export function Fits({ operation, children }: { operation: OperationName; children: ComponentChildren }): JSX.Element {
  const { limitsOf } = useApp()
  const limits = useMemo(() => limitsOf(operation), [operation, limitsOf])
  return <FieldLimits.Provider value={limits}>{children}</FieldLimits.Provider>
}

/** Brings what has just appeared into the window: a form may be longer than a screen. */
export function useScrollIntoView(self: RefObject<HTMLElement>, when: unknown): void {
  useEffect(() => {
    if (when) self.current?.scrollIntoView({ block: 'center' })
  }, [self, when])
}

/** What went wrong, in words; a complaint that stands at its field is not said twice. */
export function FormError({ error }: { error: CallError | null }): JSX.Element | null {
  const self = useRef<HTMLDivElement>(null)
  useScrollIntoView(self, error)
  const shown = useContext(ShownComplaints)
  // The fields say what they show once they have heard of the error, which may be after this.
  const [heard, setHeard] = useState<CallError | null>(null)
  useEffect(() => setHeard(error), [error])
  if (!error) return null
  const others = heard === error ? error.details.filter(({ path }) => !shown.has(path)) : []
  return (
    <div ref={self} class="banner bad" role="alert">
      <Icon name="warn" />
      {error.details.length === 0 ? (
        <span class="grow">{error.message}</span>
      ) : (
        <span class="grow">
          {others.length < error.details.length
            ? 'Not everything can be kept as it is: look at what is marked above.'
            : 'Not everything can be kept as it is.'}
          {others.map(({ path, message }) => (
            <span key={`${path} ${message}`} class="detail">
              {path ? `${pathLabel(path)}: ${complaintWords(message)}` : complaintWords(message)}
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
