import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { FilterField } from '../../kit/field.tsx'
import { fold } from '../../kit/format.ts'
import { useDebounced } from '../../kit/hooks.ts'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, useQuery } from '../../shell/context.ts'
import type { Fight } from './words.ts'

/** One field over the creatures of all books and the people of the tale: what is chosen stands in the fight. */
export function AddField({ fight, onOwn }: { fight: Pick<Fight, 'id'>; onOwn: () => void }): JSX.Element {
  const { campaignId } = useCampaign()
  const act = useAction()
  const [typed, setTyped] = useState('')
  const query = useDebounced(typed.trim(), 150)
  const creatures = useQuery(
    'search_rules',
    query === '' ? null : { campaignId, query, kind: 'creature' as const, limit: 6 },
  ).data?.items
  const people = useQuery('list_npcs', query === '' ? null : { campaignId, limit: 200 }).data?.items
  const known = (people ?? []).filter(({ name }) => fold(name).includes(fold(query))).slice(0, 4)
  const add = async (
    input: { ruleEntryId: number; kind: 'monster' } | { npcId: number; kind: 'npc' },
    name: string,
  ) => {
    const written = await act('add_combatant', { encounterId: fight.id, ...input }, { message: `${name} is in.` })
    if (written) setTyped('')
  }
  const found = query !== '' && ((creatures?.length ?? 0) > 0 || known.length > 0)
  return (
    <div class="add-field">
      <div class="line">
        <FilterField
          value={typed}
          onValue={setTyped}
          label="Add a creature or a person"
          placeholder="Add a creature, or anybody from the tale"
        />
        <Button variant="quiet" icon="pen" onClick={onOwn}>
          By its numbers
        </Button>
      </div>
      {found && (
        <ul class="found">
          {creatures?.map(({ id, name, summary }) => (
            <li key={id}>
              <button type="button" onClick={() => void add({ kind: 'monster', ruleEntryId: id }, name)}>
                <strong>{name}</strong>
                <span class="line2">{summary}</span>
              </button>
            </li>
          ))}
          {known.map(({ id, name }) => (
            <li key={`npc ${id}`}>
              <button type="button" onClick={() => void add({ kind: 'npc', npcId: id }, name)}>
                <strong>{name}</strong>
                <span class="line2">Of the campaign</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {query !== '' && creatures !== undefined && !found && (
        <p class="small soft">Nobody of that name. A shorter word may find somebody.</p>
      )}
    </div>
  )
}
