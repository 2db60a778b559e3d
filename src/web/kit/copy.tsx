import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Button } from './button.tsx'

/** Copies; without the clipboard interface (plain http) the text is chosen instead, ready for a key press. */
async function copy(text: string, shown: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const field = document.createElement('textarea')
    field.value = text
    field.setAttribute('readonly', '')
    field.className = 'visually-hidden'
    // Inside an open dialog everything else is inert.
    const host = shown?.closest('dialog') ?? document.body
    host.append(field)
    field.select()
    const copied = document.execCommand('copy')
    field.remove()
    if (!copied && shown) getSelection()?.selectAllChildren(shown)
    return copied
  }
}

/** A line to be taken elsewhere, with its button. */
export function Copy({ text, label = 'Copy' }: { text: string; label?: string }): JSX.Element {
  const code = useRef<HTMLElement>(null)
  const [said, setSaid] = useState<string | null>(null)
  const run = async () => {
    setSaid((await copy(text, code.current)) ? 'Copied' : 'Chosen, now press Ctrl C')
    setTimeout(() => setSaid(null), 3000)
  }
  return (
    <div class="copy">
      {/* It scrolls where it is longer than the screen, so the keyboard must reach it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region is focusable (WCAG 2.1.1) */}
      <code ref={code} tabIndex={0}>
        {text}
      </code>
      <Button icon={said === 'Copied' ? 'check' : 'copy'} onClick={() => void run()}>
        <span aria-live="polite">{said ?? label}</span>
      </Button>
    </div>
  )
}
