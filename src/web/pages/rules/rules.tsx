import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { LinkButton } from '../../kit/button.tsx'
import { FilterField, InlineSelect } from '../../kit/field.tsx'
import { useDebounced } from '../../kit/hooks.ts'
import { ListFooter, matches } from '../../kit/list.tsx'
import { BackLink, EmptyState, PageHeader } from '../../kit/page.tsx'
import { Snippet } from '../../kit/snippet.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { useCampaign, usePages, usePageTitle } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { RuleEntry } from './entry.tsx'
import { Shelf } from './shelf.tsx'
import { type EntryKind, kindWords, type RuleHit, systemWord } from './words.ts'
import './styles.ts'

type View = 'all' | 'ours' | EntryKind
const views: readonly { readonly value: View; readonly word: string }[] = [
  { value: 'all', word: 'All' },
  ...(Object.keys(kindWords) as EntryKind[]).map((value) => ({ value, word: kindWords[value].many })),
  { value: 'ours', word: 'Ours' },
]

/** What one looks for stands in the address, so that the way back leads to the same place in the list. */
function useAsked() {
  const { campaignId } = useCampaign()
  const [, navigate] = useLocation()
  const given = new URLSearchParams(useSearch())
  const address = (change: Readonly<Record<string, string | null>>): string => {
    const next = new URLSearchParams(given)
    for (const [key, value] of Object.entries(change)) {
      if (value === null || value === '') next.delete(key)
      else next.set(key, value)
    }
    const text = next.toString()
    return `${sectionPath(campaignId, 'rules')}${text ? `?${text}` : ''}`
  }
  const view = views.find(({ value }) => value === given.get('kind'))?.value ?? 'all'
  return {
    query: given.get('q') ?? '',
    view,
    system: given.get('system') ?? '',
    chosen: Number(given.get('entry')) || null,
    address,
    put: (change: Readonly<Record<string, string | null>>) => navigate(address(change), { replace: true }),
  }
}

