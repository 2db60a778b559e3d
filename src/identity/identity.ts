import type { Services } from '../kernel/context.ts'
import { fail } from '../kernel/errors.ts'
import type { AnyTransfer } from '../kernel/transfer.ts'
import type { Actor } from '../kernel/viewer.ts'
import type { Store } from '../storage/store.ts'
import { type CredentialParts, createCredentials, type Presented, recheckOwn } from './credentials.ts'
import { createDevices, type DeviceParts } from './devices.ts'
import { createLimits } from './limits.ts'
import { createPasswords, type PasswordParts, type Passwords } from './passwords.ts'
import { countingFailures, type IdentityPorts, type IdentityServices } from './services.ts'
import { removeExpiredSessions } from './sessions.ts'
import { createSetUp, type SetUpParts } from './setup.ts'
import { signInTransfers } from './sign-in-transfers.ts'
import { findAccount } from './users.ts'

export interface IdentityParts
  extends IdentityPorts,
    Pick<SetUpParts, 'mayBeBehindProxy'>,
    DeviceParts,
    Pick<CredentialParts, 'resolveAccessToken'> {
  /** The actor behind an OAuth grant as it is now; null where it has ended. */
  recheckGrant?(store: Store, actor: Actor): Actor | null
  /** How passwords are hashed, where not by the argon2 package. */
  readonly loadArgon2?: PasswordParts['load']
}

/** Who may come in, for http and app. */
export interface Identity {
  readonly transfers: readonly AnyTransfer[]
  /** Password hashing with its queue, for the sign-in page of the OAuth flow. */
  readonly services: IdentityServices
  /** What operations hash and check passwords with. */
  readonly passwords: Services['passwords']
  /** Who calls; null where nothing usable was presented. Throws `unauthenticated` on a bearer that is not valid. */
  resolve(presented: Presented): Actor | null
  /** The actor behind the same credential as it is now, for every write. Throws `unauthenticated` where it has ended. */
  recheck(store: Store, actor: Actor, now: string): Actor
  /** The one-time code to be printed at the first start; null when there is a user. */
  setUpCode(): string | null
  /** Clears away what has run out; at start and every hour. */
  sweep(): void
  /** Writes what is pending, while the store is still open: at the end and before a restore replaces it. */
  close(): void
}

export function createIdentity(parts: IdentityParts): Identity {
  const { store, clock, log, loadArgon2, recheckGrant } = parts
  const passwords: Passwords = createPasswords({
    onFallback: (error) =>
      log.warn({ err: error }, 'The argon2 package cannot be used; Node hashes the passwords itself.'),
    load: loadArgon2,
  })
  const setUp = createSetUp(parts)
  const credentials = createCredentials(parts)
  const limits = createLimits()
  const services: IdentityServices = { ...parts, passwords, setUp, limits, devices: createDevices(parts) }
  return {
    services,
    transfers: signInTransfers(services),
    passwords: {
      hash: passwords.hash,
      async prove(userId, password, address) {
        const account = findAccount(store(), userId)
        if (account === null) return null
        const attempt = await limits.password(account.username, address ?? '')
        const right = await countingFailures(attempt, () => passwords.verify(account.passwordHash, password))
        return right ? account.passwordHash : null
      },
    },
    resolve: credentials.resolve,
    recheck(present, actor, now) {
      const { kind } = actor.credential
      // The program itself signs in nowhere.
      if (kind === 'system') return actor
      const current = kind === 'oauth' ? recheckGrant?.(present, actor) : recheckOwn(present, actor, now)
      if (!current) throw fail('unauthenticated', 'Your session or token has ended meanwhile. Sign in again.')
      return current
    },
    setUpCode: () => setUp.code(store()),
    sweep: () => removeExpiredSessions(store(), clock().toISOString()),
    close: credentials.close,
  }
}
