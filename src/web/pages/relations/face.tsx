import type { JSX } from 'preact'
import { entityIcon } from '../../kinds.ts'
import { Portrait } from '../../kit/avatar.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Emblem } from '../factions/emblem.tsx'
import type { Soul } from './bonds.ts'

/** A person's window, a faction's emblem, the sign of a place or a quest. */
export function Face({ soul, size = 'm' }: { soul: Soul; size?: 's' | 'm' | 'l' }): JSX.Element {
  if (soul.entityType === 'npc' || soul.entityType === 'character')
    return <Portrait name={soul.title} attachmentId={soul.pictureAttachmentId} size={size} />
  if (soul.entityType === 'faction') return <Emblem attachmentId={soul.pictureAttachmentId} />
  return (
    <span class="emblem blank" aria-hidden="true">
      <Icon name={entityIcon(soul.entityType)} />
    </span>
  )
}
