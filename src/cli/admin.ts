import { chosenPassword, createPasswords } from '../identity/passwords.ts'
import { endSessions } from '../identity/sessions.ts'
import { revokeTokens } from '../identity/tokens.ts'
import { findAccountByName, getUser, listUsers, setPasswordHash, type User } from '../identity/users.ts'
import { fail } from '../kernel/errors.ts'
import { endGrantsOf } from '../oauth/grants.ts'
import type { Store } from '../storage/store.ts'
import { didYouMean } from './command-line.ts'

// Whoever can run this can read and write the database anyway. It works without a server, so that somebody whom no
// administrator can let in again gets back in.

export interface AccessGiven {
  readonly username: string
  readonly admin: true
  readonly disabled: false
  readonly passwordChanged: boolean
}

export function listAccounts(store: Store): readonly User[] {
  const accounts: User[] = []
  for (let cursor: string | undefined; ; ) {
    const page = listUsers(store, { limit: 200, cursor })
    accounts.push(...page.items)
    if (page.nextCursor === null) return accounts
    cursor = page.nextCursor
  }
}

/** Throws `not_found`, naming who there is. */
export function findAccount(store: Store, username: string): User {
  const account = findAccountByName(store, username)
  if (account !== null) return getUser(store, account.id)
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
export async function giveAccess(store: Store, user: User, password: string | null, now: string): Promise<AccessGiven> {
  const hash = password === null ? null : await hashOf(password)
  store.transaction(() => {
    store.run('UPDATE users SET admin = 1, disabled_at = NULL, updated_at = @now WHERE id = @id', { id: user.id, now })
    if (hash !== null) {
      setPasswordHash(store, user.id, hash, now)
      endSessions(store, user.id, null)
      revokeTokens(store, user.id, null, now)
      endGrantsOf(store, user.id, 'credentials_ended', now)
    }
    const facts = { by: 'the command line', userId: user.id, fields: hash === null ? ['admin'] : ['admin', 'password'] }
    store.run(
      `INSERT INTO change_sets (campaign_id, at, operation, effect, door, revertible, facts) VALUES (NULL, @now, 'give_access', 'write', 'system', 0, @facts)`,
      { now, facts: JSON.stringify(facts) },
    )
  })
  return { username: user.username, admin: true, disabled: false, passwordChanged: hash !== null }
}

async function hashOf(password: string): Promise<string> {
  const judged = chosenPassword().safeParse(password)
  if (!judged.success) throw fail('validation_failed', `A password has ${judged.error.issues[0]?.message}.`)
  return createPasswords({ onFallback() {} }).hash(password)
}
