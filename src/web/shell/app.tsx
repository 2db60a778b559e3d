import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter-preact'
import { CallError } from '../api/call.ts'
import { ConfirmDialog } from '../kit/confirm.tsx'
import { Icon } from '../kit/icon.tsx'
import { LoadError, Loading } from '../kit/page.tsx'
import { ToastList } from '../kit/toast.tsx'
import { CampaignRoutes } from './campaign-routes.tsx'
import { Capture } from './capture.tsx'
import { CampaignContext, type CurrentCampaign, messageOf, useApp, useQuery } from './context.ts'
import { CampaignFrame, ServerFrame } from './layout.tsx'
import { lazy, usePreload } from './lazy.tsx'
import { campaignPath, isWithin, paths } from './links.ts'
import { LookAsDialog, LookingBar } from './looking-as.tsx'
import { useNavigationFocus, useShortcuts } from './navigation.tsx'
import { NotFound } from './not-found.tsx'
import { Palette } from './palette.tsx'
import { TableIsStill, XCard } from './safety.tsx'

// What is read at the table comes in one piece; sign-in and set-up, one's account and the server come when they are opened.
const Setup = lazy(async () => (await import('../pages/auth/setup.tsx')).Setup)
const SignIn = lazy(async () => (await import('../pages/auth/sign-in.tsx')).SignIn)
const Join = lazy(async () => (await import('../pages/auth/join.tsx')).Join)
const Account = lazy(async () => (await import('../pages/account/account.tsx')).Account)
const Connect = lazy(async () => (await import('../pages/account/connect.tsx')).Connect)
const Campaigns = lazy(async () => (await import('../pages/campaigns/campaigns.tsx')).Campaigns)
const AllNotices = lazy(async () => (await import('../pages/notices/notices.tsx')).AllNotices)
const NewCampaign = lazy(async () => (await import('../pages/campaigns/new-campaign.tsx')).NewCampaign)
const TrashedCampaigns = lazy(async () => (await import('../pages/campaigns/trashed-campaigns.tsx')).TrashedCampaigns)
const BringHome = lazy(async () => (await import('../pages/travel/bring-home.tsx')).BringHome)
const Appliance = lazy(async () => (await import('../pages/admin/appliance.tsx')).Appliance)
const Backups = lazy(async () => (await import('../pages/admin/backups.tsx')).Backups)
const AiProviderPage = lazy(async () => (await import('../pages/admin/ai-provider.tsx')).AiProviderPage)
const Users = lazy(async () => (await import('../pages/admin/users.tsx')).Users)
const Clients = lazy(async () => (await import('../pages/admin/clients.tsx')).Clients)

// Whoever does not come for one campaign is about to see them all: they are fetched beside the question who it is.
if (!location.pathname.startsWith(`${paths.campaigns}/`)) Campaigns.preload().catch(() => undefined)
const fromAnywhere = [Campaigns]

/** Everything on screen: signing in, or the pages of who has. */
export function Root(): JSX.Element {
  const { toasts, confirmations } = useApp()
  return (
    <>
      <AppRoutes />
      <ToastList toasts={toasts} />
      <ConfirmDialog confirmations={confirmations} />
    </>
  )
}

function AppRoutes(): JSX.Element {
  const { session, looking } = useApp()
  const [path] = useLocation()
  const search = useSearch()
  const [problem, setProblem] = useState<CallError | null>(null)
  const status = session.status.value

  const begin = () => {
    setProblem(null)
    session
      .refresh()
      .catch((error: unknown) =>
        setProblem(error instanceof CallError ? error : new CallError(0, 'failed', messageOf(error))),
      )
  }
  useEffect(begin, [])
  useEffect(() => {
    const as = looking.as.peek()
    if (as && !isWithin(path, campaignPath(as.campaignId))) looking.end()
  }, [looking, path])
  useNavigationFocus()

  if (!status) {
    return (
      <main id="main" class="page page-narrow">
        {problem ? <LoadError error={problem} retry={begin} /> : <Loading word="Opening the book" />}
      </main>
    )
  }
  // The wizard goes on after it has made the first account, so it decides by itself when it is over.
  if (path === paths.setup) return <Setup />
  if (status.setUpNeeded) return <Redirect to={`${paths.setup}${location.hash}`} replace />
  if (path === paths.join) return <Join />
  if (!status.user) {
    if (path === paths.login) return <SignIn />
    const next = path === '/' ? '' : `?next=${encodeURIComponent(path + (search ? `?${search}` : ''))}`
    return <Redirect to={`${paths.login}${next}`} replace />
  }
  return <SignedInRoutes key={status.user.id} admin={status.user.admin} />
}

