import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Difference, EntityName, Proposal, ProposalStatus, ProposedChange } from '../../api/contract.ts'
import { idMember } from '../../kinds.ts'
import { Avatar } from '../../kit/avatar.tsx'
import { Button, IconButton } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Differences } from '../../kit/diff.tsx'
import { AreaField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { capitalize, count, joinNames, when } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { operationLabel, proposalTitle } from '../../kit/labels.ts'
import { useSearchedList } from '../../kit/list.tsx'
import { ListBody } from '../../kit/list-page.tsx'
import { EmptyState } from '../../kit/page.tsx'
import { WindowedList } from '../../kit/windowed-list.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, useMe } from '../../shell/context.ts'
import { entityPath, sectionPath } from '../../shell/links.ts'
import { ProposedChanges, summaryOf } from './changes.tsx'
import { groupChanges } from './things.ts'
import './styles.ts'

/** Changes that wait for the DM, or that were decided; a player sees their own. */
export function Proposals({ decided }: { decided: boolean }): JSX.Element {
  const { campaignId, isDm, mayWrite } = useCampaign()
  const list = useSearchedList('list_proposals', {
    campaignId,
    view: 'full',
    limit: 50,
    ...(decided ? {} : { status: 'pending' as const }),
  })
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const shown = list.shown.filter((proposal) => (proposal.status === 'pending') !== decided)
  const picked = shown.filter((proposal) => chosen.has(proposal.id))
  const choose = (id: number, on: boolean) => {
    const next = new Set(chosen)
    if (on) next.add(id)
    else next.delete(id)
    setChosen(next)
  }

  if (!list.waiting && !list.error && !list.more && shown.length === 0 && !list.typed) {
    if (decided)
      return (
        <EmptyState title="Nothing has been decided">Proposals that were taken or declined are kept here.</EmptyState>
      )
    return (
      <EmptyState title={isDm ? 'Nothing waits for you' : 'You have proposed nothing'}>
        {isDm
          ? 'When a player or an assistant would change the tale, the change waits here until you take or decline it.'
          : 'Open a quest, a person or a place and propose what should be different. The DM decides.'}
      </EmptyState>
    )
  }
  return (
    <>
      <ListBody
        list={list}
        shown={shown}
        one="proposal"
        many="proposals"
        filterFrom={6}
        placeholder="A word of it, or whoever proposed it"
      >
        <WindowedList items={shown} narrowed={list.typed}>
          {(proposal) => (
            <ProposalEntry
              key={proposal.id}
              proposal={proposal}
              {...(isDm && mayWrite && !decided && !proposal.forAuthor
                ? { chosen: chosen.has(proposal.id), onChoose: (on: boolean) => choose(proposal.id, on) }
                : {})}
            />
          )}
        </WindowedList>
      </ListBody>
      {picked.length > 0 && <BulkDecision picked={picked} onDone={() => setChosen(new Set())} />}
    </>
  )
}

/** Taking or declining several at once. */
function BulkDecision({ picked, onDone }: { picked: readonly Proposal[]; onDone: () => void }): JSX.Element {
  const decide = useDecide()
  const ids = picked.map((proposal) => proposal.id)
  const read = picked.map(({ id, revision }) => ({ proposalId: id, revision }))
  const authors = new Set(picked.map((proposal) => proposal.authorUser.title))
  const many = picked.length
  return (
    <div class="bulk-bar">
      <strong>{many} chosen</strong>
      <span class="soft small desktop-only">
        {authors.size === 1 && many > 1 ? `All from ${picked[0]?.authorUser.title}. ` : ''}Each can be undone from the
        history.
      </span>
      <span class="end line">
        <Button variant="danger-quiet" onClick={() => decide.decline(ids, onDone)}>
          Decline {many}
        </Button>
        <Button variant="primary" icon="check" onClick={() => void decide.take(read).then((done) => done && onDone())}>
          Take {many}
        </Button>
      </span>
      {decide.dialog}
    </div>
  )
}

export function useDecide() {
  const { campaignId } = useCampaign()
  const act = useAction()
  const [declining, setDeclining] = useState<{ ids: readonly number[]; after?: (() => void) | undefined } | null>(null)
  const [note, setNote] = useState('')

  const decline = async () => {
    if (!declining) return false
    const { ids, after } = declining
    const message = ids.length === 1 ? 'Declined.' : `${count(ids.length, 'proposal')} declined.`
    const input = { campaignId, proposalIds: [...ids], ...(note.trim() ? { note: note.trim() } : {}) }
    const done = await act('reject_proposals', input, { message })
    if (done === null) return false
    setDeclining(null)
    setNote('')
    after?.()
    return true
  }

  return {
    /** Takes them as they were read: one that its author has changed since is shown anew instead. */
    async take(read: readonly { proposalId: number; revision: number }[]): Promise<boolean> {
      const message = read.length === 1 ? 'It is part of the tale now.' : `${count(read.length, 'proposal')} taken.`
      const done = await act('approve_proposals', { campaignId, proposals: [...read] }, { message })
      return done !== null
    },
    /** Asks for the rest anew, takes that, and declines the whole with what was left out of it. */
    async takeWithout(proposal: Proposal, out: ReadonlySet<number>): Promise<boolean> {
      const all = proposal.changes ?? []
      const kept = all.flatMap(({ operation, input, as }, place) =>
        out.has(place) ? [] : [{ operation, input, ...(as === undefined ? {} : { as }) }],
      )
      const names = groupChanges(all)
        .filter(({ changes }) => changes.every(({ place }) => out.has(place)))
        .map(({ name, changes }) => name ?? operationLabel(changes[0]?.change.operation ?? ''))
      const reason = `The rest of proposal ${proposal.id}`
      const asked = await act('create_proposal', { campaignId, changes: kept, reason })
      if (asked?.kind !== 'done') return false
      const read = { proposalId: asked.value.id, revision: asked.value.revision }
      const message = `${count(kept.length, 'change')} taken.`
      if ((await act('approve_proposals', { campaignId, proposals: [read] }, { message })) === null) {
        await act('withdraw_proposal', { proposalId: asked.value.id })
        return false
      }
      const note = `Taken without ${joinNames(names)}.`
      const left = note.length > 1000 ? `Taken without ${count(names.length, 'thing')}.` : note
      return (await act('reject_proposals', { campaignId, proposalIds: [proposal.id], note: left })) !== null
    },
    withdraw: (proposalId: number) => act('withdraw_proposal', { proposalId }, { message: 'Taken back.' }),
    decline(ids: readonly number[], after?: () => void) {
      setNote('')
      setDeclining({ ids, after })
    },
    dialog: declining && (
      <Dialog
        title={declining.ids.length === 1 ? 'Decline it?' : `Decline ${declining.ids.length}?`}
        onClose={() => setDeclining(null)}
      >
        <Form operation="reject_proposals" class="stack" about={declining.ids.join(' ')} onSubmit={decline}>
          <AreaField
            label="A word to whoever proposed it"
            name="note"
            rows={2}
            hint="Why not, or what would make it fit. You may leave it empty."
            value={note}
            onValue={setNote}
          />
          <div class="actions">
            <Button onClick={() => setDeclining(null)}>Not yet</Button>
            <Button variant="danger" type="submit">
              Decline
            </Button>
          </div>
        </Form>
      </Dialog>
    ),
  }
}

const statusWords: Readonly<Record<ProposalStatus, readonly [string, string]>> = {
  pending: ['brass', 'Waiting'],
  approved: ['ok', 'Taken'],
  rejected: ['bad', 'Declined'],
  withdrawn: ['', 'Taken back'],
}

/** Of how many changes a line of the list shows all; of more it shows what they come to. */
const shownAtOnce = 3

export function ProposalEntry({
  proposal,
  chosen,
  onChoose,
  alone,
}: {
  proposal: Proposal
  chosen?: boolean
  onChoose?: (on: boolean) => void
  alone?: boolean
}): JSX.Element {
  const { campaignId, isDm, mayWrite } = useCampaign()
  const me = useMe()?.id
  const decide = useDecide()
  const [out, setOut] = useState<ReadonlySet<number> | null>(null)
  const mine = proposal.authorUserId === me
  const pending = proposal.status === 'pending'
  const decides = pending && mayWrite && (proposal.forAuthor ? mine : isDm)
  const [look, word] = statusWords[proposal.status]
  const changes = proposal.changes ?? []
  const [only, ...others] = changes
  const title =
    others.length > 0 ? `${changes.length} changes` : (only?.name ?? only?.thing ?? proposalTitle(proposal.title))
  const target =
    proposal.targetType && proposal.targetId ? entityPath(campaignId, proposal.targetType, proposal.targetId) : null
  const own = sectionPath(campaignId, 'proposals', proposal.id)
  const taken = proposal.status === 'approved'
  const heading = alone ? target && others.length === 0 ? <Link href={target}>{title}</Link> : title : undefined
  const toggle = (places: readonly number[], leave: boolean) => {
    const next = new Set(out)
    for (const place of places) leave ? next.add(place) : next.delete(place)
    setOut(next)
  }
  const putAside = () =>
    isDm && !proposal.forAuthor ? decide.decline([proposal.id]) : void decide.withdraw(proposal.id)
  return (
    <article class={onChoose ? 'proposal' : 'proposal plain'}>
      {onChoose && (
        <label class="checkbox">
          <input
            type="checkbox"
            checked={chosen}
            aria-label={`Choose the proposal about ${title}`}
            onChange={(event) => onChoose(event.currentTarget.checked)}
          />
        </label>
      )}
      <div>
        <h2>{heading ?? <Link href={own}>{title}</Link>}</h2>
        <p class="by">
          <Avatar name={proposal.authorUser.title} small />
          {mine ? 'You' : proposal.authorUser.title}
          {proposal.appName && ` through ${proposal.appName}`}
          {others.length === 0 && only && ` · ${operationLabel(only.operation)}`}
          <span class="faint">{when(proposal.createdAt)}</span>
          {(!pending || alone) && <span class={`chip ${look}`}>{word}</span>}
          {proposal.forAuthor && pending && <span class="chip">Yours to decide</span>}
          {proposal.stale && (
            <span class="chip bad">
              <Icon name="warn" size="s" />
              Changed meanwhile
            </span>
          )}
        </p>
        {proposal.reason && others.length > 0 && <p class="why">“{proposal.reason}”</p>}
        {others.length === 0 ? (
          <Differences list={taken ? madeOf(only) : (only?.difference ?? [])} />
        ) : alone || changes.length <= shownAtOnce ? (
          <ProposedChanges changes={changes} leaving={out === null ? undefined : { out, toggle }} />
        ) : (
          <p>
            {capitalize(summaryOf(changes))}. <Link href={own}>Read them</Link>
          </p>
        )}
        {proposal.stale && (
          <p class="why">
            {isDm
              ? 'What it is about has changed since this was proposed. Ask for it anew, or make the change yourself.'
              : 'What it is about has changed since. Look at it again and revise your proposal.'}
          </p>
        )}
        {proposal.reason && others.length === 0 && <p class="why">“{proposal.reason}”</p>}
        {proposal.decisionNote && <p class="why">The DM: “{proposal.decisionNote}”</p>}
      </div>
      {decides && (
        <div class={alone && others.length > 0 ? 'actions deciding' : 'actions'}>
          {out === null || out.size === 0 ? (
            <Button
              icon="check"
              variant={alone ? 'primary' : 'plain'}
              disabled={proposal.stale}
              onClick={() => void decide.take([{ proposalId: proposal.id, revision: proposal.revision }])}
            >
              {others.length > 0 ? `Take all ${changes.length}` : 'Take it'}
            </Button>
          ) : (
            <Button
              icon="check"
              variant="primary"
              disabled={out.size === changes.length}
              onClick={() => void decide.takeWithout(proposal, out).then((done) => done && setOut(null))}
            >
              Take the other {changes.length - out.size}
            </Button>
          )}
          {alone && others.length > 0 && isDm && out === null && (
            <Button variant="quiet" onClick={() => setOut(new Set())}>
              Leave some out
            </Button>
          )}
          {alone && isDm && !proposal.forAuthor ? (
            <Button variant="quiet" aria-label={`Decline the proposal about ${title}`} onClick={putAside}>
              Decline
            </Button>
          ) : (
            <IconButton icon="x" label={`Decline the proposal about ${title}`} onClick={putAside} />
          )}
        </div>
      )}
      {decide.dialog}
    </article>
  )
}

/** What a change that was taken has put there; against the present it makes no difference any more. */
function madeOf(change: ProposedChange | undefined): Difference[] {
  const about = change?.entityType ? idMember(change.entityType as EntityName) : null
  return Object.entries(change?.input ?? {})
    .filter(([field]) => field !== 'campaignId' && field !== about)
    .map(([field, after]) => ({ field, before: null, after }))
}
