import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import {
  dateWords,
  dayAt,
  dayWords,
  parseWorldDate,
  settle,
  weekdayOf,
  writeWorldDate,
  yearWords,
} from '../../../kernel/world-calendar.ts'
import type { TimelineEvent, WorldCalendar } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { capitalize } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, usePages } from '../../shell/context.ts'
import { WorldDateField } from './date-field.tsx'
import { Moon } from './moon.tsx'
import { calendarInput, dateOf, daysWord, numberOf, numberWord } from './words.ts'

/** Moves the world on by days, with a way back. */
export function useAdvance(): (days: number) => Promise<boolean> {
  const { campaignId } = useCampaign()
  const act = useAction()
  return async (days) => {
    const undo = () => act('advance_world_date', { campaignId, days: -days })
    const by = daysWord(Math.abs(days))
    const message = days > 0 ? `${capitalize(by)} on.` : `${capitalize(by)} back.`
    return (await act('advance_world_date', { campaignId, days }, { message, undo })) !== null
  }
}

/** What day it is, with its moons, and for a DM the way on. */
export function Today({
  calendar,
  ahead,
}: {
  calendar: WorldCalendar
  ahead: readonly TimelineEvent[]
}): JSX.Element | null {
  const { campaign, isDm, mayWrite } = useCampaign()
  const date = calendar.currentDate === null ? null : parseWorldDate(calendar.currentDate)
  if (date === null) return null
  const today = dayAt(calendar, settle(calendar, date).number)
  const weekday = calendar.weekdays[weekdayOf(calendar, today) ?? -1]
  const month = calendar.months.find(({ id }) => id === today.month)
  const year = `the year ${yearWords(calendar, today.year)}`
  const [next] = ahead
  const until = next === undefined ? 0 : (numberOf(calendar, next) ?? 0) - today.number
  const said = [
    next && `${capitalize(daysWord(until))} to ${next.title}.`,
    campaign.currentLocation && `The party is at ${campaign.currentLocation.title}.`,
  ]
  return (
    <section class="today" aria-label="Today in the world">
      <p class="big-day">
        <b>{today.day}</b>
        {month?.name}
      </p>
      <div>
        <h2>{weekday ? `${weekday}, in ${year}` : `Between the months, in ${year}`}</h2>
        <p class="soft">{said.filter(Boolean).join(' ')}</p>
        <ul class="moons">
          {calendar.moons.map((moon) => (
            <Moon key={moon.name} calendar={calendar} moon={moon} number={today.number} />
          ))}
        </ul>
      </div>
      {isDm && mayWrite && <MoveOn calendar={calendar} number={today.number} next={next} until={until} />}
    </section>
  )
}

function MoveOn({
  calendar,
  number,
  next,
  until,
}: {
  calendar: WorldCalendar
  number: number
  next: TimelineEvent | undefined
  until: number
}): JSX.Element {
  const [days, setDays] = useState<number | null>(null)
  const week = calendar.weekdays.length
  const ways: readonly (readonly [number, string])[] = [
    [1, 'One day'],
    [3, 'Three days'],
    ...(week > 1 && week !== 3 ? [[week, `A week of ${numberWord(week)}`] as const] : []),
    ...(next !== undefined && until > 0 && ![1, 3, week].includes(until)
      ? [[until, `Until ${next.title}`] as const]
      : []),
    [-1, 'A day back'],
  ]
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be a box of its own */}
      <div class="ways" role="group" aria-label="Move the world on">
        {ways.map(([by, word]) => (
          <Button key={by} aria-pressed={days === by} onClick={() => setDays(days === by ? null : by)}>
            {word}
          </Button>
        ))}
      </div>
      {days !== null && <Preview calendar={calendar} number={number} days={days} onDone={() => setDays(null)} />}
    </>
  )
}

/** What would be gone by, before anything moves. */
function Preview({
  calendar,
  number,
  days,
  onDone,
}: {
  calendar: WorldCalendar
  number: number
  days: number
  onDone: () => void
}): JSX.Element {
  const { campaignId } = useCampaign()
  const advance = useAdvance()
  const then = dayAt(calendar, number + days)
  const [first, last] = days > 0 ? [number + 1, number + days] : [number + days + 1, number]
  const list = usePages('list_timeline_events', {
    campaignId,
    from: writeWorldDate(dayAt(calendar, first)),
    to: writeWorldDate(dayAt(calendar, last)),
    limit: 50,
  })
  const passing = `If ${daysWord(Math.abs(days))} ${Math.abs(days) === 1 ? 'passes' : 'pass'}`
  const things =
    list.items.length === 1 ? 'one thing' : `${numberWord(list.items.length)}${list.more ? ' and more' : ''} things`
  const title =
    days < 0
      ? `Back by ${daysWord(-days)}?`
      : list.items.length === 0
        ? `${passing}, nothing happens on the way`
        : `${passing}, you go by ${things}`
  return (
    <section class="report ahead-report" aria-live="polite" aria-busy={list.waiting}>
      <h3>{list.waiting ? `${passing}…` : title}</h3>
      {days < 0 && (
        <p class="soft small">
          Going back forgets nothing. What lay in between stays written and waits to happen again.
        </p>
      )}
      <ul class="says">
        {list.items.map((event) => (
          <li key={event.id} class={event.hidden ? 'dm' : 'mind'}>
            <Icon name={event.hidden ? 'eyeoff' : 'clock'} />
            <span>
              <b>{dateOf(calendar, event.worldDate, then.year)}.</b> {event.title}.{' '}
              {event.hidden ? <span class="dm-ink small">Only you know this</span> : 'Players know of it'}
            </span>
          </li>
        ))}
      </ul>
      <div class="line">
        <Button
          icon={days < 0 ? 'undo' : 'right'}
          onClick={async () => {
            if (await advance(days)) onDone()
          }}
        >
          {days < 0 ? 'Go back to' : 'Move on to'}{' '}
          {then.year === dayAt(calendar, number).year ? dayWords(calendar, then) : dateWords(calendar, then)}
        </Button>
        <span class="small soft">Nothing happens by itself. You are only told.</span>
      </div>
    </section>
  )
}

/** Nobody has said yet what day it is. */
export function FirstDay({ calendar }: { calendar: WorldCalendar }): JSX.Element {
  const { campaignId, isDm, mayWrite } = useCampaign()
  const act = useAction()
  const [date, setDate] = useState<string | null>(null)
  const isDay = date !== null && parseWorldDate(date)?.day != null
  if (!isDm || !mayWrite) return <p class="soft">Nobody has said yet what day it is in the world.</p>
  return (
    <section class="first-day" aria-label="Today in the world">
      <h2>What day is it?</h2>
      <p class="soft">
        Say where the tale stands, and the world can count from there. How it counts you can change below, now or later.
      </p>
      <WorldDateField label="Today in the world" calendar={calendar} value={date} onValue={setDate} whole />
      <Button
        icon="check"
        disabled={!isDay}
        onClick={() =>
          void act(
            'update_world_calendar',
            { campaignId, ...calendarInput(calendar), currentDate: date, expectedRevision: calendar.revision },
            { message: 'The world has a day.' },
          )
        }
      >
        Begin here
      </Button>
    </section>
  )
}
