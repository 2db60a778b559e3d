import type { JSX } from 'preact'
import { LinkButton } from '../../kit/button.tsx'
import { Loading, PageHeader } from '../../kit/page.tsx'
import { useCampaign, usePageTitle, useQuery } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { Asked } from '../dice/asked.tsx'
import { Tray } from '../dice/throw.tsx'
import { FightPage } from './fight.tsx'

/** What somebody at the table needs now: what they are asked to roll, the fight that runs, and the dice. */
export function AtTable(): JSX.Element {
  const { campaignId, campaign, role, isDm, mayWrite } = useCampaign()
  const running = useQuery('list_encounters', { campaignId, status: 'running', limit: 1 }).data
  const fight = running?.items[0]
  usePageTitle('Table', campaign.name)
  if (running === undefined) return <Loading />
  return (
    <div class="at-table-page">
      {role !== 'viewer' && <Asked mine={fight !== undefined && !isDm} />}
      {fight ? (
        <FightPage id={fight.id} />
      ) : (
        <>
          <PageHeader title="Table" />
          <p class="soft">Nobody fights now. When a fight begins it stands here, with your turn and your hit points.</p>
          <div class="line">
            <LinkButton icon="map" to={sectionPath(campaignId, 'maps')}>
              The maps
            </LinkButton>
            <LinkButton icon="swords" to={sectionPath(campaignId, 'fights')}>
              Fights so far
            </LinkButton>
          </div>
        </>
      )}
      {mayWrite && (
        <section class="section" aria-label="Dice">
          <Tray />
        </section>
      )}
    </div>
  )
}
