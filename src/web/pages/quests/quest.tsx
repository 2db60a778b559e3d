import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { QuestDetail, QuestStatus } from '../../api/contract.ts'
import { optionsOf } from '../../kit/field.tsx'
import { Fact, Failed, Head, Running, Section, Steps, Tags, Waiting } from '../../kit/page.tsx'
import { opening, Prose } from '../../kit/prose.tsx'
import { NpcLink, PlaceLink, QuestLink } from '../../kit/refs.tsx'
import { Hidden } from '../../kit/secret.tsx'
import { ThingActs, ThingSecret } from '../../kit/thing-page.tsx'
import { useTrash } from '../../kit/things.tsx'
import { questStatuses } from '../../kit/words.ts'
import { useAct, useAnchor, useCampaign, useQuery, useTitle } from '../../shell/context.ts'
import { place } from '../../shell/links.ts'
import { About } from '../keep/about.tsx'
import { Objectives } from './objectives.tsx'
import { QuestChip } from './status.tsx'

export function QuestPage({ id }: { id: number }): JSX.Element {
  const { campaign } = useCampaign()
  const { data: quest, error } = useQuery('get_quest', { questId: id })
  useTitle(quest?.title, campaign.name)
  useAnchor('quest', id, quest?.title)
  if (!quest) return error ? <Failed error={error} /> : <Waiting />
  return <Told quest={quest} />
}

function Told({ quest }: { quest: QuestDetail }): JSX.Element {
  const { campaignId, isDm, mayShape } = useCampaign()
  const act = useAct()
  const trash = useTrash()
  const thing = { entityType: 'quest', entityId: quest.id, label: quest.title }
  const { objectives, subquests } = quest

  return (
    <>
      <Running to={place(campaignId, 'quests')}>Quests</Running>
      <Head
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
        <ThingActs
          thing={thing}
          hidden={quest.hidden}
          them="it"
          edit={place(campaignId, 'quests', quest.id, 'edit')}
          onTrash={() => void trash('delete_quest', { questId: quest.id }, thing, place(campaignId, 'quests'))}
        />
      </Head>
      <div class="spread">
        <div>
          {quest.body ? <Prose text={quest.body} /> : <p class="soft">Nothing has been written about it yet.</p>}
          <Objectives quest={quest} objectives={objectives} />
          <ThingSecret
            thing={quest}
            onTell={(change) => act('update_quest', { questId: quest.id, expectedRevision: quest.revision, ...change })}
          />
          {(subquests.length > 0 || (isDm && mayShape)) && (
            <Section
              title="Within this quest"
              end={
                mayShape && (
                  <Link href={`${place(campaignId, 'quests', 'new')}?within=${quest.id}`} class="more">
                    Add one
                  </Link>
                )
              }
            >
              <div class="rows">
                {subquests.map((sub) => (
                  <Link key={sub.id} href={place(campaignId, 'quests', sub.id)} class="row">
                    <span class="grow">
                      <strong>{sub.title}</strong>
                      <span class="line2">{opening(sub.body, 90)}</span>
                    </span>
                    <Steps {...sub.progress} />
                    <QuestChip status={sub.status} />
                  </Link>
                ))}
                {subquests.length === 0 && <p class="soft small">A smaller wish inside the large one. None yet.</p>}
              </div>
            </Section>
          )}
          <About thing={thing} />
        </div>
        <aside class="margin">
          <dl class="facts">
            <Fact name="Reward">{quest.reward}</Fact>
            <Fact name="Where">{quest.locationId !== null && <PlaceLink id={quest.locationId} />}</Fact>
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
  const { mayShape } = useCampaign()
  const act = useAct()
  const [busy, setBusy] = useState(false)
  if (!mayShape) return <QuestChip status={quest.status} />
  const change = async (status: QuestStatus) => {
    setBusy(true)
    await act('set_quest_status', { questId: quest.id, status }, { said: `${questStatuses[status]} now.` })
    setBusy(false)
  }
  return (
    <label class="pick-word">
      <span class="vh">State of the quest</span>
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
