import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import { parseWorldDate } from '../../../kernel/world-calendar.ts'
import type { TimelineEvent, WorldCalendar } from '../../api/contract.ts'
import { HiddenBadge } from '../../kit/dm-only.tsx'
import { useKept } from '../../kit/hooks.ts'
import { useSearchedList } from '../../kit/list.tsx'
import { ListBody } from '../../kit/list-page.tsx'
import { Section } from '../../kit/page.tsx'
import { excerpt } from '../../kit/prose.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { WindowedList } from '../../kit/windowed-list.tsx'
import { useCampaign } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { dateOf, numberOf } from './words.ts'

type Which = 'all' | 'table'

/** All that is written, the latest first; what nobody can date stands at the end. */
export function Told({ calendar }: { calendar: WorldCalendar }): JSX.Element {
  const { campaignId } = useCampaign()
  const [which, setWhich] = useKept<Which>('which', 'all')
  const list = useSearchedList(
    'list_timeline_events',
    { campaignId, direction: 'backward', limit: 50 },
    { by: which === 'table' ? { atTable: true } : {} },
  )
  const shown = list.shown
  return (
    <Section
      title="What has happened"
      class="told"
      end={
        <ToggleGroup<Which>
          label="Which"
          value={which}
          onValue={setWhich}
          options={[
            { value: 'all', word: 'All of it' },
            { value: 'table', word: 'At our table' },
          ]}
        />
      }
    >
      <ListBody
        list={list}
        shown={shown}
        placeholder="A word of what happened"
        filterFrom={12}
        one="event"
        many="events"
        noneInView="Nothing of it happened at your table yet."
      >
        <ol class="timeline">
          <WindowedList items={shown} narrowed={list.typed} inList>
            {(event) => <Entry key={event.id} calendar={calendar} event={event} />}
          </WindowedList>
        </ol>
      </ListBody>
    </Section>
  )
}

function Entry({ calendar, event }: { calendar: WorldCalendar; event: TimelineEvent }): JSX.Element {
  const { campaignId } = useCampaign()
  const today = numberOf(calendar, { worldDate: calendar.currentDate })
  const number = numberOf(calendar, event)
  const isToday = number !== null && number === today && parseWorldDate(event.worldDate ?? '')?.day != null
  const thisYear = parseWorldDate(calendar.currentDate ?? '')?.year ?? null
  const isToCome = number !== null && today !== null && number > today
  const when = [
    event.worldDate === null && event.era !== null ? event.era : dateOf(calendar, event.worldDate, thisYear),
    isToday && 'today',
    isToCome && 'still to come',
    event.session?.title,
  ]
  const look = event.hidden ? 'dm' : isToday ? 'now' : event.sessionId !== null ? 'big' : undefined
  return (
    <li class={look}>
      <span class="when">
        {when.filter(Boolean).join(', ')}
        {event.movedFrom && <span class="moved-mark">Moved from {event.movedFrom}</span>}
      </span>
      <Link href={sectionPath(campaignId, 'timeline', event.id)}>{event.title}</Link>
      {event.excerpt && <span class="soft"> {excerpt(event.excerpt, 140)}</span>}
      {event.hidden && (
        <>
          {' '}
          <HiddenBadge>only you</HiddenBadge>
        </>
      )}
    </li>
  )
}
