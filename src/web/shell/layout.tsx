import type { ComponentChildren, JSX } from 'preact'
import { Link, useLocation } from 'wouter-preact'
import { Avatar } from '../kit/avatar.tsx'
import { IconButton } from '../kit/button.tsx'
import { count } from '../kit/format.ts'
import { Icon } from '../kit/icon.tsx'
import { roles } from '../kit/labels.ts'
import { type CurrentCampaign, useApp, useMe, usePages, useQuery } from './context.ts'
import { campaignPath, paths, sectionPath } from './links.ts'
import { LookAsButton, LookAsIcon } from './looking-as.tsx'
import { type NavItem, navigationOf, type Waiting } from './sections.ts'

function isCurrent(path: string, { to, exact }: NavItem): boolean {
  return path === to || (!exact && path.startsWith(`${to}/`))
}

function SidebarLink({ item, path }: { item: NavItem; path: string }): JSX.Element {
  return (
    <Link href={item.to} class="nav-item" aria-current={isCurrent(path, item) ? 'page' : undefined}>
      <Icon name={item.icon} />
      {item.word}
      {item.waiting ? (
        <b>
          {item.waiting}
          <span class="visually-hidden"> waiting</span>
        </b>
      ) : null}
    </Link>
  )
}

/** Saved, sending, not saved, or offline: a word, and what it means. */
export function ConnectionStatus(): JSX.Element {
  const { connection, outbox } = useApp()
  const kept = outbox.waiting.value
  const state = connection.state.value
  if (state === 'offline') {
    return <span class="word bad">{kept > 0 ? `Offline, ${count(kept, 'note')} kept here` : 'Offline'}</span>
  }
  if (state === 'sending' || kept > 0) return <span class="word brass">Sending</span>
  return state === 'saved' ? <span class="word ok">Saved</span> : <span class="word bad">Not saved</span>
}

/** How many notices wait, over all campaigns, and where they are read: in the campaign that is open, or outside of all. */
function Bell({ campaignId }: { campaignId?: number }): JSX.Element {
  const unread = useQuery('list_notifications', { unread: true, limit: 1 }).data?.unreadCount ?? 0
  return (
    <Link
      href={campaignId === undefined ? paths.notices : sectionPath(campaignId, 'notices')}
      class="icon notice-bell"
      aria-label={unread === 0 ? 'Notices' : `Notices, ${unread > 99 ? 'more than 99' : unread} new`}
      title="Notices"
    >
      <Icon name="bell" />
      {unread > 0 && <b aria-hidden="true">{unread > 99 ? '99+' : unread}</b>}
    </Link>
  )
}

function XCardButton({ onPress, class: extra }: { onPress: () => void; class: string }): JSX.Element {
  return (
    <button
      type="button"
      class={extra}
      aria-label="X-card: stop the scene, no questions asked"
      aria-haspopup="dialog"
      onClick={onPress}
    >
      <Icon name="hand" />
      X-card
    </button>
  )
}

