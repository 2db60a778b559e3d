import { createContext } from 'preact'
import { useContext, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { useApp } from '../shell/context.ts'
import { DialogTitle } from './dialog.tsx'

export interface DraftStorage {
  read(): object | null
  /** Keeps them, or throws them away. */
  keep(values: object | null): void
}

/**
 * Where words under way outlive a reload, a lost session and a step back: in this tab, for this person, at this address.
 * `name` tells the forms of one page apart.
 */
export function useDraftStorage(name = ''): DraftStorage {
  const { session } = useApp()
  const [path] = useLocation()
  const [place] = useState(() => `talekeeper-draft ${session.status.peek()?.user?.id ?? 0} ${path} ${name}`.trimEnd())
  return {
    read() {
      try {
        return JSON.parse(sessionStorage.getItem(place) ?? 'null') as object | null
      } catch {
        return null
      }
    },
    keep(values) {
      if (values) sessionStorage.setItem(place, JSON.stringify(values))
      else sessionStorage.removeItem(place)
    },
  }
}

export interface Words<T> {
  readonly values: T
  set(change: Partial<T>): void
  /** They were sent, or thrown away. */
  forget(): void
}

/** The values of a form in place, kept from the first letter on until they are sent or thrown away. */
export function useWords<T extends object>(name: string, initial: T): Words<T> {
  const storage = useDraftStorage(name)
  const [values, setValues] = useState<T>(() => ({ ...initial, ...storage.read() }))
  const [gone, setGone] = useState(false)
  const text = JSON.stringify(values)
  // At once, and not after the next picture: a reload comes between.
  useLayoutEffect(() => {
    if (gone) return
    storage.keep(text === JSON.stringify(initial) ? null : values)
  }, [text])
  return {
    values,
    set(change) {
      setGone(false)
      setValues((now) => ({ ...now, ...change }))
    },
    forget() {
      setGone(true)
      storage.keep(null)
    },
  }
}

/** Whether a form in place stands open: it does from the start where words of it are kept. */
export function useOpened(name: string): [boolean, (open: boolean) => void] {
  const storage = useDraftStorage(name)
  return useState(() => storage.read() !== null)
}

/** The texts of a form, kept for its fields by the fields themselves. */
interface KeptTexts {
  /** What was typed into a field in which this stood; nothing while another field is given its own. */
  take(place: string, was: string): string | undefined
  /** `was`: what stood in it when it was drawn, and since what it held was sent. */
  keep(place: string, was: readonly [string, string], text: string): void
  /** How often the form was sent: what stands in its fields then is a new beginning. */
  readonly sent: { readonly current: number }
}

const KeptTextsContext = createContext<KeptTexts | null>(null)
export const KeptTextsProvider = KeptTextsContext.Provider

type Stored = Readonly<Record<string, { readonly was: readonly [string, string]; readonly text: string }>>

export interface KeptForm {
  readonly texts: KeptTexts
  /** Some of what stands in its fields was written earlier. */
  readonly found: boolean
  /** It is being sent as it is now. */
  sending(): void
  /** It has arrived: what was typed since it was sent is kept. */
  arrived(): void
  /** It was thrown away. */
  forget(): void
}

/** What is typed into the fields of a form outlives Escape, a reload and a step back until it is sent. */
export function useKeptForm(name: string): KeptForm {
  const title = useContext(DialogTitle)
  const storage = useDraftStorage(`form ${name} ${title}`)
  const stored = useRef<Stored | null>(null)
  const giving = useRef(false)
  const sent = useRef(0)
  const atSending = useRef<Stored | null>(null)
  const [round, setRound] = useState(0)
  const [found, setFound] = useState(false)
  stored.current ??= (storage.read() ?? {}) as Stored
  const texts = useMemo<KeptTexts>(
    () => ({
      sent,
      take(place, was) {
        const one = stored.current?.[place]
        // One at a time: what a form makes of one text may rest on what it made of the last.
        // Where a form leaves standing what it sent, the next one that is drawn may hold that, or begin as this one did.
        if (giving.current || !one?.was.includes(was)) return undefined
        giving.current = true
        setTimeout(() => {
          giving.current = false
          setFound(true)
          setRound((now) => now + 1)
        })
        return one.text
      },
      keep(place, was, text) {
        const { [place]: _, ...others } = stored.current ?? {}
        stored.current = text === was[1] ? others : { ...others, [place]: { was, text } }
        storage.keep(Object.keys(stored.current).length > 0 ? stored.current : null)
      },
    }),
    [round],
  )
  const begin = (left: Stored): void => {
    stored.current = left
    sent.current++
    storage.keep(Object.keys(left).length > 0 ? left : null)
    setFound(false)
  }
  return {
    texts,
    found,
    sending() {
      atSending.current = stored.current
    },
    arrived() {
      // A form that did not say when it was sent was sent as it is.
      const before = atSending.current ?? stored.current
      atSending.current = null
      begin(Object.fromEntries(Object.entries(stored.current ?? {}).filter(([place, one]) => before?.[place] !== one)))
    },
    forget: () => begin({}),
  }
}

/** For a field: what is typed into it is kept by the form around, and given back once when it is drawn anew. */
export function useKeptText(place: string, value: string, onValue: (text: string) => void): (text: string) => void {
  const texts = useContext(KeptTextsContext)
  const was = useRef<readonly [string, string]>([value, value])
  const sent = useRef(texts?.sent.current)
  const given = useRef(false)
  useLayoutEffect(() => {
    if (texts === null || given.current) return
    const text = texts.take(place, was.current[0])
    if (text === undefined) return
    given.current = true
    onValue(text)
  }, [texts])
  return (text) => {
    given.current = true
    if (texts !== null) {
      if (sent.current !== texts.sent.current) {
        sent.current = texts.sent.current
        was.current = [was.current[0], value]
      }
      texts.keep(place, was.current, text)
    }
    onValue(text)
  }
}
