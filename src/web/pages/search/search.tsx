import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter-preact'
import type { SearchHit } from '../../api/contract.ts'
import { entityIcon, entityLabel } from '../../kinds.ts'
import { FilterField } from '../../kit/field.tsx'
import { capitalize } from '../../kit/format.ts'
import { useDebounced } from '../../kit/hooks.ts'
import { Icon } from '../../kit/icon.tsx'
import { ListFooter } from '../../kit/list.tsx'
import { PageHeader } from '../../kit/page.tsx'
import { excerpt } from '../../kit/prose.tsx'
import { Snippet } from '../../kit/snippet.tsx'
import { useCampaign, usePages, usePageTitle } from '../../shell/context.ts'
import { hitPath, sectionPath } from '../../shell/links.ts'

/** Everything the reader may see, by the words in it. The address keeps what was asked. */
export function Search(): JSX.Element {
  const { campaignId, campaign } = useCampaign()
  const [, navigate] = useLocation()
  const asked = new URLSearchParams(useSearch()).get('q') ?? ''
  const [typed, setTyped] = useState(asked)
  const query = useDebounced(typed.trim(), 250)
  const list = usePages('search_campaign', query.length > 1 ? { campaignId, query, limit: 30 } : null)
  usePageTitle(query ? `“${query}”` : 'Search', campaign.name)
  useEffect(() => {
    if (query !== asked)
      navigate(`${sectionPath(campaignId, 'search')}${query ? `?q=${encodeURIComponent(query)}` : ''}`, {
        replace: true,
      })
  }, [query])
  return (
    <>
      <PageHeader title="Search" />
      <div class="filters">
        <FilterField
          value={typed}
          onValue={setTyped}
          placeholder="A name, a word, half a memory"
          label="Search the campaign"
        />
      </div>
      {query.length < 2 ? (
        <p class="soft list-end">Two letters are enough to begin. Titles count more than words in a text.</p>
      ) : (
        <>
          <ul class="rows" aria-live="polite">
            {list.items.map((hit) => (
              <Hit key={`${hit.entityType} ${hit.entityId}`} hit={hit} />
            ))}
          </ul>
          <ListFooter list={list} typed={query} shown={list.items.length} />
          {list.incomplete && <p class="soft list-end">{list.incomplete}</p>}
        </>
      )}
    </>
  )
}

function Hit({ hit }: { hit: SearchHit }): JSX.Element {
  const { campaignId } = useCampaign()
  const to = hitPath(campaignId, hit)
  const body = (
    <>
      <Icon name={entityIcon(hit.entityType)} />
      <span class="grow">
        <strong>{excerpt(hit.title, 80) || capitalize(entityLabel(hit.entityType))}</strong>
        <span class="secondary">
          <Snippet text={hit.snippet} />
        </span>
      </span>
      <span class="when desktop-only">{entityLabel(hit.entityType)}</span>
    </>
  )
  return (
    <li>
      {to ? (
        <Link href={to} class="row">
          {body}
        </Link>
      ) : (
        <span class="row">{body}</span>
      )}
    </li>
  )
}