function Me({ role }: { role: string }): JSX.Element {
  const user = useMe()
  const name = user?.displayName || user?.username || ''
  return (
    <Link href={paths.account} class="sidebar-user">
      <Avatar name={name} />
      <span>
        <strong>{name}</strong>
        {role}
        <span class="connection" role="status">
          <ConnectionStatus />
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
  strip,
  bell,
  children,
}: {
  book: JSX.Element
  find?: JSX.Element
  groups: readonly (readonly NavItem[])[]
  foot: readonly NavItem[]
  role: string
  /** Stands above a page on a phone. */
  strip?: JSX.Element
  /** The way to what is new, beside one's own name. */
  bell?: JSX.Element
  children: ComponentChildren
}): JSX.Element {
  const [path] = useLocation()
  const { connection } = useApp()
  // The last place at a phone's foot stands for everything that has no place of its own there.
  const under = foot.findIndex((item) => isCurrent(path, item))
  const lit = under === -1 ? foot.length - 1 : under
  return (
    <>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <div class="app">
        <nav class="sidebar" aria-label="Contents">
          {book}
          {find}
          {groups.map((group, index) => (
            <div key={group[0]?.to} class="sidebar-group">
              {index > 0 && <div class="sidebar-gap" />}
              {group.map((item) => (
                <SidebarLink key={item.to} item={item} path={path} />
              ))}
            </div>
          ))}
          <div class="sidebar-foot">
            <Me role={role} />
            {bell}
          </div>
        </nav>
        <div class="page-column">
          {strip}
          {connection.state.value === 'offline' && (
            <p class="offline-banner hand" role="status">
              <ConnectionStatus />
            </p>
          )}
          {children}
        </div>
        <nav class="tab-bar" aria-label="Places">
          {foot.map((item, index) => (
            <Link key={item.to} href={item.to} aria-current={index === lit ? 'page' : undefined}>
              <Icon name={item.icon} />
              {item.word}
              {item.waiting ? <span class="dot">{item.waiting}</span> : null}
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
  onXCard,
  children,
}: {
  here: CurrentCampaign
  onFind: () => void
  onXCard: () => void
  children: ComponentChildren
}): JSX.Element {
  const { campaign, campaignId: id, role } = here
  const { home, tale, table, settings, more, foot } = navigationOf(here, useWaiting(here))
  return (
    <Frame
      role={roles[role]}
      bell={<Bell campaignId={id} />}
      strip={
        <div class="phone-strip">
          <LookAsIcon />
          <IconButton icon="find" label="Find or do" onClick={onFind} />
          <XCardButton class="btn quiet x-card-way" onPress={onXCard} />
          <Bell campaignId={id} />
        </div>
      }
      book={
        <div class="sidebar-head">
          <Link href={campaignPath(id)} class="sidebar-title">
            {campaign.name}
            {campaign.worldDateText && <small>{campaign.worldDateText}</small>}
          </Link>
          <span class="sidebar-line">
            <Link href={paths.campaigns} class="sidebar-all">
              All campaigns
            </Link>
            <XCardButton class="x-card-way" onPress={onXCard} />
          </span>
          <LookAsButton />
        </div>
      }
      find={
        <button type="button" class="sidebar-find" onClick={onFind} aria-keyshortcuts="Control+K">
          <Icon name="find" size="s" />
          Find or do<kbd>Ctrl K</kbd>
        </button>
      }
      groups={[[home], tale, table, settings].filter((group) => group.length > 0)}
      foot={[...foot, more]}
    >
      {children}
    </Frame>
  )
}

/** How many proposals and notes wait for the DM, and how many rolls for a player. */
export function useWaiting({ campaignId, isDm, role }: CurrentCampaign): Waiting {
  const me = useMe()?.id
  const summary = useQuery('get_campaign_summary', isDm ? { campaignId, view: 'full' } : null).data
  const asked = usePages(
    'list_check_requests',
    role === 'player' ? { campaignId, status: 'open', limit: 20 } : null,
  ).items
  return {
    inbox: summary ? summary.openInboxItems + summary.pendingProposals : 0,
    rolls: asked.filter(({ ownerUserId }) => ownerUserId === me).length,
  }
}

/** Outside of a campaign: the shelf of campaigns, one's own account, and the server for its keepers. */
export function ServerFrame({ children }: { children: ComponentChildren }): JSX.Element {
  const { session } = useApp()
  const admin = session.status.value?.user?.admin ?? false
  const campaigns: NavItem = { to: paths.campaigns, icon: 'book', word: 'Campaigns' }
  const connect: NavItem = { to: paths.connect, icon: 'plug', word: 'Connect an AI' }
  const account: NavItem = { to: paths.account, icon: 'me', word: 'Account', exact: true }
  const apps: NavItem = { to: paths.apps, icon: 'shield', word: 'Apps and log' }
  const server: NavItem[] = admin
    ? [
        { to: paths.appliance, icon: 'home', word: 'This server' },
        { to: paths.backups, icon: 'disk', word: 'Backups' },
        { to: paths.ai, icon: 'quill', word: 'AI in this house' },
        { to: paths.users, icon: 'people', word: 'Accounts' },
      ]
    : []
  // Five places fit; all others are a press away on the page of the server.
  const onPhones = server.slice(0, 2).map((item) => (item.to === paths.appliance ? { ...item, word: 'Server' } : item))
  return (
    <Frame
      role={admin ? 'Keeps this server' : 'Member'}
      bell={<Bell />}
      strip={
        <div class="phone-strip">
          <Bell />
        </div>
      }
      book={
        <div class="sidebar-head">
          <Link href={paths.campaigns} class="sidebar-title">
            Talekeeper
          </Link>
        </div>
      }
      groups={[[campaigns], [account, connect], admin ? [...server, apps] : []].filter((group) => group.length > 0)}
      foot={[campaigns, { ...connect, word: 'AI' }, ...onPhones, account]}
    >
      {children}
    </Frame>
  )
}
