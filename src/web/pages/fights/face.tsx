import type { JSX } from 'preact'
import { Portrait } from '../../kit/avatar.tsx'
import { useCampaign, useQuery } from '../../shell/context.ts'

interface Somebody {
  readonly name: string
  readonly characterId?: number | null
  readonly npcId?: number | null
}

/**
 * Whoever fights, by their portrait where they are somebody in the tale: of the party for everybody, of the others for the
 * Dungeon Master. A creature of the books has its first letter.
 */
export function Face({ one, size = 's' }: { one: Somebody; size?: 's' | 'm' }): JSX.Element {
  const { campaignId, isDm } = useCampaign()
  const { characterId = null, npcId = null } = one
  const party = useQuery(
    'list_characters',
    characterId === null ? null : { campaignId, status: 'active', limit: 200 },
  ).data
  const npc = useQuery('get_npc', npcId === null || !isDm ? null : { npcId }).data
  const picture = party?.items.find(({ id }) => id === characterId)?.portraitAttachmentId ?? npc?.portraitAttachmentId
  return <Portrait name={one.name} attachmentId={picture} size={size} />
}
