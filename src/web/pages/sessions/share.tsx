import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Output, Session } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { Copy } from '../../kit/copy.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { day, span } from '../../kit/format.ts'
import { QrCode } from '../../kit/qr-code.tsx'
import { useAction, useWrite } from '../../shell/actions.ts'
import { useApp, usePages } from '../../shell/context.ts'

type Made = Output<'create_session_share'>

const terms = { '7': 'A week', '30': 'A month', '90': 'Three months', '365': 'A year' } as const
const dayMs = 24 * 3600 * 1000
const onlyHere = /^(localhost|127\.|\[::1\])/

/** Sends a recap to somebody who does not play: makes an address, shows it once, and ends those there are. */
export function ShareDialog({ session, onClose }: { session: Session; onClose: () => void }): JSX.Element {
  const write = useWrite()
  const submitting = useSubmit()
  const [made, setMade] = useState<Made | null>(null)
  const [label, setLabel] = useState('')
  const [term, setTerm] = useState<keyof typeof terms>('30')
  const make = async () => {
    const expiresAt = new Date(Date.now() + Number(term) * dayMs).toISOString()
    const input = { sessionId: session.id, expiresAt, ...(label.trim() ? { label: label.trim() } : {}) }
    await submitting.run(async () => {
      const written = await write('create_session_share', input)
      if (written.kind === 'done') setMade(written.value)
    })
  }
  return (
    <Dialog title="Share this chapter" onClose={onClose}>
      {made ? (
        <Address made={made} />
      ) : (
        <Form operation="create_session_share" submitting={submitting} onSubmit={() => void make()} class="stack">
          <p class="soft">
            Whoever has the address reads this recap and nothing else, without an account. It shows only what your
            players know.
          </p>
          <TextField
            label="For whom"
            name="label"
            hint="So that you know later which one to end"
            maxLength={120}
            value={label}
            onValue={setLabel}
          />
          <SelectField
            label="For how long"
            name="expiresAt"
            value={term}
            onValue={setTerm}
            options={Object.entries(terms).map(([value, word]) => ({ value: value as keyof typeof terms, word }))}
          />
          <FormError error={submitting.error} />
          <div class="actions">
            <Button onClick={onClose}>Not now</Button>
            <Button variant="primary" type="submit" icon="link" busy={submitting.busy}>
              Make an address
            </Button>
          </div>
        </Form>
      )}
      <Shares session={session} />
      {made && (
        <div class="actions">
          <Button onClick={onClose}>Done</Button>
        </div>
      )}
    </Dialog>
  )
}

function Address({ made }: { made: Made }): JSX.Element {
  const address = `${location.origin}${made.path}`
  return (
    <div class="stack">
      <p class="soft">Copy it now: it is not shown again. It works until {day(made.expiresAt)}.</p>
      <Copy text={address} />
      <QrCode text={address} label="The address of this chapter, for a camera" />
      {onlyHere.test(location.host) && (
        <p class="small soft">
          This address is of this computer alone. Open this page by the address that others reach, and share it there.
        </p>
      )}
    </div>
  )
}

/** Addresses that were made before; each is ended in one press. */
function Shares({ session }: { session: Session }): JSX.Element | null {
  const act = useAction()
  const { confirmations } = useApp()
  const list = usePages('list_session_shares', { sessionId: session.id, limit: 50 })
  if (list.items.length === 0) return null
  const end = async (shareId: number) => {
    const sure = await confirmations.ask({
      title: 'End this address?',
      text: 'It is dead at once, also for who has it open.',
      yes: 'End it',
      danger: true,
    })
    if (sure) await act('revoke_session_share', { shareId }, { message: 'The address is dead.' })
  }
  const now = new Date().toISOString()
  return (
    <section class="section">
      <h3 class="label">Shared already</h3>
      <div class="rows">
        {list.items.map(({ id, label, expiresAt, createdAt }) => (
          <div key={id} class="row">
            <span class="grow">
              <strong>{label ?? 'Without a name'}</strong>
              <span class="secondary">
                {expiresAt <= now ? 'Over' : `Ends ${span(expiresAt)}`}, made {day(createdAt)}
              </span>
            </span>
            <Button variant="danger-quiet" onClick={() => void end(id)}>
              End it
            </Button>
          </div>
        ))}
      </div>
    </section>
  )
}
