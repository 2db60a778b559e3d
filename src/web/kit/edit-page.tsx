import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { Written } from '../api/call.ts'
import type { Input, OperationName } from '../api/contract.ts'
import { undoOf, useWrite } from '../shell/actions.ts'
import { useApp } from '../shell/context.ts'
import { Button } from './button.tsx'
import { WordDiff } from './diff.tsx'
import { AreaField, tidyTags } from './field.tsx'
import { Form, FormError, type Submitting, useScrollIntoView, useSubmit } from './form.tsx'
import { Icon } from './icon.tsx'
import { fieldLabel, valueLabel } from './labels.ts'
import { BackLink, PageHeader } from './page.tsx'
import { useDraftStorage } from './words.ts'

/** The values of a form; an empty text means that there is none. */
export interface Draft<T extends object> {
  readonly values: T
  set<K extends keyof T>(key: K, value: T[K]): void
  /** What a field for one of the values takes. */
  field<K extends keyof T & string>(key: K): Bound<K, T[K]>
  /** What differs from how it began, as the server wants it: texts trimmed, empty ones null. */
  changes(): Partial<T>
  readonly dirty: boolean
  /** Begins anew from other values and keeps what was changed here on top of them. */
  rebase(values: T): void
  /** What is written now was saved. */
  settle(): void
  /** What stands here was written earlier and not saved. */
  readonly found: boolean
  /** Throws away what was written here. */
  forget(): void
}

interface Bound<K, V> {
  readonly name: K
  readonly value: V
  readonly onValue: (value: V) => void
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return value.trim() === '' ? null : value.trim()
  const isTexts = Array.isArray(value) && value.every((each) => typeof each === 'string')
  return isTexts ? tidyTags(value) : value
}

const same = (one: unknown, other: unknown) => JSON.stringify(clean(one)) === JSON.stringify(clean(other))

/** `begun` are values that count as written from the start: what the address of a new thing says of it. */
export function useDraft<T extends object>(initial: T, begun: Partial<T> = {}): Draft<T> {
  const storage = useDraftStorage()
  const [found, setFound] = useState(() => storage.read() as Partial<T> | null)
  const [base, setBase] = useState(initial)
  const [values, setValues] = useState<T>(() => ({ ...initial, ...begun, ...found }))
  const keys = Object.keys(values) as (keyof T)[]
  const beginning: T = { ...base, ...begun }
  const changed = keys.filter((key) => !same(values[key], base[key]))
  /** What somebody changed, apart from what the form began with. */
  const touched = keys.filter((key) => !same(values[key], beginning[key]))
  const written = Object.fromEntries(touched.map((key) => [key, values[key]])) as Partial<T>
  const text = JSON.stringify(written)
  const set: Draft<T>['set'] = (key, value) => setValues((now) => ({ ...now, [key]: value }))
  // At once, and not after the next picture: a reload comes between.
  useLayoutEffect(() => {
    if (touched.length > 0) storage.keep(written)
  }, [text])
  return {
    values,
    found: found !== null,
    set,
    field: (key) => ({ name: key, value: values[key], onValue: (value) => set(key, value) }),
    changes: () => Object.fromEntries(changed.map((key) => [key, clean(values[key])])) as Partial<T>,
    dirty: touched.length > 0,
    settle() {
      storage.keep(null)
      setFound(null)
      setBase(values)
    },
    forget() {
      storage.keep(null)
      setFound(null)
      setValues({ ...base, ...begun })
    },
    rebase(fresh) {
      setBase(fresh)
      setValues({ ...fresh, ...written })
    },
  }
}

/** Asks before the tab is closed over words that were not saved. */
export function useUnsavedWarning(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return
    const onLeave = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', onLeave)
    return () => removeEventListener('beforeunload', onLeave)
  }, [dirty])
}

interface EditPageProps<T extends object> {
  readonly title: string
  /** The page to go back to without saving. */
  readonly back: string
  readonly backWord: string
  readonly draft: Draft<T>
  /** The thing as the server has it now; null for a new one. */
  readonly current: { readonly values: T; readonly revision: number } | null
  /** The operation and its input for these changes. Undefined where there is nothing to send. */
  readonly call: (changes: Partial<T>, expectedRevision: number | undefined) => OperationCall | undefined
  /** Where to go afterwards. */
  readonly after: (written: Written<{ id: number }>) => string
  /** A player's changes go to the DM first. */
  readonly proposes?: boolean
  /** What it sends, as a rule: its texts are no longer than that takes. */
  readonly operation?: OperationName
  readonly children: ComponentChildren
}

