import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { QuestDetail, QuestStatus } from '../../api/contract.ts'
import { Hidden } from '../../kit/dm-only.tsx'
import { useTrash } from '../../kit/entity-actions.tsx'
import { EntityActions, EntitySecret } from '../../kit/entity-page.tsx'
import { optionsOf } from '../../kit/field.tsx'
import { questStatuses } from '../../kit/labels.ts'
import { Fact, LoadError, Loading, PageHeader, ProgressDots, Running, Section, Tags } from '../../kit/page.tsx'
import { excerpt, Prose } from '../../kit/prose.tsx'
import { LocationLink, NpcLink, QuestLink } from '../../kit/references.tsx'
import { useAction, useCampaign, useCurrentEntity, usePageTitle, useQuery } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { RelatedSections } from '../entity/related.tsx'
import { Objectives } from './objectives.tsx'
import { QuestChip } from './status.tsx'

export function QuestPage({ id }: { id: number }): JSX.Element {
  const { campaign } = useCampaign()
  const { data: quest, error } = useQuery('get_quest', { questId: id })
  usePageTitle(quest?.title, campaign.name)
  useCurrentEntity('quest', id, quest?.title)
  if (!quest) return error ? <LoadError error={error} /> : <Loading />
  return <QuestBody quest={quest} />
}

function QuestBody({ quest }: { quest: QuestDetail }): JSX.Element {
  const { campaignId, isDm, mayEdit } = useCampaign()
  const act = useAction()
  const trash = useTrash()
  const thing = { entityType: 'quest', entityId: quest.id, label: quest.title }
  const { objectives, subquests } = quest

  return (
    <>
      <Running to={sectionPath(campaignId, 'quests')}>Quests</Running>
      <PageHeader
        title={quest.title}
        sub={
          <>
            <StatusPicker quest={quest} />
            {quest.giverNpcId !== null && (
              <span>
                Given by <NpcLink id={quest.giverNpcId} />
              </span>
            )}
            {quest.hidden && <Hidden />}
          </>
        }
      >
        <EntityActions
          thing={thing}
          hidden={quest.hidden}
          them="it"
          edit={sectionPath(campaignId, 'quests', quest.id, 'edit')}
          onTrash={() => void trash('delete_quest', { questId: quest.id }, thing, sectionPath(campaignId, 'quests'))}
        />
      </PageHeader>
      <div class="two-columns">
        <div>
          {quest.body ? <Prose text={quest.body} /> : <p class="soft">Nothing has been written about it yet.</p>}
          <Objectives quest={quest} objectives={objectives} />
          <EntitySecret
            thing={quest}
            onTell={(change) => act('update_quest', { questId: quest.id, expectedRevision: quest.revision, ...change })}
          />
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
          <RelatedSections thing={thing} />
        </div>
        <aside class="side-column">
          <dl class="facts">
            <Fact name="Reward">{quest.reward}</Fact>
            <Fact name="Where">{quest.locationId !== null && <LocationLink id={quest.locationId} />}</Fact>
            <Fact name="Part of">{quest.parentQuestId !== null && <QuestLink id={quest.parentQuestId} />}</Fact>
            {isDm && <Fact name="Players">{quest.hidden ? <Hidden>Do not see this</Hidden> : 'Can see this'}</Fact>}
            <Tags tags={quest.tags} />
          </dl>
        </aside>
      </div>
    </>
  )
}

/** The state of the quest; one press away from the next for who may change it. */
function StatusPicker({ quest }: { quest: QuestDetail }): JSX.Element {
  const { mayEdit } = useCampaign()
  const act = useAction()
  const [busy, setBusy] = useState(false)
  if (!mayEdit) return <QuestChip status={quest.status} />
  const change = async (status: QuestStatus) => {
    setBusy(true)
    await act('set_quest_status', { questId: quest.id, status }, { said: `${questStatuses[status]} now.` })
    setBusy(false)
  }
  return (
    <label class="inline-select">
      <span class="visually-hidden">State of the quest</span>
      <select disabled={busy} onChange={(event) => void change(event.currentTarget.value as QuestStatus)}>
        {optionsOf(questStatuses).map(({ value, word }) => (
          <option key={value} value={value} selected={value === quest.status}>
            {word}
          </option>
        ))}
      </select>
    </label>
  )
}
