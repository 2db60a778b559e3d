import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import { LinkButton } from '../../kit/button.tsx'
import { useSearchedList } from '../../kit/list.tsx'
import { ListPage } from '../../kit/list-page.tsx'
import { WindowedList } from '../../kit/windowed-list.tsx'
import { useCampaign, usePageTitle } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import './styles.ts'

/** All tables that are rolled on. They are the Dungeon Masters' alone. */
export function TablesPage(): JSX.Element {
  const { campaignId, campaign, mayWrite } = useCampaign()
  const list = useSearchedList('list_random_tables', { campaignId, limit: 200 })
  usePageTitle('Random tables', campaign.name)
  const action = mayWrite && (
    <LinkButton variant="primary" icon="plus" to={sectionPath(campaignId, 'tables', 'new')}>
      New table
    </LinkButton>
  )
  return (
    <ListPage
      title="Random tables"
      actions={action}
      list={list}
      shown={list.shown}
      one="table"
      many="tables"
      placeholder="A name, when it is rolled on"
      empty={{
        drawing: 'road',
        title: 'Nothing is left to chance yet',
        text: 'A table is a list of things to say aloud: who is met on the road, what the sky is doing. Draw from it when nobody knows what comes next.',
        action,
      }}
    >
      <div class="rows">
        <WindowedList items={list.shown} narrowed={list.typed}>
          {(one) => (
            <Link key={one.id} href={sectionPath(campaignId, 'tables', one.id)} class="row">
              <span class="grow">
                <strong>{one.name}</strong>
                {one.description && <span class="secondary">{one.description}</span>}
              </span>
              <span class="when">{`${one.expression ?? 'By weight'}, ${one.rowCount} lines`}</span>
            </Link>
          )}
        </WindowedList>
      </div>
    </ListPage>
  )
}
