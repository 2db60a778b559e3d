import type { ComponentChildren, JSX } from 'preact'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

/** What only the DM reads: blue ink, a hatched edge, and the words. */
export function DmOnly({
  title,
  onReveal,
  children,
}: {
  /** What it is called, where a page has more than one. */
  title?: string

  onReveal?: (() => void) | undefined
  children: ComponentChildren
}): JSX.Element {
  return (
    <section class="secret section">
      <div class="secret-head">
        <Icon name="eyeoff" size="s" />
        {title ? `${title}: only you see this` : 'Only you see this'}
        {onReveal && (
          <Button onClick={onReveal}>
            <span>
              Reveal<span class="desktop-only"> to the party</span>
            </span>
          </Button>
        )}
      </div>
      {children}
    </section>
  )
}

/** Marks a thing that players do not see. */
export function HiddenBadge({ children = 'Hidden from players' }: { children?: ComponentChildren }): JSX.Element {
  return (
    <span class="hidden-badge">
      <Icon name="eyeoff" size="s" />
      {children}
    </span>
  )
}
