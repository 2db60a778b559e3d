import { fail } from '../kernel/errors.ts'
import type { System, Unit } from '../kernel/system.ts'
import type { TransferContext } from '../kernel/transfer.ts'
import type { Actor, Role } from '../kernel/viewer.ts'
import type { Store } from '../storage/store.ts'
import type { Devices } from './devices.ts'
import type { Attempt, Limits } from './limits.ts'
import type { Passwords } from './passwords.ts'
import type { SetUp } from './setup.ts'
import { type Account, findAccount, findAccountByName } from './users.ts'

/** The part of a logger that is used here. */
export interface Log {
  warn(facts: object, message: string): void
}

export interface InvitePreview {
  readonly campaignName: string
  readonly role: Role
  readonly expiresAt: string
}

/** What the other parts of the program lend to this one. */
export interface IdentityPorts {
  /** The present store: a restore replaces it. */
  store(): Store
  system(): Pick<System, 'transaction'>
  clock(): Date
  readonly log: Log
  readonly version: string
  /**
   * Runs `accept_invite` as somebody who registers, in the transaction that makes them. Returns the campaign's id. Throws
   * what the operation throws.
   */
  acceptInvite(unit: Unit, actor: Actor, code: string): number
  /** What an invite opens; null where it does not work (any more). */
  previewInvite(code: string): InvitePreview | null
}

/** What the transfers work with. */
export interface IdentityServices extends IdentityPorts {
  readonly passwords: Passwords
  readonly limits: Limits
  readonly devices: Devices
  readonly setUp: SetUp
}

const wrong = 'The name or the password is wrong.'

/**
 * Whose name and password these are. Unknown, disabled and wrong get the same answer after the same time; only failures
 * count against the limits. Throws `unauthenticated`, `rate_limited`.
 */
export async function checkPassword(
  services: IdentityServices,
  given: { readonly username: string; readonly password: string },
  context: Pick<TransferContext, 'address' | 'requestId'> & Partial<Pick<TransferContext, 'device'>>,
): Promise<Account> {
  const { passwords, limits, log, store, devices } = services
  const account = findAccountByName(store(), given.username)
  const usable = account !== null && !account.disabled ? account : null
  const device = devices.known(context.device?.value ?? null, account)
  const right = await countingFailures(await limits.password(given.username, context.address, device), () =>
    usable === null ? passwords.verifyDummy(given.password) : passwords.verify(usable.passwordHash, given.password),
  )
  if (usable !== null && right) return usable
  // No name: people type passwords into that field.
  log.warn({ requestId: context.requestId, address: context.address, userId: account?.id }, 'A sign-in failed.')
  throw fail('unauthenticated', wrong)
}

/** Runs a check. Only its `false` stays counted: what it throws, a full queue for one, is not the caller's fault. */
export async function countingFailures(attempt: Attempt, check: () => Promise<boolean>): Promise<boolean> {
  let right: boolean | undefined
  try {
    right = await check()
    return right
  } finally {
    if (right !== false) await attempt.forgive()
  }
}

/**
 * The user of a password that was checked before this transaction. Throws `unauthenticated` where they were disabled or
 * given another password meanwhile.
 */
export function stillSame(store: Store, checked: Account): Account {
  const account = findAccount(store, checked.id)
  if (account === null || account.disabled || account.passwordHash !== checked.passwordHash) {
    throw fail('unauthenticated', wrong)
  }
  return account
}

/** Lets the browser be known by which somebody has just signed in. */
export function rememberDevice(
  { devices, store }: Pick<IdentityServices, 'devices' | 'store'>,
  { device }: Pick<TransferContext, 'device'>,
  userId: number,
): void {
  const account = findAccount(store(), userId)
  const value = account && devices.remember(account)
  if (value !== null) device.set(value)
}
