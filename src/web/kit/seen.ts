import { useEffect } from 'preact/hooks'
import { useWrite } from '../shell/actions.ts'
import { useCampaign, useQuery } from '../shell/context.ts'

/** How many notices that were not read are looked through for those of a page. */
const LOOKED_THROUGH = 50

/** Whoever opens a thing has seen what they were told of it. */
export function useSeen(entityType: string, entityId: number): void {
  const { campaignId } = useCampaign()
  const write = useWrite()
  const unread = useQuery('list_notifications', { campaignId, unread: true, limit: LOOKED_THROUGH }).data
  const of = (unread?.items ?? []).filter((notice) => notice.entityType === entityType && notice.entityId === entityId)
  const notificationIds = of.map(({ id }) => id)
  useEffect(() => {
    // One that is not marked stays new, which does no harm.
    if (notificationIds.length > 0) void write('mark_notifications_read', { notificationIds }).catch(() => undefined)
  }, [notificationIds.join()])
}
