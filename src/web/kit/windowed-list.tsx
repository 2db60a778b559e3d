import { Fragment, type JSX, type RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Rows that are put on the page at once. */
const STEP = 100
/** How far below the window rows are put there before they come into sight. */
const AHEAD = '1200px 0px'

interface Kept {
  readonly rows?: number
}

const keptRows = (): number => Math.max(STEP, Number((history.state as Kept | null)?.rows) || 0)

/**
 * The items of a long list, a hundred at first and more as one comes near the end of them: by scrolling, by Tab or by the
 * End key, since each of these brings the end into sight. Whoever comes back to the page finds as many as were there, so
 * that the browser can scroll to where they were. `narrowed` changes with what the list was narrowed by; then it begins
 * anew.
 */
export function WindowedList<T>({
  items,
  narrowed = '',
  inList,
  children,
}: {
  items: readonly T[]
  narrowed?: string
  /** The items are those of a `<ul>` or `<ol>`. */
  inList?: boolean
  children: (item: T, index: number) => JSX.Element
}): JSX.Element {
  const [rows, setRows] = useState(keptRows)
  const [before, setBefore] = useState(narrowed)
  const end = useRef<HTMLElement>(null)
  if (before !== narrowed) {
    setBefore(narrowed)
    setRows(STEP)
  }
  const isLonger = items.length > rows

  useEffect(() => {
    if (rows > keptRows()) history.replaceState({ ...(history.state as Kept | null), rows }, '')
    if (!isLonger || !end.current) return
    // An observer tells at once whether the end is near, so a new one for each step goes on until it is not.
    const observer = new IntersectionObserver(
      ([seen]) => {
        if (seen?.isIntersecting) setRows((now) => now + STEP)
      },
      { rootMargin: AHEAD },
    )
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [rows, isLonger])

  return (
    <Fragment>
      {items.slice(0, rows).map(children)}
      {isLonger &&
        (inList ? (
          <li ref={end as RefObject<HTMLLIElement>} class="window-end" />
        ) : (
          <span ref={end} class="window-end" />
        ))}
    </Fragment>
  )
}
