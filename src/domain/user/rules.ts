import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail } from '../../kernel/errors.ts'
import { secretText } from '../../kernel/fields.ts'
import type { Credential } from '../../kernel/viewer.ts'
import { oauthGrant } from '../app/entity.ts'
import { signIn } from '../sign-in/entity.ts'
import { personalToken } from '../token/entity.ts'
import { user } from './entity.ts'

// Letters of any script with their marks, digits, and between them . _ - and single spaces. Nothing that is not seen: some
// letters and marks are (Hangul fillers, variation selectors), and two people would have what looks like one name.
const usernamePattern = /^(?!.*\p{DI})[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}._-]| (?! ))*$/u

/** A name that somebody chooses. Trimmed, in composed form. */
export const chosenUsername = () =>
  z
    .string()
    .trim()
    .normalize('NFC')
    .min(2, 'at least 2 characters')
    .max(40, 'at most 40 characters')
    .regex(
      usernamePattern,
      'letters, digits, dot, underscore, hyphen and single spaces, beginning with a letter or digit, and nothing invisible',
    )

/** A password that somebody chooses. Length is all that is asked of it. */
export const chosenPassword = () =>
  secretText(z.string().min(8, 'at least 8 characters').max(200, 'at most 200 characters'))

/** A password to be checked: a wrong one of any length gets the answer of a wrong one. */
export const givenPassword = () => secretText(z.string().min(1).max(200))

/** Throws `validation_failed` where somebody other than `except` has the name, or one that looks like it. */
export function refuseTaken(
  users: Pick<Context['users'], 'named' | 'alike'>,
  username: string,
  except: number | null,
): void {
  const holder = users.named(username)
  if (holder !== null && holder.id !== except)
    throw fail('validation_failed', 'Somebody on this server has that name already. Choose another one.', {
      details: [{ path: 'username', message: 'already taken' }],
    })
  if (users.alike(username).some(({ id }) => id !== except))
    throw fail(
      'validation_failed',
      'Somebody on this server has a name that looks like that one. Choose another one.',
      {
        details: [{ path: 'username', message: 'looks like a name that is taken' }],
      },
    )
}

/** Makes a user. Returns the id. Throws `validation_failed` where the name is taken. */
export function insertUser(
  context: Context,
  values: { readonly username: string; readonly passwordHash: string; readonly admin: boolean },
): number {
  refuseTaken(context.users, values.username, null)
  return context.write(user).insert(values)
}

/** The instant of a new password, always another than that of the last: that it moves is how others learn of it. */
export function passwordInstant(now: string, last: string | null): string {
  return last === null || now > last ? now : new Date(Date.parse(last) + 1).toISOString()
}

/**
 * Ends at once what somebody is signed in with: browsers, tokens and connected apps, but for the credential that is kept.
 * Streams close after the commit, by what changed here (identity/endings.ts).
 */
export function endCredentials(context: Context, userId: number, keep: Credential | null): void {
  const endedAt = context.now
  const isKept = (kind: Credential['kind'], id: number): boolean => keep?.kind === kind && keep.id === id
  const signIns = context.read(signIn).each({ where: { userId }, columns: ['id'] })
  for (const { id } of Array.from(signIns)) {
    if (!isKept('session', id)) context.write(signIn).remove(id)
  }
  const tokens = context.read(personalToken).each({ where: { userId, revokedAt: null }, columns: ['id'] })
  for (const { id } of Array.from(tokens)) {
    if (!isKept('token', id)) context.write(personalToken).update(id, { revokedAt: endedAt })
  }
  const grants = context.read(oauthGrant).each({ where: { userId, endedAt: null }, columns: ['id'] })
  for (const { id } of Array.from(grants)) {
    context.write(oauthGrant).update(id, { endedAt, endedReason: 'credentials_ended' })
  }
}