function SignedInRoutes({ admin }: { admin: boolean }): JSX.Element {
  const { looking } = useApp()
  const search = useSearch()
  usePreload(fromAnywhere)
  const next = new URLSearchParams(search).get('next')
  return (
    <Switch>
      <Route path={paths.login}>
        {/* Only an address of our own: a path with one leading slash. */}
        <Redirect to={next && /^\/[^/\\]/.test(next) ? next : paths.campaigns} replace />
      </Route>
      <Route path="/">
        <Redirect to={paths.campaigns} replace />
      </Route>
      <Route path={paths.newCampaign}>{outside(<NewCampaign />)}</Route>
      <Route path={paths.notices}>{outside(<AllNotices />)}</Route>
      <Route path={paths.bringHome}>{outside(<BringHome />)}</Route>
      <Route path={paths.trashedCampaigns}>{outside(<TrashedCampaigns />)}</Route>
      <Route path="/campaigns/:campaignId/*?">
        {({ campaignId }) => (
          <CampaignRoot key={`${campaignId} ${looking.as.value?.memberId}`} campaignId={Number(campaignId)} />
        )}
      </Route>
      <Route path={paths.campaigns}>{outside(<Campaigns />)}</Route>
      <Route path={paths.account}>{outside(<Account />)}</Route>
      <Route path={paths.connect}>{outside(<Connect />)}</Route>
      {admin && <Route path={paths.appliance}>{outside(<Appliance />)}</Route>}
      {admin && <Route path={paths.backups}>{outside(<Backups />)}</Route>}
      {admin && <Route path={paths.ai}>{outside(<AiProviderPage />)}</Route>}
      {admin && <Route path={paths.users}>{outside(<Users />)}</Route>}
      {admin && <Route path={paths.apps}>{outside(<Clients />)}</Route>}
      <Route>{outside(<NotFound />)}</Route>
    </Switch>
  )
}

const outside = (page: ComponentChildren) => (
  <ServerFrame>
    <main id="main" class="page" tabIndex={-1}>
      {page}
    </main>
  </ServerFrame>
)

/** A campaign: its frame, its live events, its palette and its pen. */
function CampaignRoot({ campaignId }: { campaignId: number }): JSX.Element {
  const { live, looking, outbox, session, connection, currentEntity, keys } = useApp()
  const campaign = useQuery('get_campaign', { campaignId })
  const settings = useQuery('get_campaign_settings', { campaignId })
  const [floating, setFloating] = useState<'palette' | 'capture' | 'x-card' | null>(null)
  const userId = session.status.value?.user?.id

  useEffect(() => {
    live.follow(campaignId)
    return () => live.follow(null)
  }, [live, campaignId])

  // What waits on this device goes out as soon as the server can be reached again.
  const offline = connection.state.value === 'offline'
  useEffect(() => {
    if (offline || userId === undefined || looking.as.peek()) return
    void outbox.flush(userId)
  }, [offline, userId, outbox, looking])

  // Whoever is no Dungeon Master here any more, or looks through the eyes of somebody who has left, sees with their own again.
  const refused = campaign.error !== undefined && (campaign.error.status === 403 || campaign.error.status === 404)
  useEffect(() => {
    if (refused) looking.end()
  }, [looking, refused])

  const here = useMemo((): CurrentCampaign | null => {
    const found = campaign.data
    if (!found) return null
    const role = found.myRole
    const open = found.status !== 'archived'
    const isDm = role === 'dm'
    return {
      campaignId,
      campaign: found,
      settings: settings.data,
      role,
      isDm,
      mayWrite: open && role !== 'viewer',
      mayEdit: open && (isDm || (role === 'player' && settings.data?.playersPropose === true)),
    }
  }, [campaignId, campaign.data, settings.data])

  useShortcuts([
    { key: 'k', command: true, run: () => setFloating('palette') },
    { key: '/', run: () => setFloating('palette') },
    ...(here?.mayWrite ? [{ key: 'c', run: () => setFloating('capture') }] : []),
  ])

  if (!here) {
    return (
      <ServerFrame>
        <main id="main" class="page" tabIndex={-1}>
          {campaign.error ? <LoadError error={campaign.error} /> : <Loading />}
        </main>
      </ServerFrame>
    )
  }
  return (
    <CampaignContext.Provider value={here}>
      <CampaignFrame here={here} onFind={() => setFloating('palette')} onXCard={() => setFloating('x-card')}>
        <LookingBar />
        <main id="main" class="page" tabIndex={-1}>
          {here.campaign.safetySignal && <TableIsStill here={here} signal={here.campaign.safetySignal} />}
          {here.campaign.status === 'archived' && (
            <p class="banner archived">
              <Icon name="book" />
              <span class="grow">This tale is closed. It can be read, and nothing in it changes.</span>
            </p>
          )}
          <CampaignRoutes />
        </main>
        {here.mayWrite && (
          <button
            type="button"
            class="capture-button"
            aria-label="Write something down"
            title="Write something down (c)"
            aria-keyshortcuts={keys.value ? 'c' : undefined}
            onClick={() => setFloating('capture')}
          >
            <Icon name="quill" size="l" />
          </button>
        )}
      </CampaignFrame>
      {floating === 'palette' && (
        <Palette here={here} onClose={() => setFloating(null)} onCapture={() => setFloating('capture')} />
      )}
      {looking.asked.value && <LookAsDialog />}
      {floating === 'x-card' && <XCard campaignId={campaignId} onClose={() => setFloating(null)} />}
      {floating === 'capture' && (
        <Capture here={here} currentEntity={currentEntity.value} onClose={() => setFloating(null)} />
      )}
    </CampaignContext.Provider>
  )
}
