import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import type { Session } from '../../api/contract.ts'
import { kinds } from '../../kinds.ts'
import { LinkButton } from '../../kit/button.tsx'
import { calendarDay } from '../../kit/format.ts'
import { useSearchedList } from '../../kit/list.tsx'
import { ListPage } from '../../kit/list-page.tsx'
import { WindowedList } from '../../kit/windowed-list.tsx'
import { useCampaign, usePageTitle } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'

export function SessionsPage(): JSX.Element {
  const { campaignId, campaign, isDm, mayWrite } = useCampaign()
  const list = useSearchedList('list_sessions', { campaignId, limit: 100 })
  usePageTitle('Sessions', campaign.name)
  const action = isDm && mayWrite && (
    <LinkButton variant="primary" icon="plus" to={sectionPath(campaignId, 'sessions', 'new')}>
      New session
    </LinkButton>
  )
  return (
    <ListPage
      title="Sessions"
      actions={action}
      list={list}
      shown={list.shown}
      one="session"
      many="sessions"
      placeholder="Number, title, anything that was told"
      empty={{
        title: 'No chapter has been played',
        text: isDm
          ? 'A session is one evening at the table: what you prepare, what happens, and the recap that everybody reads.'
          : 'Each evening at the table becomes a chapter here, with a recap to read afterwards.',
        action,
      }}
    >
      <div class="rows">
        <WindowedList items={list.shown} narrowed={list.typed}>
          {(session) => (
            <Link key={session.id} href={sectionPath(campaignId, 'sessions', session.id)} class="row">
              <span class={session.status === 'live' ? 'number live' : 'number'}>{session.number}</span>
              <span class="grow">
                <strong class="serif">{kinds.session.titleOf(session)}</strong>
                <span class="secondary">
                  {session.playedAt && <span class="hand">{calendarDay(session.playedAt)}. </span>}
                  {session.excerpt ?? (session.status === 'planned' ? 'Still to come' : 'Not told yet')}
                </span>
              </span>
              <span class={session.status === 'live' ? undefined : 'desktop-only'}>
                <SessionStatus session={session} />
              </span>
            </Link>
          )}
        </WindowedList>
      </div>
    </ListPage>
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
