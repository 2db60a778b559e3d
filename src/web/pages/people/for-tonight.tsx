import type { JSX } from 'preact'
import type { Npc } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign } from '../../shell/context.ts'

/** Who has this tag is pinned to the first page of the Dungeon Masters, whoever gave it: a person, an app or an import. */
export const tonightTag = 'tonight'

/** Pins somebody to the first page, or takes them off it. */
export function ForTonight({ npc }: { npc: Pick<Npc, 'id' | 'name' | 'tags' | 'revision'> }): JSX.Element | null {
  const { isDm, mayWrite } = useCampaign()
  const act = useAction()
  if (!isDm || !mayWrite) return null
  const isPinned = npc.tags.includes(tonightTag)
  const tags = isPinned ? npc.tags.filter((tag) => tag !== tonightTag) : [...npc.tags, tonightTag]
  return (
    <Button
      icon={isPinned ? 'check' : 'pin'}
      aria-pressed={isPinned}
      onClick={() =>
        void act(
          'update_npc',
          { npcId: npc.id, expectedRevision: npc.revision, tags },
          { message: isPinned ? `${npc.name} is off the first page.` : `${npc.name} is on the first page.` },
        )
      }
    >
      For tonight
    </Button>
  )
}
