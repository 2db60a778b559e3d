import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { useApp } from './context.ts'

/** After a step forward a page begins at its top, with the focus on it; the browser restores both on the way back. */
export function useNavigationFocus(): void {
  const { connection } = useApp()
  const [path] = useLocation()
  const first = useRef(true)
  const back = useRef(false)
  useEffect(() => {
    const onPop = () => {
      back.current = true
    }
    addEventListener('popstate', onPop)
    return () => removeEventListener('popstate', onPop)
  }, [])
  useEffect(() => {
    if (first.current) {
      first.current = false
      return
    }
    connection.movedOn()
    if (!back.current) scrollTo(0, 0)
    back.current = false
    const main = document.getElementById('main')
    // A page that begins with a field has given it the focus already.
    if (!writes(document.activeElement) || !main?.contains(document.activeElement)) main?.focus({ preventScroll: true })
  }, [path])
}

interface Shortcut {
  readonly key: string
  /** Together with Ctrl or Cmd; works inside fields too. */
  readonly command?: boolean
  readonly run: () => void
}

const writes = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/**
 * Keys that work on the whole page, except where somebody is typing or a dialog is open. `first`: a page's own meaning of a key
 * goes before that of the frame around it.
 */
export function useShortcuts(shortcuts: readonly Shortcut[], { first = false }: { first?: boolean } = {}): void {
  const { keys } = useApp()
  // With the page that is drawn, not after it: the next key is meant for what is shown.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const command = event.ctrlKey || event.metaKey
      if (event.altKey || event.isComposing || document.querySelector('dialog[open]')) return
      for (const shortcut of shortcuts) {
        if (event.key.toLowerCase() !== shortcut.key || command !== Boolean(shortcut.command)) continue
        if (!shortcut.command && (!keys.peek() || writes(event.target))) continue
        event.preventDefault()
        if (first) event.stopPropagation()
        shortcut.run()
        return
      }
    }
    addEventListener('keydown', onKey, { capture: first })
    return () => removeEventListener('keydown', onKey, { capture: first })
  })
}
