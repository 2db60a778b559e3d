import type { JSX } from 'preact'
import type { GameNightDetail } from '../../api/contract.ts'
import { Avatar } from '../../kit/avatar.tsx'
import { Button, LinkButton, MoreLink } from '../../kit/button.tsx'
import { Checkbox } from '../../kit/field.tsx'
import { Section } from '../../kit/page.tsx'
import { excerpt } from '../../kit/prose.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, useQuery } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { answerWords } from '../nights/night-words.ts'
import { useStoryActs } from '../story/acts.ts'
import { tasksIn, withTask } from './prep-tasks.ts'

/** What a Dungeon Master needs at seven: the beat that is told now, and each way out of it in one press. */
export function NextBeat(): JSX.Element | null {
  const { campaignId, mayWrite } = useCampaign()
  const { take } = useStoryActs()
  const prep = useQuery('get_session_prep', { campaignId }).data
  const beat = prep?.activeBeats[0]
  if (prep === undefined) return null
  if (beat === undefined) {
    return (
      <Section title="The next beat" end={<MoreLink to={sectionPath(campaignId, 'story')}>Story</MoreLink>}>
        <p class="soft">Nothing is being told. Say in the story where the party is, and the ways out stand here.</p>
      </Section>
    )
  }
  return (
    <Section title="The next beat" end={<MoreLink to={sectionPath(campaignId, 'story', beat.id)}>Whole arc</MoreLink>}>
      <p class="h3">{beat.title}</p>
      <p class="soft small">
        {beat.arc?.title}
        {beat.location && `, at ${beat.location.title}`}
      </p>
      <ol class="fork">
        {beat.branches.map((way) => (
          <li key={way.id}>
            <span>
              <strong>{way.label}</strong>
              <span class="secondary">
                {[way.toBeat?.title, way.condition].filter(Boolean).join(', ') || 'Loose: and then?'}
              </span>
            </span>
            {mayWrite && (
              <Button aria-label={`They chose this: ${way.label}`} onClick={() => void take(beat.id, way)}>
                They chose this
              </Button>
            )}
          </li>
        ))}
      </ol>
      {prep.activeBeats.length > 1 && (
        <p class="small soft">
          Also told now:{' '}
          {prep.activeBeats
            .slice(1, 4)
            .map(({ title }) => title)
            .join(', ')}
        </p>
      )}
    </Section>
  )
}

/** What is to be done before the table meets: the ticks in the preparation of the next session. */
export function BeforeTonight({ sessionId }: { sessionId: number }): JSX.Element | null {
  const { campaignId, mayWrite } = useCampaign()
  const act = useAction()
  // Whole, as it is written back with a tick; overviews have the beginning of a text alone.
  const session = useQuery('get_session', { sessionId }).data
  if (session === undefined) return null
  const prep = session.prep ?? ''
  const tasks = tasksIn(prep)
  const edit = sectionPath(campaignId, 'sessions', session.id, 'edit')
  const tick = (line: number, done: boolean) =>
    act('update_session', {
      sessionId: session.id,
      expectedRevision: session.revision,
      prep: withTask(prep, line, done),
    })
  return (
    <section>
      <h2>Before we play</h2>
      {tasks.map(({ line, text, done }) => (
        <Checkbox
          key={line}
          label={excerpt(text, 200)}
          checked={done}
          struck
          disabled={!mayWrite}
          onValue={(next) => void tick(line, next)}
        />
      ))}
      {tasks.length === 0 && (
        <p class="soft small">
          {prep === '' ? 'Nothing is written down yet. ' : `${excerpt(prep, 120)} `}A line “- [ ] Print the ledger”
          becomes a tick here.
        </p>
      )}
      {mayWrite && (
        <LinkButton variant="quiet" class="outdent" icon="pen" to={edit}>
          Prepare session {session.number}
        </LinkButton>
      )}
    </section>
  )
}

/** Who comes to the next night, and what they said with it. */
export function AtTheTable({ night }: { night: GameNightDetail | null }): JSX.Element | null {
  if (night === null) return null
  const looks = { yes: 'word ok', maybe: 'word brass', no: 'word faint' } as const
  const said = night.rsvps.filter(({ current }) => current)
  return (
    <section>
      <h2>At the table</h2>
      <ul class="at-table-list">
        {said.map(({ userId, name, answer, note }) => (
          <li key={`${userId} ${name}`}>
            <Avatar name={name} small />
            <span class="grow">{name}</span>
            <span class={looks[answer]}>{note && note.length < 24 ? note : answerWords[answer]}</span>
          </li>
        ))}
        {night.unanswered.map(({ userId, username }) => (
          <li key={userId}>
            <Avatar name={username} small />
            <span class="grow">{username}</span>
            <span class="word faint">No answer</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
