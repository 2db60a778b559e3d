import type { AnyTransfer } from '../kernel/transfer.ts'
import type { Actor } from '../kernel/viewer.ts'
import { type CredentialParts, createCredentials, type Presented } from './credentials.ts'
import { createLimits } from './limits.ts'
import { createPasswords, type PasswordParts, type Passwords } from './passwords.ts'
import type { IdentityPorts, IdentityServices } from './services.ts'
import { removeExpiredSessions } from './sessions.ts'
import { createSetUp, type SetUpParts } from './setup.ts'
import { signInTransfers } from './sign-in-transfers.ts'
import { tokenTransfers } from './token-transfers.ts'
import { userTransfers } from './user-transfers.ts'
import { removeUnfinishedUsers } from './users.ts'

export interface IdentityParts
  extends IdentityPorts,
    Pick<SetUpParts, 'mayBeBehindProxy'>,
    Pick<CredentialParts, 'resolveAccessToken'> {
  /** How passwords are hashed, where not by the argon2 package. */
  readonly loadArgon2?: PasswordParts['load']
}

/** Who may come in, for http and app. */
export interface Identity {
  readonly transfers: readonly AnyTransfer[]
  /** Password hashing with its queue, for the sign-in page of the OAuth flow. */
  readonly services: IdentityServices
  /** Who calls; null where nothing usable was presented. Throws `unauthenticated` on a bearer that is not valid. */
  resolve(presented: Presented): Actor | null
  /** The one-time code to be printed at the first start; null when there is a user. */
  setUpCode(): string | null
  /** Clears away what has run out; at start and every hour. */
  sweep(): void
  /** Writes what is pending, while the store is still open: at the end and before a restore replaces it. */
  close(): void
}

export function createIdentity(parts: IdentityParts): Identity {
  const { store, clock, log, loadArgon2 } = parts
  const passwords: Passwords = createPasswords({
    onFallback: (error) =>
      log.warn({ err: error }, 'The argon2 package cannot be used; Node hashes the passwords itself.'),
    load: loadArgon2,
  })
  const setUp = createSetUp(parts)
  const credentials = createCredentials(parts)
  const services: IdentityServices = { ...parts, passwords, setUp, limits: createLimits() }
  return {
    services,
    transfers: [...signInTransfers(services), ...tokenTransfers(services), ...userTransfers(services)],
    resolve: credentials.resolve,
    setUpCode: () => setUp.code(store()),
    sweep() {
      const now = clock().toISOString()
      removeExpiredSessions(store(), now)
      removeUnfinishedUsers(store(), now)
    },
    close: credentials.close,
  }
}
