import type { JSX } from 'preact'
import { useSearch } from 'wouter-preact'
import type { CreatureBlock } from '../../../domain/stat-block.ts'
import { familyOf, systemOf } from '../../../rules/systems.ts'
import { EditPage, useDraft } from '../../kit/edit-page.tsx'
import { DmFields, useBegun, VisibilityField } from '../../kit/entity-edit.tsx'
import { AreaField, EnumField, SelectField, TextField } from '../../kit/field.tsx'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import { LoadError, Loading } from '../../kit/page.tsx'
import { RepeatedRows } from '../../kit/repeated-rows.tsx'
import { useCampaign, usePageTitle, useQuery } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { type EntryKind, kindWords, type RuleEntry, type Statblock, systemWord } from './words.ts'
import './styles.ts'

const kinds = Object.fromEntries(Object.entries(kindWords).map(([kind, { one }]) => [kind, one])) as Record<
  EntryKind,
  string
>
const systems = ['dnd5e', 'pathfinder2e', 'generic'] as const
const sizes = {
  '': 'Not said',
  tiny: 'Tiny',
  small: 'Small',
  medium: 'Medium',
  large: 'Large',
  huge: 'Huge',
  gargantuan: 'Gargantuan',
}
const abilities = ['str', 'dex', 'con', 'int', 'wis', 'cha'] as const

/** Something that a creature does, as the form has it. What the form has no field for is kept beside it. */
interface Act {
  readonly name: string
  readonly bonus: number | null
  readonly dice: string
  readonly type: string
  readonly text: string
  readonly rest: Readonly<Record<string, unknown>>
}
const blankAct: Act = { name: '', bonus: null, dice: '', type: '', text: '', rest: {} }

function actOf(action: NonNullable<CreatureBlock['actions']>[number]): Act {
  const { name, text = '', attack, damage = [], ...rest } = action
  const [first, ...more] = damage
  return {
    name,
    text,
    bonus: attack?.bonus ?? null,
    dice: first?.dice ?? '',
    type: first?.type ?? '',
    rest: { ...rest, ...(attack ? { attack } : {}), ...(more.length > 0 ? { more } : {}) },
  }
}

function actionFrom({ name, bonus, dice, type, text, rest }: Act) {
  const { more = [], attack, ...others } = rest as { more?: object[]; attack?: object }
  const damage = [...(dice ? [{ dice: dice.trim(), ...(type ? { type } : {}) }] : []), ...more]
  return {
    ...others,
    name,
    ...(text ? { text } : {}),
    ...(bonus === null ? {} : { attack: { kind: 'melee', reach: 5, ...attack, bonus } }),
    ...(damage.length > 0 ? { damage } : {}),
  }
}

function valuesOf(entry: RuleEntry | null, name: string, game: string) {
  const block = (entry?.statblock ?? {}) as CreatureBlock
  return {
    kind: entry?.kind ?? ('creature' as EntryKind),
    name: entry?.name ?? name,
    system: entry?.system ?? game,
    body: entry?.body ?? '',
    dmSecret: entry?.dmSecret ?? '',
    hidden: entry?.homebrew?.hidden ?? false,
    size: (block.size ?? '') as keyof typeof sizes,
    type: block.type ?? '',
    rating: block.rating ?? null,
    armourClass: block.armourClass?.value ?? null,
    hitPoints: block.hitPoints?.value ?? null,
    hitDice: block.hitPoints?.dice ?? '',
    speed: block.speeds?.walk ?? null,
    abilities: abilities.map((key) => block.abilities?.[key] ?? null) as readonly (number | null)[],
    acts: (block.actions ?? []).map(actOf) as readonly Act[],
  }
}
type Values = ReturnType<typeof valuesOf>

/** The numbers that the form writes, over those that it has no field for. */
function blockFrom(values: Values, before: Statblock | null): Statblock | null {
  if (values.kind !== 'creature') return before
  const { armourClass, hitPoints, speeds, abilities: known, ...rest } = (before ?? {}) as CreatureBlock
  const given = Object.fromEntries(
    abilities.flatMap((key, at) => (values.abilities[at] == null ? [] : [[key, values.abilities[at]]])),
  )
  const block = {
    ...rest,
    size: values.size || undefined,
    type: values.type || undefined,
    rating: values.rating ?? undefined,
    armourClass: values.armourClass === null ? undefined : { ...armourClass, value: values.armourClass },
    hitPoints:
      values.hitPoints === null
        ? undefined
        : { value: values.hitPoints, ...(values.hitDice ? { dice: values.hitDice } : {}) },
    speeds: values.speed === null ? speeds : { ...speeds, walk: values.speed },
    abilities: Object.keys(given).length > 0 ? { ...known, ...given } : known,
    actions: values.acts.filter(({ name }) => name.trim() !== '').map(actionFrom),
  }
  const told = Object.entries(block).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  )
  return told.length === 0 ? null : Object.fromEntries(told)
}

export function RuleEdit({ id }: { id: number | null }): JSX.Element {
  const { campaignId } = useCampaign()
  const name = new URLSearchParams(useSearch()).get('name') ?? ''
  const { data: entry, error, retry } = useQuery('get_rule_entry', id === null ? null : { ruleEntryId: id, campaignId })
  if (id === null) return <RuleForm entry={null} name={name} />
  if (entry === undefined) return error ? <LoadError error={error} retry={retry} /> : <Loading />
  return <RuleForm entry={entry} name="" />
}

