import type { JSX } from 'preact'
import { useSearch } from 'wouter-preact'
import type { Quest } from '../../api/contract.ts'
import { useDraft } from '../../kit/edit.tsx'
import { optionsOf, SelectField, TagField, TextField } from '../../kit/field.tsx'
import { Failed, Waiting } from '../../kit/page.tsx'
import { placeOptions, RefField, usePeople, usePlaces, useQuests } from '../../kit/refs.tsx'
import { ForTheDm, ThingEdit, type ThingKind } from '../../kit/thing-edit.tsx'
import { questStatuses } from '../../kit/words.ts'
import { WriteField } from '../../kit/write.tsx'
import { useCampaign, useQuery } from '../../shell/context.ts'

const kind: ThingKind = {
  place: 'quests',
  all: 'Quests',
  fresh: 'A new quest',
  create: 'create_quest',
  update: 'update_quest',
  id: 'questId',
}

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
  const { isDm } = useCampaign()
  const within = Number(new URLSearchParams(useSearch()).get('within')) || null
  const people = usePeople()
  const places = usePlaces()
  const quests = useQuests()
  const draft = useDraft(valuesOf(quest), quest ? {} : { parentQuestId: within })
  const { values, field } = draft
  return (
    <ThingEdit
      kind={kind}
      thing={quest && { id: quest.id, revision: quest.revision, label: quest.title, values: valuesOf(quest) }}
      draft={draft}
      always={{ status: values.status }}
      proposes={!isDm}
    >
      <TextField label="Title" required autofocus={!quest} {...field('title')} />
      <WriteField label="What it is about" rows={10} {...field('body')} hint="The party reads this." />
      <div class="two-up">
        <SelectField label="State" {...field('status')} options={optionsOf(questStatuses)} />
        <TextField label="Reward" {...field('reward')} />
        <RefField
          label="Given by"
          none="Nobody in particular"
          {...field('giverNpcId')}
          options={people.map((npc) => ({ id: npc.id, word: npc.name }))}
        />
        <RefField label="Where" none="Nowhere in particular" {...field('locationId')} options={placeOptions(places)} />
        <RefField
          label="Part of"
          none="No larger quest"
          {...field('parentQuestId')}
          options={quests.filter((one) => one.id !== quest?.id).map((one) => ({ id: one.id, word: one.title }))}
        />
        <TagField {...field('tags')} />
      </div>
      <ForTheDm draft={draft} hiddenHint="They do not know that this quest is there." />
    </ThingEdit>
  )
}
