import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Input, TimelineEvent, WorldCalendar } from '../../api/contract.ts'
import { Button, IconButton } from '../../kit/button.tsx'
import { Checkbox, SelectField, TextField, useField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { capitalize } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import { useOpened, useWords } from '../../kit/words.ts'
import { useSave } from '../../shell/actions.ts'
import { useCampaign } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { WorldDateField } from './date-field.tsx'
import { MonthDialog } from './month-dialog.tsx'
import { calendarInput, type GivenMonth, numberWord } from './words.ts'

type Given = Omit<Input<'update_world_calendar'>, 'campaignId'>
type GivenMoon = NonNullable<Given['moons']>[number]
type GivenEra = NonNullable<Given['eras']>[number]

interface Draft {
  readonly months: readonly GivenMonth[]
  readonly week: string
  readonly firstWeekday: number
  readonly moons: readonly GivenMoon[]
  readonly eras: readonly GivenEra[]
  readonly currentDate: string | null
}

function draftOf(calendar: WorldCalendar): Draft {
  const { weekdays, ...parts } = calendarInput(calendar)
  return { ...parts, week: weekdays.join(', '), currentDate: calendar.currentDate }
}

const daysOf = (week: string): string[] =>
  week
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)

/** How this world counts, unfolded where it stands: months, week, days between, moons, eras, and what day it is. */
export function CalendarEditor({ calendar }: { calendar: WorldCalendar }): JSX.Element {
  const [begun] = useOpened('calendar')
  const [open, setOpen] = useState(begun)
  const [moved, setMoved] = useState<{ readonly events: readonly TimelineEvent[]; readonly count: number } | null>(null)
  const months = calendar.months.filter(({ between }) => !between).length
  const moons = calendar.moons.length
  const said = [
    `${capitalize(numberWord(months))} ${months === 1 ? 'month' : 'months'}`,
    `a week of ${numberWord(calendar.weekdays.length)}`,
    ...(moons > 0 ? [`${numberWord(moons)} ${moons === 1 ? 'moon' : 'moons'}`] : []),
  ]
  return (
    <details class="section calendar-editor" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="right" size="s" />
        <span class="h2">How this world counts</span>
        <span class="small soft desktop-only">{said.join(', ')}</span>
      </summary>
      {moved && moved.count > 0 && <Moved {...moved} />}
      {open && <Editor calendar={calendar} onSaved={setMoved} />}
    </details>
  )
}

