import { oauthGrant } from '../domain/app/entity.ts'
import type { Facts } from '../kernel/journal.ts'
import { recordChange } from '../kernel/recorded-change.ts'
import type { Unit } from '../kernel/system.ts'
import type { Actor } from '../kernel/viewer.ts'
import type { EndReason, Grant } from './grants.ts'

/** Who acts where a client does something with its grant, and its person is not there. */
export function grantActor({ id, userId, clientId, scope, campaignId, writeMode, toolsets, toolPreset }: Grant): Actor {
  const credential = { kind: 'oauth', id, scope, campaignId, writeMode, clientId, toolsets, toolPreset } as const
  return { userId, username: '', admin: false, credential }
}

/** How a grant ends without its person: something of it was used twice (SPEC 5.8), or its client gave it back. */
export interface GrantEnd {
  readonly operation: 'replay_oauth_code' | 'replay_oauth_token' | 'revoke_oauth_token'
  readonly reason: EndReason
  /** Ids and plain choices. Never a token, a code or a secret. */
  readonly facts: Facts
}

/**
 * Ends a grant, and with it its tokens, in the transaction of `unit`; live streams close after the commit, by the change.
 * False where it had ended before: then nothing is written.
 */
export function endGrant(unit: Unit, grant: Grant, { operation, reason, facts }: GrantEnd): boolean {
  if (grant.endedAt !== null) return false
  const { id, clientId } = grant
  const change = { operation, effect: 'destroy', by: grantActor(grant), facts: { clientId, ...facts } } as const
  recordChange(unit, change, ({ context }) =>
    context.write(oauthGrant).update(id, { endedAt: context.now, endedReason: reason }),
  )
  return true
}
