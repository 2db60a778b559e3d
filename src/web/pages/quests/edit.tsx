import type { JSX } from 'preact'
import { useSearch } from 'wouter-preact'
import type { Quest } from '../../api/contract.ts'
import { EditPage, filled, useDraft } from '../../kit/edit.tsx'
import { optionsOf, SelectField, Switch, TagField, TextField } from '../../kit/field.tsx'
import { Failed, Waiting } from '../../kit/page.tsx'
import { placeOptions, RefField, usePeople, usePlaces, useQuests } from '../../kit/refs.tsx'
import { questStatuses } from '../../kit/words.ts'
import { WriteField } from '../../kit/write.tsx'
import { useCampaign, useQuery, useTitle } from '../../shell/context.ts'
import { place } from '../../shell/links.ts'

function valuesOf(quest: Quest | null) {
  return {
    title: quest?.title ?? '',
    body: quest?.body ?? '',
    status: quest?.status ?? ('active' as const),
    parentQuestId: quest?.parentQuestId ?? null,
    giverNpcId: quest?.giverNpcId ?? null,
    locationId: quest?.locationId ?? null,
    reward: quest?.reward ?? '',
    dmSecret: quest?.dmSecret ?? '',
    hidden: quest?.hidden ?? false,
    tags: quest?.tags ?? [],
  }
}

export function QuestEdit({ id }: { id: number | null }): JSX.Element {
  const { data: quest, error } = useQuery('get_quest', id === null ? null : { questId: id })
  if (id !== null && !quest) return error ? <Failed error={error} /> : <Waiting />
  return <QuestForm quest={quest ?? null} />
}

function QuestForm({ quest }: { quest: Quest | null }): JSX.Element {
  const { campaignId, isDm } = useCampaign()
  const within = Number(new URLSearchParams(useSearch()).get('within')) || null
  const people = usePeople()
  const places = usePlaces()
  const quests = useQuests()
  const current = quest ? { values: valuesOf(quest), revision: quest.revision } : null
  const draft = useDraft(valuesOf(quest), quest ? {} : { parentQuestId: within })
  const { values, set } = draft
  useTitle(quest ? `Edit ${quest.title}` : 'New quest')
  return (
    <EditPage
      title={quest ? quest.title : 'A new quest'}
      back={quest ? place(campaignId, 'quests', quest.id) : place(campaignId, 'quests')}
      backWord={quest ? 'Back to the quest' : 'Quests'}
      draft={draft}
      current={current}
      proposes={!isDm}
      call={(changes, expectedRevision) => {
        if (!quest) {
          return { operation: 'create_quest', input: { campaignId, status: values.status, ...filled(changes) } }
        }
        if (Object.keys(changes).length === 0) return undefined
        return { operation: 'update_quest', input: { questId: quest.id, expectedRevision, ...changes } }
      }}
      after={(written) =>
        written.kind === 'done'
          ? place(campaignId, 'quests', written.value.id)
          : quest
            ? place(campaignId, 'quests', quest.id)
            : place(campaignId, 'quests')
      }
    >
      <TextField
        label="Title"
        name="title"
        required
        autofocus={!quest}
        value={values.title}
        onValue={(value) => set('title', value)}
      />
      <WriteField
        label="What it is about"
        name="body"
        rows={10}
        value={values.body}
        onValue={(value) => set('body', value)}
        hint="The party reads this."
      />
      <div class="two-up">
        <SelectField
          label="State"
          name="status"
          value={values.status}
          onValue={(value) => set('status', value)}
          options={optionsOf(questStatuses)}
        />
        <TextField label="Reward" name="reward" value={values.reward} onValue={(value) => set('reward', value)} />
        <RefField
          label="Given by"
          name="giverNpcId"
          none="Nobody in particular"
          value={values.giverNpcId}
          onValue={(value) => set('giverNpcId', value)}
          options={people.map((npc) => ({ id: npc.id, word: npc.name }))}
        />
        <RefField
          label="Where"
          name="locationId"
          none="Nowhere in particular"
          value={values.locationId}
          onValue={(value) => set('locationId', value)}
          options={placeOptions(places)}
        />
        <RefField
          label="Part of"
          name="parentQuestId"
          none="No larger quest"
          value={values.parentQuestId}
          onValue={(value) => set('parentQuestId', value)}
          options={quests.filter((one) => one.id !== quest?.id).map((one) => ({ id: one.id, word: one.title }))}
        />
        <TagField value={values.tags} onValue={(value) => set('tags', value)} />
      </div>
      {isDm && (
        <>
          <WriteField
            label="Only for you"
            name="dmSecret"
            secret
            rows={5}
            value={values.dmSecret}
            onValue={(value) => set('dmSecret', value)}
            hint="Players never see these words."
          />
          <Switch
            label="Hidden from players"
            hint="They do not know that this quest is there."
            checked={values.hidden}
            onValue={(value) => set('hidden', value)}
          />
        </>
      )}
    </EditPage>
  )
}
