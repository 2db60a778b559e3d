import type { JSX } from 'preact'
import { useUniqueId } from './hooks.ts'
import { Icon, type IconName } from './icon.tsx'

export interface ChoiceCard<T extends string> {
  readonly value: T
  readonly icon: IconName
  readonly title: string
  /** What choosing it means, in a sentence. */
  readonly said: string
}

/** One of a few ways, each with a picture and a sentence. */
export function ChoiceCards<T extends string>({
  label,
  choices,
  value,
  onValue,
  disabled,
}: {
  /** For assistive technology: the heading above says it to everybody else. */
  label: string
  choices: readonly ChoiceCard<T>[]
  value: T
  onValue: (value: T) => void
  disabled?: boolean
}): JSX.Element {
  const group = useUniqueId()
  return (
    <fieldset class="option-cards" disabled={disabled}>
      <legend class="visually-hidden">{label}</legend>
      {choices.map(({ value: own, icon, title, said }) => (
        <label key={own}>
          <Icon name={icon} />
          <span>
            <strong>{title}</strong>
            <br />
            <span class="small soft">{said}</span>
          </span>
          <span class="checkbox">
            <input type="radio" name={group} checked={own === value} onChange={() => onValue(own)} />
          </span>
        </label>
      ))}
    </fieldset>
  )
}
