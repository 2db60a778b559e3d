import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import type { Discovery, Location } from '../../api/contract.ts'
import { Portrait } from '../../kit/avatar.tsx'
import { Hidden } from '../../kit/dm-only.tsx'
import { useTrash } from '../../kit/entity-actions.tsx'
import { EntityActions, EntitySecret } from '../../kit/entity-page.tsx'
import { optionsOf } from '../../kit/field.tsx'
import { discoveries } from '../../kit/labels.ts'
import { Fact, LoadError, Loading, PageHeader, Running, Section, Tags } from '../../kit/page.tsx'
import { Prose } from '../../kit/prose.tsx'
import { useLocations } from '../../kit/references.tsx'
import { useAction, useCampaign, useCurrentEntity, usePages, usePageTitle, useQuery } from '../../shell/context.ts'
import { pictureUrl, sectionPath } from '../../shell/links.ts'
import { RelatedSections } from '../entity/related.tsx'

export function LocationPage({ id }: { id: number }): JSX.Element {
  const { campaign } = useCampaign()
  const { data: found, error } = useQuery('get_location', { locationId: id })
  usePageTitle(found?.name, campaign.name)
  useCurrentEntity('location', id, found?.name)
  if (!found) return error ? <LoadError error={error} /> : <Loading />
  return <LocationBody one={found} />
}

function LocationBody({ one }: { one: Location }): JSX.Element {
  const { campaignId, isDm, mayEdit } = useCampaign()
  const act = useAction()
  const trash = useTrash()
  const places = useLocations()
  const people = usePages('list_npcs', { campaignId, locationId: one.id, limit: 100 }).items
  const inside = places.filter((other) => other.parentLocationId === one.id)
  const above = places.find((other) => other.id === one.parentLocationId)
  const thing = { entityType: 'location', entityId: one.id, label: one.name }

  return (
    <>
      <Running to={above ? sectionPath(campaignId, 'places', above.id) : sectionPath(campaignId, 'places')}>
        {above ? above.name : 'Places'}
      </Running>
      <PageHeader
        title={one.name}
        sub={
          <>
            <DiscoveryPicker one={one} />
            {one.kind && <span>{one.kind}</span>}
            {one.hidden && <Hidden />}
          </>
        }
      >
        <EntityActions
          thing={thing}
          hidden={one.hidden}
          them="it"
          edit={sectionPath(campaignId, 'places', one.id, 'edit')}
          onTrash={() =>
            void trash('delete_location', { locationId: one.id }, thing, sectionPath(campaignId, 'places'))
          }
        />
      </PageHeader>
      {one.imageAttachmentId !== null && (
        <a class="wide-picture" href={pictureUrl(one.imageAttachmentId, 'original')} title="The whole picture">
          <img src={pictureUrl(one.imageAttachmentId, 'original')} alt="" />
        </a>
      )}
      <div class="two-columns">
        <div>
          {one.body ? <Prose text={one.body} /> : <p class="soft">Nobody has described it yet.</p>}
          <EntitySecret
            thing={one}
            onTell={(change) =>
              act('update_location', { locationId: one.id, expectedRevision: one.revision, ...change })
            }
          />
          {people.length > 0 && (
            <Section title="Who is here">
              <div class="portrait-bar">
                {people.map((npc) => (
                  <Link key={npc.id} href={sectionPath(campaignId, 'people', npc.id)}>
                    <Portrait name={npc.name} attachmentId={npc.portraitAttachmentId} />
                    {npc.name}
                  </Link>
                ))}
              </div>
            </Section>
          )}
          {(inside.length > 0 || mayEdit) && (
            <Section
              title="What lies within"
              end={
                mayEdit && (
                  <Link href={`${sectionPath(campaignId, 'places', 'new')}?in=${one.id}`} class="more">
                    Add one
                  </Link>
                )
              }
            >
              <div class="rows">
                {inside.map((other) => (
                  <Link key={other.id} href={sectionPath(campaignId, 'places', other.id)} class="row">
                    <span class="grow">
                      <strong>{other.name}</strong>
                      {other.kind && <span class="secondary">{other.kind}</span>}
                    </span>
                    {other.hidden && <Hidden>Hidden</Hidden>}
                  </Link>
                ))}
              </div>
              {inside.length === 0 && <p class="soft small">Nothing that has been named.</p>}
            </Section>
          )}
          <RelatedSections thing={thing} />
        </div>
        <aside class="side-column">
          <dl class="facts">
            <Fact name="Lies within">
              {above && <Link href={sectionPath(campaignId, 'places', above.id)}>{above.name}</Link>}
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
  const { mayEdit } = useCampaign()
  const act = useAction()
  if (!mayEdit) return <span class="chip">{discoveries[one.discovery]}</span>
  const change = (discovery: Discovery) =>
    act('set_location_discovery', { locationId: one.id, discovery }, { said: `${discoveries[discovery]} now.` })
  return (
    <label class="inline-select">
      <span class="visually-hidden">What the party knows of it</span>
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