function RuleForm({ entry, name }: { entry: RuleEntry | null; name: string }): JSX.Element {
  const { campaignId, campaign } = useCampaign()
  const initial = valuesOf(entry, name, familyOf(systemOf(campaign.ruleSystem)))
  const draft = useDraft(initial, useBegun(entry))
  const { values, field } = draft
  const own = (...rest: readonly (string | number)[]) => sectionPath(campaignId, 'rules', ...rest)
  const title = entry ? entry.name : 'A new rule of our own'
  usePageTitle(entry ? `Edit ${entry.name}` : title)
  const send = (changes: Partial<Values>, expectedRevision: number | undefined) => {
    const { kind, name: called, system, body, dmSecret, hidden } = values
    const statblock = blockFrom(values, entry?.statblock ?? null)
    const words = { body: body || null, dmSecret: dmSecret || null }
    if (entry === null) {
      const kept = Object.fromEntries(Object.entries({ ...words, statblock }).filter(([, value]) => value !== null))
      return {
        operation: 'create_homebrew' as const,
        input: { campaignId, kind, name: called, system, hidden, ...kept },
      }
    }
    if (Object.keys(changes).length === 0) return undefined
    const input = { ruleEntryId: entry.id, name: called, system, hidden, ...words, statblock }
    return { operation: 'update_homebrew' as const, input: { ...input, expectedRevision } }
  }
  return (
    <EditPage
      title={title}
      back={entry ? own(entry.id) : own()}
      backWord={entry ? `Back to ${entry.name}` : 'Rules'}
      draft={draft}
      current={entry && { revision: entry.homebrew?.revision ?? 1, values: initial }}
      proposes={false}
      call={send}
      after={(written) => (written.kind === 'done' ? own(written.value.id) : own())}
    >
      <VisibilityField draft={draft} hint="They do not find it, whatever they look for." />
      <div class="field-pair">
        <TextField label="Name" required autofocus={!entry} {...field('name')} />
        {entry === null && <EnumField label="What it is" words={kinds} {...field('kind')} />}
      </div>
      <SelectField
        label="For which rules"
        options={Array.from(new Set([...systems, values.system]), (value) => ({ value, word: systemWord(value) }))}
        {...field('system')}
      />
      <MarkdownField
        label="In words"
        rows={6}
        {...field('body')}
        hint="What is read at the table: a sentence or two first."
      />
      {values.kind === 'creature' && <CreatureFields draft={draft} />}
      <DmFields draft={draft} />
    </EditPage>
  )
}

function CreatureFields({ draft }: { draft: ReturnType<typeof useDraft<Values>> }): JSX.Element {
  const { values, field } = draft
  const scores = field('abilities')
  return (
    <>
      <div class="field-pair">
        <EnumField label="Size" words={sizes} {...field('size')} />
        <TextField label="What kind of creature" placeholder="beast" {...field('type')} />
      </div>
      <div class="field-pair">
        <NumberField label="Armour class" min={0} max={60} {...field('armourClass')} />
        <NumberField label="Challenge or level" min={-1} max={30} decimals={3} {...field('rating')} />
      </div>
      <div class="field-pair">
        <NumberField label="Hit points" min={1} max={10000} {...field('hitPoints')} />
        <TextField label="Their dice" placeholder="4d8+4" {...field('hitDice')} />
      </div>
      <NumberField label="Speed, in feet" min={0} max={10000} {...field('speed')} />
      <div class="field-grid">
        {abilities.map((key, at) => (
          <NumberField
            key={key}
            label={key.toUpperCase()}
            name={`abilities.${key}`}
            min={-10}
            max={50}
            value={values.abilities[at] ?? null}
            onValue={(value) => scores.onValue(values.abilities.map((one, index) => (index === at ? value : one)))}
          />
        ))}
      </div>
      <RepeatedRows
        name="statblock.actions"
        one="Act"
        addWord="Add something it does"
        rows={values.acts.length === 0 ? [blankAct] : values.acts}
        onRows={field('acts').onValue}
        blank={blankAct}
        max={60}
        ordered
      >
        {(act, change) => (
          <>
            <div class="field-pair">
              <TextField
                label="Name"
                name="name"
                maxLength={80}
                value={act.name}
                onValue={(value) => change({ name: value })}
              />
              <NumberField
                label="To hit"
                name="attack.bonus"
                min={-10}
                max={60}
                value={act.bonus}
                onValue={(bonus) => change({ bonus })}
              />
            </div>
            <div class="field-pair">
              <TextField
                label="Damage"
                name="damage"
                maxLength={80}
                placeholder="1d8+2"
                value={act.dice}
                onValue={(dice) => change({ dice })}
              />
              <TextField
                label="Of what kind"
                name="type"
                maxLength={40}
                placeholder="piercing"
                value={act.type}
                onValue={(type) => change({ type })}
              />
            </div>
            <AreaField
              label="In words"
              name="text"
              rows={2}
              maxLength={4000}
              value={act.text}
              onValue={(text) => change({ text })}
            />
          </>
        )}
      </RepeatedRows>
    </>
  )
}
