import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { parseWorldDate } from '../../../kernel/world-calendar.ts'
import type { TimelineEvent, WorldCalendar } from '../../api/contract.ts'
import { LinkButton } from '../../kit/button.tsx'
import { Fact, LoadError, Loading, PageHeader } from '../../kit/page.tsx'
import { useCampaign, usePages, usePageTitle, useQuery } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { useShortcuts } from '../../shell/navigation.tsx'
import { Ages } from './ages.tsx'
import { CalendarEditor } from './calendar-editor.tsx'
import { Month } from './month.tsx'
import { FirstDay, Today, useAdvance } from './today.tsx'
import { Told } from './told.tsx'
import { besideMonth, daysWord, numberOf, yearInEra } from './words.ts'
import './styles.ts'

/** The day that is today, if somebody has said. */
const todayOf = (calendar: WorldCalendar) =>
  calendar.currentDate === null ? null : parseWorldDate(calendar.currentDate)

export function TimelinePage(): JSX.Element {
  const { campaignId, campaign } = useCampaign()
  const { data: calendar, error, retry } = useQuery('get_world_calendar', { campaignId })
  usePageTitle('Timeline', campaign.name)
  if (calendar === undefined) return error ? <LoadError error={error} retry={retry} /> : <Loading />
  return <Page calendar={calendar} />
}

function Page({ calendar }: { calendar: WorldCalendar }): JSX.Element {
  const { campaignId, isDm, mayEdit, mayWrite } = useCampaign()
  const [, navigate] = useLocation()
  const today = todayOf(calendar)
  const [shown, setShown] = useState<{ readonly year: number; readonly month: number | null } | null>(null)
  const [chosen, setChosen] = useState<string | null>(null)
  const advance = useAdvance()
  const month = shown ?? today ?? { year: 1, month: calendar.months[0]?.id ?? null }
  const turn = (step: 1 | -1) => setShown(besideMonth(calendar, { ...month, day: null }, step))
  const newEvent = (on: string | null) =>
    navigate(`${sectionPath(campaignId, 'timeline', 'new')}${on === null ? '' : `?on=${on}`}`)
  useShortcuts([
    { key: '[', run: () => turn(-1) },
    { key: ']', run: () => turn(1) },
    ...(isDm && mayWrite && today !== null ? [{ key: '.', run: () => void advance(1) }] : []),
    ...(mayEdit ? [{ key: 'e', run: () => newEvent(chosen ?? calendar.currentDate) }] : []),
  ])
  const ahead = useAhead(calendar)
  const isEmpty = useIsEmpty()
  return (
    <>
      <PageHeader title="Timeline">
        {mayEdit && (
          <LinkButton variant="primary" icon="plus" to={sectionPath(campaignId, 'timeline', 'new')}>
            {isDm ? 'Add an event' : 'Propose an event'}
          </LinkButton>
        )}
      </PageHeader>
      <div class="two-columns timeline-page">
        <div>
          {today === null ? <FirstDay calendar={calendar} /> : <Today calendar={calendar} ahead={ahead} />}
          <Month
            key={`${month.year}-${month.month}`}
            calendar={calendar}
            year={month.year}
            month={month.month}
            chosen={chosen}
            onChoose={setChosen}
            onTurn={turn}
            onAdd={mayEdit ? newEvent : undefined}
          />
          <Ages calendar={calendar} />
          {isEmpty ? <NothingYet /> : <Told calendar={calendar} />}
        </div>
        <aside class="side-column">
          <dl class="facts">
            {today && <Fact name="This year">{yearInEra(calendar, today.year)}</Fact>}
            {ahead.length > 0 && <Ahead calendar={calendar} ahead={ahead} />}
            {isDm && (
              <Fact name="What players see">
                Today’s date{calendar.moons.length > 0 && ', the moons'} and every event that is not blue. Never a day
                that you wrote in blue, nor how many there are.
              </Fact>
            )}
          </dl>
          {mayEdit && (
            <p class="key-hints desktop-only">
              {isDm && today !== null && (
                <span>
                  <kbd>.</kbd>on by a day
                </span>
              )}
              <span>
                <kbd>[</kbd>
                <kbd>]</kbd>month before, after
              </span>
              <span>
                <kbd>e</kbd>event on the chosen day
              </span>
            </p>
          )}
        </aside>
      </div>
      {isDm && mayWrite && <CalendarEditor calendar={calendar} />}
    </>
  )
}

/** The next events after today, whoever may know of them. */
function useAhead(calendar: WorldCalendar): readonly TimelineEvent[] {
  const { campaignId } = useCampaign()
  const from = calendar.currentDate
  const list = usePages('list_timeline_events', from === null ? null : { campaignId, from, limit: 30 })
  const today = numberOf(calendar, { worldDate: from }) ?? 0
  return list.items.filter((event) => (numberOf(calendar, event) ?? 0) > today)
}

function Ahead({ calendar, ahead }: { calendar: WorldCalendar; ahead: readonly TimelineEvent[] }): JSX.Element {
  const today = numberOf(calendar, { worldDate: calendar.currentDate }) ?? 0
  return (
    <Fact name="Ahead">
      {ahead.slice(0, 3).map((event) => (
        <span key={event.id} class={event.hidden ? 'dm-ink ahead-line' : 'ahead-line'}>
          {event.title}, in {daysWord((numberOf(calendar, event) ?? 0) - today)}
        </span>
      ))}
    </Fact>
  )
}

function useIsEmpty(): boolean {
  const { campaignId } = useCampaign()
  const list = usePages('list_timeline_events', { campaignId, direction: 'backward', limit: 50 })
  return !list.waiting && !list.error && list.items.length === 0
}

function NothingYet(): JSX.Element {
  const { campaignId, isDm, mayEdit } = useCampaign()
  return (
    <section class="section">
      <h2>Nothing has happened yet</h2>
      <p class="soft">A world needs one date to hang the rest on. When did the trouble start?</p>
      {mayEdit && (
        <LinkButton variant="quiet" class="outdent" icon="plus" to={sectionPath(campaignId, 'timeline', 'new')}>
          {isDm ? 'Add the first event' : 'Propose the first event'}
        </LinkButton>
      )}
    </section>
  )
}
