import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import type { Change, Session } from '../../api/contract.ts'
import { plain } from '../../api/subjects.ts'
import { LinkButton, More } from '../../kit/button.tsx'
import { Face } from '../../kit/face.tsx'
import { count, sentence, when } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { Section, Steps, Waiting } from '../../kit/page.tsx'
import { opening } from '../../kit/prose.tsx'
import { usePeople } from '../../kit/refs.tsx'
import { iconOf } from '../../kit/thing-icon.ts'
import { kindOf } from '../../kit/words.ts'
import { useApp, useCampaign, usePages, useQuery, useTitle } from '../../shell/context.ts'
import { pageOf, picture, place, scene } from '../../shell/links.ts'

type Summary = NonNullable<ReturnType<typeof useSummary>>

function useSummary() {
  return useQuery('get_campaign_summary', { campaignId: useCampaign().campaignId }).data
}

export function Home(): JSX.Element {
  const { campaign, isDm } = useCampaign()
  const summary = useSummary()
  useTitle(campaign.name)
  return (
    <>
      <Scene summary={summary} />
      {!summary ? (
        <Waiting />
      ) : (
        <div class="night">
          <div>
            {!isDm && <SinceLast />}
            <Recap session={summary.lastRecap} />
            <OpenQuests summary={summary} />
            {isDm && <Faces />}
          </div>
          <aside class="aside">{isDm ? <WaitingForYou summary={summary} /> : <Faces narrow />}</aside>
        </div>
      )}
    </>
  )
}

function greeting(name: string): string {
  const hour = new Date().getHours()
  const word = hour < 5 ? 'Still awake' : hour < 12 ? 'Good morning' : hour < 18 ? 'Good day' : 'Good evening'
  return `${word}, ${name}`
}

/** The campaign's picture, with what comes next written on it. */
function Scene({ summary }: { summary: Summary | undefined }): JSX.Element {
  const { session } = useApp()
  const { campaign, campaignId, isDm, mayWrite } = useCampaign()
  const user = session.status.value?.user
  const next = summary?.nextSession
  return (
    <header class="scene">
      <img src={campaign.coverAttachmentId ? picture(campaign.coverAttachmentId, 'original') : scene} alt="" />
      <div>
        <p class="small">{greeting(user?.displayName || user?.username || '')}</p>
        <h1>{campaign.name}</h1>
        <p class="sub">{said(next) ?? opening(campaign.description, 180)}</p>
        {isDm && mayWrite && (
          <div class="line">
            {next ? (
              <LinkButton look="act" icon="book" to={place(campaignId, 'sessions', next.id)}>
                {next.status === 'live' ? `To session ${next.number}` : `Prepare session ${next.number}`}
              </LinkButton>
            ) : (
              <LinkButton look="act" icon="plus" to={place(campaignId, 'sessions', 'new')}>
                Plan a session
              </LinkButton>
            )}
            <LinkButton icon="people" to={place(campaignId, 'members')}>
              Invite players
            </LinkButton>
          </div>
        )}
      </div>
    </header>
  )
}

function said(next: Session | null | undefined): string | null {
  if (!next) return null
  const name = next.title ? `Session ${next.number}, ${next.title},` : `Session ${next.number}`
  return next.status === 'live' ? `${name} is being played.` : `${name} comes next.`
}

function Recap({ session }: { session: Session | null }): JSX.Element {
  const { campaignId, isDm } = useCampaign()
  if (!session?.recap) {
    return (
      <Section title="The story so far">
        <p class="soft">
          {isDm
            ? 'After a session, write down three things that happened. The rest comes back by itself.'
            : 'Nothing has been told yet. After the first session the tale begins here.'}
        </p>
        {isDm && <More to={place(campaignId, 'sessions')}>Sessions</More>}
      </Section>
    )
  }
  return (
    <Section
      title={isDm ? 'Where we left off' : 'The story so far'}
      end={<More to={place(campaignId, 'sessions', session.id, 'recap')}>Read all of it</More>}
    >
      <p class="prose lead">{opening(session.recap, 420)}</p>
      <p class="small faint">
        Session {session.number}
        {session.title && `, ${session.title}`}
      </p>
    </Section>
  )
}

