import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter-preact'
import type { InboxItem } from '../../api/contract.ts'
import { Avatar } from '../../kit/avatar.tsx'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { useTrash } from '../../kit/entity-actions.tsx'
import { EntityPage } from '../../kit/entity-page.tsx'
import { AreaField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { when } from '../../kit/format.ts'
import { useSearchedList } from '../../kit/list.tsx'
import { ListBody } from '../../kit/list-page.tsx'
import { Menu } from '../../kit/menu.tsx'
import { BackLink, EmptyState, PageHeader } from '../../kit/page.tsx'
import { excerpt, Prose } from '../../kit/prose.tsx'
import { AboutLink, nameOf } from '../../kit/references.tsx'
import { useSeen } from '../../kit/seen.ts'
import { WindowedList } from '../../kit/windowed-list.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, useMe, usePageTitle, useQuery } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { AnswerDialog } from '../notes/answer-dialog.tsx'
import { Proposals } from './proposals.tsx'

const tabs = ['proposals', 'notes', 'decided', 'settled'] as const
type Tab = (typeof tabs)[number]

/** The DM's desk, or what a player has handed in. */
export function Inbox(): JSX.Element {
  const { campaignId, campaign, isDm } = useCampaign()
  const [, navigate] = useLocation()
  const asked = new URLSearchParams(useSearch()).get('show') as Tab | null
  const tab: Tab = asked && tabs.includes(asked) ? asked : 'proposals'
  const summary = useQuery('get_campaign_summary', { campaignId, view: 'full' }).data
  usePageTitle(isDm ? 'Inbox' : 'With the DM', campaign.name)
  const numbered = (word: string, many: number | undefined) => (many ? `${word}, ${many}` : word)
  const words: Readonly<Record<Tab, string>> = {
    proposals: numbered('Proposals', summary?.pendingProposals),
    notes: numbered(isDm ? 'Notes to you' : 'Your notes', summary?.openInboxItems),
    decided: 'Decided',
    settled: 'Settled notes',
  }
  return (
    <>
      <PageHeader title={isDm ? 'Inbox' : 'With the DM'} />
      <div class="tabs">
        {tabs.map((name) => (
          <a
            key={name}
            href={`${sectionPath(campaignId, 'inbox')}?show=${name}`}
            aria-current={name === tab ? 'page' : undefined}
            onClick={(event) => {
              if (event.ctrlKey || event.metaKey) return
              event.preventDefault()
              navigate(`${sectionPath(campaignId, 'inbox')}?show=${name}`, { replace: true })
            }}
          >
            {words[name]}
          </a>
        ))}
      </div>
      {tab === 'proposals' && <Proposals key="pending" decided={false} />}
      {tab === 'decided' && <Proposals key="decided" decided />}
      {tab === 'notes' && <Items key="open" status="open" />}
      {tab === 'settled' && <Items key="resolved" status="resolved" />}
    </>
  )
}

function Items({ status }: { status: InboxItem['status'] }): JSX.Element {
  const { campaignId, isDm } = useCampaign()
  const list = useSearchedList('list_inbox_items', { campaignId, status, view: 'full', limit: 50 })
  if (!list.waiting && !list.error && list.items.length === 0) {
    return status === 'open' ? (
      <EmptyState title={isDm ? 'Nobody has passed you a note' : 'You have passed no notes'}>
        {isDm
          ? 'When a player writes something down for you, it waits here until you have woven it in.'
          : 'Use the pen for questions, plans and small corrections. Only the DM reads them.'}
      </EmptyState>
    ) : (
      <EmptyState title="Nothing settled yet">Notes that have been woven into the tale are kept here.</EmptyState>
    )
  }
  return (
    <ListBody list={list} shown={list.shown} one="note" many="notes" filterFrom={6} placeholder="A word you remember">
      <WindowedList items={list.shown} narrowed={list.typed}>
        {(item) => <Item key={item.id} item={item} />}
      </WindowedList>
    </ListBody>
  )
}

function Item({ item, alone }: { item: InboxItem; alone?: boolean }): JSX.Element {
  const { campaignId, isDm, mayWrite } = useCampaign()
  const me = useMe()?.id
  const act = useAction()
  const trash = useTrash()
  const [answering, setAnswering] = useState(false)
  const [settling, setSettling] = useState(false)
  const mine = item.authorUserId === me
  const name = mine ? 'You' : nameOf(item.authorUser)
  return (
    <article class="proposal plain">
      <div>
        <p class="by">
          <Avatar name={nameOf(item.authorUser)} small />
          {name}
          <AboutLink word="about" entity={item.entity} />
          {alone ? (
            <span class="faint">{when(item.createdAt)}</span>
          ) : (
            <Link class="faint" href={sectionPath(campaignId, 'inbox', item.id)}>
              {when(item.createdAt)}
            </Link>
          )}
          {item.status === 'resolved' && <span class="chip ok">Settled</span>}
        </p>
        <Prose text={item.body ?? ''} />
        {item.resolution && <p class="why">{item.resolution}</p>}
      </div>
      {mayWrite && (
        <div class="actions">
          {isDm && item.status === 'open' && (
            <Button icon="check" onClick={() => setSettling(true)}>
              Settle it
            </Button>
          )}
          {isDm && !mine && (
            <Button icon="whisper" onClick={() => setAnswering(true)}>
              Answer
            </Button>
          )}
          <Menu
            label="More about this note"
            items={[
              isDm &&
                item.status === 'resolved' && {
                  icon: 'undo',
                  word: 'Open it again',
                  run: () => act('reopen_inbox_item', { inboxItemId: item.id }, { message: 'Open again.' }),
                },
              mine && {
                icon: 'trash',
                word: 'Move to trash',
                danger: true,
                run: () =>
                  trash(
                    { entityType: 'inbox_item', entityId: item.id, label: 'The note' },
                    alone ? sectionPath(campaignId, 'inbox') : undefined,
                  ),
              },
            ]}
          />
        </div>
      )}
      {answering && <AnswerDialog to={item} name={nameOf(item.authorUser)} onClose={() => setAnswering(false)} />}
      {settling && <ResolveDialog item={item} onClose={() => setSettling(false)} />}
    </article>
  )
}

function ResolveDialog({ item, onClose }: { item: InboxItem; onClose: () => void }): JSX.Element {
  const act = useAction()
  const [resolution, setResolution] = useState('')
  const settle = async () => {
    const undo = () => act('reopen_inbox_item', { inboxItemId: item.id })
    const note = resolution.trim()
    const written = await act(
      'resolve_inbox_item',
      { inboxItemId: item.id, ...(note ? { resolution: note } : {}) },
      { message: 'Settled.', undo },
    )
    if (written) onClose()
    return written !== null
  }
  return (
    <Dialog title="Woven into the tale?" onClose={onClose}>
      <Form operation="resolve_inbox_item" about={item.id} class="stack" onSubmit={settle}>
        <p class="soft">“{excerpt(item.body, 120)}”</p>
        <AreaField
          label="What became of it"
          name="resolution"
          rows={2}
          hint="Whoever wrote it reads this. You may leave it empty."
          value={resolution}
          onValue={setResolution}
        />
        <div class="actions">
          <Button onClick={onClose}>Not yet</Button>
          <Button variant="primary" type="submit" icon="check">
            Settle it
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

export function InboxItemPage({ id }: { id: number }): JSX.Element {
  useSeen('inbox_item', id)
  const { campaignId, isDm } = useCampaign()
  return (
    <EntityPage kind="inbox_item" id={id} title={(item) => excerpt(item.body, 40)}>
      {(item) => (
        <>
          <BackLink to={`${sectionPath(campaignId, 'inbox')}?show=notes`}>{isDm ? 'Inbox' : 'With the DM'}</BackLink>
          <h1 class="visually-hidden">Note to the DM</h1>
          <Item item={item} alone />
        </>
      )}
    </EntityPage>
  )
}
