import type { ComponentChildren, JSX } from 'preact'
import { Link } from 'wouter-preact'
import { Icon, type IconName } from './icon.tsx'

/** `primary` is the one thing to do on a screen; `danger` destroys, and its word says what. */
export type ButtonVariant = 'plain' | 'primary' | 'quiet' | 'danger' | 'danger-quiet'

interface Common {
  readonly variant?: ButtonVariant
  readonly icon?: IconName
  readonly class?: string
  readonly children: ComponentChildren
}

const classes = (variant: ButtonVariant, extra: string | undefined) =>
  ['btn', variant === 'plain' ? '' : variant, extra ?? ''].filter(Boolean).join(' ')

type Native = Omit<JSX.ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'class' | 'size'>

export function Button({
  variant = 'plain',
  icon,
  class: extra,
  busy,
  children,
  ...rest
}: Common & Native & { busy?: boolean }): JSX.Element {
  return (
    <button type="button" {...rest} class={classes(variant, extra)} disabled={rest.disabled || busy} aria-busy={busy}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

export function LinkButton({
  variant = 'plain',
  icon,
  class: extra,
  to,
  children,
}: Common & { to: string }): JSX.Element {
  return (
    <Link href={to} class={classes(variant, extra)}>
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
export function MoreLink({ to, children }: { to: string; children: ComponentChildren }): JSX.Element {
  return (
    <Link href={to} class="more">
      {children}
      <Icon name="right" size="s" />
    </Link>
  )
}
