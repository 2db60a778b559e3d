import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import type { QuestDetail, QuestStatus } from '../../api/contract.ts'
import { EntityActions, EntityLayout, EntityPage, EntitySecret } from '../../kit/entity-page.tsx'
import { InlineSelect } from '../../kit/field.tsx'
import { questStatuses } from '../../kit/labels.ts'
import { Fact, PageHeader, ProgressDots, Section, Tags } from '../../kit/page.tsx'
import { excerpt, Prose } from '../../kit/prose.tsx'
import { ReferenceLink } from '../../kit/references.tsx'
import { useAction } from '../../shell/actions.ts'
import { type EntityRef, useCampaign } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { RelatedSections } from '../entity/related.tsx'
import { Objectives } from './objectives.tsx'
import { QuestChip } from './status.tsx'

export function QuestPage({ id }: { id: number }): JSX.Element {
  return (
    <EntityPage kind="quest" id={id}>
      {(quest, entity) => <QuestBody quest={quest} entity={entity} />}
    </EntityPage>
  )
}

function QuestBody({ quest, entity }: { quest: QuestDetail; entity: EntityRef }): JSX.Element {
  const { campaignId, isDm, mayEdit } = useCampaign()
  const { objectives, subquests } = quest

  return (
    <EntityLayout
      kind="quest"
      visibility={{ entity, hidden: quest.hidden }}
      header={
        <PageHeader
          title={quest.title}
          sub={
            <>
              <StatusPicker quest={quest} />
              {quest.giverNpc && (
                <span>
                  Given by <ReferenceLink kind="npc" reference={quest.giverNpc} />
                </span>
              )}
            </>
          }
        >
          <EntityActions entity={entity} hidden={quest.hidden} />
        </PageHeader>
      }
      facts={
        <>
          <Fact name="Reward">{quest.reward}</Fact>
          <Fact name="Where">{quest.location && <ReferenceLink kind="location" reference={quest.location} />}</Fact>
          <Fact name="Part of">
            {quest.parentQuest && <ReferenceLink kind="quest" reference={quest.parentQuest} />}
          </Fact>
          <Tags tags={quest.tags} list={sectionPath(campaignId, 'quests')} />
        </>
      }
    >
      {quest.body ? <Prose text={quest.body} /> : <p class="soft">Nothing has been written about it yet.</p>}
      <Objectives quest={quest} objectives={objectives} />
      <EntitySecret kind="quest" row={quest} />
      {(subquests.length > 0 || (isDm && mayEdit)) && (
        <Section
          title="Within this quest"
          end={
            mayEdit && (
              <Link href={`${sectionPath(campaignId, 'quests', 'new')}?within=${quest.id}`} class="more">
                Add one
              </Link>
            )
          }
        >
          <div class="rows">
            {subquests.map((sub) => (
              <Link key={sub.id} href={sectionPath(campaignId, 'quests', sub.id)} class="row">
                <span class="grow">
                  <strong>{sub.title}</strong>
                  <span class="secondary">{excerpt(sub.body, 90)}</span>
                </span>
                <ProgressDots {...sub.progress} />
                <QuestChip status={sub.status} />
              </Link>
            ))}
            {subquests.length === 0 && <p class="soft small">A smaller wish inside the large one. None yet.</p>}
          </div>
        </Section>
      )}
      <RelatedSections entity={entity} />
    </EntityLayout>
  )
}

/** The state of the quest; one press away from the next for who may change it. */
function StatusPicker({ quest }: { quest: QuestDetail }): JSX.Element {
  const { mayEdit, isDm } = useCampaign()
  const act = useAction()
  if (!mayEdit) return <QuestChip status={quest.status} />
  if (!isDm) {
    const ask = (status: QuestStatus) => act('set_quest_status', { questId: quest.id, status })
    return (
      <span class="line">
        <QuestChip status={quest.status} />
        <InlineSelect
          label="Another state for the quest"
          asks="Ask the DM"
          words={questStatuses}
          value={quest.status}
          onValue={(status) => void ask(status)}
        />
      </span>
    )
  }
  const change = (status: QuestStatus) =>
    act(
      'set_quest_status',
      { questId: quest.id, status },
      {
        message: `${questStatuses[status]} now.`,
        ahead: {
          what: 'The state',
          show: (cache) => [cache.one('get_quest', { questId: quest.id }).overlay((now) => ({ ...now, status }))],
        },
      },
    )
  return (
    <InlineSelect
      label="State of the quest"
      words={questStatuses}
      value={quest.status}
      onValue={(status) => void change(status)}
    />
  )
}
