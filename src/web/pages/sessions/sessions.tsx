import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import type { Session } from '../../api/contract.ts'
import { kinds } from '../../kinds.ts'
import { LinkButton } from '../../kit/button.tsx'
import { FilterField } from '../../kit/field.tsx'
import { calendarDay } from '../../kit/format.ts'
import { ListFooter, useFilteredList } from '../../kit/list.tsx'
import { EmptyState, PageHeader } from '../../kit/page.tsx'
import { excerpt } from '../../kit/prose.tsx'
import { useCampaign, usePageTitle } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'

const textOf = (session: Session) =>
  [session.number, session.title, session.recap, session.prep, session.dmSecret].join(' ')

export function SessionsPage(): JSX.Element {
  const { campaignId, campaign, isDm, mayWrite } = useCampaign()
  const list = useFilteredList('list_sessions', { campaignId, limit: 50 }, textOf)
  usePageTitle('Sessions', campaign.name)
  const action = isDm && mayWrite && (
    <LinkButton variant="primary" icon="plus" to={sectionPath(campaignId, 'sessions', 'new')}>
      New session
    </LinkButton>
  )
  if (!list.waiting && !list.error && list.items.length === 0) {
    return (
      <>
        <PageHeader title="Sessions" />
        <EmptyState title="No chapter has been played" action={action}>
          {isDm
            ? 'A session is one evening at the table: what you prepare, what happens, and the recap that everybody reads.'
            : 'Each evening at the table becomes a chapter here, with a recap to read afterwards.'}
        </EmptyState>
      </>
    )
  }
  return (
    <>
      <PageHeader title="Sessions">{action}</PageHeader>
      <div class="filters">
        <FilterField value={list.typed} onValue={list.onType} placeholder="Number, title, anything that was told" />
      </div>
      <div class="rows">
        {list.shown.map((session) => (
          <Link key={session.id} href={sectionPath(campaignId, 'sessions', session.id)} class="row">
            <span class={session.status === 'live' ? 'number live' : 'number'}>{session.number}</span>
            <span class="grow">
              <strong class="serif">{kinds.session.titleOf(session)}</strong>
              <span class="secondary">
                {session.playedAt && <span class="hand">{calendarDay(session.playedAt)}. </span>}
                {session.recap
                  ? excerpt(session.recap, 120)
                  : session.status === 'planned'
                    ? 'Still to come'
                    : 'Not told yet'}
              </span>
            </span>
            <span class={session.status === 'live' ? undefined : 'desktop-only'}>
              <SessionStatus session={session} />
            </span>
          </Link>
        ))}
      </div>
      <ListFooter list={list} typed={list.typed} shown={list.shown.length} />
    </>
  )
}

/** Where a session stands, as a word. */
export function SessionStatus({ session }: { session: Session }): JSX.Element {
  if (session.status === 'live') return <span class="word brass">Being played</span>
  if (session.status === 'planned') {
    return <span class="when">{session.playedAt ? calendarDay(session.playedAt) : 'Planned'}</span>
  }
  return <span class="when">{session.playedAt ? calendarDay(session.playedAt) : 'Played'}</span>
}
