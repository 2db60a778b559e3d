import type { FogChange, MapDetail, OperationName } from '../../api/contract.ts'
import { useAction } from '../../shell/actions.ts'
import { useApp, useCampaign } from '../../shell/context.ts'
import type { Point } from './view.ts'

/** What can be done with a map by one press or one stroke, each with its way back. */
export function useMapActs(mapId: number) {
  const { campaignId } = useCampaign()
  const { client } = useApp()
  const act = useAction()

  const revert = (operation: OperationName, entityType: string, entityId: number | null) => async () => {
    const about = entityId === null ? {} : { entityType, entityId }
    const { items } = await client.read('list_audit_records', { campaignId, operation, ...about, limit: 1 })
    if (items[0]) await act('revert_change', { auditRecordId: items[0].id }, { message: 'It is as it was.' })
  }
  const lay = (change: (now: MapDetail) => MapDetail) => ({
    what: 'The move',
    show: (cache: ReturnType<typeof useApp>['cache']) => [cache.one('get_map', { mapId }).overlay(change)],
  })
  const put = <T extends { readonly id: number }>(rows: readonly T[], id: number, { x, y }: Point): T[] =>
    rows.map((row) => (row.id === id ? { ...row, x, y } : row))

  return {
    fog: (change: FogChange, message: string) =>
      act('set_map_fog', { mapId, ...change }, { message, undo: revert('set_map_fog', 'map', null) }),
    movePin: (pinId: number, to: Point) =>
      act(
        'update_map_pin',
        { pinId, x: to.x, y: to.y },
        {
          message: 'The pin is moved.',
          undo: revert('update_map_pin', 'pin', pinId),
          ahead: lay((now) => ({ ...now, pins: put(now.pins, pinId, to) })),
        },
      ),
    moveToken: (tokenId: number, to: Point) =>
      act(
        'set_map_token',
        { mapId, tokenId, x: to.x, y: to.y },
        { ahead: lay((now) => ({ ...now, tokens: put(now.tokens, tokenId, to) })) },
      ),
    removeToken: (tokenId: number, label: string) =>
      act(
        'remove_map_token',
        { tokenId },
        {
          message: `${label} is off the map.`,
          undo: () => act('restore_from_trash', { campaignId, entityType: 'map_token', entityId: tokenId }),
        },
      ),
  }
}

export type MapActs = ReturnType<typeof useMapActs>
