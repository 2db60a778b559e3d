import { type ComponentChildren, createContext, type JSX } from 'preact'
import { useContext } from 'preact/hooks'
import type { Detail } from '../api/call.ts'
import { complaintWords } from './complaint.ts'
import { useAutofocus, useUniqueId } from './hooks.ts'
import { Icon } from './icon.tsx'
import { ProseArea } from './prose-area.tsx'
import { useKeptText } from './words.ts'

/** What the server said of single fields of the form around. */
export const FieldErrors = createContext<readonly Detail[]>([])

/** The most characters of each text, by the member of the input that it fills. */
export const FieldLimits = createContext<Readonly<Record<string, number>>>({})

/** The complaints that stand at a field of the form around, and need not be said again above its buttons. */
export const ShownComplaints = createContext<Set<string>>(new Set())

/** Where the fields of a part of the form stand in its input: `steps.2`. */
const FieldScope = createContext('')

export interface FieldProps {
  readonly label: string
  /** The member of the input that this field fills; server complaints about it are shown here. */
  readonly name?: string
  readonly hint?: ComponentChildren
}

interface Ids {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

/** The complaint about a member of the input, if there is one. */
export function useFieldError(name: string | undefined): Detail | undefined {
  const scope = useContext(FieldScope)
  const errors = useContext(FieldErrors)
  const shown = useContext(ShownComplaints)
  if (name === undefined) return undefined
  const path = scope === '' ? name : `${scope}.${name}`
  const found = errors.find((detail) => detail.path === path || detail.path.startsWith(`${path}.`))
  if (found === undefined) return undefined
  shown.add(found.path)
  return { ...found, message: complaintWords(found.message) }
}

/** Where a field stands in the input of its form; one that fills no member is known by its label. */
export function usePlace(name: string | undefined, label: string): string {
  const scope = useContext(FieldScope)
  return scope === '' ? (name ?? label) : `${scope}.${name ?? label}`
}

/** How many characters a text may have, where its operation says. */
export function useLimit(name: string | undefined): number | undefined {
  const scope = useContext(FieldScope)
  const limits = useContext(FieldLimits)
  if (name === undefined) return undefined
  // Rows have their limits in common: `rows.2.text` is as long as any `rows.text`.
  return limits[
    `${scope}.${name}`
      .split('.')
      .filter((part) => !/^\d*$/.test(part))
      .join('.')
  ]
}

/** Ties a field to its label, and to what stands below it: `complaint`, what the server said of it, or the hint. */
export function useField(
  name: string | undefined,
  hint: ComponentChildren,
  complaint?: string,
): { ids: Ids; after: JSX.Element } {
  const id = useUniqueId()
  const problem = useFieldError(name)?.message ?? complaint
  const note = hint !== undefined || problem !== undefined
  return {
    ids: { id, 'aria-describedby': note ? `${id}-note` : undefined, 'aria-invalid': problem ? true : undefined },
    after: (
      <>
        {note && (
          <span id={`${id}-note`} class={problem ? 'hint bad' : 'hint'}>
            {problem ?? hint}
          </span>
        )}
      </>
    ),
  }
}

/** A part of a form that fills one member of the input with members of its own. Its title may be for screen readers only. */
export function SubForm({
  name,
  title,
  quietTitle,
  children,
}: {
  name: string
  title: string
  quietTitle?: boolean
  children: ComponentChildren
}): JSX.Element {
  const scope = useContext(FieldScope)
  return (
    <FieldScope.Provider value={scope === '' ? name : `${scope}.${name}`}>
      <fieldset class="sub-form stack">
        <legend class={quietTitle ? 'visually-hidden' : 'h3'}>{title}</legend>
        {children}
      </fieldset>
    </FieldScope.Provider>
  )
}

type Inputs = Pick<
  JSX.InputHTMLAttributes<HTMLInputElement>,
  | 'type'
  | 'required'
  | 'autocomplete'
  | 'placeholder'
  | 'minLength'
  | 'maxLength'
  | 'autofocus'
  | 'inputMode'
  | 'min'
  | 'max'
  | 'autocapitalize'
  | 'spellcheck'
  | 'disabled'
>

export function TextField({
  label,
  name,
  hint,
  value,
  onValue,
  ...rest
}: FieldProps & Inputs & { value: string; onValue: (value: string) => void }): JSX.Element {
  const { ids, after } = useField(name, hint)
  const limit = useLimit(name)
  const onText = useKeptText(usePlace(name, label), value, onValue)
  const self = useAutofocus<HTMLInputElement>(rest.autofocus === true)
  return (
    <div class="field">
      <label for={ids.id}>{label}</label>
      <input
        ref={self}
        maxLength={limit}
        {...rest}
        {...ids}
        class="input"
        name={name}
        value={value}
        onInput={({ currentTarget }) => {
          // A password is kept nowhere.
          const take = rest.type === 'password' ? onValue : onText
          take(currentTarget.value)
        }}
      />
      {after}
    </div>
  )
}

export function AreaField({
  label,
  name,
  hint,
  value,
  onValue,
  rows,
  mentions,
  maxLength,
  autofocus,
}: FieldProps & {
  value: string
  onValue: (value: string) => void
  rows?: number
  maxLength?: number
  /** The text is read as prose: an @ offers the names of the campaign. */
  mentions?: boolean
  /** Whoever opened this began it to write here. */
  autofocus?: boolean
}): JSX.Element {
  const { ids, after } = useField(name, hint)
  const limit = useLimit(name)
  const onText = useKeptText(usePlace(name, label), value, onValue)
  const self = useAutofocus<HTMLTextAreaElement>(autofocus && !mentions)
  const common = { ...ids, name, rows, value, autofocus, maxLength: maxLength ?? limit }
  return (
    <div class="field">
      <label for={ids.id}>{label}</label>
      {mentions ? (
        <div class="markdown-field">
          <ProseArea {...common} onValue={onText} />
        </div>
      ) : (
        <textarea {...common} ref={self} class="input" onInput={(event) => onText(event.currentTarget.value)} />
      )}
      {after}
    </div>
  )
}

export interface Option<T extends string = string> {
  readonly value: T
  readonly word: string
}

/** Options from a table of words: `{ active: 'Active' }`. */
export const optionsOf = <T extends string>(words: Readonly<Record<T, string>>): Option<T>[] =>
  (Object.keys(words) as T[]).map((value) => ({ value, word: words[value] }))

/** What somebody chose. The field itself goes on showing what it is told to: what was chosen may be refused. */
export function chosen<T extends string>(select: HTMLSelectElement, value: T): T {
  const wanted = select.value as T
  select.value = value
  return wanted
}

export function SelectField<T extends string>({
  label,
  name,
  hint,
  value,
  onValue,
  options,
  disabled,
}: FieldProps & {
  value: T
  onValue: (value: T) => void
  options: readonly Option<T>[]
  disabled?: boolean
}): JSX.Element {
  const { ids, after } = useField(name, hint)
  return (
    <div class="field">
      <label for={ids.id}>{label}</label>
      <select
        {...ids}
        class="input"
        name={name}
        disabled={disabled}
        onChange={({ currentTarget: select }) => onValue(chosen(select, value))}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.word}
          </option>
        ))}
      </select>
      {after}
    </div>
  )
}

