import type { JSX } from 'preact'
import { pictureUrl } from '../shell/links.ts'
import { initials } from './format.ts'

type Size = 's' | 'm' | 'l' | 'xl'

/** Somebody in the tale looks out of an arched window. Without a portrait the window holds the first letter. */
export function Portrait({
  name,
  attachmentId,
  size = 'm',
}: {
  name: string
  attachmentId: number | null | undefined
  size?: Size
}): JSX.Element {
  const css = size === 'm' ? 'portrait' : `portrait portrait-${size}`
  if (attachmentId) {
    const bytes = pictureUrl(attachmentId, size === 'xl' ? 'medium' : 'thumb')
    return <img class={css} src={bytes} alt="" width={120} height={150} loading="lazy" decoding="async" />
  }
  return (
    <span class={`${css} blank`} aria-hidden="true">
      {name.trim().charAt(0).toUpperCase() || '?'}
    </span>
  )
}

/** Somebody at the table is round. */
export function Avatar({ name, small }: { name: string; small?: boolean }): JSX.Element {
  return (
    <span class={small ? 'avatar avatar-s' : 'avatar'} aria-hidden="true">
      {initials(name)}
    </span>
  )
}
