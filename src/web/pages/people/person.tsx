import type { JSX } from 'preact'
import type { Npc } from '../../api/contract.ts'
import { Face } from '../../kit/face.tsx'
import { Fact, Failed, Running, Tags, Waiting } from '../../kit/page.tsx'
import { Prose } from '../../kit/prose.tsx'
import { PlaceLink } from '../../kit/refs.tsx'
import { Hidden } from '../../kit/secret.tsx'
import { ThingActs, ThingSecret } from '../../kit/thing-page.tsx'
import { useTrash } from '../../kit/things.tsx'
import { dispositions, npcStatuses } from '../../kit/words.ts'
import { useAct, useAnchor, useCampaign, useQuery, useTitle } from '../../shell/context.ts'
import { picture, place } from '../../shell/links.ts'
import { About } from '../keep/about.tsx'
import { Mood } from './disposition.tsx'

export function Person({ id }: { id: number }): JSX.Element {
  const { campaign } = useCampaign()
  const { data: npc, error } = useQuery('get_npc', { npcId: id })
  useTitle(npc?.name, campaign.name)
  useAnchor('npc', id, npc?.name)
  if (!npc) return error ? <Failed error={error} /> : <Waiting />
  return <Portrayed npc={npc} />
}

function Portrayed({ npc }: { npc: Npc }): JSX.Element {
  const { campaignId } = useCampaign()
  const act = useAct()
  const trash = useTrash()
  const thing = { entityType: 'npc', entityId: npc.id, label: npc.name }
  const face = <Face name={npc.name} attachmentId={npc.portraitAttachmentId} size="xl" />

  return (
    <>
      <Running to={place(campaignId, 'people')}>People</Running>
      <header class="plate">
        {npc.portraitAttachmentId === null ? (
          face
        ) : (
          <a href={picture(npc.portraitAttachmentId, 'original')} title="The whole picture">
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
          <div class="line acts">
            <ThingActs
              thing={thing}
              hidden={npc.hidden}
              them="them"
              edit={place(campaignId, 'people', npc.id, 'edit')}
              onTrash={() => void trash('delete_npc', { npcId: npc.id }, thing, place(campaignId, 'people'))}
            />
          </div>
        </div>
      </header>
      <div class="spread">
        <div>
          {npc.body ? <Prose text={npc.body} /> : <p class="soft">Nothing more is known of them yet.</p>}
          <ThingSecret
            thing={npc}
            onTell={(change) => act('update_npc', { npcId: npc.id, expectedRevision: npc.revision, ...change })}
          />
          <About thing={thing} />
        </div>
        <aside class="margin">
          <dl class="facts">
            <Fact name="Towards the party">
              {dispositions[npc.disposition]}
              <Mood value={npc.disposition} />
            </Fact>
            <Fact name="Found at">{npc.locationId !== null && <PlaceLink id={npc.locationId} />}</Fact>
            {npc.status !== 'alive' && <Fact name="State">{npcStatuses[npc.status]}</Fact>}
            <Tags tags={npc.tags} />
          </dl>
        </aside>
      </div>
    </>
  )
}
