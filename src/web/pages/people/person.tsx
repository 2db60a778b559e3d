import type { JSX } from 'preact'
import type { Npc } from '../../api/contract.ts'
import { Portrait } from '../../kit/avatar.tsx'
import { HiddenBadge } from '../../kit/dm-only.tsx'
import { EntityActions, EntityLayout, EntityPage, EntitySecret } from '../../kit/entity-page.tsx'
import { dispositions, npcStatuses } from '../../kit/labels.ts'
import { Fact, Tags } from '../../kit/page.tsx'
import { Prose } from '../../kit/prose.tsx'
import { ReferenceLink } from '../../kit/references.tsx'
import { type EntityRef, useCampaign } from '../../shell/context.ts'
import { pictureUrl, sectionPath } from '../../shell/links.ts'
import { RelatedSections } from '../entity/related.tsx'
import { QuestsOf } from '../quests/of-thing.tsx'
import { DispositionMeter } from './disposition.tsx'
import { ForTonight } from './for-tonight.tsx'

export function NpcPage({ id }: { id: number }): JSX.Element {
  return (
    <EntityPage kind="npc" id={id}>
      {(npc, entity) => (
        <EntityLayout
          kind="npc"
          visibility={{ entity, hidden: npc.hidden }}
          header={<Header npc={npc} entity={entity} />}
          facts={<Facts npc={npc} />}
        >
          {npc.body ? <Prose text={npc.body} /> : <p class="soft">Nothing more is known of them yet.</p>}
          <EntitySecret kind="npc" row={npc} />
          <QuestsOf title="What they ask for" quests={npc.quests} count={npc.questCount} />
          <RelatedSections entity={entity} />
        </EntityLayout>
      )}
    </EntityPage>
  )
}

function Header({ npc, entity }: { npc: Npc; entity: EntityRef }): JSX.Element {
  const portrait = <Portrait name={npc.name} attachmentId={npc.portraitAttachmentId} size="xl" />
  return (
    <header class="portrait-header">
      {npc.portraitAttachmentId === null ? (
        portrait
      ) : (
        <a href={pictureUrl(npc.portraitAttachmentId, 'original')} title="The whole picture">
          {portrait}
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
                <HiddenBadge>Players have not met them</HiddenBadge>
              </>
            )}
          </p>
        </div>
        {npc.voice && <p class="voice">{npc.voice}</p>}
        <div class="line actions">
          <EntityActions entity={entity} hidden={npc.hidden} />
          <ForTonight npc={npc} />
        </div>
      </div>
    </header>
  )
}

function Facts({ npc }: { npc: Npc }): JSX.Element {
  const { campaignId } = useCampaign()
  return (
    <>
      <Fact name="Towards the party">
        {dispositions[npc.disposition]}
        <DispositionMeter value={npc.disposition} />
      </Fact>
      <Fact name="Found at">{npc.location && <ReferenceLink kind="location" reference={npc.location} />}</Fact>
      <Fact name="Belongs to">{npc.faction && <ReferenceLink kind="faction" reference={npc.faction} />}</Fact>
      {npc.status !== 'alive' && <Fact name="State">{npcStatuses[npc.status]}</Fact>}
      <Tags tags={npc.tags} list={sectionPath(campaignId, 'people')} />
    </>
  )
}
