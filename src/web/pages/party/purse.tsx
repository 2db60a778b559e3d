import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Output } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { number, when } from '../../kit/format.ts'
import { NumberField } from '../../kit/number-field.tsx'
import { Section } from '../../kit/page.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, useQuery } from '../../shell/context.ts'

type Treasury = Output<'get_treasury'>

const words = (coins: Treasury['coins'], kinds: Treasury['kinds']): string =>
  [...kinds]
    .reverse()
    .filter(({ key }) => coins[key])
    .map(({ key, name }) => `${number(Math.abs(coins[key] ?? 0))} ${name.toLowerCase()}`)
    .join(', ')

const isIn = (delta: Treasury['coins']): boolean => Object.values(delta).some((count) => count > 0)

/** The coins of the party, and how each came or went. */
export function Purse(): JSX.Element | null {
  const { campaignId, mayWrite } = useCampaign()
  const { data: treasury } = useQuery('get_treasury', { campaignId })
  const [paying, setPaying] = useState<1 | -1 | null>(null)
  if (treasury === undefined || treasury.kinds.length === 0) return null
  const { coins, kinds, entries, entryCount } = treasury
  const shown = [...kinds].reverse().filter(({ key }) => coins[key])
  return (
    <Section title="The purse">
      <div class="purse">
        {shown.map(({ key, name }) => (
          <div key={key} class="fig">
            <b>{number(coins[key] ?? 0)}</b>
            <span>{name.toLowerCase()}</span>
          </div>
        ))}
        {shown.length === 0 && <p class="soft">The first coin is yours.</p>}
        {mayWrite && (
          <div class="acts">
            <Button icon="plus" onClick={() => setPaying(1)}>
              Put in
            </Button>
            <Button icon="minus" onClick={() => setPaying(-1)}>
              Take out
            </Button>
          </div>
        )}
      </div>
      {entries.length > 0 && (
        <table class="ledger">
          <thead>
            <tr>
              <th scope="col">What for</th>
              <th scope="col">In or out</th>
              <th scope="col">Left</th>
            </tr>
          </thead>
          <tbody>
            {entries.slice(0, 8).map((entry) => (
              <tr key={entry.id}>
                <td>
                  <strong>{entry.reason ?? 'Nobody said'}</strong>
                  <span class="line2">{`${entry.byUser?.title ?? 'Somebody'}, ${when(entry.createdAt)}`}</span>
                </td>
                <td class={isIn(entry.delta) ? 'sum' : 'sum out'}>
                  {`${isIn(entry.delta) ? '+' : '−'}${words(entry.delta, kinds)}`}
                </td>
                <td class="left">{words(entry.balance, kinds) || 'Nothing'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {entryCount > 8 && <p class="soft small">{`${number(entryCount)} lines in all.`}</p>}
      {paying !== null && <PayDialog treasury={treasury} sign={paying} onClose={() => setPaying(null)} />}
    </Section>
  )
}

function PayDialog({
  treasury,
  sign,
  onClose,
}: {
  treasury: Treasury
  sign: 1 | -1
  onClose: () => void
}): JSX.Element {
  const { campaignId } = useCampaign()
  const act = useAction()
  const [counts, setCounts] = useState<Readonly<Record<string, number>>>({})
  const [reason, setReason] = useState('')
  const delta = Object.fromEntries(
    Object.entries(counts)
      .filter(([, each]) => each > 0)
      .map(([key, each]) => [key, sign * each]),
  )
  const pay = async () => {
    const because = reason.trim() === '' ? {} : { reason }
    const written = await act('adjust_treasury', { campaignId, delta, ...because })
    if (written) onClose()
    return written !== null
  }
  return (
    <Dialog title={sign === 1 ? 'Put in' : 'Take out'} onClose={onClose}>
      <Form operation="adjust_treasury" class="" onSubmit={pay}>
        <div class="tap-parts">
          {[...treasury.kinds].reverse().map(({ key, name }) => (
            <NumberField
              key={key}
              label={name}
              value={counts[key] ?? null}
              onValue={(value) => setCounts((now) => ({ ...now, [key]: value ?? 0 }))}
              min={0}
              max={sign === 1 ? 1_000_000_000 : (treasury.coins[key] ?? 0)}
            />
          ))}
        </div>
        <TextField label="What for" name="reason" value={reason} onValue={setReason} />
        <Button type="submit" variant="primary" disabled={Object.keys(delta).length === 0}>
          {sign === 1 ? 'Put in' : 'Take out'}
        </Button>
      </Form>
    </Dialog>
  )
}
