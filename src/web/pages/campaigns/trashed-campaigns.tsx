import type { JSX } from 'preact'
import { Button } from '../../kit/button.tsx'
import { when } from '../../kit/format.ts'
import { ListFooter } from '../../kit/list.tsx'
import { BackLink, EmptyState, PageHeader } from '../../kit/page.tsx'
import { useAction } from '../../shell/actions.ts'
import { usePages, usePageTitle } from '../../shell/context.ts'
import { paths } from '../../shell/links.ts'

export function TrashedCampaigns(): JSX.Element {
  const list = usePages('list_trashed_campaigns', { limit: 100 })
  const act = useAction()
  usePageTitle('Campaigns in the trash')
  return (
    <>
      <BackLink to={paths.campaigns}>Campaigns</BackLink>
      <PageHeader title="Campaigns in the trash" />
      {!list.waiting && !list.error && list.items.length === 0 && (
        <EmptyState title="Nothing has been thrown away">
          A campaign that you move to the trash waits here until you want it back.
        </EmptyState>
      )}
      <div class="rows">
        {list.items.map((campaign) => (
          <div key={campaign.id} class="row">
            <span class="grow">
              <strong class="serif">{campaign.name}</strong>
              <span class="secondary">In the trash since {when(campaign.deletedAt)}</span>
            </span>
            <Button
              icon="undo"
              onClick={() =>
                void act('restore_campaign', { campaignId: campaign.id }, { message: `${campaign.name} is back.` })
              }
            >
              Bring it back
            </Button>
          </div>
        ))}
      </div>
      <ListFooter list={list} shown={list.items.length} />
    </>
  )
}
