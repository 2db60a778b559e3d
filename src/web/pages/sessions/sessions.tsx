import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import type { Session } from '../../api/contract.ts'
import { LinkButton } from '../../kit/button.tsx'
import { Find } from '../../kit/field.tsx'
import { calendarDay } from '../../kit/format.ts'
import { ListEnd, useNarrowed } from '../../kit/list.tsx'
import { Empty, Head } from '../../kit/page.tsx'
import { opening } from '../../kit/prose.tsx'
import { useCampaign, useTitle } from '../../shell/context.ts'
import { place } from '../../shell/links.ts'

const textOf = (session: Session) =>
  [session.number, session.title, session.recap, session.prep, session.dmSecret].join(' ')

export function Sessions(): JSX.Element {
  const { campaignId, campaign, isDm, mayWrite } = useCampaign()
  const list = useNarrowed('list_sessions', { campaignId, limit: 50 }, textOf)
  useTitle('Sessions', campaign.name)
  const action = isDm && mayWrite && (
    <LinkButton look="act" icon="plus" to={place(campaignId, 'sessions', 'new')}>
      New session
    </LinkButton>
  )
  if (!list.waiting && !list.error && list.items.length === 0) {
    return (
      <>
        <Head title="Sessions" />
        <Empty title="No chapter has been played" action={action}>
          {isDm
            ? 'A session is one evening at the table: what you prepare, what happens, and the recap that everybody reads.'
            : 'Each evening at the table becomes a chapter here, with a recap to read afterwards.'}
        </Empty>
      </>
    )
  }
  return (
    <>
      <Head title="Sessions">{action}</Head>
      <div class="narrow">
        <Find value={list.typed} onValue={list.onType} placeholder="Number, title, anything that was told" />
      </div>
      <div class="rows">
        {list.shown.map((session) => (
          <Link key={session.id} href={place(campaignId, 'sessions', session.id)} class="row">
            <span class={session.status === 'live' ? 'no live' : 'no'}>{session.number}</span>
            <span class="grow">
              <strong class="serif">{session.title ?? `Session ${session.number}`}</strong>
              <span class="line2">
                {session.playedAt && <span class="hand">{calendarDay(session.playedAt)}. </span>}
                {session.recap
                  ? opening(session.recap, 120)
                  : session.status === 'planned'
                    ? 'Still to come'
                    : 'Not told yet'}
              </span>
            </span>
            <span class={session.status === 'live' ? undefined : 'desk'}>
              <SessionWord session={session} />
            </span>
          </Link>
        ))}
      </div>
      <ListEnd list={list} typed={list.typed} shown={list.shown.length} />
    </>
  )
}

/** Where a session stands, as a word. */
export function SessionWord({ session }: { session: Session }): JSX.Element {
  if (session.status === 'live') return <span class="word brass">Being played</span>
  if (session.status === 'planned') {
    return <span class="when">{session.playedAt ? calendarDay(session.playedAt) : 'Planned'}</span>
  }
  return <span class="when">{session.playedAt ? calendarDay(session.playedAt) : 'Played'}</span>
}
