import type { JSX } from 'preact'
import type { GameNightDetail } from '../../api/contract.ts'
import { kinds } from '../../kinds.ts'
import { DateTimeField } from '../../kit/date-time-field.tsx'
import { EditPage, useDraft } from '../../kit/edit-page.tsx'
import { EntityFormPage } from '../../kit/entity-edit.tsx'
import { Switch, TextField } from '../../kit/field.tsx'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { Stepper } from '../../kit/number-field.tsx'
import { Loading } from '../../kit/page.tsx'
import { ownZone } from '../../kit/zoned-time.ts'
import { useCampaign, usePages, usePageTitle } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { plannedInput } from './queries.ts'

function valuesOf(night: GameNightDetail | null, timeZone: string) {
  return {
    when: { at: night?.startsAt ?? null, timeZone: night?.timeZone ?? timeZone },
    hours: ((night?.durationMinutes ?? 240) / 60) as number | null,
    title: night?.title ?? '',
    location: night?.location ?? '',
    notes: night?.notes ?? '',
    tentative: night?.tentative ?? false,
  }
}

type Values = ReturnType<typeof valuesOf>

/** What the server takes of what differs. */
function inputOf({ when, hours, ...rest }: Partial<Values>): Record<string, unknown> {
  return {
    ...rest,
    ...(when?.at ? { startsAt: when.at, timeZone: when.timeZone } : {}),
    ...(hours ? { durationMinutes: Math.round(hours * 60) } : {}),
  }
}

export function NightEdit({ id }: { id: number | null }): JSX.Element {
  const { campaignId } = useCampaign()
  const planned = usePages('list_game_nights', plannedInput(campaignId))
  // A new night begins where the last one was: a form that began without knowing could not take it back.
  if (id === null && planned.waiting) return <Loading />
  const zone = planned.items[0]?.timeZone ?? ownZone()
  return (
    <EntityFormPage kind="game_night" id={id}>
      {(night) => <NightForm key={night?.id} night={night} zone={zone} />}
    </EntityFormPage>
  )
}

function NightForm({ night, zone }: { night: GameNightDetail | null; zone: string }): JSX.Element {
  const { campaignId } = useCampaign()
  const draft = useDraft(valuesOf(night, zone))
  const { field } = draft
  const label = night ? kinds.game_night.titleOf(night) : 'Plan a night'
  const all = sectionPath(campaignId, 'nights')
  usePageTitle(label)
  const tentative = field('tentative')
  const asked = night !== null && night.rsvps.length > 0
  return (
    <EditPage
      title={label}
      back={all}
      backWord="Game nights"
      draft={draft}
      current={night && { values: valuesOf(night, zone), revision: night.revision }}
      call={(changes, expectedRevision) => {
        const input = inputOf(changes)
        if (night === null) {
          const given = Object.entries(input).filter(([, value]) => value !== null)
          return { operation: 'create_game_night', input: { campaignId, ...Object.fromEntries(given) } }
        }
        if (Object.keys(input).length === 0) return undefined
        return { operation: 'update_game_night', input: { gameNightId: night.id, expectedRevision, ...input } }
      }}
      after={() => all}
    >
      <DateTimeField
        label="When"
        required
        hint={
          asked
            ? 'At another time everybody is asked again.'
            : 'Where the table is. Everybody else reads their own clock.'
        }
        {...field('when')}
        name="startsAt"
      />
      <div class="field-pair">
        <Stepper label="Hours" min={0.25} max={24} decimals={2} required {...field('hours')} name="durationMinutes" />
        <TextField label="Where" placeholder="At Noor’s" maxLength={300} {...field('location')} />
      </div>
      <TextField
        label="Title"
        hint="You may leave it empty."
        placeholder="Session 15"
        maxLength={120}
        {...field('title')}
      />
      <MarkdownField
        label="To know"
        rows={3}
        {...field('notes')}
        hint="Everybody reads it, in their calendars too: what to bring, which bell to ring."
      />
      <Switch
        label="Only ask about this day"
        hint="One of several days to choose from. It is in no calendar until you take it."
        checked={tentative.value}
        onValue={tentative.onValue}
      />
    </EditPage>
  )
}
