import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { type FieldProps, useField } from './field.tsx'
import { day, time } from './format.ts'
import { useUniqueId } from './hooks.ts'
import { instantOf, ownZone, type WallTime, wallTimeAt, zonesByRegion } from './zoned-time.ts'

/** A planned moment: the instant, and the zone in which people speak of it. */
export interface ZonedTime {
  /** ISO 8601 in UTC; null while a part of it is missing. */
  readonly at: string | null
  /** An IANA time zone: `Europe/Berlin`. */
  readonly timeZone: string
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
  const shown = at === null || instantOf(typed, timeZone) === at ? typed : wallTimeAt(at, timeZone)
  const own = ownZone()
  const foreign = at !== null && timeZone !== own
  const { ids, after } = useField(name, foreign ? `That is ${day(at)}, ${time(at)} where you are.` : hint)
  const zoneId = useUniqueId()
  const timeId = useUniqueId()
  const regions = useMemo(zonesByRegion, [])
  const change = (wall: WallTime, zone: string) => {
    setTyped(wall)
    onValue({ at: instantOf(wall, zone), timeZone: zone })
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
