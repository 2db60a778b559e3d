import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { LinkButton } from '../../kit/button.tsx'
import { EmptyState, Loading } from '../../kit/page.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { useCampaign, useMe, usePageTitle, useQuery } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { CharacterPage } from './character.tsx'

/** One's own sheet, wherever one comes from; whoever plays several chooses among them. */
export function Me(): JSX.Element {
  const { campaignId, campaign, mayWrite } = useCampaign()
  const me = useMe()?.id
  const [chosen, setChosen] = useState<number | null>(null)
  const party = useQuery('list_characters', { campaignId, status: 'active', limit: 200 }).data
  usePageTitle('Me', campaign.name)
  if (party === undefined) return <Loading />
  const mine = party.items.filter(({ ownerUserId }) => ownerUserId !== null && ownerUserId === me)
  const shown = mine.find(({ id }) => id === chosen) ?? mine[0]
  if (shown === undefined)
    return (
      <EmptyState
        drawing="book"
        title="You have no character here yet"
        alone
        action={
          mayWrite && (
            <LinkButton variant="primary" icon="plus" to={sectionPath(campaignId, 'characters', 'new')}>
              My character
            </LinkButton>
          )
        }
      >
        Make one, bring a sheet along on the party's page, or take over one that the Dungeon Master gives you.
      </EmptyState>
    )
  return (
    <>
      {mine.length > 1 && (
        <ToggleGroup
          label="Which of yours"
          variant="chips"
          options={mine.map(({ id, name }) => ({ value: String(id), word: name }))}
          value={String(shown.id)}
          onValue={(id) => setChosen(Number(id))}
        />
      )}
      <CharacterPage key={shown.id} id={shown.id} />
    </>
  )
}