export interface OperationCall {
  readonly operation: OperationName
  readonly input: Record<string, unknown>
}

/** A page with a form: saving, proposing, and two people who wrote at once. */
export function EditPage<T extends object>(props: EditPageProps<T>): JSX.Element {
  const { title, back, backWord, draft, current, call, after, proposes = false, operation, children } = props
  const app = useApp()
  const { toasts } = app
  const [, navigate] = useLocation()
  const write = useWrite()
  const submitting = useSubmit()
  const [reason, setReason] = useState('')
  const began = useRef(current)
  useUnsavedWarning(draft.dirty && !submitting.busy)

  const send = ({ operation, input }: OperationCall): Promise<Written<{ id: number }>> => {
    const why = reason.trim()
    const extra = why ? { reason: why } : {}
    return write(operation, input as Input<typeof operation>, extra) as Promise<Written<{ id: number }>>
  }

  const save = () =>
    submitting.run(async () => {
      const called = call(draft.changes(), began.current?.revision)
      if (!called) {
        draft.settle()
        navigate(back)
        return
      }
      const written = await send(called)
      draft.settle()
      if (written.kind === 'proposed') toasts.say('Sent to the DM as a proposal.')
      else if (current !== null) toasts.say('Saved.', undoOf(app, written))
      navigate(after(written), { replace: current === null })
    })

  const leave = () => {
    draft.forget()
    navigate(back)
  }

  const stale = submitting.error?.code === 'stale_revision' && current !== null
  return (
    <div class="edit">
      <BackLink to={back}>{backWord}</BackLink>
      <PageHeader title={title} />
      {draft.found && (
        <p class="banner found">
          <Icon name="quill" />
          <span class="grow">What you wrote here earlier is still here.</span>
          <Button onClick={draft.forget}>Begin anew</Button>
        </p>
      )}
      <Form submitting={submitting} onSubmit={() => void save()} operation={operation ?? null} ownWords>
        {children}
        {proposes && (
          <AreaField
            label="A word to the DM about it"
            maxLength={500}
            rows={2}
            hint="Why it should be so. You may leave it empty."
            value={reason}
            onValue={setReason}
          />
        )}
        {stale ? (
          <Conflict
            draft={draft}
            theirs={current.values}
            onMine={() => {
              began.current = current
              draft.rebase(current.values)
              submitting.clear()
            }}
            onTheirs={leave}
          />
        ) : (
          <FormError error={submitting.error} />
        )}
        <SaveBar submitting={submitting} word={proposes ? 'Propose it' : 'Save'} onBack={leave} />
      </Form>
    </div>
  )
}

function SaveBar({
  submitting,
  word,
  onBack,
}: {
  submitting: Submitting
  word: string
  onBack: () => void
}): JSX.Element {
  return (
    <div class="save-bar">
      <Button onClick={onBack}>Cancel</Button>
      <Button variant="primary" type="submit" icon="check" busy={submitting.busy}>
        {submitting.busy ? 'Sending' : word}
      </Button>
    </div>
  )
}

/** Somebody saved while this was being written: both texts, and who wins is for a person to say. */
function Conflict<T extends object>({
  draft,
  theirs,
  onMine,
  onTheirs,
}: {
  draft: Draft<T>
  theirs: T
  onMine: () => void
  onTheirs: () => void
}): JSX.Element {
  const self = useRef<HTMLElement>(null)
  useScrollIntoView(self, true)
  const mine = draft.changes()
  const both = (Object.keys(mine) as (keyof T & string)[]).filter((key) => !same(theirs[key], mine[key]))
  return (
    <section ref={self} class="panel stack" role="alert">
      <h2>Somebody else saved this while you were writing</h2>
      {both.length > 0 && <p class="soft">Struck is what stands there now, underlined is what you would make of it.</p>}
      <div class="diff">
        {both.map((key) => (
          <div key={key}>
            <span class="field-name">{fieldLabel(key)}</span>
            <WordDiff before={valueLabel(clean(theirs[key]))} after={valueLabel(mine[key])} />
          </div>
        ))}
      </div>
      <div class="line">
        <Button onClick={onMine}>Go on with mine</Button>
        <Button variant="quiet" onClick={onTheirs}>
          Keep theirs
        </Button>
      </div>
    </section>
  )
}
