import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import {
  dayAt,
  daysOfMonth,
  parseWorldDate,
  settle,
  weekdayOf,
  writeWorldDate,
  yearWords,
} from '../../../kernel/world-calendar.ts'
import type { TimelineEvent, WorldCalendar } from '../../api/contract.ts'
import { Button, IconButton } from '../../kit/button.tsx'
import { groupBy } from '../../kit/list.tsx'
import { useCampaign, usePages } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { besideMonth, numberOf } from './words.ts'

interface MonthProps {
  readonly calendar: WorldCalendar
  readonly year: number
  readonly month: number | null
  readonly chosen: string | null
  readonly onChoose: (day: string) => void
  readonly onTurn: (step: 1 | -1) => void
  readonly onAdd?: ((day: string) => void) | undefined
}

/** The days of one month in weeks of any length, with what happens on them. One of its days has the focus of all. */
export function Month(props: MonthProps): JSX.Element | null {
  const { calendar, year, month: monthId, chosen, onChoose, onTurn, onAdd } = props
  const { campaignId } = useCampaign()
  const grid = useRef<HTMLDivElement>(null)
  const month = calendar.months.find(({ id }) => id === monthId)
  const ofMonth = month ? writeWorldDate({ year, month: month.id, day: null }) : null
  const list = usePages(
    'list_timeline_events',
    ofMonth === null ? null : { campaignId, from: ofMonth, to: ofMonth, limit: 200 },
    { all: true },
  )
  const days = month ? daysOfMonth(month, year) : 0
  const first = month ? settle(calendar, { year, month: month.id, day: 1 }).number : 0
  const today = numberOf(calendar, { worldDate: calendar.currentDate })
  const chosenNumber = numberOf(calendar, { worldDate: chosen })
  const inMonth = (number: number | null): number | null =>
    number !== null && number >= first && number < first + days ? number : null
  const [focused, setFocused] = useState<number | null>(null)
  if (month === undefined) return null
  const week = calendar.weekdays.length
  const blank = weekdayOf(calendar, dayAt(calendar, first)) ?? 0
  // What is told of the month as a whole stands on none of its days.
  const dated = list.items.filter((event) => parseWorldDate(event.worldDate ?? '')?.day != null)
  const whole = list.items.filter((event) => parseWorldDate(event.worldDate ?? '')?.day == null)
  const byDay = groupBy(dated, (event) => numberOf(calendar, event))
  const stop = inMonth(focused) ?? inMonth(chosenNumber) ?? inMonth(today) ?? first
  const dayButtons = () => [...(grid.current?.querySelectorAll<HTMLElement>('button') ?? [])]
  const go = (number: number) => {
    if (inMonth(number) === null) return
    setFocused(number)
    dayButtons()[number - first]?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -week, ArrowDown: week }
    const step = steps[event.key]
    // From the day that has the focus, not from the one last drawn: a second key may come before a drawing.
    const index = dayButtons().indexOf(event.target as HTMLElement)
    const from = index < 0 ? stop : first + index
    const to = event.key === 'Home' ? first : event.key === 'End' ? first + days - 1 : step && from + step
    if (to === undefined || to === 0) return
    event.preventDefault()
    go(to)
  }
  const nameOf = (step: 1 | -1): string => {
    const beside = besideMonth(calendar, { year, month: monthId, day: null }, step)
    return calendar.months.find(({ id }) => id === beside.month)?.name ?? ''
  }
  const chosenIn = inMonth(chosenNumber)
  return (
    <section class="section" aria-label={`${month.name} ${yearWords(calendar, year)}`}>
      <div class="month-head">
        <IconButton icon="left" label={`The month before, ${nameOf(-1)}`} onClick={() => onTurn(-1)} />
        <h2 aria-live="polite">
          {month.name}
          {parseWorldDate(calendar.currentDate ?? '')?.year !== year && <small> {yearWords(calendar, year)}</small>}
        </h2>
        <IconButton icon="right" label={`The month after, ${nameOf(1)}`} onClick={() => onTurn(1)} />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be a box of its own */}
      <div
        ref={grid}
        class="month"
        role="group"
        aria-label="Days. Arrow keys go from day to day."
        style={{ '--week': String(week) }}
        onKeyDown={onKeyDown}
      >
        {!month.between &&
          calendar.weekdays.map((name) => (
            <span key={name} class="weekday" title={name} aria-hidden="true">
              <span>{name}</span>
            </span>
          ))}
        {Array.from({ length: days }, (_, index) => {
          const number = first + index
          const date = writeWorldDate({ year, month: month.id, day: index + 1 })
          return (
            <Day
              key={number}
              day={index + 1}
              monthName={month.name}
              number={number}
              today={today}
              events={byDay.get(number) ?? []}
              column={index === 0 && !month.between ? blank + 1 : undefined}
              chosen={number === chosenNumber}
              reachable={number === stop}
              onChoose={() => {
                setFocused(number)
                onChoose(date)
              }}
            />
          )
        })}
      </div>
      {whole.length > 0 && (
        <p class="small soft">In this month, on no day that is known: {whole.map(({ title }) => title).join('; ')}</p>
      )}
      {chosenIn !== null && chosen !== null && (
        <div class="chosen-day" aria-live="polite">
          <h3>
            {chosenIn - first + 1} {month.name}
          </h3>
          {(byDay.get(chosenIn) ?? []).length === 0 && <p class="soft small">Nothing is written for this day.</p>}
          <ul class="rows">
            {(byDay.get(chosenIn) ?? []).map((event) => (
              <li key={event.id} class="row-line">
                <Link class={event.hidden ? 'dm-ink' : undefined} href={sectionPath(campaignId, 'timeline', event.id)}>
                  {event.title}
                </Link>
              </li>
            ))}
          </ul>
          {onAdd && (
            <Button variant="quiet" class="outdent" icon="plus" onClick={() => onAdd(chosen)}>
              An event on this day
            </Button>
          )}
        </div>
      )}
      <ul class="plot-key">
        <li>
          <i class="happened" />
          happened
        </li>
        <li>
          <i />
          known to come
        </li>
        {dated.some(({ hidden }) => hidden) && (
          <li class="dm-ink">
            <i class="dm" />
            only you know
          </li>
        )}
      </ul>
    </section>
  )
}

