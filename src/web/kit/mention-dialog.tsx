import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { SearchHit } from '../api/contract.ts'
import { allKinds, entityIcon, entityLabel } from '../kinds.ts'
import { useCampaign, useQuery } from '../shell/context.ts'
import { Dialog } from './dialog.tsx'
import { useDebounced } from './hooks.ts'
import { Icon } from './icon.tsx'

const mentionable = allKinds.filter((kind) => kind.mentionable).map(({ name }) => name)

/** Chooses a thing to be spoken of; its name becomes a link in the text. */
export function MentionDialog({
  onPick,
  onClose,
}: {
  onPick: (markdown: string) => void
  onClose: () => void
}): JSX.Element {
  const { campaignId } = useCampaign()
  const [typed, setTyped] = useState('')
  const query = useDebounced(typed.trim(), 160)
  const input = query ? { campaignId, query, entityTypes: mentionable, limit: 8 } : null
  const found = useQuery('search_campaign', input)
  const hits = found.data?.items ?? []
  const pick = ({ title, entityType, entityId }: SearchHit) =>
    onPick(`[${title.replace(/[[\]]/g, '')}](${entityType}:${entityId})`)
  return (
    <Dialog title="Whom or what do you mean?" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          // The form around must not be sent.
          event.stopPropagation()
          const [first] = hits
          if (first) pick(first)
        }}
      >
        <label class="filter-field">
          <Icon name="find" />
          <span class="visually-hidden">Name</span>
          <input
            class="input"
            type="search"
            autofocus
            autocomplete="off"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <div class="rows pick-list" aria-live="polite">
          {hits.map((hit) => (
            <button key={`${hit.entityType} ${hit.entityId}`} type="button" class="row" onClick={() => pick(hit)}>
              <Icon name={entityIcon(hit.entityType)} />
              <span class="grow">
                <strong>{hit.title}</strong>
              </span>
              <span class="when">{entityLabel(hit.entityType)}</span>
            </button>
          ))}
        </div>
        {query && hits.length === 0 && !found.loading && <p class="soft small">Nobody and nothing by that name.</p>}
      </form>
    </Dialog>
  )
}
