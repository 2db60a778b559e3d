import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { SelectField, Switch, TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, useQuery } from '../../shell/context.ts'
import './styles.ts'

/** A Dungeon Master asks some of the party for a check. */
export function AskDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const { campaignId } = useCampaign()
  const act = useAction()
  const { data: party } = useQuery('get_party', { campaignId })
  const people = party?.characters ?? []
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set())
  const [checkId, setCheckId] = useState('')
  const [reason, setReason] = useState('')
  const [difficulty, setDifficulty] = useState<number | null>(null)
  const [told, setTold] = useState(false)
  const [secret, setSecret] = useState(false)
  const [first] = people
  const checks = useQuery('list_checks', first ? { characterId: first.id, limit: 200 } : null).data?.items ?? []
  const asked = people.filter(({ id }) => !left.has(id))
  const wanted = checkId || (checks.find(({ id }) => id.includes('perception'))?.id ?? checks[0]?.id ?? '')
  const ask = async () => {
    const written = await act(
      'request_check',
      {
        campaignId,
        characterIds: asked.map(({ id }) => id),
        checkId: wanted,
        ...(reason.trim() === '' ? {} : { reason }),
        ...(difficulty === null ? {} : { difficulty }),
        showDifficulty: told,
        secret,
      },
      { message: 'Asked.' },
    )
    if (written) onClose()
    return written !== null
  }
  return (
    <Dialog title="Ask for a check" onClose={onClose}>
      {people.length === 0 ? (
        <p class="soft">Nobody is active. A character comes first.</p>
      ) : (
        <Form operation="request_check" class="" onSubmit={ask}>
          <SelectField
            label="What"
            value={wanted}
            onValue={setCheckId}
            options={checks.map(({ id, name }) => ({ value: id, word: name }))}
          />
          <fieldset class="hands">
            <legend class="visually-hidden">Who rolls</legend>
            {people.map((one) => (
              <button
                key={one.id}
                type="button"
                aria-pressed={!left.has(one.id)}
                onClick={() => {
                  const next = new Set(left)
                  if (!next.delete(one.id)) next.add(one.id)
                  setLeft(next)
                }}
              >
                {one.name}
              </button>
            ))}
          </fieldset>
          <TextField label="Why, in their words" name="reason" value={reason} onValue={setReason} />
          <NumberField label="Against" value={difficulty} onValue={setDifficulty} min={-1000} max={1000} />
          <Switch label="Tell them the number" checked={told} onValue={setTold} />
          <Switch label="Only you see what falls" checked={secret} onValue={setSecret} />
          <Button type="submit" variant="primary" disabled={asked.length === 0 || wanted === ''}>
            {asked.length === 1 ? 'Ask one' : `Ask ${asked.length}`}
          </Button>
        </Form>
      )}
    </Dialog>
  )
}
