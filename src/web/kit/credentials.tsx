import type { JSX } from 'preact'
import { TextField } from './field.tsx'

interface CredentialProps {
  readonly label?: string
  readonly value: string
  readonly onValue: (value: string) => void
}

/** The name that somebody signs in with. `own` is false where it is made for another person. */
export function UsernameField({
  label = 'Name',
  own = true,
  value,
  onValue,
}: CredentialProps & { own?: boolean }): JSX.Element {
  return (
    <TextField
      label={label}
      name="username"
      autocomplete={own ? 'username' : 'off'}
      autocapitalize="none"
      spellcheck={false}
      required
      autofocus
      value={value}
      onValue={onValue}
    />
  )
}

/** A password that there is. */
export function PasswordField({
  label = 'Password',
  name = 'password',
  value,
  onValue,
}: CredentialProps & { name?: string }): JSX.Element {
  return (
    <TextField
      label={label}
      name={name}
      type="password"
      autocomplete="current-password"
      required
      value={value}
      onValue={onValue}
    />
  )
}

/** A password that is chosen here. */
export function NewPasswordField({
  label = 'Password',
  name = 'password',
  advice = 'A short sentence is easy to keep in mind.',
  autofocus = false,
  value,
  onValue,
}: CredentialProps & { name?: string; advice?: string; autofocus?: boolean }): JSX.Element {
  return (
    <TextField
      label={label}
      name={name}
      type="password"
      autocomplete="new-password"
      required
      autofocus={autofocus}
      minLength={8}
      hint={`At least 8 characters. ${advice}`}
      value={value}
      onValue={onValue}
    />
  )
}
