import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

let last = 0

/**
 * An id that nothing else on the page has. Preact's own useId begins anew below a part that was rendered again by
 * itself, so that two fields, or two menus, get the same id.
 */
export function useUniqueId(): string {
  const [id] = useState(() => {
    last += 1
    return `id-${last}`
  })
  return id
}

/** Gives something the focus when it appears: a browser heeds `autofocus` once for a document, and in dialogs. */
export function useAutofocus<T extends HTMLElement>(wanted: boolean | undefined): RefObject<T> {
  const self = useRef<T>(null)
  useLayoutEffect(() => {
    if (wanted) self.current?.focus()
  }, [])
  return self
}

/** The value once it has rested for a moment: not every letter that is typed is worth a question to the server. */
export function useDebounced<T>(value: T, afterMs: number): T {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), afterMs)
    return () => clearTimeout(timer)
  }, [value, afterMs])
  return debounced
}

/** How long something rests before the address's entry in the browser's history remembers it. */
const KEPT_AFTER_MS = 200

/**
 * A choice that is still there when somebody comes back to the page by the browser's Back: what a list was narrowed by. It
 * lies in the entry of the history, so that the same page, opened anew, begins anew.
 */
export function useKept<T>(name: string, first: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => (history.state as Readonly<Record<string, T>> | null)?.[name] ?? first)
  const [page] = useState(() => location.pathname)
  useEffect(() => {
    // Browsers allow a hundred such notes in half a minute, and letters come faster.
    const timer = setTimeout(() => {
      const kept = (history.state as Readonly<Record<string, T>> | null)?.[name] ?? first
      if (location.pathname === page && kept !== value) history.replaceState({ ...history.state, [name]: value }, '')
    }, KEPT_AFTER_MS)
    return () => clearTimeout(timer)
  }, [value])
  return [value, setValue]
}
