import type { JSX } from 'preact'
import { useSearch } from 'wouter-preact'
import type { Location } from '../../api/contract.ts'
import { useDraft } from '../../kit/edit-page.tsx'
import { DmFields, EntityEdit, EntityFormPage, useBegun, VisibilityField } from '../../kit/entity-edit.tsx'
import { EnumField, TagField, TextField } from '../../kit/field.tsx'
import { discoveries } from '../../kit/labels.ts'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { PictureField } from '../../kit/picture.tsx'
import { locationOptions, ReferenceField, useLocations } from '../../kit/references.tsx'
import { useCampaign } from '../../shell/context.ts'

function valuesOf(one: Location | null) {
  return {
    name: one?.name ?? '',
    kind: one?.kind ?? '',
    parentLocationId: one?.parentLocationId ?? null,
    body: one?.body ?? '',
    discovery: one?.discovery ?? ('discovered' as const),
    imageAttachmentId: one?.imageAttachmentId ?? null,
    dmSecret: one?.dmSecret ?? '',
    hidden: one?.hidden ?? false,
    tags: one?.tags ?? [],
  }
}

export function LocationEdit({ id }: { id: number | null }): JSX.Element {
  return (
    <EntityFormPage kind="location" id={id}>
      {(one) => <LocationForm one={one} />}
    </EntityFormPage>
  )
}

function LocationForm({ one }: { one: Location | null }): JSX.Element {
  const { isDm } = useCampaign()
  const within = Number(new URLSearchParams(useSearch()).get('in')) || null
  const places = useLocations()
  const draft = useDraft(valuesOf(one), useBegun(one, { parentLocationId: within }))
  const { values, field } = draft
  return (
    <EntityEdit
      kind="location"
      thing={one && { id: one.id, revision: one.revision, label: one.name, values: valuesOf(one) }}
      draft={draft}
      always={{ discovery: values.discovery }}
      proposes={!isDm}
    >
      <VisibilityField draft={draft} hint="They do not know that this place is there, whatever they have heard." />
      <div class="field-pair">
        <TextField label="Name" required autofocus={!one} {...field('name')} />
        <TextField label="Kind" placeholder="Village, inn, ruin under the ice" {...field('kind')} />
      </div>
      <PictureField label="Picture" kind="image" caption={values.name} {...field('imageAttachmentId')} />
      <MarkdownField
        label="What one sees, hears and smells"
        rows={9}
        {...field('body')}
        hint="The party reads this once they know the place."
      />
      <div class="field-pair">
        <ReferenceField
          label="Lies within"
          none="Nothing larger"
          {...field('parentLocationId')}
          options={locationOptions(places, one?.id)}
        />
        <EnumField
          label="Known to the party"
          {...field('discovery')}
          words={discoveries}
          hint="An unknown place is seen by the DM alone."
        />
        <TagField {...field('tags')} />
      </div>
      <DmFields draft={draft} />
    </EntityEdit>
  )
}
