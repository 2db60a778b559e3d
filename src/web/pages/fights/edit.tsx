import type { JSX } from 'preact'
import type { Item } from '../../api/contract.ts'
import { useDraft } from '../../kit/edit-page.tsx'
import { DmFields, EntityEdit, EntityFormPage, useBegun, VisibilityField } from '../../kit/entity-edit.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { useCampaign } from '../../shell/context.ts'
import { NotFound } from '../../shell/not-found.tsx'

type Row = Item<'list_encounters'>

function valuesOf(one: Row | null) {
  return {
    name: one?.name ?? '',
    body: one?.body ?? '',
    monsterHp: one?.monsterHp ?? ('band' as const),
    dmSecret: one?.dmSecret ?? '',
    hidden: one?.hidden ?? false,
  }
}

export function FightEdit({ id }: { id: number | null }): JSX.Element {
  const { isDm } = useCampaign()
  if (!isDm) return <NotFound />
  return (
    <EntityFormPage kind="encounter" id={id}>
      {(one) => <FightForm one={one} />}
    </EntityFormPage>
  )
}

function FightForm({ one }: { one: Row | null }): JSX.Element {
  const draft = useDraft(valuesOf(one), useBegun(one))
  const { field } = draft
  return (
    <EntityEdit
      kind="encounter"
      thing={one && { id: one.id, revision: one.revision, label: one.name, values: valuesOf(one) }}
      draft={draft}
      proposes={false}
    >
      <VisibilityField draft={draft} hint="They do not see the fight even while it runs." />
      <TextField label="Name" required autofocus={!one} {...field('name')} />
      <MarkdownField
        label="What is around"
        rows={4}
        {...field('body')}
        hint="Players read it once the fight has begun."
      />
      <SelectField
        label="What players see of creatures' hit points"
        options={[
          { value: 'band', word: 'A word: hurt, bloodied, critical' },
          { value: 'exact', word: 'The numbers' },
          { value: 'hidden', word: 'Nothing' },
        ]}
        {...field('monsterHp')}
      />
      <DmFields draft={draft} />
    </EntityEdit>
  )
}
