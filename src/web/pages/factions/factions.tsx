import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import { LinkButton } from '../../kit/button.tsx'
import { HiddenBadge } from '../../kit/dm-only.tsx'
import { useSearchedList } from '../../kit/list.tsx'
import { ListPage } from '../../kit/list-page.tsx'
import { WindowedList } from '../../kit/windowed-list.tsx'
import { useCampaign, usePageTitle } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { Emblem } from './emblem.tsx'
import { signed, standingOf } from './standing.ts'

export function FactionsPage(): JSX.Element {
  const { campaignId, campaign, mayEdit } = useCampaign()
  const list = useSearchedList('list_factions', { campaignId, limit: 200 })
  usePageTitle('Factions', campaign.name)
  const action = mayEdit && (
    <LinkButton variant="primary" icon="plus" to={sectionPath(campaignId, 'factions', 'new')}>
      New faction
    </LinkButton>
  )
  return (
    <ListPage
      title="Factions"
      actions={action}
      list={list}
      shown={list.shown}
      one="faction"
      many="factions"
      placeholder="Name, kind, what they want"
      empty={{
        drawing: 'road',
        title: 'Nobody pulls in one direction yet',
        text: 'A faction is people who want something together: a guild, a court, a cult. Say what they want and how they stand with the party.',
        action,
      }}
    >
      <div class="npc-grid">
        <WindowedList items={list.shown} narrowed={list.typed}>
          {(one) => (
            <Link key={one.id} href={sectionPath(campaignId, 'factions', one.id)}>
              <Emblem attachmentId={one.emblemAttachmentId} />
              <span>
                <strong>{one.name}</strong>
                <br />
                {one.hidden ? (
                  <HiddenBadge>Players have not heard of them</HiddenBadge>
                ) : (
                  <span class="small soft">{one.kind}</span>
                )}
              </span>
              <Standing reputation={one.reputation} />
            </Link>
          )}
        </WindowedList>
      </div>
    </ListPage>
  )
}

function Standing({ reputation }: { reputation: number }): JSX.Element {
  const { word, look } = standingOf(reputation)
  return <span class={`word ${look}`}>{`${word}, ${signed(reputation)}`}</span>
}
