import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { type Meaning, meaningOf, type WallTime, wallTimeAt } from '../../kernel/zoned-time.ts'
import { type FieldProps, useField } from './field.tsx'
import { day, time } from './format.ts'
import { useUniqueId } from './hooks.ts'
import { ownZone } from './zoned-time.ts'
import { zonesByRegion } from './zones.ts'

/** A planned moment: the instant, and the zone in which people speak of it. */
export interface ZonedTime {
  /** ISO 8601 in UTC; null while a part of it is missing. */
  readonly at: string | null
  /** An IANA time zone: `Europe/Berlin`. */
  readonly timeZone: string
}

/** What is odd about a time on the day on which the clocks change, as a sentence. */
function oddity({ shown, taken }: Meaning, timeZone: string): string | null {
  if (shown.length === 1) return null
  return shown.length === 0
    ? `Clocks are put forward that day and skip this time. ${wallTimeAt(taken, timeZone).time} is meant.`
    : 'Clocks are put back that day and show this time twice. The first one is meant.'
}

const none: WallTime = { date: '', time: '' }

/** A day, a time and where that time counts. Another zone keeps what the clock shows, and so moves the instant. */
export function DateTimeField({
  label,
  name,
  hint,
  value,
  onValue,
  required,
}: FieldProps & { value: ZonedTime; onValue: (value: ZonedTime) => void; required?: boolean }): JSX.Element {
  const { at, timeZone } = value
  const [typed, setTyped] = useState<WallTime>(() => (at === null ? none : wallTimeAt(at, timeZone)))
  // What came from elsewhere is shown; what is half typed stays.
  const meaning = meaningOf(typed, timeZone)
  const isTyped = at === null || meaning?.taken === at
  const shown = isTyped ? typed : wallTimeAt(at, timeZone)
  const own = ownZone()
  const foreign = at !== null && timeZone !== own
  const odd = isTyped && at !== null && meaning !== null ? oddity(meaning, timeZone) : null
  const { ids, after } = useField(name, odd ?? (foreign ? `That is ${day(at)}, ${time(at)} where you are.` : hint))
  const zoneId = useUniqueId()
  const timeId = useUniqueId()
  const regions = useMemo(zonesByRegion, [])
  const change = (wall: WallTime, zone: string) => {
    setTyped(wall)
    onValue({ at: meaningOf(wall, zone)?.taken ?? null, timeZone: zone })
  }
  return (
    <div class="field">
      <label for={ids.id}>{label}</label>
      <div class="date-time">
        <input
          {...ids}
          class="input"
          type="date"
          name={name}
          required={required}
          value={shown.date}
          onInput={({ currentTarget }) => change({ ...shown, date: currentTarget.value }, timeZone)}
        />
        <label class="visually-hidden" for={timeId}>
          {`${label}: time`}
        </label>
        <input
          id={timeId}
          class="input"
          type="time"
          required={required}
          value={shown.time}
          onInput={({ currentTarget }) => change({ ...shown, time: currentTarget.value }, timeZone)}
        />
        <label class="visually-hidden" for={zoneId}>
          {`${label}: time zone`}
        </label>
        <select id={zoneId} class="input" onChange={({ currentTarget }) => change(shown, currentTarget.value)}>
          {[...regions].map(([region, zones]) => (
            <optgroup key={region} label={region}>
              {zones.map((zone) => (
                <option key={zone} value={zone} selected={zone === timeZone}>
                  {zone.replaceAll('_', ' ')}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </div>
      {after}
    </div>
  )
}
