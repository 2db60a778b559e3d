import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import { LinkButton } from '../../kit/button.tsx'
import { HiddenBadge } from '../../kit/dm-only.tsx'
import { Icon } from '../../kit/icon.tsx'
import { useSearchedList } from '../../kit/list.tsx'
import { ListPage } from '../../kit/list-page.tsx'
import { WindowedList } from '../../kit/windowed-list.tsx'
import { useCampaign, usePageTitle } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import './styles.ts'

export function MapsPage(): JSX.Element {
  const { campaignId, campaign, isDm, mayWrite } = useCampaign()
  const list = useSearchedList('list_maps', { campaignId, limit: 200 })
  usePageTitle('Maps', campaign.name)
  const action = isDm && mayWrite && (
    <LinkButton variant="primary" icon="plus" to={sectionPath(campaignId, 'maps', 'new')}>
      New map
    </LinkButton>
  )
  return (
    <ListPage
      title="Maps"
      actions={action}
      list={list}
      shown={list.shown}
      one="map"
      many="maps"
      placeholder="Name or kind"
      empty={{
        drawing: 'road',
        title: isDm ? 'No map yet' : 'No map has been unfolded yet',
        text: isDm
          ? 'Any picture will do: a valley, a town, one floor. Cover it with fog, and uncover what they have seen.'
          : 'When the DM lays one on the table, it is here.',
        action,
      }}
    >
      <div class="map-grid">
        <WindowedList items={list.shown} narrowed={list.typed}>
          {(one) => (
            <Link key={one.id} href={sectionPath(campaignId, 'maps', one.id)}>
              {one.attachmentId === null ? (
                <span class="no-picture">
                  <Icon name="map" size="l" />
                </span>
              ) : (
                <img src={one.thumbnailUrl} alt="" loading="lazy" />
              )}
              <span>
                <strong>{one.name}</strong>
                <span class="small soft">{[one.kind, one.location?.title].filter(Boolean).join(', ')}</span>
                {one.hidden && <HiddenBadge />}
              </span>
            </Link>
          )}
        </WindowedList>
      </div>
    </ListPage>
  )
}
