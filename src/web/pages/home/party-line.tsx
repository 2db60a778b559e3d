import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import { Portrait } from '../../kit/avatar.tsx'
import { HpBar } from '../../kit/hp-bar.tsx'
import { useCampaign, useQuery } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'

/** As many as stand in one line on a desk; larger parties have a page. */
const most = 6

/** The party by their faces, and how hurt each of them is. */
export function PartyLine(): JSX.Element | null {
  const { campaignId } = useCampaign()
  const party = useQuery('list_characters', { campaignId, status: 'active', limit: most }).data?.items ?? []
  if (party.length === 0) return null
  return (
    <nav class="party-line" aria-label="The party">
      {party.map((one) => (
        <Link key={one.id} class="waiting-row" href={sectionPath(campaignId, 'characters', one.id)}>
          <Portrait name={one.name} attachmentId={one.portraitAttachmentId} size="s" />
          <div class="grow">
            <p>
              <strong>{one.name}</strong>
            </p>
            {one.hpMax ? (
              <>
                <span class="small soft">{`${one.hp ?? 0} of ${one.hpMax}`}</span>
                <HpBar one={one} />
              </>
            ) : (
              <span class="small soft">{one.ownerUser?.title ?? 'Nobody plays them'}</span>
            )}
          </div>
        </Link>
      ))}
    </nav>
  )
}