export function RulesPage(): JSX.Element {
  const { campaignId, campaign, isDm, mayWrite } = useCampaign()
  const { query: asked, view, system, chosen, address, put } = useAsked()
  const [typed, setTyped] = useState(asked)
  const query = useDebounced(typed.trim(), 200)
  const root = useRef<HTMLDivElement>(null)
  usePageTitle('Rules', campaign.name)
  useEffect(() => {
    if (query !== asked) put({ q: query, entry: null })
  }, [query])
  const kind = view === 'all' || view === 'ours' ? {} : { kind: view }
  const found = usePages('search_rules', {
    campaignId,
    query,
    limit: 50,
    ...kind,
    ...(system === '' ? {} : { system }),
  })
  const ours = usePages(
    'list_homebrew',
    view === 'ours' ? { campaignId, ...(query ? { query } : {}), limit: 50 } : null,
  )
  const packs = usePages('list_rule_packs', { limit: 200 })
  const hits: readonly RuleHit[] =
    view === 'ours'
      ? ours.items.map(({ id, kind: of, system: by, name, summary }) => ({
          ...{ id, kind: of, system: by, name, summary: summary ?? '', snippet: '', rulePackId: null },
          rulePackTitle: null,
        }))
      : found.items
  const list = view === 'ours' ? ours : found
  const systems = Array.from(new Set(packs.items.flatMap((pack) => pack.systems))).sort()
  const shown = chosen ?? hits[0]?.id ?? null
  const walk = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const at = hits.findIndex(({ id }) => id === shown)
    const next = hits[at + (event.key === 'ArrowDown' ? 1 : -1)]
    if (next === undefined) return
    event.preventDefault()
    put({ entry: String(next.id) })
    root.current?.querySelector<HTMLElement>(`[data-entry="${next.id}"]`)?.focus()
  }
  const words: Readonly<Record<string, string>> = {
    '': 'Any system',
    ...Object.fromEntries(systems.map((each) => [each, systemWord(each)])),
  }
  return (
    <div class={chosen === null ? 'rules-page' : 'rules-page reading'} ref={root}>
      <PageHeader title="Rules">
        {isDm && mayWrite && (
          <LinkButton icon="pen" to={sectionPath(campaignId, 'rules', 'new')}>
            Write one of our own
          </LinkButton>
        )}
      </PageHeader>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrows walk through the list from its field and its links */}
      <div class="rules-bar" onKeyDown={walk}>
        <FilterField
          value={typed}
          onValue={setTyped}
          placeholder="A creature, a spell, a thing, a rule"
          label="Look up a creature, a spell, a thing or a rule"
        />
        <div class="line">
          <ToggleGroup
            label="Kinds"
            variant="chips"
            options={views}
            value={view}
            onValue={(value) => put({ kind: value === 'all' ? null : value, entry: null })}
          />
          {systems.length > 1 && view !== 'ours' && (
            <InlineSelect
              label="System"
              words={words}
              value={system in words ? system : ''}
              onValue={(value) => put({ system: value, entry: null })}
            />
          )}
        </div>
      </div>
      {!list.waiting && !list.error && hits.length === 0 ? (
        <EmptyState
          drawing="book"
          title={query ? `Nothing on the shelf is called “${query}”` : 'Nothing here yet'}
          action={
            isDm &&
            mayWrite && (
              <LinkButton
                icon="pen"
                to={`${sectionPath(campaignId, 'rules', 'new')}?name=${encodeURIComponent(query)}`}
              >
                {query ? `Write “${query}”` : 'Write the first'}
              </LinkButton>
            )
          }
        >
          {packs.items.length === 1 ? 'One book was searched' : `${packs.items.length} books were searched`}, and our
          own. Try a shorter word{isDm ? ', or write it yourself' : ''}.
        </EmptyState>
      ) : (
        <div class="rules-split">
          {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
          <div class="rules-results" onKeyDown={walk}>
            <h2 class="visually-hidden">Found</h2>
            <ul class="rule-hits" aria-live="polite">
              {hits.map((hit) => (
                <li key={hit.id}>
                  <Hit hit={hit} query={query} to={address({ entry: String(hit.id) })} current={hit.id === shown} />
                </li>
              ))}
            </ul>
            {view === 'ours' ? (
              <ListFooter list={ours} typed={query} shown={hits.length} />
            ) : (
              <ListFooter list={found} typed={query} shown={hits.length} />
            )}
            {found.incomplete && <p class="soft list-end">{found.incomplete}</p>}
          </div>
          {shown !== null && (
            <div>
              <div class="rule-back">
                <BackLink to={address({ entry: null })}>Back to the list</BackLink>
              </div>
              <RuleEntry key={shown} id={shown} />
            </div>
          )}
        </div>
      )}
      <Shelf packs={packs.items} />
    </div>
  )
}

/** One that was found. Where name and line do not show why, the words around the match do. */
function Hit({ hit, query, to, current }: { hit: RuleHit; query: string; to: string; current: boolean }): JSX.Element {
  const { name, summary, snippet, rulePackTitle, id } = hit
  const isAbout = snippet.includes('\u0002') && !matches(query, `${name} ${summary}`)
  return (
    <Link href={to} class="rule-hit" data-entry={id} aria-current={current ? 'true' : undefined}>
      <strong>{name}</strong>
      <span class="from">{rulePackTitle ?? 'Ours'}</span>
      <span class="said">{isAbout ? <Snippet text={snippet} /> : summary}</span>
    </Link>
  )
}

/** An entry at an address of its own: where mentions and links lead. */
export function RulePage({ id }: { id: number }): JSX.Element {
  const { campaignId, campaign } = useCampaign()
  usePageTitle('Rules', campaign.name)
  return (
    <>
      <BackLink to={sectionPath(campaignId, 'rules')}>Rules</BackLink>
      <RuleEntry id={id} heading="h1" />
    </>
  )
}
