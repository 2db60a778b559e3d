import type { JSX } from 'preact'
import type { OperationName, ProposalDetail, ProposedChange } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { EntityPage } from '../../kit/entity-page.tsx'
import { AreaField, SubForm, Switch, TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { fieldLabel } from '../../kit/labels.ts'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { BackLink } from '../../kit/page.tsx'
import { useSeen } from '../../kit/seen.ts'
import { useOpened, useWords } from '../../kit/words.ts'
import { useAction, useWrite } from '../../shell/actions.ts'
import { useApp, useCampaign, useMe } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { ProposalEntry } from './proposals.tsx'
import './styles.ts'

/** One proposal by its own address; whoever filed it can rewrite it or take it back while it waits. */
export function ProposalPage({ id }: { id: number }): JSX.Element {
  useSeen('proposal', id)
  return (
    <EntityPage kind="proposal" id={id}>
      {(proposal) => <ProposalBody proposal={proposal} />}
    </EntityPage>
  )
}

function ProposalBody({ proposal }: { proposal: ProposalDetail }): JSX.Element {
  const { campaignId, isDm, mayWrite } = useCampaign()
  const me = useMe()?.id
  const { confirmations } = useApp()
  const act = useAction()
  const [revising, setRevising] = useOpened('revise')
  const mine = proposal.authorUserId === me
  // A form for many changes is nothing that anybody fills in: whoever asked for them asks anew.
  const only = proposal.changes.length === 1 ? proposal.changes[0] : undefined

  const withdraw = async () => {
    const question = {
      title: 'Take this proposal back?',
      text: 'The DM will not see it any more.',
      yes: 'Take it back',
    }
    if (await confirmations.ask(question))
      await act('withdraw_proposal', { proposalId: proposal.id }, { message: 'Taken back.' })
  }
  return (
    <>
      <BackLink to={sectionPath(campaignId, 'inbox')}>{isDm ? 'Inbox' : 'With the DM'}</BackLink>
      <h1 class="visually-hidden">Proposal</h1>
      <ProposalEntry proposal={proposal} alone />
      {mine && mayWrite && proposal.status === 'pending' && !revising && (
        <div class="line">
          {only && (
            <Button variant="primary" icon="pen" onClick={() => setRevising(true)}>
              Rewrite it
            </Button>
          )}
          <Button variant="danger-quiet" onClick={() => void withdraw()}>
            Take it back
          </Button>
        </div>
      )}
      {revising && only && <Revise proposal={proposal} change={only} onDone={() => setRevising(false)} />}
    </>
  )
}

const long = new Set(['body', 'recap', 'description'])
const choices = new Set(['status', 'disposition', 'discovery', 'fromType', 'toType'])

/** The texts of the proposal, open for another try. What is no text stays as it was proposed. */
function Revise({
  proposal,
  change,
  onDone,
}: {
  proposal: ProposalDetail
  change: ProposedChange
  onDone: () => void
}): JSX.Element {
  const write = useWrite()
  const submitting = useSubmit()
  const limits = useApp().limitsOf(change.operation as OperationName)
  const words = useWords('revise', {
    input: { ...change.input } as Record<string, unknown>,
    reason: proposal.reason ?? '',
  })
  const { input, reason } = words.values
  const set = (field: string) => (value: unknown) => words.set({ input: { ...input, [field]: value } })
  const close = () => {
    words.forget()
    onDone()
  }

  const save = async () => {
    const changes = [{ operation: change.operation, input }]
    const went = await submitting.run(() =>
      write('revise_proposal', { proposalId: proposal.id, changes, reason: reason.trim() }),
    )
    if (went) close()
  }
  return (
    <Form
      operation="revise_proposal"
      ownWords
      submitting={submitting}
      onSubmit={() => void save()}
      onCancel={close}
      class="stack form section"
    >
      <SubForm name="input" title="What is proposed" quietTitle>
        {Object.entries(input).map(([field, value]) => {
          if (typeof value === 'boolean') {
            return <Switch key={field} label={fieldLabel(field)} checked={value} onValue={set(field)} />
          }
          if (typeof value !== 'string' || choices.has(field)) return null
          if (long.has(field)) {
            return (
              <MarkdownField key={field} label={fieldLabel(field)} name={field} value={value} onValue={set(field)} />
            )
          }
          return (
            <TextField
              key={field}
              label={fieldLabel(field)}
              name={field}
              maxLength={limits[field]}
              value={value}
              onValue={set(field)}
            />
          )
        })}
      </SubForm>
      <AreaField
        label="A word to the DM about it"
        name="reason"
        rows={2}
        value={reason}
        onValue={(text) => words.set({ reason: text })}
      />
      <FormError error={submitting.error} />
      <div class="line">
        <Button variant="primary" type="submit" icon="check" busy={submitting.busy}>
          Propose it so
        </Button>
        <Button variant="quiet" onClick={close}>
          Cancel
        </Button>
      </div>
    </Form>
  )
}
