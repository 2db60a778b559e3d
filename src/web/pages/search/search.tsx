import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter-preact'
import type { SearchHit } from '../../api/contract.ts'
import { Find } from '../../kit/field.tsx'
import { sentence } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { ListEnd } from '../../kit/list.tsx'
import { Head } from '../../kit/page.tsx'
import { opening } from '../../kit/prose.tsx'
import { useSettled } from '../../kit/settled.ts'
import { Snippet } from '../../kit/snippet.tsx'
import { iconOf } from '../../kit/thing-icon.ts'
import { kindOf } from '../../kit/words.ts'
import { useCampaign, usePages, useTitle } from '../../shell/context.ts'
import { pageOfHit, place } from '../../shell/links.ts'

/** Everything the reader may see, by the words in it. The address keeps what was asked. */
export function Search(): JSX.Element {
  const { campaignId, campaign } = useCampaign()
  const [, navigate] = useLocation()
  const asked = new URLSearchParams(useSearch()).get('q') ?? ''
  const [typed, setTyped] = useState(asked)
  const query = useSettled(typed.trim(), 250)
  const list = usePages('search_campaign', query.length > 1 ? { campaignId, query, limit: 30 } : null)
  useTitle(query ? `“${query}”` : 'Search', campaign.name)
  useEffect(() => {
    if (query !== asked)
      navigate(`${place(campaignId, 'search')}${query ? `?q=${encodeURIComponent(query)}` : ''}`, { replace: true })
  }, [query])
  return (
    <>
      <Head title="Search" />
      <div class="narrow">
        <Find
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
          <ListEnd list={list} typed={query} shown={list.items.length} />
        </>
      )}
    </>
  )
}

function Hit({ hit }: { hit: SearchHit }): JSX.Element {
  const { campaignId } = useCampaign()
  const to = pageOfHit(campaignId, hit)
  const body = (
    <>
      <Icon name={iconOf(hit.entityType)} />
      <span class="grow">
        <strong>{opening(hit.title, 80) || sentence(kindOf(hit.entityType))}</strong>
        <span class="line2">
          <Snippet text={hit.snippet} />
        </span>
      </span>
      <span class="when desk">{kindOf(hit.entityType)}</span>
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
