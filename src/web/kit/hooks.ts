import { useEffect, useState } from 'preact/hooks'

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

/** The value once it has rested for a moment: not every letter that is typed is worth a question to the server. */
export function useDebounced<T>(value: T, afterMs: number): T {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), afterMs)
    return () => clearTimeout(timer)
  }, [value, afterMs])
  return debounced
}
