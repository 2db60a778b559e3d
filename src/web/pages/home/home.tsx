import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import type { Change, Output } from '../../api/contract.ts'
import { entityIcon, entityLabel, kindOf, newsKinds } from '../../kinds.ts'
import { Portrait } from '../../kit/avatar.tsx'
import { LinkButton, MoreLink } from '../../kit/button.tsx'
import { capitalize, count, when } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { Loading, ProgressDots, Section } from '../../kit/page.tsx'
import { excerpt } from '../../kit/prose.tsx'
import { nameOf } from '../../kit/references.tsx'
import { useCampaign, useMe, usePages, usePageTitle, useQuery } from '../../shell/context.ts'
import { coverImage, entityPath, sectionPath } from '../../shell/links.ts'
import { tonightTag } from '../people/for-tonight.tsx'
import { ForYou } from './for-you.tsx'
import { NextNight } from './next-night.tsx'
import { PartyLine } from './party-line.tsx'
import { AtTheTable, BeforeTonight, NextBeat } from './tonight.tsx'

type Session = NonNullable<Output<'get_campaign_summary'>['nextSession']>
type Summary = NonNullable<ReturnType<typeof useSummary>>

function useSummary() {
  return useQuery('get_campaign_summary', { campaignId: useCampaign().campaignId, view: 'full' }).data
}

