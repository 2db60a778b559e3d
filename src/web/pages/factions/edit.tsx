import type { JSX } from 'preact'
import type { Faction } from '../../api/contract.ts'
import { useDraft } from '../../kit/edit-page.tsx'
import { DmFields, EntityEdit, EntityFormPage, useBegun, VisibilityField } from '../../kit/entity-edit.tsx'
import { TagField, TextField } from '../../kit/field.tsx'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { PictureField } from '../../kit/picture.tsx'
import { useCampaign } from '../../shell/context.ts'

function valuesOf(one: Faction | null) {
  return {
    name: one?.name ?? '',
    kind: one?.kind ?? '',
    body: one?.body ?? '',
    goals: one?.goals ?? '',
    emblemAttachmentId: one?.emblemAttachmentId ?? null,
    dmSecret: one?.dmSecret ?? '',
    hidden: one?.hidden ?? false,
    tags: one?.tags ?? [],
  }
}

export function FactionEdit({ id }: { id: number | null }): JSX.Element {
  return (
    <EntityFormPage kind="faction" id={id}>
      {(one) => <FactionForm one={one} />}
    </EntityFormPage>
  )
}

function FactionForm({ one }: { one: Faction | null }): JSX.Element {
  const { isDm } = useCampaign()
  const draft = useDraft(valuesOf(one), useBegun(one))
  const { values, field } = draft
  return (
    <EntityEdit
      kind="faction"
      thing={one && { id: one.id, revision: one.revision, label: one.name, values: valuesOf(one) }}
      draft={draft}
      proposes={!isDm}
    >
      <VisibilityField draft={draft} hint="They do not know that these people hang together." />
      <div class="field-pair">
        <TextField label="Name" required autofocus={!one} {...field('name')} />
        <TextField label="What kind" placeholder="A trading house" {...field('kind')} />
      </div>
      <PictureField label="Emblem" kind="image" caption={values.name} {...field('emblemAttachmentId')} />
      <MarkdownField label="Who they are" rows={7} {...field('body')} hint="The party reads this." />
      <MarkdownField
        label="What they want"
        rows={4}
        {...field('goals')}
        hint="A line for each, begun with a dash. Strike out what they have given up: ~~Hob Fennick quiet~~"
      />
      <TagField {...field('tags')} />
      <DmFields draft={draft} />
    </EntityEdit>
  )
}
