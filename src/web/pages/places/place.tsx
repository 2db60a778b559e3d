import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import type { Discovery, Location } from '../../api/contract.ts'
import { Face } from '../../kit/face.tsx'
import { optionsOf } from '../../kit/field.tsx'
import { Fact, Failed, Head, Running, Section, Tags, Waiting } from '../../kit/page.tsx'
import { Prose } from '../../kit/prose.tsx'
import { usePlaces } from '../../kit/refs.tsx'
import { Hidden } from '../../kit/secret.tsx'
import { ThingActs, ThingSecret } from '../../kit/thing-page.tsx'
import { useTrash } from '../../kit/things.tsx'
import { discoveries } from '../../kit/words.ts'
import { useAct, useAnchor, useCampaign, usePages, useQuery, useTitle } from '../../shell/context.ts'
import { picture, place } from '../../shell/links.ts'
import { About } from '../keep/about.tsx'

export function PlacePage({ id }: { id: number }): JSX.Element {
  const { campaign } = useCampaign()
  const { data: found, error } = useQuery('get_location', { locationId: id })
  useTitle(found?.name, campaign.name)
  useAnchor('location', id, found?.name)
  if (!found) return error ? <Failed error={error} /> : <Waiting />
  return <Described one={found} />
}

function Described({ one }: { one: Location }): JSX.Element {
  const { campaignId, isDm, mayShape } = useCampaign()
  const act = useAct()
  const trash = useTrash()
  const places = usePlaces()
  const people = usePages('list_npcs', { campaignId, locationId: one.id, limit: 100 }).items
  const inside = places.filter((other) => other.parentLocationId === one.id)
  const above = places.find((other) => other.id === one.parentLocationId)
  const thing = { entityType: 'location', entityId: one.id, label: one.name }

  return (
    <>
      <Running to={above ? place(campaignId, 'places', above.id) : place(campaignId, 'places')}>
        {above ? above.name : 'Places'}
      </Running>
      <Head
        title={one.name}
        sub={
          <>
            <DiscoveryPicker one={one} />
            {one.kind && <span>{one.kind}</span>}
            {one.hidden && <Hidden />}
          </>
        }
      >
        <ThingActs
          thing={thing}
          hidden={one.hidden}
          them="it"
          edit={place(campaignId, 'places', one.id, 'edit')}
          onTrash={() => void trash('delete_location', { locationId: one.id }, thing, place(campaignId, 'places'))}
        />
      </Head>
      {one.imageAttachmentId !== null && (
        <a class="wide-picture" href={picture(one.imageAttachmentId, 'original')} title="The whole picture">
          <img src={picture(one.imageAttachmentId, 'original')} alt="" />
        </a>
      )}
      <div class="spread">
        <div>
          {one.body ? <Prose text={one.body} /> : <p class="soft">Nobody has described it yet.</p>}
          <ThingSecret
            thing={one}
            onTell={(change) =>
              act('update_location', { locationId: one.id, expectedRevision: one.revision, ...change })
            }
          />
          {people.length > 0 && (
            <Section title="Who is here">
              <div class="facebar">
                {people.map((npc) => (
                  <Link key={npc.id} href={place(campaignId, 'people', npc.id)}>
                    <Face name={npc.name} attachmentId={npc.portraitAttachmentId} />
                    {npc.name}
                  </Link>
                ))}
              </div>
            </Section>
          )}
          {(inside.length > 0 || mayShape) && (
            <Section
              title="What lies within"
              end={
                mayShape && (
                  <Link href={`${place(campaignId, 'places', 'new')}?in=${one.id}`} class="more">
                    Add one
                  </Link>
                )
              }
            >
              <div class="rows">
                {inside.map((other) => (
                  <Link key={other.id} href={place(campaignId, 'places', other.id)} class="row">
                    <span class="grow">
                      <strong>{other.name}</strong>
                      {other.kind && <span class="line2">{other.kind}</span>}
                    </span>
                    {other.hidden && <Hidden>Hidden</Hidden>}
                  </Link>
                ))}
              </div>
              {inside.length === 0 && <p class="soft small">Nothing that has been named.</p>}
            </Section>
          )}
          <About thing={thing} />
        </div>
        <aside class="margin">
          <dl class="facts">
            <Fact name="Lies within">
              {above && <Link href={place(campaignId, 'places', above.id)}>{above.name}</Link>}
            </Fact>
            {isDm && (
              <Fact name="Players">
                {one.hidden || one.discovery === 'unknown' ? <Hidden>Do not see this</Hidden> : 'Can see this'}
              </Fact>
            )}
            <Tags tags={one.tags} />
          </dl>
        </aside>
      </div>
    </>
  )
}

/** What the party knows of the place. */
function DiscoveryPicker({ one }: { one: Location }): JSX.Element {
  const { mayShape } = useCampaign()
  const act = useAct()
  if (!mayShape) return <span class="chip">{discoveries[one.discovery]}</span>
  const change = (discovery: Discovery) =>
    act('set_location_discovery', { locationId: one.id, discovery }, { said: `${discoveries[discovery]} now.` })
  return (
    <label class="pick-word">
      <span class="vh">What the party knows of it</span>
      <select onChange={(event) => void change(event.currentTarget.value as Discovery)}>
        {optionsOf(discoveries).map(({ value, word }) => (
          <option key={value} value={value} selected={value === one.discovery}>
            {word}
          </option>
        ))}
      </select>
    </label>
  )
}
