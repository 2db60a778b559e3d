import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button, IconButton } from '../../kit/button.tsx'
import { InlineSelect } from '../../kit/field.tsx'
import { useAction, useWrite } from '../../shell/actions.ts'
import { useApp, useCampaign, useQuery } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { useShortcuts } from '../../shell/navigation.tsx'

/** Puts so many of a creature into a fight that runs or is planned; where there is none, into a new one. */
export function IntoFight({ id, name }: { id: number; name: string }): JSX.Element {
  const { campaignId } = useCampaign()
  const { toasts } = useApp()
  const act = useAction()
  const write = useWrite()
  const [, navigate] = useLocation()
  const [count, setCount] = useState(1)
  const [chosen, setChosen] = useState('')
  const running = useQuery('list_encounters', { campaignId, status: 'running', limit: 20 }).data?.items ?? []
  const planned = useQuery('list_encounters', { campaignId, status: 'planning', limit: 20 }).data?.items ?? []
  const fights = [...running, ...planned]
  const target = fights.find(({ id: each }) => String(each) === chosen) ?? fights[0]
  const add = async () => {
    try {
      const encounterId = target?.id ?? (await begun(write, campaignId, name))
      const input = { encounterId, kind: 'monster' as const, ruleEntryId: id, count }
      const written = await act('add_combatant', input)
      if (written === null) return
      const to = sectionPath(campaignId, 'fights', encounterId)
      toasts.say(`${count === 1 ? name : `${count} × ${name}`} in ${target?.name ?? 'a new fight'}.`, {
        word: 'Go there',
        run: async () => navigate(to),
      })
    } catch (error) {
      toasts.fail(error instanceof Error ? error.message : 'It did not come through.')
    }
  }
  useShortcuts([{ key: 'a', run: () => void add() }])
  return (
    <div class="into-fight">
      <span class="stepper">
        <IconButton icon="minus" label="One fewer" disabled={count === 1} onClick={() => setCount(count - 1)} />
        <output aria-label="How many">{count}</output>
        <IconButton icon="plus" label="One more" disabled={count === 20} onClick={() => setCount(count + 1)} />
      </span>
      <Button icon="swords" onClick={() => void add()}>
        {target === undefined
          ? 'Begin a fight with it'
          : count === 1
            ? 'Add it to the fight'
            : `Add ${count} to the fight`}{' '}
        <kbd>a</kbd>
      </Button>
      {fights.length > 1 && (
        <InlineSelect
          label="Which fight"
          words={Object.fromEntries(fights.map((each) => [String(each.id), each.name]))}
          value={String(target?.id ?? '')}
          onValue={setChosen}
        />
      )}
    </div>
  )
}

async function begun(write: ReturnType<typeof useWrite>, campaignId: number, name: string): Promise<number> {
  const written = await write('create_encounter', { campaignId, name })
  if (written.kind !== 'done') throw new Error('The fight waits for approval.')
  return written.value.id
}
