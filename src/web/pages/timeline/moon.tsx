import type { JSX } from 'preact'
import { type CalendarMoon, moonOn, type WorldCalendar } from '../../../kernel/world-calendar.ts'
import { moonWord } from './words.ts'

/** How much of a moon is lit: the rim on the lit side, and the edge of the light, half an ellipse. */
export function MoonShape({ phase }: { phase: number }): JSX.Element {
  const waxing = phase < 0.5
  const width = Math.cos(2 * Math.PI * phase) * 10
  const rim = waxing ? 1 : 0
  const edge = width > 0 === waxing ? 0 : 1
  const isNew = phase < 0.03 || phase > 0.97
  return (
    <svg class="moon" viewBox="0 0 24 24" aria-hidden="true">
      <circle class="dark" cx="12" cy="12" r="10" />
      {!isNew && (
        <path class="lit" d={`M12 2A10 10 0 0 ${rim} 12 22A${Math.abs(width).toFixed(2)} 10 0 0 ${edge} 12 2Z`} />
      )}
    </svg>
  )
}

export function Moon({
  calendar,
  moon,
  number,
}: {
  calendar: WorldCalendar
  moon: CalendarMoon
  number: number
}): JSX.Element {
  return (
    <li>
      <MoonShape phase={moonOn(calendar, moon, number).phase} />
      {moon.name}, {moonWord(calendar, moon, number)}
    </li>
  )
}
