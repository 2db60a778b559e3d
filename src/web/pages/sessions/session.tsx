import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Session } from '../../api/contract.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { DmOnly } from '../../kit/dm-only.tsx'
import { useTrash } from '../../kit/entity-actions.tsx'
import { EntityLayout, EntityPage } from '../../kit/entity-page.tsx'
import { calendarDay, day, time, withDay } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Fact, PageHeader, Section } from '../../kit/page.tsx'
import { excerpt, Prose } from '../../kit/prose.tsx'
import { useAction } from '../../shell/actions.ts'
import { type EntityRef, useCampaign } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { RelatedSections } from '../entity/related.tsx'
import { SessionAttendance } from './attendance.tsx'
import { SessionStatus } from './sessions.tsx'
import { ShareDialog } from './share.tsx'

export function SessionPage({ id }: { id: number }): JSX.Element {
  return (
    <EntityPage kind="session" id={id}>
      {(session, entity) => <SessionBody session={session} entity={entity} />}
    </EntityPage>
  )
}

/** The day it was really played; of one that was never begun here, the day that somebody wrote down. */
function dayOf({ status, startedAt, playedAt }: Session): string | null {
  if (status !== 'planned' && startedAt) return day(startedAt)
  return playedAt && calendarDay(playedAt)
}

function SessionBody({ session, entity }: { session: Session; entity: EntityRef }): JSX.Element {
  const { campaignId, isDm, mayWrite, mayEdit } = useCampaign()
  const act = useAction()
  const trash = useTrash()
  const [sharing, setSharing] = useState(false)
  const planned = session.status === 'planned'
  const live = session.status === 'live'
  const mine = (...rest: (string | number)[]) => sectionPath(campaignId, 'sessions', session.id, ...rest)

  const begin = () =>
    act(
      'start_session',
      { sessionId: session.id },
      { message: 'The evening has begun. What is written down now belongs to it.' },
    )
  const end = () =>
    act('end_session', { sessionId: session.id }, { message: 'Well played. Write the recap while it is fresh.' })

  return (
    <EntityLayout
      kind="session"
      header={
        <PageHeader
          title={entity.label}
          sub={
            <>
              {session.title && <span>Session {session.number}</span>}
              <SessionStatus session={session} />
            </>
          }
        >
          {isDm && mayWrite && planned && (
            <Button variant="primary" icon="book" onClick={() => void begin()}>
              Begin the session
            </Button>
          )}
          {isDm && mayWrite && live && (
            <Button variant="primary" icon="check" onClick={() => void end()}>
              End the session
            </Button>
          )}
          {mayEdit && session.status === 'played' && !session.recap && (
            <LinkButton variant="primary" icon="quill" to={mine('recap', 'edit')}>
              Write the recap
            </LinkButton>
          )}
          {isDm && mayWrite && (
            <>
              <LinkButton icon="pen" to={mine('edit')}>
                Edit
              </LinkButton>
              <Menu
                label="More about this session"
                items={[
                  session.recap !== null && { icon: 'link', word: 'Share the recap', run: () => setSharing(true) },
                  {
                    icon: 'trash',
                    word: 'Move to trash',
                    danger: true,
                    run: () => trash(entity, sectionPath(campaignId, 'sessions')),
                  },
                ]}
              />
            </>
          )}
        </PageHeader>
      }
      facts={
        <>
          <Fact name={planned ? 'Planned for' : 'Played on'}>{dayOf(session)}</Fact>
          <Fact name="Game night">
            {session.gameNight && (
              <Link href={sectionPath(campaignId, 'nights', session.gameNight.id)}>
                {withDay(session.gameNight.title)}
              </Link>
            )}
          </Fact>
          <Fact name="Began at">{session.startedAt && time(session.startedAt)}</Fact>
          <Fact name="Ended at">{session.endedAt && time(session.endedAt)}</Fact>
        </>
      }
    >
      {sharing && <ShareDialog session={session} onClose={() => setSharing(false)} />}
      {isDm && session.prep && (
        <DmOnly title="Preparation">
          <Prose text={session.prep} />
        </DmOnly>
      )}
      {isDm && session.dmSecret && (
        <DmOnly title="Secrets">
          <Prose text={session.dmSecret} />
        </DmOnly>
      )}
      {!planned && (
        <Section
          title="What was told"
          end={
            session.recap &&
            mayEdit && (
              <Link href={mine('recap', 'edit')} class="more">
                {isDm ? 'Write on' : 'Propose a change'}
              </Link>
            )
          }
        >
          {session.recap ? (
            <>
              <p class="prose lead told">{excerpt(session.recap, 600)}</p>
              <p>
                <Link href={mine('recap')} class="more">
                  Read all of it
                  <Icon name="right" size="s" />
                </Link>
              </p>
            </>
          ) : (
            <p class="soft">
              {live
                ? 'The evening is not over. Use the pen for what must not be forgotten.'
                : 'Nobody has told it yet. Three things that happened are enough for a beginning.'}
            </p>
          )}
        </Section>
      )}
      <SessionAttendance session={session} />
      {planned && !session.prep && isDm && (
        <p class="soft">Nothing prepared yet. Edit the session to write down what you need at the table.</p>
      )}
      {planned && !isDm && <p class="soft">This chapter is still to come.</p>}
      <RelatedSections entity={entity} />
    </EntityLayout>
  )
}
