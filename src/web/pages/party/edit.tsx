import type { JSX } from 'preact'
import { systemOf } from '../../../rules/systems.ts'
import type { Output } from '../../api/contract.ts'
import { type Draft, useDraft } from '../../kit/edit-page.tsx'
import { EntityEdit, EntityFormPage } from '../../kit/entity-edit.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import { PictureField } from '../../kit/picture.tsx'
import { useCampaign } from '../../shell/context.ts'
import '../dice/styles.ts'

type Character = Output<'get_character'>

function valuesOf(one: Character | null) {
  return {
    name: one?.name ?? '',
    species: one?.species ?? '',
    className: one?.className ?? '',
    level: one?.level ?? 1,
    experience: one?.experience ?? 0,
    hpMax: one?.hpMax ?? null,
    ac: one?.ac ?? null,
    speed: one?.speed ?? null,
    abilities: one?.abilities ?? {},
    skills: one?.skills ?? {},
    saves: one?.saves ?? {},
    portraitAttachmentId: one?.portraitAttachmentId ?? null,
    body: one?.body ?? '',
    notes: one?.notes ?? '',
    dmSecret: one?.dmSecret ?? '',
  }
}
type Values = ReturnType<typeof valuesOf>

export function CharacterEdit({ id }: { id: number | null }): JSX.Element {
  return (
    <EntityFormPage kind="character" id={id}>
      {(one) => <CharacterForm one={one} />}
    </EntityFormPage>
  )
}

function CharacterForm({ one }: { one: Character | null }): JSX.Element {
  const { isDm, campaign } = useCampaign()
  const draft = useDraft<Values>(valuesOf(one), {})
  const { values, field } = draft
  const system = systemOf(campaign.ruleSystem)
  return (
    <EntityEdit
      kind="character"
      thing={one && { id: one.id, revision: one.revision, label: one.name, values: valuesOf(one) }}
      draft={draft}
    >
      <TextField label="Name" required autofocus={!one} {...field('name')} />
      <div class="field-pair">
        <TextField label="Where they come from" placeholder="Human, of the lantern barges" {...field('species')} />
        <TextField
          label="What they are"
          placeholder="Rogue"
          {...field('className')}
          hint="Two are written as Paladin 5 / Sorcerer 2."
        />
      </div>
      <PictureField label="Portrait" kind="portrait" caption={values.name} {...field('portraitAttachmentId')} />
      <div class="field-pair">
        <Count draft={draft} name="level" label="Level" min={0} max={100} />
        {system.levels !== null && (
          <Count draft={draft} name="experience" label="Experience" min={0} max={10_000_000} />
        )}
        <Optional draft={draft} name="hpMax" label="Hit points" max={100_000} />
        {system.face.armour && <Optional draft={draft} name="ac" label={system.face.armour} max={1000} />}
        {system.usualSpeed !== null && <Optional draft={draft} name="speed" label="Speed, in feet" max={10_000} />}
      </div>
      <Abilities draft={draft} />
      <Ranks draft={draft} name="saves" title="Saves" />
      <Ranks draft={draft} name="skills" title="Skills" />
      <MarkdownField label="Who they are" rows={6} {...field('body')} hint="The table reads this." />
      <MarkdownField label="For the player" rows={4} {...field('notes')} hint="Their player and the DM read this." />
      {isDm && (
        <MarkdownField
          label="Only for you"
          secret
          rows={4}
          {...field('dmSecret')}
          hint="Players never see these words."
        />
      )}
    </EntityEdit>
  )
}

function Count({
  draft,
  name,
  label,
  min,
  max,
}: {
  draft: Draft<Values>
  name: 'level' | 'experience'
  label: string
  min: number
  max: number
}): JSX.Element {
  const value = draft.values[name]
  return (
    <NumberField
      label={label}
      name={name}
      required
      value={value}
      onValue={(next) => draft.set(name, next ?? value)}
      min={min}
      max={max}
    />
  )
}

function Optional({
  draft,
  name,
  label,
  max,
}: {
  draft: Draft<Values>
  name: 'hpMax' | 'ac' | 'speed'
  label: string
  max: number
}): JSX.Element {
  return <NumberField label={label} {...draft.field(name)} min={0} max={max} />
}

function Abilities({ draft }: { draft: Draft<Values> }): JSX.Element | null {
  const { campaign } = useCampaign()
  const { abilities, face } = systemOf(campaign.ruleSystem)
  const { least, most, usual } = face.abilityBounds
  if (abilities.length === 0) return null
  return (
    <fieldset>
      <legend class="h3">Abilities</legend>
      <div class="sheet-fields">
        {abilities.map(({ key, name }) => (
          <NumberField
            key={key}
            label={name}
            name={`abilities.${key}`}
            value={draft.values.abilities[key] ?? usual}
            onValue={(value) =>
              draft.set('abilities', { ...draft.values.abilities, ...(value === null ? {} : { [key]: value }) })
            }
            min={least}
            max={most}
          />
        ))}
      </div>
    </fieldset>
  )
}

function Ranks({
  draft,
  name,
  title,
}: {
  draft: Draft<Values>
  name: 'skills' | 'saves'
  title: string
}): JSX.Element | null {
  const { campaign } = useCampaign()
  const system = systemOf(campaign.ruleSystem)
  const [lowest] = system.ranks
  if (system[name].length === 0 || lowest === undefined) return null
  const options = system.ranks.map(({ key, name: word }) => ({ value: key, word }))
  return (
    <fieldset>
      <legend class="h3">{title}</legend>
      <div class="sheet-fields">
        {system[name].map(({ key, name: word }) => (
          <SelectField
            key={key}
            label={word}
            name={`${name}.${key}`}
            value={draft.values[name][key] ?? lowest.key}
            onValue={(rank) => draft.set(name, { ...draft.values[name], [key]: rank })}
            options={options}
          />
        ))}
      </div>
    </fieldset>
  )
}
