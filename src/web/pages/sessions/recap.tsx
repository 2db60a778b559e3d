import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import { LinkButton } from '../../kit/button.tsx'
import { calendarDay } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { EmptyState, Fleuron, LoadError, Loading, Running } from '../../kit/page.tsx'
import { Prose } from '../../kit/prose.tsx'
import { useCampaign, usePages, usePageTitle, useQuery } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'

/** A chapter, to be read as in a book. */
export function RecapRead({ id }: { id: number }): JSX.Element {
  const { campaignId, campaign, mayEdit } = useCampaign()
  const { data: session, error } = useQuery('get_session', { sessionId: id })
  const chapters = usePages('list_session_recaps', { campaignId, limit: 100 }).items
  usePageTitle(session?.title ?? (session ? `Session ${session.number}` : null), campaign.name)
  if (!session) return error ? <LoadError error={error} /> : <Loading />

  const at = chapters.findIndex((chapter) => chapter.sessionId === id)
  const later = at > 0 ? chapters[at - 1] : undefined
  const earlier = at === -1 ? undefined : chapters[at + 1]
  const edit = sectionPath(campaignId, 'sessions', id, 'recap', 'edit')
  return (
    <>
      <Running to={sectionPath(campaignId, 'sessions', id)}>Session {session.number}</Running>
      <article class="chapter-page">
        <header>
          <p class="chapter">
            Session {session.number}
            {session.playedAt && `, ${calendarDay(session.playedAt)}`}
          </p>
          <h1>{session.title ?? `Session ${session.number}`}</h1>
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
