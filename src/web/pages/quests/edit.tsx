import type { JSX } from 'preact'
import { useSearch } from 'wouter-preact'
import type { Quest } from '../../api/contract.ts'
import { useDraft } from '../../kit/edit-page.tsx'
import { DmFields, EntityEdit, EntityFormPage, useBegun, VisibilityField } from '../../kit/entity-edit.tsx'
import { EnumField, TagField, TextField } from '../../kit/field.tsx'
import { questStatuses } from '../../kit/labels.ts'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { locationOptions, ReferenceField, useLocations, useNpcs, useQuests } from '../../kit/references.tsx'
import { useCampaign } from '../../shell/context.ts'

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
  return (
    <EntityFormPage kind="quest" id={id}>
      {(quest) => <QuestForm quest={quest} />}
    </EntityFormPage>
  )
}

function QuestForm({ quest }: { quest: Quest | null }): JSX.Element {
  const { isDm } = useCampaign()
  const within = Number(new URLSearchParams(useSearch()).get('within')) || null
  const people = useNpcs()
  const places = useLocations()
  const quests = useQuests()
  const draft = useDraft(valuesOf(quest), useBegun(quest, { parentQuestId: within }))
  const { values, field } = draft
  return (
    <EntityEdit
      kind="quest"
      thing={quest && { id: quest.id, revision: quest.revision, label: quest.title, values: valuesOf(quest) }}
      draft={draft}
      always={{ status: values.status }}
      proposes={!isDm}
    >
      <VisibilityField draft={draft} hint="They do not know that this quest is there." />
      <TextField label="Title" required autofocus={!quest} {...field('title')} />
      <MarkdownField label="What it is about" rows={10} {...field('body')} hint="The party reads this." />
      <div class="field-pair">
        <EnumField label="State" {...field('status')} words={questStatuses} />
        <TextField label="Reward" {...field('reward')} />
        <ReferenceField
          label="Given by"
          none="Nobody in particular"
          {...field('giverNpcId')}
          options={people.map((npc) => ({ id: npc.id, word: npc.name }))}
        />
        <ReferenceField
          label="Where"
          none="Nowhere in particular"
          {...field('locationId')}
          options={locationOptions(places)}
        />
        <ReferenceField
          label="Part of"
          none="No larger quest"
          {...field('parentQuestId')}
          options={quests.filter((one) => one.id !== quest?.id).map((one) => ({ id: one.id, word: one.title }))}
        />
        <TagField {...field('tags')} />
      </div>
      <DmFields draft={draft} />
    </EntityEdit>
  )
}