function OpenQuests({ summary }: { summary: Summary }): JSX.Element {
  const { campaignId, isDm, mayShape } = useCampaign()
  const quests = summary.openQuests
  return (
    <Section
      title={isDm ? 'Open quests' : 'What we are doing'}
      end={<More to={place(campaignId, 'quests')}>All quests</More>}
    >
      {quests.length === 0 && (
        <>
          <p class="soft">Nothing is being pursued. That never lasts.</p>
          {mayShape && (
            <LinkButton look="quiet" class="outdent" icon="plus" to={place(campaignId, 'quests', 'new')}>
              {isDm ? 'Write a quest' : 'Propose a quest'}
            </LinkButton>
          )}
        </>
      )}
      <div class="rows">
        {quests.slice(0, 6).map((quest) => {
          const [next] = quest.openObjectives
          return (
            <Link key={quest.id} href={place(campaignId, 'quests', quest.id)} class="row">
              <span class="grow">
                <strong>{quest.title}</strong>
                <span class="line2">{next?.text ?? opening(quest.body, 90)}</span>
              </span>
              <Steps done={quest.progress.done} total={quest.progress.total} />
            </Link>
          )
        })}
      </div>
    </Section>
  )
}

/** The people touched last, by their faces. */
function Faces({ narrow }: { narrow?: boolean }): JSX.Element | null {
  const { campaignId } = useCampaign()
  const people = [...usePeople()].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt)).slice(0, narrow ? 4 : 7)
  if (people.length === 0) return null
  const faces = (
    <div class="facebar">
      {people.map((npc) => (
        <Link key={npc.id} href={place(campaignId, 'people', npc.id)}>
          <Face name={npc.name} attachmentId={npc.portraitAttachmentId} />
          {npc.name}
        </Link>
      ))}
    </div>
  )
  if (narrow) {
    return (
      <section>
        <h2>People lately</h2>
        {faces}
      </section>
    )
  }
  return (
    <Section title="People lately" end={<More to={place(campaignId, 'people')}>Everybody</More>}>
      {faces}
    </Section>
  )
}

function WaitingForYou({ summary }: { summary: Summary }): JSX.Element {
  const { campaignId } = useCampaign()
  const proposals = summary.pendingProposals
  const notes = summary.openInboxItems
  return (
    <>
      <section>
        <h2>Waiting for you</h2>
        {proposals + notes === 0 && <p class="soft small">Nothing. Everybody is content, or asleep.</p>}
        {proposals > 0 && (
          <Link class="wait" href={place(campaignId, 'inbox')}>
            <b>{proposals}</b>
            <span>{proposals === 1 ? 'proposal to read' : 'proposals to read'}</span>
          </Link>
        )}
        {notes > 0 && (
          <Link class="wait" href={`${place(campaignId, 'inbox')}?show=notes`}>
            <b>{notes}</b>
            <span>{notes === 1 ? 'note passed to you' : 'notes passed to you'}</span>
          </Link>
        )}
      </section>
      <section>
        <h2>At the table</h2>
        <p class="small soft">{sentence(count(summary.memberCount, 'person', 'people'))} with you in it.</p>
        <More to={place(campaignId, 'members')}>Members</More>
      </section>
    </>
  )
}

const told = new Set(['quest', 'objective', 'npc', 'location', 'session', 'note', 'attachment', 'proposal'])

const verbs: Readonly<Record<Change['kind'], string>> = {
  create: 'is new',
  update: 'has changed',
  restore: 'is back',
  trash: 'is gone',
  purge: 'is gone',
}

/** What happened while one was away, told by the things it happened to. */
function SinceLast(): JSX.Element | null {
  const { campaignId } = useCampaign()
  const { session } = useApp()
  const me = session.status.value?.user?.id
  const list = usePages('list_recent_changes', { campaignId, limit: 30 })
  const shown = list.items.filter((change) => told.has(plain(change.entityType)) && change.byUserId !== me).slice(0, 6)
  if (shown.length === 0) return null
  return (
    <Section title="Since you last looked">
      {shown.map((change) => {
        const to = change.kind === 'trash' ? null : pageOf(campaignId, change.entityType, change.entityId)
        const body = (
          <>
            <Icon name={iconOf(change.entityType)} />
            <span>
              <strong>{change.title ? opening(change.title, 70) : `A ${kindOf(change.entityType)}`}</strong>{' '}
              {verbs[change.kind]}
            </span>
            <span class="small faint nowrap">{when(change.at)}</span>
          </>
        )
        const key = `${change.entityType} ${change.entityId} ${change.at}`
        return to ? (
          <Link key={key} class="chg" href={to}>
            {body}
          </Link>
        ) : (
          <p key={key} class="chg">
            {body}
          </p>
        )
      })}
    </Section>
  )
}