/** What a press makes of it. The box itself goes on showing what it is told to: what was pressed may be refused. */
function pressed(box: HTMLInputElement, checked: boolean): boolean {
  const wanted = box.checked
  box.checked = checked
  return wanted
}

/** One of the values that have words: `{ active: 'Active' }`. */
export function EnumField<T extends string>({
  words,
  ...rest
}: FieldProps & { words: Readonly<Record<T, string>>; value: T; onValue: (value: T) => void }): JSX.Element {
  return <SelectField {...rest} options={optionsOf(words)} />
}

/**
 * A state as a word in a line of text, one press away from the others. It shows `value`, whatever is chosen; with `asks` it
 * shows these words, since what is chosen is only asked for.
 */
export function InlineSelect<T extends string>({
  label,
  words,
  value,
  onValue,
  asks,
}: {
  label: string
  words: Readonly<Record<T, string>>
  value: T
  onValue: (value: T) => void
  asks?: string
}): JSX.Element {
  const shown = asks === undefined ? value : ('' as T)
  const options = optionsOf(words).filter((option) => asks === undefined || option.value !== value)
  return (
    <label class="inline-select">
      <span class="visually-hidden">{label}</span>
      <select onChange={({ currentTarget: select }) => onValue(chosen(select, shown))}>
        {asks !== undefined && (
          <option value="" selected disabled>
            {asks}
          </option>
        )}
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === shown}>
            {option.word}
          </option>
        ))}
      </select>
    </label>
  )
}

export function Switch({
  label,
  hint,
  checked,
  onValue,
  disabled,
}: {
  label: ComponentChildren
  hint?: ComponentChildren
  checked: boolean
  onValue: (checked: boolean) => void
  disabled?: boolean
}): JSX.Element {
  const id = useUniqueId()
  return (
    <label class="switch">
      <span>
        {label}
        {hint !== undefined && (
          <span id={id} class="help">
            {hint}
          </span>
        )}
      </span>
      <input
        type="checkbox"
        role="switch"
        aria-checked={checked}
        checked={checked}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : id}
        onChange={(event) => onValue(pressed(event.currentTarget, checked))}
      />
    </label>
  )
}

export function Checkbox({
  label,
  hint,
  checked,
  onValue,
  struck,
  disabled,
  radio,
}: {
  label: ComponentChildren
  hint?: ComponentChildren
  checked: boolean
  onValue: (checked: boolean) => void
  /** What is ticked is struck out. */
  struck?: boolean
  disabled?: boolean
  /** One of a group with this name. */
  radio?: string
}): JSX.Element {
  return (
    <label class={struck && checked ? 'checkbox done' : 'checkbox'}>
      <input
        type={radio ? 'radio' : 'checkbox'}
        name={radio}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onValue(pressed(event.currentTarget, checked))}
      />
      <span>{label}</span>
      {hint !== undefined && <span class="help">{hint}</span>}
    </label>
  )
}

/** Narrows a list as one types. */
export function FilterField({
  value,
  onValue,
  placeholder,
  label = 'Narrow the list',
}: {
  value: string
  onValue: (value: string) => void
  placeholder: string
  label?: string
}): JSX.Element {
  return (
    <label class="filter-field">
      <Icon name="find" />
      <span class="visually-hidden">{label}</span>
      <input
        class="input"
        type="search"
        placeholder={placeholder}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </label>
  )
}

/** Words between commas, as tags. */
export function TagField({
  value,
  onValue,
}: {
  value: readonly string[]
  onValue: (tags: string[]) => void
}): JSX.Element {
  return (
    <TextField
      label="Tags"
      name="tags"
      hint="Words between commas. You can narrow the list by them."
      value={value.join(', ')}
      onValue={(text) => onValue(text.split(/,\s?/))}
    />
  )
}

/** Tags as they are saved: trimmed, without empty ones and doubles. */
export const tidyTags = (tags: readonly string[]): string[] => [
  ...new Set(tags.map((tag) => tag.trim()).filter(Boolean)),
]
