import type { ComponentChildren, JSX } from 'preact'
import { Link } from 'wouter-preact'
import { Icon, type IconName } from './icon.tsx'

/** `act` is the one thing to do on a screen; `harm` destroys, and its word says what. */
export type Look = 'plain' | 'act' | 'quiet' | 'harm' | 'harm-quiet'

interface Common {
  readonly look?: Look
  readonly icon?: IconName
  readonly class?: string
  readonly children: ComponentChildren
}

const classes = (look: Look, extra: string | undefined) =>
  ['btn', look === 'plain' ? '' : look, extra ?? ''].filter(Boolean).join(' ')

type Native = Omit<JSX.ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'class' | 'size'>

export function Button({
  look = 'plain',
  icon,
  class: extra,
  busy,
  children,
  ...rest
}: Common & Native & { busy?: boolean }): JSX.Element {
  return (
    <button type="button" {...rest} class={classes(look, extra)} disabled={rest.disabled || busy} aria-busy={busy}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

export function LinkButton({ look = 'plain', icon, class: extra, to, children }: Common & { to: string }): JSX.Element {
  return (
    <Link href={to} class={classes(look, extra)}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  )
}

export function IconButton({
  icon,
  label,
  class: extra,
  ...rest
}: Native & { icon: IconName; label: string; class?: string }): JSX.Element {
  return (
    <button type="button" {...rest} class={extra ? `icon ${extra}` : 'icon'} aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  )
}

/** A small link to more of the same, with an arrow. */
export function More({ to, children }: { to: string; children: ComponentChildren }): JSX.Element {
  return (
    <Link href={to} class="more">
      {children}
      <Icon name="right" size="s" />
    </Link>
  )
}
