import { effect, type Signal, signal } from '@preact/signals'

export const themes = { ink: 'Ink', vellum: 'Vellum', contrast: 'High contrast' } as const
export type Theme = keyof typeof themes

/** Where this browser keeps them. */
const THEME_KEY = 'talekeeper-theme'
const SHORTCUTS_KEY = 'talekeeper-single-keys'

export interface Themes {
  readonly chosen: Signal<Theme>
}

const isTheme = (value: string | null): value is Theme => value !== null && value in themes

/** What the device asks for: more contrast, light, or else dark. */
const asked = (): Theme =>
  matchMedia('(prefers-contrast: more)').matches
    ? 'contrast'
    : matchMedia('(prefers-color-scheme: light)').matches
      ? 'vellum'
      : 'ink'

/** The theme of this browser: what the device asks for, followed as that changes, until somebody chooses one here. */
export function createThemes(root: HTMLElement, store: Pick<Storage, 'getItem' | 'setItem'>): Themes {
  const kept = store.getItem(THEME_KEY)
  const chosen = signal<Theme>(isTheme(kept) ? kept : asked())
  let followed: Theme | null = isTheme(kept) ? null : chosen.peek()
  for (const query of ['(prefers-contrast: more)', '(prefers-color-scheme: light)'])
    matchMedia(query).addEventListener('change', () => {
      if (followed === null) return
      followed = asked()
      chosen.value = followed
    })
  effect(() => {
    root.dataset.theme = chosen.value
    if (chosen.value !== followed) {
      followed = null
      store.setItem(THEME_KEY, chosen.value)
    }
    // The pages on which apps ask to be let in have no script; the server draws them in the theme that this names.
    root.ownerDocument.cookie = `talekeeper_theme=${chosen.value}; path=/; max-age=31536000; samesite=lax`
  })
  return { chosen }
}

/** Whether single keys do things on a page (WCAG 2.1.4 asks that they can be switched off). This browser remembers it. */
export function createShortcutSetting(store: Pick<Storage, 'getItem' | 'setItem'>): Signal<boolean> {
  const on = signal(store.getItem(SHORTCUTS_KEY) !== 'off')
  effect(() => store.setItem(SHORTCUTS_KEY, on.value ? 'on' : 'off'))
  return on
}
