import type { JSX } from 'preact'
import type { Option } from './field.tsx'

/** One of a few views of the same: `segmented` for two to four, `chips` for more. */
export function ToggleGroup<T extends string>({
  label,
  variant = 'segmented',
  options,
  value,
  onValue,
}: {
  label: string
  variant?: 'segmented' | 'chips'
  options: readonly Option<T>[]
  value: T
  onValue: (value: T) => void
}): JSX.Element {
  return (
    <fieldset class={variant}>
      <legend class="visually-hidden">{label}</legend>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          class={variant === 'chips' ? 'chip' : undefined}
          aria-pressed={option.value === value}
          onClick={() => onValue(option.value)}
        >
          {option.word}
        </button>
      ))}
    </fieldset>
  )
}