/** What became of events whose days are gone. */
function Moved({ events, count }: { events: readonly TimelineEvent[]; count: number }): JSX.Element {
  const { campaignId } = useCampaign()
  return (
    <section class="report" role="status">
      <h3>{count === 1 ? 'One event stood on a day that is gone' : `${count} events stood on days that are gone`}</h3>
      <p class="soft small">
        They count for the last day before and are marked. Give the day back, and they are on it again.
      </p>
      <ul class="rows">
        {events.map((event) => (
          <li key={event.id} class="row-line">
            <Link href={sectionPath(campaignId, 'timeline', event.id)}>{event.title}</Link>
            <span class="soft small">
              {event.worldDateText}, written for {event.movedFrom}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Editor({
  calendar,
  onSaved,
}: {
  calendar: WorldCalendar
  onSaved: (moved: { events: readonly TimelineEvent[]; count: number }) => void
}): JSX.Element {
  const { campaignId } = useCampaign()
  const save = useSave()
  const submitting = useSubmit()
  const [begun] = useOpened('calendar')
  const words = useWords('calendar', { base: calendar.revision, ...draftOf(calendar) })
  const { base, ...draft } = words.values
  const [changed, setChanged] = useState(begun)
  const [dialog, setDialog] = useState<number | null>(null)
  // What others changed meanwhile is taken over as long as nothing was written here.
  if (!changed && !submitting.busy && calendar.revision > base)
    words.set({ base: calendar.revision, ...draftOf(calendar) })
  const put = (part: Partial<Draft>) => {
    setChanged(true)
    words.set(part)
  }
  const { months, moons, eras } = draft
  const putAt = <T,>(all: readonly T[], index: number, row: T): readonly T[] =>
    all.map((each, at) => (at === index ? row : each))
  const without = <T,>(all: readonly T[], index: number): readonly T[] => all.filter((_, at) => at !== index)
  const keep = () =>
    submitting.run(async () => {
      const { week, months: given, moons: newMoons, eras: newEras, firstWeekday, currentDate } = draft
      const written = await save('update_world_calendar', {
        campaignId,
        // Today is sent where it is another: a day that this calendar has not any more is moved by the server.
        ...(currentDate === calendar.currentDate ? {} : { currentDate }),
        firstWeekday: Math.min(firstWeekday, Math.max(0, daysOf(week).length - 1)),
        months: [...given],
        moons: [...newMoons],
        eras: [...newEras],
        weekdays: daysOf(week),
        expectedRevision: base,
      })
      if (written.kind !== 'done') return
      words.set({ base: written.value.revision, ...draftOf(written.value) })
      words.forget()
      setChanged(false)
      onSaved({ events: written.value.moved, count: written.value.movedCount })
    })
  const weekdays = daysOf(draft.week)
  const editing = dialog === null ? undefined : months[dialog]
  return (
    <Form
      operation="update_world_calendar"
      ownWords
      submitting={submitting}
      onSubmit={() => void keep()}
      class="calendar-form"
    >
      <div class="calendar-grid">
        <section>
          <h3>Months, and their days</h3>
          <ol class="month-rows">
            {months.map((month, index) => (
              <MonthRow
                key={month.id ?? `new-${index}`}
                month={month}
                index={index}
                onMonth={(row) => put({ months: putAt(months, index, row) })}
                onMore={() => setDialog(index)}
              />
            ))}
          </ol>
          <Button
            variant="quiet"
            class="outdent"
            icon="plus"
            disabled={months.length >= 60}
            onClick={() => put({ months: [...months, { name: '', days: 30 }] })}
          >
            A month
          </Button>
        </section>
        <div class="stack">
          <section>
            <h3>The week</h3>
            <TextField
              label="Its days"
              name="weekdays"
              hint="Names between commas."
              required
              value={draft.week}
              onValue={(week) => put({ week })}
            />
            <SelectField
              label="The first day of year 1 is a"
              name="firstWeekday"
              value={String(Math.min(draft.firstWeekday, Math.max(0, weekdays.length - 1)))}
              onValue={(firstWeekday) => put({ firstWeekday: Number(firstWeekday) })}
              options={weekdays.map((word, index) => ({ value: String(index), word }))}
            />
          </section>
          <section>
            <h3>Moons</h3>
            {moons.map((moon, index) => (
              <fieldset key={index} class="calendar-row">
                <legend class="visually-hidden">Moon {index + 1}</legend>
                <TextField
                  label="Name"
                  name={`moons.${index}.name`}
                  required
                  maxLength={60}
                  value={moon.name}
                  onValue={(name) => put({ moons: putAt(moons, index, { ...moon, name }) })}
                />
                <NumberField
                  label="Days from full to full"
                  name={`moons.${index}.period`}
                  min={1}
                  max={10_000}
                  decimals={4}
                  required
                  value={moon.period || null}
                  onValue={(period) => put({ moons: putAt(moons, index, { ...moon, period: period ?? 0 }) })}
                />
                <WorldDateField
                  label="A day on which it was full"
                  name={`moons.${index}.fullOn`}
                  calendar={calendar}
                  whole
                  value={moon.fullOn}
                  onValue={(fullOn) => put({ moons: putAt(moons, index, { ...moon, fullOn: fullOn ?? '' }) })}
                />
                <Button variant="danger-quiet" onClick={() => put({ moons: without(moons, index) })}>
                  Take {moon.name || 'it'} from the sky
                </Button>
              </fieldset>
            ))}
            {moons.length < 10 && (
              <Button
                variant="quiet"
                class="outdent"
                icon="plus"
                onClick={() =>
                  put({ moons: [...moons, { name: '', period: 28, fullOn: calendar.currentDate ?? '1-1-1' }] })
                }
              >
                A moon
              </Button>
            )}
          </section>
          <section>
            <h3>Years</h3>
            {eras.map((era, index) => (
              <fieldset key={index} class="calendar-row">
                <legend class="visually-hidden">Era {index + 1}</legend>
                <TextField
                  label="Era"
                  name={`eras.${index}.name`}
                  placeholder="since the River’s Turning"
                  required
                  maxLength={60}
                  value={era.name}
                  onValue={(name) => put({ eras: putAt(eras, index, { ...era, name }) })}
                />
                <NumberField
                  label="Its first year"
                  name={`eras.${index}.from`}
                  min={-999_999}
                  max={999_999}
                  required
                  value={era.from}
                  onValue={(from) => put({ eras: putAt(eras, index, { ...era, from: from ?? 0 }) })}
                />
                <Checkbox
                  label="Its years are counted anew, from 1"
                  checked={era.restarts ?? false}
                  onValue={(restarts) => put({ eras: putAt(eras, index, { ...era, restarts }) })}
                />
                <Button variant="danger-quiet" onClick={() => put({ eras: without(eras, index) })}>
                  Leave {era.name || 'it'} out
                </Button>
              </fieldset>
            ))}
            {eras.length < 30 && (
              <Button
                variant="quiet"
                class="outdent"
                icon="plus"
                onClick={() => put({ eras: [...eras, { name: '', from: (eras.at(-1)?.from ?? -1) + 1 }] })}
              >
                An era
              </Button>
            )}
          </section>
          <section>
            <h3>Today</h3>
            <WorldDateField
              label="Today in the world"
              name="currentDate"
              calendar={calendar}
              whole
              value={draft.currentDate}
              onValue={(currentDate) => put({ currentDate })}
            />
          </section>
        </div>
      </div>
      <FormError error={submitting.error} />
      <p class="line">
        <Button type="submit" icon="check" busy={submitting.busy} disabled={!changed}>
          Save the calendar
        </Button>
        <span class="small soft">
          Change it in the middle of a tale if you must: days that no longer exist are moved and marked, never dropped.
        </span>
      </p>
      {editing && dialog !== null && (
        <MonthDialog
          month={editing}
          onMonth={(row) => put({ months: putAt(months, dialog, row) })}
          onBefore={() => {
            put({ months: months.toSpliced(dialog, 0, { name: '', days: 30 }) })
            setDialog(null)
          }}
          onRemove={
            months.length > 1
              ? () => {
                  put({ months: without(months, dialog) })
                  setDialog(null)
                }
              : undefined
          }
          onClose={() => setDialog(null)}
        />
      )}
    </Form>
  )
}

function MonthRow({
  month,
  index,
  onMonth,
  onMore,
}: {
  month: GivenMonth
  index: number
  onMonth: (month: GivenMonth) => void
  onMore: () => void
}): JSX.Element {
  const name = useField(`months.${index}.name`, undefined)
  const days = useField(`months.${index}.days`, undefined)
  const number = index + 1
  return (
    <li>
      <label class="visually-hidden" for={name.ids.id}>
        {month.between ? `Days between, ${number}` : `Month ${number}`}
      </label>
      <input
        {...name.ids}
        class={month.between ? 'input between' : 'input'}
        required
        maxLength={60}
        value={month.name}
        onInput={(event) => onMonth({ ...month, name: event.currentTarget.value })}
      />
      <label class="visually-hidden" for={days.ids.id}>
        Days in {month.name || `month ${number}`}
      </label>
      <input
        {...days.ids}
        class="input days"
        inputMode="numeric"
        required
        pattern="[0-9]{1,4}"
        value={month.days}
        onInput={(event) => onMonth({ ...month, days: Number(event.currentTarget.value.replace(/\D/g, '')) })}
      />
      <IconButton icon="more" label={`More about ${month.name || `month ${number}`}`} onClick={onMore} />
      {name.after}
      {days.after}
    </li>
  )
}