export function Home(): JSX.Element {
  const { campaign, isDm } = useCampaign()
  const summary = useSummary()
  usePageTitle(campaign.name)
  return (
    <>
      <Scene summary={summary} />
      {!summary ? (
        <Loading />
      ) : (
        <>
          {isDm && <PartyLine />}
          <div class="home-grid">
            <div>
              {isDm && <NextBeat />}
              {isDm && <ForTonight />}
              {!isDm && <NextNight />}
              <ForYou />
              {!isDm && <SinceLast />}
              <Recap session={summary.lastRecap} />
              <OpenQuests summary={summary} />
              {isDm && <SinceLast />}
              {isDm && <Faces />}
            </div>
            <aside class="aside">
              {isDm ? (
                <>
                  <NextNight />
                  <WaitingForYou summary={summary} />
                  {summary.nextSession && <BeforeTonight sessionId={summary.nextSession.id} />}
                  <Coming />
                </>
              ) : (
                <Faces narrow />
              )}
            </aside>
          </div>
        </>
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
  const { campaign, campaignId, isDm, mayWrite } = useCampaign()
  const user = useMe()
  const next = summary?.nextSession
  return (
    <header class="cover-header">
      <img {...coverImage(campaign, 'window')} alt="" />
      <div>
        <p class="small">{greeting(user?.displayName || user?.username || '')}</p>
        <h1>{campaign.name}</h1>
        <p class="sub">{said(next) ?? excerpt(campaign.description, 180)}</p>
        {isDm && mayWrite && (
          <div class="line">
            {next ? (
              <LinkButton variant="primary" icon="book" to={sectionPath(campaignId, 'sessions', next.id)}>
                {next.status === 'live' ? `To session ${next.number}` : `Prepare session ${next.number}`}
              </LinkButton>
            ) : (
              <LinkButton variant="primary" icon="plus" to={sectionPath(campaignId, 'sessions', 'new')}>
                Plan a session
              </LinkButton>
            )}
            <LinkButton icon="people" to={sectionPath(campaignId, 'members')}>
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
        {isDm && <MoreLink to={sectionPath(campaignId, 'sessions')}>Sessions</MoreLink>}
      </Section>
    )
  }
  return (
    <Section
      title={isDm ? 'Where we left off' : 'The story so far'}
      end={<MoreLink to={sectionPath(campaignId, 'sessions', session.id, 'recap')}>Read all of it</MoreLink>}
    >
      <p class="prose lead told">{excerpt(session.recap, 420)}</p>
      <p class="small faint">
        Session {session.number}
        {session.title && `, ${session.title}`}
      </p>
    </Section>
  )
}

function OpenQuests({ summary }: { summary: Summary }): JSX.Element {
  const { campaignId, isDm, mayEdit } = useCampaign()
  const quests = summary.openQuests
  return (
    <Section
      title={isDm ? 'Open quests' : 'What we are doing'}
      end={<MoreLink to={sectionPath(campaignId, 'quests')}>All quests</MoreLink>}
    >
      {quests.length === 0 && (
        <>
          <p class="soft">Nothing is being pursued. That never lasts.</p>
          {mayEdit && (
            <LinkButton variant="quiet" class="outdent" icon="plus" to={sectionPath(campaignId, 'quests', 'new')}>
              {isDm ? 'Write a quest' : 'Propose a quest'}
            </LinkButton>
          )}
        </>
      )}
      <div class="rows">
        {quests.slice(0, 6).map((quest) => {
          const [next] = quest.openObjectives
          return (
            <Link key={quest.id} href={sectionPath(campaignId, 'quests', quest.id)} class="row">
              <span class="grow">
                <strong>{quest.title}</strong>
                <span class="secondary">{next?.text ?? excerpt(quest.body, 90)}</span>
              </span>
              <ProgressDots done={quest.progress.done} total={quest.progress.total} />
            </Link>
          )
        })}
      </div>
    </Section>
  )
}

/** People whom the Dungeon Master wants at hand tonight: those pinned on their own pages. */
function ForTonight(): JSX.Element | null {
  const { campaignId } = useCampaign()
  const people = usePages('list_npcs', { campaignId, tag: tonightTag, limit: 12 }).items
  if (people.length === 0) return null
  return (
    <Section title="For tonight" end={<MoreLink to={sectionPath(campaignId, 'people')}>Everybody</MoreLink>}>
      <div class="portrait-bar">
        {people.map((npc) => (
          <Link key={npc.id} href={sectionPath(campaignId, 'people', npc.id)}>
            <Portrait name={npc.name} attachmentId={npc.portraitAttachmentId} />
            {npc.name}
          </Link>
        ))}
      </div>
    </Section>
  )
}

/** The people met or written about last, by their faces. */
function Faces({ narrow }: { narrow?: boolean }): JSX.Element | null {
  const { campaignId } = useCampaign()
  const people = usePages('list_npcs', { campaignId, order: 'recent', limit: narrow ? 4 : 6 }).items
  if (people.length === 0) return null
  const faces = (
    <div class="portrait-bar">
      {people.map((npc) => (
        <Link key={npc.id} href={sectionPath(campaignId, 'people', npc.id)}>
          <Portrait name={npc.name} attachmentId={npc.portraitAttachmentId} />
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
    <Section title="People lately" end={<MoreLink to={sectionPath(campaignId, 'people')}>Everybody</MoreLink>}>
      {faces}
    </Section>
  )
}

function WaitingForYou({ summary }: { summary: Summary }): JSX.Element {
  const { campaignId } = useCampaign()
  const proposals = summary.pendingProposals
  const notes = summary.openInboxItems
  return (
    <section>
      <h2>Waiting for you</h2>
      {proposals + notes === 0 && <p class="soft small">Nothing. Everybody is content, or asleep.</p>}
      {proposals > 0 && (
        <Link class="waiting-row" href={sectionPath(campaignId, 'inbox')}>
          <b>{proposals}</b>
          <span>{proposals === 1 ? 'proposal to read' : 'proposals to read'}</span>
        </Link>
      )}
      {notes > 0 && (
        <Link class="waiting-row" href={`${sectionPath(campaignId, 'inbox')}?show=notes`}>
          <b>{notes}</b>
          <span>{notes === 1 ? 'note passed to you' : 'notes passed to you'}</span>
        </Link>
      )}
    </section>
  )
}

/** Who comes next; where no night is planned, who there is. */
function Coming(): JSX.Element | null {
  const { campaignId } = useCampaign()
  const summary = useSummary()
  const next = useQuery('get_next_game_night', { campaignId }).data
  if (next === undefined || summary === undefined) return null
  if (next.gameNight) return <AtTheTable night={next.gameNight} />
  return (
    <section>
      <h2>At the table</h2>
      <p class="small soft">{capitalize(count(summary.memberCount, 'member'))} with you among them.</p>
      <MoreLink to={sectionPath(campaignId, 'members')}>Members</MoreLink>
    </section>
  )
}

const verbs: Readonly<Record<Change['kind'], string>> = {
  create: 'added',
  update: 'changed',
  restore: 'brought back',
  trash: 'taken away',
  purge: 'taken away',
}

/** What others did while one was away, told by the things it happened to. */
function SinceLast(): JSX.Element | null {
  const { campaignId } = useCampaign()
  const me = useMe()?.id
  const list = usePages('list_recent_changes', { campaignId, limit: 30 }, { of: newsKinds })
  const shown = list.items.filter((change) => kindOf(change.entityType)?.news && change.byUserId !== me).slice(0, 6)
  if (shown.length === 0) return null
  return (
    <Section title="Since you last looked">
      {shown.map((change) => {
        const to = change.kind === 'trash' ? null : entityPath(campaignId, change.entityType, change.entityId)
        const body = (
          <>
            <Icon name={entityIcon(change.entityType)} />
            <span>
              <strong>{change.title ? excerpt(change.title, 70) : `A ${entityLabel(change.entityType)}`}</strong>{' '}
              <span class="soft">
                {verbs[change.kind]} by {nameOf(change.byUser)}
              </span>
            </span>
            <span class="small faint nowrap">{when(change.at)}</span>
          </>
        )
        const key = `${change.entityType} ${change.entityId} ${change.at}`
        return to ? (
          <Link key={key} class="change-row" href={to}>
            {body}
          </Link>
        ) : (
          <p key={key} class="change-row">
            {body}
          </p>
        )
      })}
    </Section>
  )
}
