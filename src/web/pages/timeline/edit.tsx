import type { JSX } from 'preact'
import { useSearch } from 'wouter-preact'
import { parseWorldDate } from '../../../kernel/world-calendar.ts'
import type { TimelineEvent, WorldCalendar } from '../../api/contract.ts'
import { useDraft } from '../../kit/edit-page.tsx'
import { DmFields, EntityEdit, EntityFormPage, useBegun, VisibilityField } from '../../kit/entity-edit.tsx'
import { TextField } from '../../kit/field.tsx'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { LoadError, Loading } from '../../kit/page.tsx'
import { ReferenceField, useAllOf } from '../../kit/references.tsx'
import { useCampaign, useQuery } from '../../shell/context.ts'
import { WorldDateField } from './date-field.tsx'
import './styles.ts'

function valuesOf(event: TimelineEvent | null) {
  return {
    title: event?.title ?? '',
    worldDate: event?.worldDate ?? null,
    era: event?.worldDate === null ? (event.era ?? '') : '',
    body: event?.body ?? '',
    sessionId: event?.sessionId ?? null,
    dmSecret: event?.dmSecret ?? '',
    hidden: event?.hidden ?? false,
  }
}

export function TimelineEventEdit({ id }: { id: number | null }): JSX.Element {
  const { campaignId } = useCampaign()
  const { data: calendar, error, retry } = useQuery('get_world_calendar', { campaignId })
  if (calendar === undefined) return error ? <LoadError error={error} retry={retry} /> : <Loading />
  return (
    <EntityFormPage kind="timeline_event" id={id}>
      {(event) => <EventForm event={event} calendar={calendar} />}
    </EntityFormPage>
  )
}

/** The day that the address of a new event names: `?on=412-10-9`. */
function useDayOfAddress(): { worldDate?: string } {
  const on = new URLSearchParams(useSearch()).get('on')
  return on !== null && parseWorldDate(on) !== null ? { worldDate: on } : {}
}

function EventForm({ event, calendar }: { event: TimelineEvent | null; calendar: WorldCalendar }): JSX.Element {
  const { isDm } = useCampaign()
  const begun = useDayOfAddress()
  const draft = useDraft(valuesOf(event), useBegun(event, begun))
  const sessions = useAllOf('session')
  const { values, field } = draft
  return (
    <EntityEdit
      kind="timeline_event"
      thing={event && { id: event.id, revision: event.revision, label: event.title, values: valuesOf(event) }}
      draft={draft}
      proposes={!isDm}
    >
      <VisibilityField draft={draft} hint="Nothing on the timeline tells that there is such a day." />
      <TextField label="What happened" required autofocus={!event} maxLength={300} {...field('title')} />
      <WorldDateField
        label="When"
        calendar={calendar}
        {...field('worldDate')}
        hint="A year is enough. Leave all three empty where nobody knows when."
      />
      {values.worldDate === null && (
        <TextField label="In which age" placeholder="The age of stags" maxLength={120} {...field('era')} />
      )}
      <ReferenceField
        label="At our table"
        none="Not in a session"
        {...field('sessionId')}
        options={sessions.map((one) => ({
          id: one.id,
          word: one.title ? `${one.number}, ${one.title}` : `Session ${one.number}`,
        }))}
      />
      <MarkdownField label="What is told of it" rows={6} {...field('body')} hint="The party reads this." />
      <DmFields draft={draft} />
    </EntityEdit>
  )
}
