import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import type { FactionDetail } from '../../api/contract.ts'
import { Portrait } from '../../kit/avatar.tsx'
import { HiddenBadge } from '../../kit/dm-only.tsx'
import { EntityActions, EntityLayout, EntityPage, EntitySecret } from '../../kit/entity-page.tsx'
import { Fact, Section, Tags } from '../../kit/page.tsx'
import { Prose } from '../../kit/prose.tsx'
import { type EntityRef, useCampaign } from '../../shell/context.ts'
import { pictureUrl, sectionPath } from '../../shell/links.ts'
import { RelatedSections } from '../entity/related.tsx'
import { Emblem } from './emblem.tsx'
import { Reputation } from './reputation.tsx'

export function FactionPage({ id }: { id: number }): JSX.Element {
  return (
    <EntityPage kind="faction" id={id}>
      {(one, entity) => (
        <EntityLayout
          kind="faction"
          visibility={{ entity, hidden: one.hidden }}
          header={<Header one={one} entity={entity} />}
          facts={<Facts one={one} />}
        >
          {one.body ? <Prose text={one.body} /> : <p class="soft">Nobody has written down who they are.</p>}
          {one.goals && (
            <Section title="What they want">
              <Prose text={one.goals} class="prose wants" />
            </Section>
          )}
          <EntitySecret kind="faction" row={one} />
          <Reputation one={one} />
          <Members one={one} />
          <RelatedSections entity={entity} />
        </EntityLayout>
      )}
    </EntityPage>
  )
}

function Header({ one, entity }: { one: FactionDetail; entity: EntityRef }): JSX.Element {
  return (
    <header class="portrait-header emblem-header">
      {one.emblemAttachmentId === null ? (
        <Emblem attachmentId={null} />
      ) : (
        <a href={pictureUrl(one.emblemAttachmentId, 'original')} title="The whole picture">
          <Emblem attachmentId={one.emblemAttachmentId} large />
        </a>
      )}
      <div>
        <div>
          <h1>{one.name}</h1>
          <p class="sub">
            {one.kind}
            {one.hidden && (
              <>
                {' '}
                <HiddenBadge>Players have not heard of them</HiddenBadge>
              </>
            )}
          </p>
        </div>
        <div class="line actions">
          <EntityActions entity={entity} hidden={one.hidden} />
        </div>
      </div>
    </header>
  )
}

function Facts({ one }: { one: FactionDetail }): JSX.Element {
  const { campaignId, isDm } = useCampaign()
  const unseen = one.members.filter(({ hidden }) => hidden).length
  return (
    <>
      {isDm && !one.hidden && unseen > 0 && (
        <Fact name="Players">
          <HiddenBadge>{unseen === 1 ? 'Do not see one person' : `Do not see ${unseen} people`}</HiddenBadge>
        </Fact>
      )}
      <Tags tags={one.tags} list={sectionPath(campaignId, 'factions')} />
    </>
  )
}

/** Whoever belongs to it, and the way to somebody new who does. */
function Members({ one }: { one: FactionDetail }): JSX.Element | null {
  const { campaignId, mayEdit } = useCampaign()
  if (one.members.length === 0 && !mayEdit) return null
  const left = one.memberCount - one.members.length
  return (
    <Section
      title="Who belongs to it"
      end={
        mayEdit && (
          <Link href={`${sectionPath(campaignId, 'people', 'new')}?of=${one.id}`} class="more">
            Add somebody
          </Link>
        )
      }
    >
      <div class="portrait-bar">
        {one.members.map((npc) => (
          <Link key={npc.id} href={sectionPath(campaignId, 'people', npc.id)}>
            <Portrait name={npc.name} attachmentId={npc.portraitAttachmentId} />
            {npc.name}
            {npc.hidden && <HiddenBadge>Hidden</HiddenBadge>}
          </Link>
        ))}
      </div>
      {one.members.length === 0 && (
        <p class="soft small">Nobody who has a name. Whoever belongs to it is told so on their own page.</p>
      )}
      {left > 0 && <p class="soft small">And {left} more.</p>}
    </Section>
  )
}
