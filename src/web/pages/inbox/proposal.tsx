import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ProposalDetail } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { AreaField, Switch, TextField } from '../../kit/field.tsx'
import { Complaint, Form, useSubmit } from '../../kit/form.tsx'
import { Failed, Running, Waiting } from '../../kit/page.tsx'
import { fieldOf } from '../../kit/words.ts'
import { WriteField } from '../../kit/write.tsx'
import { useAct, useApp, useCampaign, useQuery, useTitle, useWrite } from '../../shell/context.ts'
import { place } from '../../shell/links.ts'
import { ProposalEntry } from './proposals.tsx'

/** One proposal by its own address; whoever filed it can rewrite it or take it back while it waits. */
export function ProposalPage({ id }: { id: number }): JSX.Element {
  const { campaignId, campaign, isDm, mayWrite } = useCampaign()
  const { session, asks } = useApp()
  const act = useAct()
  const { data: proposal, error } = useQuery('get_proposal', { proposalId: id })
  const [revising, setRevising] = useState(false)
  useTitle('Proposal', campaign.name)
  if (!proposal) return error ? <Failed error={error} /> : <Waiting />
  const mine = proposal.authorUserId === session.status.value?.user?.id

  const withdraw = async () => {
    const question = {
      title: 'Take this proposal back?',
      text: 'The DM will not see it any more.',
      yes: 'Take it back',
    }
    if (await asks.ask(question)) await act('withdraw_proposal', { proposalId: id }, { said: 'Taken back.' })
  }
  return (
    <>
      <Running to={place(campaignId, 'inbox')}>{isDm ? 'Inbox' : 'With the DM'}</Running>
      <h1 class="vh">Proposal</h1>
      <ProposalEntry proposal={proposal} alone />
      {mine && mayWrite && proposal.status === 'pending' && !revising && (
        <div class="line">
          <Button look="act" icon="pen" onClick={() => setRevising(true)}>
            Rewrite it
          </Button>
          <Button look="harm-quiet" onClick={() => void withdraw()}>
            Take it back
          </Button>
        </div>
      )}
      {revising && <Revise proposal={proposal} onDone={() => setRevising(false)} />}
    </>
  )
}

const long = new Set(['body', 'recap', 'description'])
const choices = new Set(['status', 'disposition', 'discovery', 'fromType', 'toType'])

/** The texts of the proposal, open for another try. What is no text stays as it was proposed. */
function Revise({ proposal, onDone }: { proposal: ProposalDetail; onDone: () => void }): JSX.Element {
  const write = useWrite()
  const submitting = useSubmit()
  const [input, setInput] = useState<Record<string, unknown>>({ ...proposal.input })
  const [reason, setReason] = useState(proposal.reason ?? '')
  const set = (field: string) => (value: unknown) => setInput({ ...input, [field]: value })

  const save = async () => {
    const { expectedRevision: _, ...rest } = input
    const went = await submitting.run(() =>
      write('revise_proposal', { proposalId: proposal.id, input: rest, reason: reason.trim() }),
    )
    if (went) onDone()
  }
  return (
    <Form submitting={submitting} onSubmit={() => void save()} class="stack form section">
      {Object.entries(input).map(([field, value]) => {
        if (typeof value === 'boolean') {
          return <Switch key={field} label={fieldOf(field)} checked={value} onValue={set(field)} />
        }
        if (typeof value !== 'string' || choices.has(field)) return null
        if (long.has(field)) {
          return <WriteField key={field} label={fieldOf(field)} name={field} value={value} onValue={set(field)} />
        }
        return <TextField key={field} label={fieldOf(field)} name={field} value={value} onValue={set(field)} />
      })}
      <AreaField label="A word to the DM about it" name="reason" rows={2} value={reason} onValue={setReason} />
      <Complaint error={submitting.error} />
      <div class="line">
        <Button look="act" type="submit" icon="check" busy={submitting.busy}>
          Propose it so
        </Button>
        <Button look="quiet" onClick={onDone}>
          Leave it
        </Button>
      </div>
    </Form>
  )
}
