import { user } from '../domain/user/entity.ts'
import { chosenPassword, endCredentials, passwordInstant } from '../domain/user/rules.ts'
import { createPasswords } from '../identity/passwords.ts'
import { type Account, findAccountByName } from '../identity/users.ts'
import { fail } from '../kernel/errors.ts'
import { recordChange } from '../kernel/recorded-change.ts'
import type { Unit } from '../kernel/system.ts'
import { cryptographicRandom } from '../storage/secrets.ts'
import type { Store } from '../storage/store.ts'
import { createUnit } from '../storage/unit.ts'
import { didYouMean } from './command-line.ts'

// Whoever can run this can read and write the database anyway. It works without a server, so that somebody whom no
// administrator can let in again gets back in.

/** An account as it is listed. */
export type ListedAccount = Pick<Account, 'id' | 'username' | 'admin' | 'disabled'>

export interface AccessGiven {
  readonly username: string
  readonly admin: true
  readonly disabled: false
  readonly passwordChanged: boolean
}

export function listAccounts(store: Store): readonly ListedAccount[] {
  return store.all('SELECT id, username, admin, disabled_at FROM users ORDER BY id').map((row) => ({
    id: Number(row.id),
    username: String(row.username),
    admin: row.admin === 1,
    disabled: row.disabled_at !== null,
  }))
}

/** Throws `not_found`, naming who there is. */
export function findAccount(store: Store, username: string): ListedAccount {
  const account = findAccountByName(store, username)
  if (account !== null) return account
  const names = listAccounts(store).map((each) => each.username)
  const known =
    names.length === 0 ? 'There are none: start Talekeeper to set it up.' : `There are: ${names.join(', ')}.`
  const nearest = didYouMean(username, names)
  throw fail('not_found', `There is no account "${username}".${nearest.startsWith(' Did') ? nearest : ''} ${known}`)
}

/**
 * Makes an account an administrator who may sign in, with a new password unless that is null. What it was signed in with
 * before ends. Throws `validation_failed` for a password that nobody could choose.
 */
export async function giveAccess(
  store: Store,
  { id, username }: ListedAccount,
  password: string | null,
  now: string,
): Promise<AccessGiven> {
  const passwordHash = password === null ? null : await hashOf(password)
  const change = { operation: 'give_access', effect: 'write', by: id, facts: { by: 'the command line' } } as const
  store.transaction(() => {
    recordChange(unitOn(store, now), change, ({ context }) => {
      const { passwordSetAt } = context.read(user).get(id)
      const password = passwordHash === null ? {} : { passwordHash, passwordSetAt: passwordInstant(now, passwordSetAt) }
      context.write(user).update(id, { admin: true, disabledAt: null, ...password })
      if (passwordHash !== null) endCredentials(context, id, null)
    })
  })
  return { username, admin: true, disabled: false, passwordChanged: passwordHash !== null }
}

/** A unit of work without a server around it: nobody calls, and no key is remembered. */
function unitOn(store: Store, now: string): Unit {
  return createUnit({
    store,
    now: () => now,
    random: cryptographicRandom,
    seal: (text) => text,
    sealedPasswords: new Map(),
    recheck: (_, actor) => actor,
  })
}

async function hashOf(password: string): Promise<string> {
  const judged = chosenPassword().safeParse(password)
  if (!judged.success) throw fail('validation_failed', `A password has ${judged.error.issues[0]?.message}.`)
  return createPasswords({ onFallback() {} }).hash(password)
}
