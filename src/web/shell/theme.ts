import { effect, type Signal, signal } from '@preact/signals'

export const themes = { ink: 'Ink', vellum: 'Vellum', contrast: 'High contrast' } as const
export type Theme = keyof typeof themes

const PLACE = 'talekeeper-theme'

export interface Themes {
  readonly chosen: Signal<Theme>
}

const isTheme = (value: string | null): value is Theme => value !== null && value in themes

/** The theme of this browser: remembered; at first what the device asks for when it asks for more contrast, else ink. */
export function createThemes(root: HTMLElement, store: Pick<Storage, 'getItem' | 'setItem'>): Themes {
  const kept = store.getItem(PLACE)
  const first = matchMedia('(prefers-contrast: more)').matches ? 'contrast' : 'ink'
  const chosen = signal<Theme>(isTheme(kept) ? kept : first)
  effect(() => {
    root.dataset.theme = chosen.value
    if (chosen.value !== first || kept) store.setItem(PLACE, chosen.value)
    // The pages on which apps ask to be let in have no script; the server draws them in the theme that this names.
    root.ownerDocument.cookie = `talekeeper_theme=${chosen.value}; path=/; max-age=31536000; samesite=lax`
  })
  return { chosen }
}
