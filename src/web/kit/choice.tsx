import type { JSX } from 'preact'
import type { Option } from './field.tsx'

/** One of a few views of the same: `seg` for two to four, `chips` for more. */
export function Choice<T extends string>({
  label,
  look = 'seg',
  options,
  value,
  onValue,
}: {
  label: string
  look?: 'seg' | 'chips'
  options: readonly Option<T>[]
  value: T
  onValue: (value: T) => void
}): JSX.Element {
  return (
    <fieldset class={look}>
      <legend class="vh">{label}</legend>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          class={look === 'chips' ? 'chip' : undefined}
          aria-pressed={option.value === value}
          onClick={() => onValue(option.value)}
        >
          {option.word}
        </button>
      ))}
    </fieldset>
  )
}
