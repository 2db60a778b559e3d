import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { fail } from '../kernel/errors.ts'
import type { TransferContext } from '../kernel/transfer.ts'
import type { Store } from '../storage/store.ts'
import { hasUsers } from './users.ts'

export interface SetUpParts {
  clock(): Date
  /** Whether BASE_URL or TRUST_PROXY is set: a call that seems to come from this machine may then come from anywhere. */
  readonly mayBeBehindProxy: boolean
}

/** The door for the first user. It exists once in a process, and closes for good when there is a user. */
export interface SetUp {
  /** For the address `/setup#<code>`; null when it would not work (any more). */
  code(store: Store): string | null
  /** Whether this caller may set up without the code. */
  isOpen(store: Store, context: Pick<TransferContext, 'loopback'>): boolean
  /** Throws `invalid_state` where there is a user, `forbidden` for a wrong, late or missing code. */
  require(store: Store, context: Pick<TransferContext, 'loopback'>, code: string | undefined): void
}

/** The first half hour of the process: who starts it is at the machine then. */
const openMs = 30 * 60 * 1000

export function createSetUp({ clock, mayBeBehindProxy }: SetUpParts): SetUp {
  const code = randomBytes(32).toString('base64url')
  const until = clock().getTime() + openMs
  const inTime = (): boolean => clock().getTime() < until
  const isOpen: SetUp['isOpen'] = (store, { loopback }) => loopback && !mayBeBehindProxy && inTime() && !hasUsers(store)
  return {
    isOpen,
    code: (store) => (inTime() && !hasUsers(store) ? code : null),
    require(store, context, given) {
      if (hasUsers(store)) throw fail('invalid_state', 'This server is set up already. Sign in instead.')
      if (given === undefined) {
        if (isOpen(store, context)) return
        throw fail('forbidden', 'Open the address with the set-up code that Talekeeper printed when it started.')
      }
      if (!inTime()) throw fail('forbidden', 'The set-up code has expired. Start Talekeeper again for a new one.')
      if (!isSame(given, code)) throw fail('forbidden', 'The set-up code is not the one Talekeeper printed.')
    },
  }
}

/** Compares in a time that tells nothing about how much was right. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
