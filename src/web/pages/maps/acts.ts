import type { FogChange, MapDetail } from '../../api/contract.ts'
import { useAction } from '../../shell/actions.ts'
import { type App, useCampaign } from '../../shell/context.ts'
import type { Point } from './view.ts'

/** What can be done with a map by one press or one stroke, each with its way back. */
export function useMapActs(mapId: number) {
  const { campaignId } = useCampaign()
  const act = useAction()

  const lay = (change: (now: MapDetail) => MapDetail) => ({
    what: 'The move',
    show: (cache: App['cache']) => [cache.one('get_map', { mapId }).overlay(change)],
  })
  const put = <T extends { readonly id: number }>(rows: readonly T[], id: number, { x, y }: Point): T[] =>
    rows.map((row) => (row.id === id ? { ...row, x, y } : row))

  return {
    fog: (change: FogChange, message: string) => act('set_map_fog', { mapId, ...change }, { message }),
    movePin: (pinId: number, to: Point) =>
      act(
        'update_map_pin',
        { pinId, x: to.x, y: to.y },
        {
          message: 'The pin is moved.',
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
