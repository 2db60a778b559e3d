import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Session } from '../../api/contract.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { EntityPage } from '../../kit/entity-page.tsx'
import { calendarDay } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { BackLink, EmptyState, Fleuron } from '../../kit/page.tsx'
import { Prose } from '../../kit/prose.tsx'
import { useCampaign, usePages } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { ShareDialog } from './share.tsx'

/** A chapter, to be read as in a book. */
export function RecapRead({ id }: { id: number }): JSX.Element {
  return (
    <EntityPage kind="session" id={id}>
      {(session, { label }) => <Chapter session={session} label={label} />}
    </EntityPage>
  )
}

function Chapter({ session, label }: { session: Session; label: string }): JSX.Element {
  const { campaignId, isDm, mayWrite, mayEdit } = useCampaign()
  const [sharing, setSharing] = useState(false)
  const { id } = session
  const chapters = usePages('list_session_recaps', { campaignId, limit: 100 }).items
  const at = chapters.findIndex((chapter) => chapter.sessionId === id)
  const later = at > 0 ? chapters[at - 1] : undefined
  const earlier = at === -1 ? undefined : chapters[at + 1]
  const edit = sectionPath(campaignId, 'sessions', id, 'recap', 'edit')
  return (
    <>
      <BackLink to={sectionPath(campaignId, 'sessions', id)}>Session {session.number}</BackLink>
      <article class="chapter-page">
        <header>
          <p class="chapter">
            Session {session.number}
            {session.playedAt && `, ${calendarDay(session.playedAt)}`}
          </p>
          <h1>{label}</h1>
        </header>
        <Fleuron />
        {session.recap ? (
          <Prose class="story-text drop-cap" text={session.recap} />
        ) : (
          <EmptyState
            title="This chapter has not been told"
            action={
              mayEdit && (
                <LinkButton variant="primary" icon="quill" to={edit}>
                  Write it
                </LinkButton>
              )
            }
          >
            Three things that happened are enough. The rest comes back by itself.
          </EmptyState>
        )}
        {session.recap && <Fleuron />}
        {session.recap && isDm && mayWrite && (
          <p class="chapter-share">
            <Button icon="link" onClick={() => setSharing(true)}>
              Share this chapter
            </Button>
          </p>
        )}
        {sharing && <ShareDialog session={session} onClose={() => setSharing(false)} />}
        <nav class="chapter-nav" aria-label="Chapters">
          {earlier ? (
            <Link class="more" href={sectionPath(campaignId, 'sessions', earlier.sessionId, 'recap')}>
              <Icon name="left" size="s" />
              {earlier.number}
              {earlier.title && `, ${earlier.title}`}
            </Link>
          ) : (
            <span />
          )}
          {later && (
            <Link class="more" href={sectionPath(campaignId, 'sessions', later.sessionId, 'recap')}>
              {later.number}
              {later.title && `, ${later.title}`}
              <Icon name="right" size="s" />
            </Link>
          )}
        </nav>
      </article>
    </>
  )
}
