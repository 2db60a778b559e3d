import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Location } from '../../api/contract.ts'
import { LinkButton } from '../../kit/button.tsx'
import { HiddenBadge } from '../../kit/dm-only.tsx'
import { FilterField } from '../../kit/field.tsx'
import { Icon } from '../../kit/icon.tsx'
import { discoveries } from '../../kit/labels.ts'
import { matches } from '../../kit/list.tsx'
import { EmptyState, LoadError, Loading, PageHeader } from '../../kit/page.tsx'
import { useCampaign, usePages, usePageTitle } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'

const textOf = (one: Location) => [one.name, one.kind, one.body, one.tags.join(' ')].join(' ')

/** The tree needs all places at once. */
export function LocationsPage(): JSX.Element {
  const { campaignId, campaign, mayEdit } = useCampaign()
  const list = usePages('list_locations', { campaignId, limit: 200 }, { all: true })
  const [typed, setTyped] = useState('')
  const [closed, setClosed] = useState<ReadonlySet<number>>(new Set())
  usePageTitle('Places', campaign.name)
  const action = mayEdit && (
    <LinkButton variant="primary" icon="plus" to={sectionPath(campaignId, 'places', 'new')}>
      New place
    </LinkButton>
  )
  if (list.error && list.items.length === 0) return <LoadError error={list.error} />
  if (list.waiting) return <Loading />
  if (list.items.length === 0) {
    return (
      <>
        <PageHeader title="Places" />
        <EmptyState drawing="road" title="The map is still white" action={action}>
          Begin with one place the party can stand in. What lies inside it comes later.
        </EmptyState>
      </>
    )
  }

  const known = new Set<number>(list.items.map((one) => one.id))
  const childrenOf = (id: number | null) =>
    list.items.filter((one) => (known.has(one.parentLocationId ?? -1) ? one.parentLocationId : null) === id)
  const fitting = typed.trim() ? list.items.filter((one) => matches(typed.trim(), textOf(one))) : null

  const branch = (id: number | null): JSX.Element[] =>
    childrenOf(id).map((one) => {
      const inside = childrenOf(one.id).length
      const open = !closed.has(one.id)
      const toggle = () => {
        const next = new Set(closed)
        if (open) next.add(one.id)
        else next.delete(one.id)
        setClosed(next)
      }
      return (
        <li key={one.id}>
          <div class="row-line">
            {inside > 0 ? (
              <button
                type="button"
                class="icon tree-toggle"
                aria-expanded={open}
                aria-label={`What lies in ${one.name}`}
                onClick={toggle}
              >
                <Icon name="right" size="s" />
              </button>
            ) : (
              <span class="tree-spacer" />
            )}
            <LocationRow one={one} />
          </div>
          {inside > 0 && open && <ul class="branch">{branch(one.id)}</ul>}
        </li>
      )
    })

  return (
    <>
      <PageHeader title="Places">{action}</PageHeader>
      <div class="filters">
        <FilterField value={typed} onValue={setTyped} placeholder="Name, kind, anything said of it" />
      </div>
      {fitting ? (
        <div class="tree">
          {fitting.map((one) => (
            <LocationRow key={one.id} one={one} />
          ))}
          {fitting.length === 0 && <p class="soft list-end">Nothing here speaks of “{typed}”. Try a shorter word.</p>}
        </div>
      ) : (
        <ul class="tree">{branch(null)}</ul>
      )}
      {list.more && <Loading word="Reading on" />}
    </>
  )
}

function LocationRow({ one }: { one: Location }): JSX.Element {
  const { campaignId, isDm } = useCampaign()
  return (
    <Link href={sectionPath(campaignId, 'places', one.id)} class="row">
      <span class="grow">
        <strong>{one.name}</strong>
        {one.kind && <span class="secondary">{one.kind}</span>}
      </span>
      {one.hidden ? (
        <HiddenBadge>Hidden</HiddenBadge>
      ) : (
        isDm && one.discovery === 'unknown' && <HiddenBadge>Not found yet</HiddenBadge>
      )}
      {one.discovery !== 'unknown' && <span class="word faint desktop-only">{discoveries[one.discovery]}</span>}
    </Link>
  )
}
