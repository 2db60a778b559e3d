import type { ComponentChildren, JSX } from 'preact'
import { Link, useLocation } from 'wouter-preact'
import { Who } from '../kit/face.tsx'
import { count } from '../kit/format.ts'
import { Icon, type IconName } from '../kit/icon.tsx'
import { roles } from '../kit/words.ts'
import { type Campaigning, useApp, useQuery } from './context.ts'
import { home, paths, place } from './links.ts'

interface Going {
  readonly to: string
  readonly icon: IconName
  readonly word: string
  /** How many wait there. */
  readonly waiting?: number
  /** Only this very address is the place, not what lies below it. */
  readonly exact?: boolean
}

function isCurrent(path: string, { to, exact }: Going): boolean {
  return path === to || (!exact && path.startsWith(`${to}/`))
}

function Go({ going, path }: { going: Going; path: string }): JSX.Element {
  return (
    <Link href={going.to} class="go" aria-current={isCurrent(path, going) ? 'page' : undefined}>
      <Icon name={going.icon} />
      {going.word}
      {going.waiting ? (
        <b>
          {going.waiting}
          <span class="vh"> waiting</span>
        </b>
      ) : null}
    </Link>
  )
}

/** Saved, sending, or offline: a word, and what it means. */
export function WireWord(): JSX.Element {
  const { wire, outbox } = useApp()
  const kept = outbox.waiting.value
  const word = wire.word.value
  const shown = kept > 0 && word === 'saved' ? 'sending' : word
  if (shown === 'offline') {
    return <span class="word bad">{kept > 0 ? `Offline, ${count(kept, 'note')} kept here` : 'Offline'}</span>
  }
  return <span class={shown === 'saved' ? 'word ok' : 'word brass'}>{shown === 'saved' ? 'Saved' : 'Sending'}</span>
}

function Me({ role }: { role: string }): JSX.Element {
  const { session } = useApp()
  const user = session.status.value?.user
  const name = user?.displayName || user?.username || ''
  return (
    <Link href={paths.account} class="rail-me">
      <Who name={name} />
      <span>
        <strong>{name}</strong>
        {role}
        <span class="wire" role="status">
          <WireWord />
        </span>
      </span>
    </Link>
  )
}

/** The frame of every page of somebody who has signed in: contents at the left, five places at the foot of a phone. */
function Frame({
  book,
  find,
  groups,
  foot,
  role,
  children,
}: {
  book: JSX.Element
  find?: JSX.Element
  groups: readonly (readonly Going[])[]
  foot: readonly Going[]
  role: string
  children: ComponentChildren
}): JSX.Element {
  const [path] = useLocation()
  const { wire } = useApp()
  // The last place at a phone's foot stands for everything that has no place of its own there.
  const under = foot.findIndex((going) => isCurrent(path, going))
  const lit = under === -1 ? foot.length - 1 : under
  return (
    <>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <div class="app">
        <nav class="rail" aria-label="Contents">
          {book}
          {find}
          {groups.map((group, index) => (
            <div key={group[0]?.to} class="rail-group">
              {index > 0 && <div class="rail-gap" />}
              {group.map((going) => (
                <Go key={going.to} going={going} path={path} />
              ))}
            </div>
          ))}
          <Me role={role} />
        </nav>
        <div class="page-side">
          {wire.word.value === 'offline' && (
            <p class="afloat hand" role="status">
              <WireWord />
            </p>
          )}
          {children}
        </div>
        <nav class="foot" aria-label="Places">
          {foot.map((going, index) => (
            <Link key={going.to} href={going.to} aria-current={index === lit ? 'page' : undefined}>
              <Icon name={going.icon} />
              {going.word}
              {going.waiting ? <span class="dot">{going.waiting}</span> : null}
            </Link>
          ))}
        </nav>
      </div>
    </>
  )
}

export function CampaignFrame({
  here,
  onFind,
  children,
}: {
  here: Campaigning
  onFind: () => void
  children: ComponentChildren
}): JSX.Element {
  const { campaign, campaignId: id, isDm, role } = here
  const summary = useQuery('get_campaign_summary', { campaignId: id }).data
  const waiting = isDm && summary ? summary.openInboxItems + summary.pendingProposals : 0
  const main: Going[] = [
    { to: place(id, 'quests'), icon: 'quest', word: 'Quests' },
    { to: place(id, 'people'), icon: 'people', word: 'People' },
    { to: place(id, 'places'), icon: 'map', word: 'Places' },
    { to: place(id, 'sessions'), icon: 'book', word: 'Sessions' },
    { to: place(id, 'notes'), icon: 'pen', word: 'Notes' },
  ]
  const rest: Going[] = []
  if (role !== 'viewer') {
    rest.push({ to: place(id, 'inbox'), icon: 'inbox', word: isDm ? 'Inbox' : 'With the DM', waiting })
  }
  rest.push({ to: place(id, 'members'), icon: 'me', word: 'Members' })
  if (isDm) rest.push({ to: place(id, 'settings'), icon: 'gear', word: 'Settings' })
  const homeGoing: Going = { to: home(id), icon: 'home', word: 'Home', exact: true }
  return (
    <Frame
      role={roles[role]}
      book={
        <div class="rail-head">
          <Link href={home(id)} class="rail-book">
            {campaign.name}
          </Link>
          <Link href={paths.campaigns} class="rail-all">
            All campaigns
          </Link>
        </div>
      }
      find={
        <button type="button" class="rail-find" onClick={onFind} aria-keyshortcuts="Control+K">
          <Icon name="find" size="s" />
          Find or do<kbd>Ctrl K</kbd>
        </button>
      }
      groups={[[homeGoing], main, rest]}
      foot={[
        homeGoing,
        { to: place(id, 'quests'), icon: 'quest', word: 'Quests' },
        { to: place(id, 'people'), icon: 'people', word: 'People' },
        { to: place(id, 'notes'), icon: 'pen', word: 'Notes' },
        { to: place(id, 'more'), icon: 'more', word: 'More', waiting },
      ]}
    >
      {children}
    </Frame>
  )
}

/** Outside of a campaign: the shelf of campaigns, one's own account, and the server for its keepers. */
export function ServerFrame({ children }: { children: ComponentChildren }): JSX.Element {
  const { session } = useApp()
  const admin = session.status.value?.user?.admin ?? false
  const shelf: Going = { to: paths.campaigns, icon: 'book', word: 'Campaigns' }
  const connect: Going = { to: paths.connect, icon: 'plug', word: 'Connect an AI' }
  const account: Going = { to: paths.account, icon: 'me', word: 'Account', exact: true }
  const apps: Going = { to: paths.apps, icon: 'shield', word: 'Apps and log' }
  const keep: Going[] = admin
    ? [
        { to: paths.backups, icon: 'disk', word: 'Backups' },
        { to: paths.users, icon: 'people', word: 'Users' },
      ]
    : []
  return (
    <Frame
      role={admin ? 'Keeps this server' : 'Member'}
      book={
        <div class="rail-head">
          <Link href={paths.campaigns} class="rail-book">
            Talekeeper
          </Link>
        </div>
      }
      groups={[[shelf], [account, connect], admin ? [...keep, apps] : []].filter((group) => group.length > 0)}
      foot={[shelf, { ...connect, word: 'AI' }, ...keep, account]}
    >
      {children}
    </Frame>
  )
}
