import type { JSX } from 'preact'
import type { Reference, Session } from '../../api/contract.ts'
import { useDraft } from '../../kit/edit-page.tsx'
import { EntityEdit, EntityFormPage } from '../../kit/entity-edit.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import { useCampaign, usePages } from '../../shell/context.ts'
import { longDayOf } from '../nights/night-words.ts'
import { plannedInput } from '../nights/queries.ts'

function valuesOf(session: Session | null) {
  return {
    number: session?.number ?? null,
    title: session?.title ?? '',
    playedAt: session?.playedAt ?? '',
    gameNightId: (session?.gameNightId ?? null) as number | null,
    prep: session?.prep ?? '',
    dmSecret: session?.dmSecret ?? '',
  }
}

export function SessionEdit({ id }: { id: number | null }): JSX.Element {
  return (
    <EntityFormPage kind="session" id={id}>
      {(session) => <SessionForm session={session} />}
    </EntityFormPage>
  )
}

function SessionForm({ session }: { session: Session | null }): JSX.Element {
  const draft = useDraft(valuesOf(session))
  const { field } = draft
  return (
    <EntityEdit
      kind="session"
      thing={
        session && {
          id: session.id,
          revision: session.revision,
          label: session.title ?? `Session ${session.number}`,
          values: valuesOf(session),
        }
      }
      draft={draft}
    >
      <div class="field-pair">
        <TextField
          label="Title"
          hint="You may leave it empty; it has its number."
          autofocus={!session}
          {...field('title')}
        />
        <TextField label="Day" type="date" {...field('playedAt')} />
        <NumberField
          label="Number"
          min={0}
          max={100_000}
          required={session !== null}
          hint={session ? undefined : 'Left empty it becomes the next one.'}
          {...field('number')}
        />
      </div>
      <NightField current={session?.gameNight ?? null} {...field('gameNightId')} />
      <MarkdownField
        label="Prepared"
        secret
        rows={12}
        {...field('prep')}
        hint="Where it begins, who wants what, three things that may happen. Players never see it."
      />
      <MarkdownField
        label="Behind the curtain"
        secret
        rows={4}
        {...field('dmSecret')}
        hint="What really happened, for yourself. Players never see it."
      />
    </EntityEdit>
  )
}

/** The game night on which it is played; nothing where none is planned. */
function NightField({
  current,
  value,
  onValue,
}: {
  current: Reference | null
  value: number | null
  onValue: (value: number | null) => void
}): JSX.Element | null {
  const { campaignId } = useCampaign()
  const planned = usePages('list_game_nights', plannedInput(campaignId))
  const nights = planned.items.map(({ id, startsAt, title }) => ({
    value: String(id),
    word: title ? `${longDayOf(startsAt)}, ${title}` : longDayOf(startsAt),
  }))
  // One that was called off since stays what it is.
  const kept = current && !nights.some((each) => each.value === String(current.id)) ? current : null
  if (nights.length === 0 && kept === null) return null
  return (
    <SelectField
      label="Game night"
      name="gameNightId"
      value={value === null ? '' : String(value)}
      onValue={(chosen) => onValue(chosen === '' ? null : Number(chosen))}
      options={[
        { value: '', word: 'None' },
        ...nights,
        ...(kept ? [{ value: String(kept.id), word: kept.title }] : []),
      ]}
    />
  )
}
