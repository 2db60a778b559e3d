import { useEffect, useState } from 'preact/hooks'

/** The value once it has rested for a moment: not every letter that is typed is worth a question to the server. */
export function useSettled<T>(value: T, afterMs: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs)
    return () => clearTimeout(timer)
  }, [value, afterMs])
  return settled
}
