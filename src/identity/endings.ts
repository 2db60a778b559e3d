import { oauthGrant } from '../domain/app/entity.ts'
import { signIn } from '../domain/sign-in/entity.ts'
import { personalToken } from '../domain/token/entity.ts'
import { user } from '../domain/user/entity.ts'
import type { Credential } from '../kernel/viewer.ts'
import type { RowChange } from '../storage/change-set.ts'

/** Whose open streams must close: those of one credential, or all of a user's. */
export interface Ending {
  readonly userId: number
  readonly only?: Pick<Credential, 'kind' | 'id'>
}

/**
 * What a transaction's changes ended, whichever operation made them: all credentials of who was disabled, demoted or given
 * another password, and a sign-in, token or connected app by itself.
 */
export function endingsOf(changes: readonly RowChange[]): readonly Ending[] {
  const endings = changes.map(endingOf).filter((ending) => ending !== null)
  const whole = new Set(endings.filter(({ only }) => only === undefined).map(({ userId }) => userId))
  return [
    ...Array.from(whole, (userId) => ({ userId })),
    ...endings.filter(({ userId, only }) => only !== undefined && !whole.has(userId)),
  ]
}

function endingOf({ entity, id, kind, before, after }: RowChange): Ending | null {
  const ended = (credential: Credential['kind'], isOver: boolean): Ending | null =>
    isOver ? { userId: (before as { readonly userId: number }).userId, only: { kind: credential, id } } : null
  switch (entity.name) {
    case user.name:
      return kind === 'purge' || endsAll(before, after) ? { userId: id } : null
    case signIn.name:
      return ended('session', kind === 'purge')
    case personalToken.name:
      return ended('token', kind === 'purge' || isSet('revokedAt', before, after))
    case oauthGrant.name:
      return ended('oauth', kind === 'purge' || isSet('endedAt', before, after))
    default:
      return null
  }
}

type Image = RowChange['before']

function endsAll(before: Image, after: Image): boolean {
  if (before === null || after === null) return false
  const isDemoted = before.admin === true && after.admin === false
  return isSet('disabledAt', before, after) || isDemoted || before.passwordHash !== after.passwordHash
}

function isSet(field: 'disabledAt' | 'revokedAt' | 'endedAt', before: Image, after: Image): boolean {
  return before?.[field] === null && after !== null && after[field] !== null
}
