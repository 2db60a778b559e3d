import type { JSX } from 'preact'
import { useSearch } from 'wouter-preact'
import type { Npc } from '../../api/contract.ts'
import { useDraft } from '../../kit/edit.tsx'
import { optionsOf, SelectField, TagField, TextField } from '../../kit/field.tsx'
import { Failed, Waiting } from '../../kit/page.tsx'
import { PictureField } from '../../kit/picture.tsx'
import { placeOptions, RefField, usePlaces } from '../../kit/refs.tsx'
import { ForTheDm, ThingEdit, type ThingKind } from '../../kit/thing-edit.tsx'
import { dispositions, npcStatuses } from '../../kit/words.ts'
import { WriteField } from '../../kit/write.tsx'
import { useCampaign, useQuery } from '../../shell/context.ts'

const kind: ThingKind = {
  place: 'people',
  all: 'People',
  fresh: 'A new person',
  create: 'create_npc',
  update: 'update_npc',
  id: 'npcId',
}

function valuesOf(npc: Npc | null) {
  return {
    name: npc?.name ?? '',
    role: npc?.role ?? '',
    species: npc?.species ?? '',
    disposition: npc?.disposition ?? ('neutral' as const),
    status: npc?.status ?? ('alive' as const),
    locationId: npc?.locationId ?? null,
    voice: npc?.voice ?? '',
    body: npc?.body ?? '',
    portraitAttachmentId: npc?.portraitAttachmentId ?? null,
    dmSecret: npc?.dmSecret ?? '',
    hidden: npc?.hidden ?? false,
    tags: npc?.tags ?? [],
  }
}

export function PersonEdit({ id }: { id: number | null }): JSX.Element {
  const { data: npc, error } = useQuery('get_npc', id === null ? null : { npcId: id })
  if (id !== null && !npc) return error ? <Failed error={error} /> : <Waiting />
  return <PersonForm npc={npc ?? null} />
}

function PersonForm({ npc }: { npc: Npc | null }): JSX.Element {
  const { isDm } = useCampaign()
  const at = Number(new URLSearchParams(useSearch()).get('at')) || null
  const places = usePlaces()
  const draft = useDraft(valuesOf(npc), npc ? {} : { locationId: at })
  const { values, field } = draft
  return (
    <ThingEdit
      kind={kind}
      thing={npc && { id: npc.id, revision: npc.revision, label: npc.name, values: valuesOf(npc) }}
      draft={draft}
      proposes={!isDm}
    >
      <div class="two-up">
        <TextField label="Name" required autofocus={!npc} {...field('name')} />
        <TextField label="Who they are" placeholder="Keeper of the ledger" {...field('role')} />
      </div>
      <PictureField label="Portrait" kind="portrait" arched caption={values.name} {...field('portraitAttachmentId')} />
      <TextField
        label="Voice"
        hint="One line to become this person in five seconds: how they speak, or a thing they say."
        {...field('voice')}
      />
      <WriteField label="What is known of them" rows={9} {...field('body')} hint="The party reads this." />
      <div class="two-up">
        <SelectField label="Towards the party" {...field('disposition')} options={optionsOf(dispositions)} />
        <RefField
          label="Found at"
          none="Nowhere in particular"
          {...field('locationId')}
          options={placeOptions(places)}
        />
        <TextField label="Species" {...field('species')} />
        <SelectField label="State" {...field('status')} options={optionsOf(npcStatuses)} />
        <TagField {...field('tags')} />
      </div>
      <ForTheDm draft={draft} hiddenHint="They do not know that this person is there." />
    </ThingEdit>
  )
}