/** As many events of a day as stand in its square; the rest is a number. */
const SHOWN = 3

function Day({
  day,
  monthName,
  number,
  today,
  events,
  column,
  chosen,
  reachable,
  onChoose,
}: {
  day: number
  monthName: string
  number: number
  today: number | null
  events: readonly TimelineEvent[]
  column: number | undefined
  chosen: boolean
  reachable: boolean
  onChoose: () => void
}): JSX.Element {
  const isPast = today !== null && number < today
  const isToday = number === today
  const look = (event: TimelineEvent) => (event.hidden ? 'event dm' : isPast || isToday ? 'event' : 'event soon')
  return (
    <button
      type="button"
      class={['day', isPast && 'past', isToday && 'today-square', chosen && 'picked'].filter(Boolean).join(' ')}
      style={column === undefined ? undefined : { gridColumnStart: column }}
      aria-current={isToday ? 'date' : undefined}
      aria-pressed={chosen}
      tabIndex={reachable ? 0 : -1}
      onClick={onChoose}
    >
      <b>{day}</b>
      <span class="visually-hidden">
        {' '}
        {monthName}
        {isToday && ', today'}
        {events.length > 0 && ': '}
      </span>
      {events.slice(0, SHOWN).map((event, index) => (
        <span key={event.id} class={look(event)}>
          <span>
            {event.title}
            <span class="visually-hidden">
              {event.hidden && ' (only you)'}
              {index < events.length - 1 && ', '}
            </span>
          </span>
        </span>
      ))}
      {events.length > SHOWN && <span class="faint">and {events.length - SHOWN} more</span>}
    </button>
  )
}
