import * as z from 'zod'
import type { Actor } from '../kernel/viewer.ts'
import type { Read } from './caller.ts'

const campaigns = z.object({ items: z.array(z.object({ id: z.int(), status: z.string(), updatedAt: z.string() })) })
const changes = z.object({ items: z.array(z.object({ at: z.string() })) })

/** How many campaigns are looked into for their last change. */
const candidates = 20

/**
 * The campaign that "current" stands for: the token's, else the caller's campaign that changed last. Archived ones count
 * only where there is no other. Null where the caller is in none.
 */
export async function currentCampaign(read: Read, actor: Actor): Promise<number | null> {
  if (actor.credential.campaignId !== null) return actor.credential.campaignId
  const { items } = campaigns.parse(await read('list_campaigns', { limit: 200 }))
  const open = items.filter(({ status }) => status !== 'archived')
  const considered = latestFirst(open.length > 0 ? open : items).slice(0, candidates)
  if (considered.length < 2) return considered[0]?.id ?? null
  const changed = await Promise.all(
    considered.map(async ({ id, updatedAt }) => ({ id, updatedAt: (await lastChange(read, id)) ?? updatedAt })),
  )
  return latestFirst(changed)[0]?.id ?? null
}

async function lastChange(read: Read, campaignId: number): Promise<string | undefined> {
  const page = await read('list_recent_changes', { campaignId, since: '1970-01-01T00:00:00.000Z', limit: 1 })
  return page === null ? undefined : changes.parse(page).items[0]?.at
}

function latestFirst<T extends { readonly updatedAt: string }>(rows: readonly T[]): T[] {
  return rows.toSorted((one, other) => (one.updatedAt < other.updatedAt ? 1 : one.updatedAt > other.updatedAt ? -1 : 0))
}
