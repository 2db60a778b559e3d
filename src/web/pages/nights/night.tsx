import type { JSX } from 'preact'
import { kinds } from '../../kinds.ts'
import { BackLink, LoadError, Loading } from '../../kit/page.tsx'
import { useCampaign, usePageTitle, useQuery } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { Comers } from './comers.tsx'
import { NightScene } from './scene.tsx'

/** One night, whichever it is. */
export function NightPage({ id }: { id: number }): JSX.Element {
  const { campaign, campaignId } = useCampaign()
  const { data: night, error, retry } = useQuery('get_game_night', { gameNightId: id })
  usePageTitle(night && kinds.game_night.titleOf(night), campaign.name)
  if (night === undefined) return error ? <LoadError error={error} retry={retry} /> : <Loading />
  return (
    <>
      <BackLink to={sectionPath(campaignId, 'nights')}>Game nights</BackLink>
      <NightScene night={night} />
      <Comers night={night} />
    </>
  )
}
