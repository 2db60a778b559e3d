import type { JSX } from 'preact'
import type { Npc } from '../../api/contract.ts'
import { LinkButton } from '../../kit/button.tsx'
import { Face } from '../../kit/face.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Fact, Failed, Running, Waiting } from '../../kit/page.tsx'
import { Prose } from '../../kit/prose.tsx'
import { PlaceLink } from '../../kit/refs.tsx'
import { Hidden, Secret } from '../../kit/secret.tsx'
import { useTrash, useVeil } from '../../kit/things.tsx'
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
  const { campaignId, isDm, mayShape, mayWrite } = useCampaign()
  const act = useAct()
  const trash = useTrash()
  const veil = useVeil()
  const thing = { entityType: 'npc', entityId: npc.id, label: npc.name }
  const face = <Face name={npc.name} attachmentId={npc.portraitAttachmentId} size="xl" />

  const tell = async () => {
    if (!(await veil.confess())) return
    const body = [npc.body, npc.dmSecret].filter(Boolean).join('\n\n')
    await act('update_npc', { npcId: npc.id, expectedRevision: npc.revision, body, dmSecret: null })
  }

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
            {mayShape && (
              <LinkButton look="act" icon="pen" to={place(campaignId, 'people', npc.id, 'edit')}>
                {isDm ? 'Edit' : 'Propose a change'}
              </LinkButton>
            )}
            {isDm && mayWrite && (
              <Menu
                label={`More about ${npc.name}`}
                items={[
                  npc.hidden
                    ? { icon: 'eye', word: 'Show them to the party', run: () => veil.reveal(thing) }
                    : { icon: 'eyeoff', word: 'Hide them from players', run: () => veil.hide(thing) },
                  {
                    icon: 'trash',
                    word: 'Move to trash',
                    harm: true,
                    run: () => trash('delete_npc', { npcId: npc.id }, thing, place(campaignId, 'people')),
                  },
                ]}
              />
            )}
          </div>
        </div>
      </header>
      <div class="spread">
        <div>
          {npc.body ? <Prose text={npc.body} /> : <p class="soft">Nothing more is known of them yet.</p>}
          {isDm && npc.dmSecret && (
            <Secret onReveal={mayWrite ? () => void tell() : undefined}>
              <Prose text={npc.dmSecret} />
            </Secret>
          )}
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
            <Fact name="Tags">
              {npc.tags.length > 0 && (
                <span class="chips">
                  {npc.tags.map((tag) => (
                    <span key={tag} class="chip">
                      {tag}
                    </span>
                  ))}
                </span>
              )}
            </Fact>
          </dl>
        </aside>
      </div>
    </>
  )
}
