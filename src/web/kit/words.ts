import { useLayoutEffect, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { useApp } from '../shell/context.ts'

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
