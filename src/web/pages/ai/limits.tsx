import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Output } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { AreaField, Checkbox, Switch } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { number } from '../../kit/format.ts'
import { useAction, useWrite } from '../../shell/actions.ts'
import { useApp, useCampaign } from '../../shell/context.ts'

export type Seat = Output<'get_ai_seat'>

/** About a thousand tokens, read and written together. */
const page = 1000
const pagesOf = (tokens: number): number => Math.floor(tokens / page)

const groups: readonly { readonly group: Seat['driverMay'][number]; readonly words: string }[] = [
  { group: 'fights', words: 'Move the order and hit points' },
  { group: 'dice', words: 'Roll for creatures' },
  { group: 'tale', words: 'Change quests and people' },
  { group: 'reveal', words: 'Reveal what is hidden' },
]

/** How much is left, how it speaks, and what it may. */
export function SeatLimits({ seat }: { seat: Seat }): JSX.Element {
  const { campaignId, isDm, mayWrite } = useCampaign()
  const { confirmations } = useApp()
  const act = useAction()
  const { mode, tokenBudget, tokensLeft, driverMay, maySeeSecrets } = seat
  const mayChange = isDm && mayWrite
  const left = tokenBudget === 0 ? 0 : Math.round((tokensLeft / tokenBudget) * 100)
  const secrets = async (wanted: boolean) => {
    const question = {
      title: 'Let it read your secrets?',
      text: seat.provider.external
        ? 'What only Dungeon Masters read is then sent to an AI outside of this server.'
        : 'What only Dungeon Masters read is then given to the AI on this server.',
      yes: 'Let it read them',
    }
    if (!wanted || (await confirmations.ask(question)))
      await act('update_ai_seat', { campaignId, maySeeSecrets: wanted })
  }
  const allow = (pages: number) => act('update_ai_seat', { campaignId, tokenBudget: pages * page })
  return (
    <aside class="side-column">
      {mode !== 'off' && (
        <section class="seat-left">
          <h2 class="label">Left for now</h2>
          <div class="progress">
            <div class="track">
              <i style={{ '--done': `${left}%` }} />
            </div>
          </div>
          <p>
            {number(pagesOf(tokensLeft))} of {number(pagesOf(tokenBudget))} pages
          </p>
          <p class="small soft">A page is about a thousand tokens. At the end it falls silent; nothing goes over.</p>
          {mayChange && (
            <Button variant="quiet" onClick={() => void allow(200)}>
              Allow 200 pages from now
            </Button>
          )}
        </section>
      )}
      <Voice seat={seat} />
      {mayChange && (
        <section>
          <Switch
            label="It may read your secrets"
            hint="Blue ink: what only Dungeon Masters read"
            checked={maySeeSecrets}
            onValue={(wanted) => void secrets(wanted)}
          />
        </section>
      )}
      {mayChange && (
        <section>
          <h2 class="label">At the head it may</h2>
          {groups.map(({ group, words }) => (
            <Checkbox
              key={group}
              label={words}
              checked={driverMay.includes(group)}
              disabled={group === 'reveal' && !maySeeSecrets}
              onValue={(wanted) => {
                const rest = driverMay.filter((each) => each !== group)
                void act('update_ai_seat', { campaignId, driverMay: wanted ? [...rest, group] : rest })
              }}
            />
          ))}
          <p class="small soft">Never: remove anything, or speak to one player alone.</p>
        </section>
      )}
    </aside>
  )
}

function Voice({ seat: { persona } }: { seat: Seat }): JSX.Element | null {
  const { campaignId, isDm, mayWrite } = useCampaign()
  const write = useWrite()
  const submitting = useSubmit()
  const [text, setText] = useState<string | null>(null)
  if (persona === null && !isDm) return null
  const save = async () => {
    const next = text?.trim() || null
    if (await submitting.run(() => write('update_ai_seat', { campaignId, persona: next }))) setText(null)
  }
  return (
    <section>
      <h2 class="label">Its voice</h2>
      {text === null ? (
        <>
          {persona ? <p class="persona">“{persona}”</p> : <p class="soft">It speaks as it pleases.</p>}
          {isDm && mayWrite && (
            <Button variant="quiet" icon="pen" onClick={() => setText(persona ?? '')}>
              Change
            </Button>
          )}
        </>
      ) : (
        <Form operation="update_ai_seat" submitting={submitting} onSubmit={() => void save()}>
          <AreaField label="How it speaks" name="persona" rows={3} value={text} onValue={setText} />
          <FormError error={submitting.error} />
          <div class="line">
            <Button type="submit" busy={submitting.busy}>
              Keep it
            </Button>
            <Button variant="quiet" onClick={() => setText(null)}>
              Cancel
            </Button>
          </div>
        </Form>
      )}
    </section>
  )
}
