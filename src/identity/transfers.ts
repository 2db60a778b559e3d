import type { AnyTransfer } from '../kernel/transfer.ts'
import type { IdentityServices } from './services.ts'
import { signInTransfers } from './sign-in-transfers.ts'
import { tokenTransfers } from './token-transfers.ts'
import { userTransfers } from './user-transfers.ts'

/** All routes by which people and scripts prove who they are, and manage that. */
export function identityTransfers(services: IdentityServices): readonly AnyTransfer[] {
  return [...signInTransfers(services), ...tokenTransfers(services), ...userTransfers(services)]
}
