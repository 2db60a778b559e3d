import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { IconButton } from './button.tsx'
import { type FieldProps, useField } from './field.tsx'
import { number } from './format.ts'

interface NumberProps extends FieldProps {
  /** Null where nothing, or no number, stands there. */
  readonly value: number | null
  readonly onValue: (value: number | null) => void
  readonly min?: number
  readonly max?: number
  /** Digits behind the point; none unless told. */
  readonly decimals?: number
  readonly required?: boolean
}

/**
 * A number as somebody typed it: digits, a sign before them, and where decimals are wanted a point or a comma. Null for
 * an empty text, undefined for one that is no such number: `1.000` is a thousand to some and one to others, so it is none.
 */
export function parseNumber(text: string, decimals = 0): number | null | undefined {
  const bare = text.trim()
  if (bare === '') return null
  const pattern =
    decimals > 0 ? new RegExp(`^[+\u2212-]?\\d{1,12}(?:[.,]\\d{1,${decimals}})?$`) : /^[+\u2212-]?\d{1,12}$/
  return pattern.test(bare) ? Number(bare.replace('\u2212', '-').replace(',', '.')) : undefined
}

function complaintOf(parsed: number | null | undefined, { min, max, decimals = 0, required }: NumberProps): string {
  const kind = decimals > 0 ? 'A number' : 'A whole number'
  const range =
    min !== undefined && max !== undefined
      ? ` from ${number(min)} to ${number(max)}`
      : min !== undefined
        ? `, at least ${number(min)}`
        : max !== undefined
          ? `, at most ${number(max)}`
          : ''
  const fits =
    parsed === null ? !required : parsed !== undefined && parsed >= (min ?? parsed) && parsed <= (max ?? parsed)
  return fits ? '' : `${kind}${range}.`
}

/** What is typed, beside the number that it means: a text that is no number yet stays as it is typed. */
function useNumberInput(props: NumberProps) {
  const { value, onValue, decimals } = props
  const [typed, setTyped] = useState(value === null ? '' : String(value))
  const [left, setLeft] = useState(false)
  const parsed = parseNumber(typed, decimals)
  // A value from elsewhere (a button, a draft that was thrown away) is shown; a text that means it is left alone.
  const text = parsed === undefined ? typed : (parsed ?? null) === value ? typed : value === null ? '' : String(value)
  const complaint = complaintOf(text === typed ? parsed : value, props)
  const { ids, after } = useField(props.name, props.hint, left && complaint ? complaint : undefined)
  const input = (
    <input
      {...ids}
      class="input"
      type="text"
      inputMode={decimals ? 'decimal' : 'numeric'}
      autocomplete="off"
      name={props.name}
      required={props.required}
      value={text}
      // The browser keeps the form from being sent, and says the same words.
      ref={(field) => field?.setCustomValidity(complaint)}
      onInput={({ currentTarget }) => {
        setTyped(currentTarget.value)
        onValue(parseNumber(currentTarget.value, decimals) ?? null)
      }}
      onBlur={() => setLeft(true)}
      onKeyDown={(event) => {
        const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0
        if (by === 0) return
        event.preventDefault()
        step(by)
      }}
    />
  )
  const step = (by: number) => {
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = props
    onValue(Math.min(max, Math.max(min, (value ?? Math.max(0, props.min ?? 0) - by) + by)))
  }
  return { id: ids.id, input, after, step }
}

/** A number that is typed; the arrow keys count it up and down. */
export function NumberField(props: NumberProps): JSX.Element {
  const { id, input, after } = useNumberInput(props)
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      {input}
      {after}
    </div>
  )
}

/** A small number that is counted up and down with a thumb, or typed. */
export function Stepper(props: NumberProps & { readonly min: number; readonly max: number }): JSX.Element {
  const { label, value, min, max } = props
  const { id, input, after, step } = useNumberInput(props)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <span class="stepper">
        <IconButton
          icon="minus"
          label={`${label}: one fewer`}
          disabled={value !== null && value <= min}
          onClick={() => step(-1)}
        />
        {input}
        <IconButton
          icon="plus"
          label={`${label}: one more`}
          disabled={value !== null && value >= max}
          onClick={() => step(1)}
        />
      </span>
      {after}
    </div>
  )
}
