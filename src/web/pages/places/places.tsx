import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Location } from '../../api/contract.ts'
import { LinkButton } from '../../kit/button.tsx'
import { HiddenBadge } from '../../kit/dm-only.tsx'
import { Icon } from '../../kit/icon.tsx'
import { discoveries } from '../../kit/labels.ts'
import { groupBy, useSearchedList } from '../../kit/list.tsx'
import { ListPage } from '../../kit/list-page.tsx'
import { WindowedList } from '../../kit/windowed-list.tsx'
import { useCampaign, usePageTitle } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'

/** The tree needs all places at once. */
export function LocationsPage(): JSX.Element {
  const { campaignId, campaign, mayEdit } = useCampaign()
  const list = useSearchedList('list_locations', { campaignId, limit: 200 }, { all: true })
  const [closed, setClosed] = useState<ReadonlySet<number>>(new Set())
  usePageTitle('Places', campaign.name)
  const action = mayEdit && (
    <LinkButton variant="primary" icon="plus" to={sectionPath(campaignId, 'places', 'new')}>
      New place
    </LinkButton>
  )
  const known = new Set<number>(list.items.map((one) => one.id))
  const byParent = groupBy(list.items, (one) =>
    one.parentLocationId !== null && known.has(one.parentLocationId) ? Number(one.parentLocationId) : null,
  )
  const toggle = (id: number) => {
    const next = new Set(closed)
    if (!next.delete(id)) next.add(id)
    setClosed(next)
  }
  const branch = (one: Location): JSX.Element => {
    const inside = byParent.get(one.id) ?? []
    const open = !closed.has(one.id)
    return (
      <li key={one.id}>
        <div class="row-line">
          {inside.length > 0 ? (
            <button
              type="button"
              class="icon tree-toggle"
              aria-expanded={open}
              aria-label={`What lies in ${one.name}`}
              onClick={() => toggle(one.id)}
            >
              <Icon name="right" size="s" />
            </button>
          ) : (
            <span class="tree-spacer" />
          )}
          <LocationRow one={one} />
        </div>
        {inside.length > 0 && open && <ul class="branch">{inside.map(branch)}</ul>}
      </li>
    )
  }
  return (
    <ListPage
      title="Places"
      actions={action}
      list={list}
      shown={list.shown}
      one="place"
      many="places"
      filterFrom={1}
      placeholder="Name, kind, anything said of it"
      empty={{
        drawing: 'road',
        title: 'The map is still white',
        text: 'Begin with one place the party can stand in. What lies inside it comes later.',
        action,
      }}
    >
      {list.typed.trim() || list.tag ? (
        <div class="tree">
          <WindowedList items={list.shown} narrowed={list.typed}>
            {(one) => <LocationRow key={one.id} one={one} />}
          </WindowedList>
        </div>
      ) : (
        <ul class="tree">
          <WindowedList items={byParent.get(null) ?? []} inList>
            {branch}
          </WindowedList>
        </ul>
      )}
    </ListPage>
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
