import { campaign } from '../domain/campaign/entity.ts'
import { invite } from '../domain/invite/entity.ts'
import { whyUnusable } from '../domain/invite/rules.ts'
import { wholeRow } from '../storage/reader.ts'
import { hashSecret } from '../storage/secrets.ts'
import type { Store } from '../storage/store.ts'

/** What an invite opens, for whoever has its code; null where it opens nothing any more. */
export function previewInvite(store: Store, code: string, now: string) {
  const found = store.get('SELECT id, campaign_id FROM invites WHERE code_hash = @hash', { hash: hashSecret(code) })
  const row = found ? wholeRow(store, invite, found.id as number) : null
  const home = found ? wholeRow(store, campaign, found.campaign_id as number) : null
  if (row === null || home === null || home.deletedAt !== null || whyUnusable(row as never, now) !== null) return null
  return { campaignName: String(home.name), role: row.role as 'player' | 'viewer', expiresAt: String(row.expiresAt) }
}
