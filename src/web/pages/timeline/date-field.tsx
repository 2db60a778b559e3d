import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { parseWorldDate, type WorldCalendar, writeWorldDate } from '../../../kernel/world-calendar.ts'
import { SelectField, useField } from '../../kit/field.tsx'
import { NumberField } from '../../kit/number-field.tsx'

interface Parts {
  readonly year: number | null
  readonly month: number | null
  readonly day: number | null
}

const partsOf = (value: string | null): Parts =>
  (value === null ? null : parseWorldDate(value)) ?? { year: null, month: null, day: null }

const writtenOf = ({ year, month, day }: Parts): string | null =>
  year === null ? null : writeWorldDate({ year, month, day: month === null ? null : day })

/** A date of the world: a year, and where they are known a month and a day of it. `whole` asks for all three. */
export function WorldDateField({
  label,
  name,
  calendar,
  value,
  onValue,
  whole,
  hint,
}: {
  label: string
  name?: string
  calendar: WorldCalendar
  value: string | null
  onValue: (value: string | null) => void
  whole?: boolean
  hint?: string
}): JSX.Element {
  const { ids, after } = useField(name, hint)
  // A day is kept that is typed before its year: without one there is no date yet.
  const [kept, keep] = useState<Parts>(() => partsOf(value))
  const date = writtenOf(kept) === value ? kept : partsOf(value)
  const put = (part: Partial<Parts>) => {
    const next = { ...date, ...part }
    keep(next)
    onValue(writtenOf(next))
  }
  return (
    <fieldset class="field world-date" id={ids.id} aria-describedby={ids['aria-describedby']}>
      <legend>{label}</legend>
      <div>
        <NumberField
          label="Day"
          min={1}
          max={1000}
          value={date.day}
          required={whole === true}
          onValue={(day) => put({ day })}
        />
        <SelectField
          label="Month"
          value={date.month === null ? '' : String(date.month)}
          onValue={(month) => put({ month: month === '' ? null : Number(month) })}
          options={[
            ...(whole && date.month !== null ? [] : [{ value: '', word: whole ? 'Choose' : 'Not known' }]),
            ...calendar.months.map((month) => ({ value: String(month.id), word: month.name })),
          ]}
        />
        <NumberField
          label="Year"
          min={-999_999}
          max={999_999}
          value={date.year}
          required={whole === true}
          onValue={(year) => put({ year })}
        />
      </div>
      {after}
    </fieldset>
  )
}
