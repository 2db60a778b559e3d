import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { useUniqueId } from './hooks.ts'
import { Icon, type IconName } from './icon.tsx'

export interface MenuItem {
  readonly icon: IconName
  readonly word: string
  readonly danger?: boolean
  readonly run: () => unknown
}

/** What can also be done with a thing, behind three dots. */
export function Menu({ label, items }: { label: string; items: readonly (MenuItem | false)[] }): JSX.Element | null {
  const id = useUniqueId()
  const button = useRef<HTMLButtonElement>(null)
  const sheet = useRef<HTMLDivElement>(null)
  const shown = items.filter((item) => item !== false)
  if (shown.length === 0) return null

  /** Below the button, drawn back inside the window. */
  const settle = () => {
    const from = button.current?.getBoundingClientRect()
    const menu = sheet.current
    if (!from || !menu) return
    const { offsetWidth: width, offsetHeight: height } = menu
    const below = from.bottom + 4
    const top = below + height > innerHeight - 8 ? Math.max(8, from.top - height - 4) : below
    menu.style.left = `${Math.max(8, Math.min(from.right - width, innerWidth - width - 8))}px`
    menu.style.top = `${top}px`
    menu.querySelector('button')?.focus()
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        class="icon"
        popovertarget={id}
        aria-haspopup="menu"
        aria-label={label}
        title={label}
      >
        <Icon name="more" />
      </button>
      <div
        ref={sheet}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        class="menu"
        onToggle={(event) => {
          if (event.newState === 'open') settle()
        }}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          const all = [...(sheet.current?.querySelectorAll('button') ?? [])]
          const now = all.indexOf(document.activeElement as HTMLButtonElement)
          all[(now + (event.key === 'ArrowDown' ? 1 : -1) + all.length) % all.length]?.focus()
        }}
      >
        {shown.map(({ icon, word, danger, run }) => (
          <button
            key={word}
            type="button"
            role="menuitem"
            class={danger ? 'danger-text' : undefined}
            onClick={() => {
              sheet.current?.hidePopover()
              run()
            }}
          >
            <Icon name={icon} />
            {word}
          </button>
        ))}
      </div>
    </>
  )
}
