import type { JSX } from 'preact'
import { chosen, type Option } from './field.tsx'

/** A choice beside the box that narrows a list: as small as a chip, named for who does not see what it is about. */
export function Choice<T extends string>({
  label,
  value,
  onValue,
  options,
}: {
  label: string
  value: T
  onValue: (value: T) => void
  options: readonly Option<T>[]
}): JSX.Element {
  return (
    <select
      class="input choice"
      aria-label={label}
      onChange={({ currentTarget: select }) => onValue(chosen(select, value))}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value} selected={option.value === value}>
          {option.word}
        </option>
      ))}
    </select>
  )
}
