import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import type { Discovery, Location, LocationDetail } from '../../api/contract.ts'
import { Portrait } from '../../kit/avatar.tsx'
import { HiddenBadge } from '../../kit/dm-only.tsx'
import { EntityActions, EntityLayout, EntityPage, EntitySecret } from '../../kit/entity-page.tsx'
import { InlineSelect } from '../../kit/field.tsx'
import { discoveries } from '../../kit/labels.ts'
import { Fact, PageHeader, Section, Tags } from '../../kit/page.tsx'
import { Prose } from '../../kit/prose.tsx'
import { ReferenceLink } from '../../kit/references.tsx'
import { useAction } from '../../shell/actions.ts'
import { type EntityRef, useCampaign, usePages } from '../../shell/context.ts'
import { pictureUrl, sectionPath } from '../../shell/links.ts'
import { RelatedSections } from '../entity/related.tsx'
import { QuestsOf } from '../quests/of-thing.tsx'

export function LocationPage({ id }: { id: number }): JSX.Element {
  return (
    <EntityPage kind="location" id={id}>
      {(location, entity) => <LocationBody one={location} entity={entity} />}
    </EntityPage>
  )
}

function LocationBody({ one, entity }: { one: LocationDetail; entity: EntityRef }): JSX.Element {
  const { campaignId, isDm, mayEdit } = useCampaign()
  const people = usePages('list_npcs', { campaignId, locationId: one.id, limit: 100 }).items
  const { children: inside, parentLocation: above } = one

  return (
    <EntityLayout
      kind="location"
      visibility={{ entity, hidden: one.hidden }}
      back={above ? { to: sectionPath(campaignId, 'places', above.id), word: above.title } : undefined}
      header={
        <>
          <PageHeader
            title={one.name}
            sub={
              <>
                <DiscoveryPicker one={one} />
                {one.kind && <span>{one.kind}</span>}
              </>
            }
          >
            <EntityActions entity={entity} hidden={one.hidden} />
          </PageHeader>
          {one.imageAttachmentId !== null && (
            <a class="wide-picture" href={pictureUrl(one.imageAttachmentId, 'original')} title="The whole picture">
              <img src={pictureUrl(one.imageAttachmentId, 'original')} alt="" />
            </a>
          )}
        </>
      }
      facts={
        <>
          <Fact name="Lies within">{above && <ReferenceLink kind="location" reference={above} />}</Fact>
          {isDm && !one.hidden && one.discovery === 'unknown' && (
            <Fact name="Players">
              <HiddenBadge>Have not heard of it yet</HiddenBadge>
            </Fact>
          )}
          <Tags tags={one.tags} list={sectionPath(campaignId, 'places')} />
        </>
      }
    >
      {one.body ? <Prose text={one.body} /> : <p class="soft">Nobody has described it yet.</p>}
      <EntitySecret kind="location" row={one} />
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
                {other.hidden && <HiddenBadge>Hidden</HiddenBadge>}
              </Link>
            ))}
          </div>
          {inside.length === 0 && <p class="soft small">Nothing that has been named.</p>}
        </Section>
      )}
      <QuestsOf title="Quests that lead here" quests={one.quests} count={one.questCount} />
      <RelatedSections entity={entity} />
    </EntityLayout>
  )
}

/** What the party knows of the place. */
function DiscoveryPicker({ one }: { one: Location }): JSX.Element {
  const { mayEdit, isDm } = useCampaign()
  const act = useAction()
  const now = <span class="chip">{discoveries[one.discovery]}</span>
  if (!mayEdit) return now
  if (!isDm) {
    const ask = (discovery: Discovery) => act('set_location_discovery', { locationId: one.id, discovery })
    return (
      <span class="line">
        {now}
        <InlineSelect
          label="What the party knows of it"
          asks="Ask the DM"
          words={discoveries}
          value={one.discovery}
          onValue={(discovery) => void ask(discovery)}
        />
      </span>
    )
  }
  const change = (discovery: Discovery) =>
    act(
      'set_location_discovery',
      { locationId: one.id, discovery },
      {
        message: `${discoveries[discovery]} now.`,
        ahead: {
          what: 'What the party knows',
          show: (cache) => [
            cache.one('get_location', { locationId: one.id }).overlay((now) => ({ ...now, discovery })),
          ],
        },
      },
    )
  return (
    <InlineSelect
      label="What the party knows of it"
      words={discoveries}
      value={one.discovery}
      onValue={(discovery) => void change(discovery)}
    />
  )
}
