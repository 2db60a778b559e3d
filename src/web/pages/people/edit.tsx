import type { JSX } from 'preact'
import { useSearch } from 'wouter-preact'
import type { Npc } from '../../api/contract.ts'
import { useDraft } from '../../kit/edit-page.tsx'
import { DmFields, EntityEdit, EntityFormPage, useBegun, VisibilityField } from '../../kit/entity-edit.tsx'
import { EnumField, TagField, TextField } from '../../kit/field.tsx'
import { dispositions, npcStatuses } from '../../kit/labels.ts'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { PictureField } from '../../kit/picture.tsx'
import { locationOptions, ReferenceField, useAllOf, useLocations } from '../../kit/references.tsx'
import { useCampaign } from '../../shell/context.ts'

function valuesOf(npc: Npc | null) {
  return {
    name: npc?.name ?? '',
    role: npc?.role ?? '',
    species: npc?.species ?? '',
    disposition: npc?.disposition ?? ('neutral' as const),
    status: npc?.status ?? ('alive' as const),
    locationId: npc?.locationId ?? null,
    factionId: npc?.factionId ?? null,
    voice: npc?.voice ?? '',
    body: npc?.body ?? '',
    portraitAttachmentId: npc?.portraitAttachmentId ?? null,
    dmSecret: npc?.dmSecret ?? '',
    hidden: npc?.hidden ?? false,
    tags: npc?.tags ?? [],
  }
}

export function NpcEdit({ id }: { id: number | null }): JSX.Element {
  return (
    <EntityFormPage kind="npc" id={id}>
      {(npc) => <NpcForm npc={npc} />}
    </EntityFormPage>
  )
}

function NpcForm({ npc }: { npc: Npc | null }): JSX.Element {
  const { isDm } = useCampaign()
  const query = new URLSearchParams(useSearch())
  const from = (member: string) => Number(query.get(member)) || null
  const places = useLocations()
  const factions = useAllOf('faction')
  const draft = useDraft(valuesOf(npc), useBegun(npc, { locationId: from('at'), factionId: from('of') }))
  const { values, field } = draft
  return (
    <EntityEdit
      kind="npc"
      thing={npc && { id: npc.id, revision: npc.revision, label: npc.name, values: valuesOf(npc) }}
      draft={draft}
      proposes={!isDm}
    >
      <VisibilityField draft={draft} hint="They do not know that this person is there." />
      <div class="field-pair">
        <TextField label="Name" required autofocus={!npc} {...field('name')} />
        <TextField label="Who they are" placeholder="Keeper of the ledger" {...field('role')} />
      </div>
      <PictureField label="Portrait" kind="portrait" arched caption={values.name} {...field('portraitAttachmentId')} />
      <TextField
        label="Voice"
        hint="One line to become this person in five seconds: how they speak, or a thing they say."
        {...field('voice')}
      />
      <MarkdownField label="What is known of them" rows={9} {...field('body')} hint="The party reads this." />
      <div class="field-pair">
        <EnumField label="Towards the party" {...field('disposition')} words={dispositions} />
        <ReferenceField
          label="Found at"
          none="Nowhere in particular"
          {...field('locationId')}
          options={locationOptions(places)}
        />
        <ReferenceField
          label="Belongs to"
          none="Nobody but themselves"
          {...field('factionId')}
          options={factions.map(({ id, name }) => ({ id, word: name }))}
        />
        <TextField label="Species" {...field('species')} />
        <EnumField label="State" {...field('status')} words={npcStatuses} />
        <TagField {...field('tags')} />
      </div>
      <DmFields draft={draft} />
    </EntityEdit>
  )
}
