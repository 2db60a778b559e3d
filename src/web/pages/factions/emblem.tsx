import type { JSX } from 'preact'
import { Icon } from '../../kit/icon.tsx'
import { pictureUrl } from '../../shell/links.ts'

/** The sign a faction goes by. Without one a bare shield stands for it. */
export function Emblem({ attachmentId, large }: { attachmentId: number | null; large?: boolean }): JSX.Element {
  return attachmentId === null ? (
    <span class="emblem blank" aria-hidden="true">
      <Icon name="shield" />
    </span>
  ) : (
    <img
      class="emblem"
      src={pictureUrl(attachmentId, large ? 'medium' : 'thumb')}
      alt=""
      loading="lazy"
      decoding="async"
    />
  )
}
