import type { RowOf } from '../../kernel/entity.ts'
import type { invite } from './entity.ts'

/** Why an invite no longer lets anybody in, or null while it does. */
export function whyUnusable(
  row: Pick<RowOf<typeof invite>, 'revokedAt' | 'expiresAt' | 'uses' | 'maxUses'>,
  now: string,
): 'revoked' | 'expired' | 'used_up' | null {
  if (row.revokedAt !== null) return 'revoked'
  if (row.expiresAt <= now) return 'expired'
  return row.uses >= row.maxUses ? 'used_up' : null
}
