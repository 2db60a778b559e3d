import type { ConsentTerms } from '../kernel/viewer.ts'
import type { MemoKind, Store } from './store.ts'

const termsKept: MemoKind = { tables: ['campaigns', 'memberships'] }

/** What a campaign gives to outside AIs now; its twin in SQL is `agreedSql`. */
export function termsOf(store: Store, campaignId: number): ConsentTerms {
  return store.memo(termsKept, campaignId, () => {
    const policy = store.get('SELECT ai_content_policy FROM campaigns WHERE id = @campaignId', { campaignId })
    if (policy?.ai_content_policy !== 'member_consent') return { policy: 'disabled', agreed: new Set() }
    const members = store.all(
      'SELECT user_id FROM memberships WHERE campaign_id = @campaignId AND deleted_at IS NULL AND ai_consent = 1',
      { campaignId },
    )
    return { policy: 'member_consent', agreed: new Set(members.map((row) => Number(row.user_id))) }
  })
}
