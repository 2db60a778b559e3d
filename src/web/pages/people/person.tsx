import type { JSX } from 'preact'
import type { Npc } from '../../api/contract.ts'
import { Portrait } from '../../kit/avatar.tsx'
import { Hidden } from '../../kit/dm-only.tsx'
import { useTrash } from '../../kit/entity-actions.tsx'
import { EntityActions, EntitySecret } from '../../kit/entity-page.tsx'
import { dispositions, npcStatuses } from '../../kit/labels.ts'
import { Fact, LoadError, Loading, Running, Tags } from '../../kit/page.tsx'
import { Prose } from '../../kit/prose.tsx'
import { LocationLink } from '../../kit/references.tsx'
import { useAction, useCampaign, useCurrentEntity, usePageTitle, useQuery } from '../../shell/context.ts'
import { pictureUrl, sectionPath } from '../../shell/links.ts'
import { RelatedSections } from '../entity/related.tsx'
import { DispositionMeter } from './disposition.tsx'

export function NpcPage({ id }: { id: number }): JSX.Element {
  const { campaign } = useCampaign()
  const { data: npc, error } = useQuery('get_npc', { npcId: id })
  usePageTitle(npc?.name, campaign.name)
  useCurrentEntity('npc', id, npc?.name)
  if (!npc) return error ? <LoadError error={error} /> : <Loading />
  return <NpcBody npc={npc} />
}

function NpcBody({ npc }: { npc: Npc }): JSX.Element {
  const { campaignId } = useCampaign()
  const act = useAction()
  const trash = useTrash()
  const thing = { entityType: 'npc', entityId: npc.id, label: npc.name }
  const face = <Portrait name={npc.name} attachmentId={npc.portraitAttachmentId} size="xl" />

  return (
    <>
      <Running to={sectionPath(campaignId, 'people')}>People</Running>
      <header class="portrait-header">
        {npc.portraitAttachmentId === null ? (
          face
        ) : (
          <a href={pictureUrl(npc.portraitAttachmentId, 'original')} title="The whole picture">
            {face}
          </a>
        )}
        <div>
          <div>
            <h1>{npc.name}</h1>
            <p class="sub">
              {[npc.role, npc.species].filter(Boolean).join('. ')}
              {npc.hidden && (
                <>
                  {' '}
                  <Hidden>Players have not met them</Hidden>
                </>
              )}
            </p>
          </div>
          {npc.voice && <p class="voice">{npc.voice}</p>}
          <div class="line actions">
            <EntityActions
              thing={thing}
              hidden={npc.hidden}
              them="them"
              edit={sectionPath(campaignId, 'people', npc.id, 'edit')}
              onTrash={() => void trash('delete_npc', { npcId: npc.id }, thing, sectionPath(campaignId, 'people'))}
            />
          </div>
        </div>
      </header>
      <div class="two-columns">
        <div>
          {npc.body ? <Prose text={npc.body} /> : <p class="soft">Nothing more is known of them yet.</p>}
          <EntitySecret
            thing={npc}
            onTell={(change) => act('update_npc', { npcId: npc.id, expectedRevision: npc.revision, ...change })}
          />
          <RelatedSections thing={thing} />
        </div>
        <aside class="side-column">
          <dl class="facts">
            <Fact name="Towards the party">
              {dispositions[npc.disposition]}
              <DispositionMeter value={npc.disposition} />
            </Fact>
            <Fact name="Found at">{npc.locationId !== null && <LocationLink id={npc.locationId} />}</Fact>
            {npc.status !== 'alive' && <Fact name="State">{npcStatuses[npc.status]}</Fact>}
            <Tags tags={npc.tags} />
          </dl>
        </aside>
      </div>
    </>
  )
}
