import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import { LinkButton } from '../../kit/button.tsx'
import { useSearchedList } from '../../kit/list.tsx'
import { ListPage } from '../../kit/list-page.tsx'
import { WindowedList } from '../../kit/windowed-list.tsx'
import { useCampaign, usePageTitle } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { statusWords } from './words.ts'
import './styles.ts'

export function FightsPage(): JSX.Element {
  const { campaignId, campaign, isDm, mayWrite } = useCampaign()
  const list = useSearchedList('list_encounters', { campaignId, limit: 200 })
  usePageTitle('Fights', campaign.name)
  const action = isDm && mayWrite && (
    <LinkButton variant="primary" icon="plus" to={sectionPath(campaignId, 'fights', 'new')}>
      New fight
    </LinkButton>
  )
  return (
    <ListPage
      title="Fights"
      actions={action}
      list={list}
      shown={list.shown}
      one="fight"
      many="fights"
      placeholder="Name, where it is"
      empty={{
        drawing: 'road',
        title: 'Nobody has drawn a blade',
        text: isDm
          ? 'A fight is who is in it and whose turn it is. Players see it when it begins.'
          : 'A fight shows here when it begins.',
        action,
      }}
    >
      <WindowedList items={list.shown} narrowed={list.typed}>
        {(one) => (
          <Link key={one.id} class="row fight-row" href={sectionPath(campaignId, 'fights', one.id)}>
            <span class="grow">
              <strong>{one.name}</strong>
              <span class="secondary">{one.outcome ?? one.excerpt}</span>
            </span>
            <span class={one.status === 'running' ? 'word ok' : 'word'}>
              {one.status === 'running' ? `Round ${one.round}` : statusWords[one.status]}
            </span>
          </Link>
        )}
      </WindowedList>
    </ListPage>
  )
}
