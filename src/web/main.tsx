import './styles/main.css'
import { signal } from '@preact/signals'
import { render } from 'preact'
import { createCache } from './api/cache.ts'
import { createClient } from './api/call.ts'
import { createConnection } from './api/connection.ts'
import { createDependencies, textLimits } from './api/dependencies.ts'
import { createLive } from './api/live.ts'
import { createLooking } from './api/looking.ts'
import { createOutbox } from './api/outbox.ts'
import { createSession } from './api/session.ts'
import { createConfirmations } from './kit/confirm.tsx'
import { createFailures } from './kit/failures.ts'
import { createToasts } from './kit/toast.tsx'
import { Root } from './shell/app.tsx'
import { type App, AppContext } from './shell/context.ts'
import { campaignPath, isWithin } from './shell/links.ts'
import { createShortcutSetting, createThemes } from './shell/preferences.ts'

/** How long the server may take to say that it is there, after its stream broke off. */
const PROBE_MS = 2500

function compose(): App {
  const connection = createConnection()
  const toasts = createToasts()
  const client = createClient({
    routeOf: (name) => TALEKEEPER_OPERATIONS[name]?.[0],
    fetch: (input, init) => fetch(input, init),
    onWrite: connection.wrote,
    onReach: connection.reached,
    looksAs: () => lookedAs(),
    onSignedOut() {
      const status = session.status.peek()
      if (status?.user) {
        looking.end()
        cache.purge()
        session.status.value = { ...status, user: null }
      }
    },
  })
  const cache = createCache(client, createDependencies(TALEKEEPER_OPERATIONS))
  const looking = createLooking(sessionStorage, cache.purge)
  /** Nobody looks through other eyes outside of their campaign. */
  const lookedAs = () => {
    const as = looking.as.peek()
    return as && isWithin(location.pathname, campaignPath(as.campaignId)) ? as : null
  }
  const session = createSession(client, (isReload) => {
    if (!isReload) looking.end()
    cache.purge()
  })
  const outbox = createOutbox({
    client,
    store: localStorage,
    onSent: cache.invalidateBy,
    onRefused: (body, why) => toasts.fail(`“${body.slice(0, 60)}” was not taken: ${why}`),
  })
  let isProbing = false
  const live = createLive({
    open: (path) => new EventSource(path),
    cache,
    viewAs: () => lookedAs()?.memberId ?? null,
    page: document,
    onReach: connection.reached,
    onLost() {
      if (isProbing) return
      isProbing = true
      // A server that is gone answers nothing, and one that ended the stream for its own reasons answers at once.
      client
        .send({ method: 'GET', path: '/auth/status', limit: AbortSignal.timeout(PROBE_MS), once: true })
        .catch(() => {})
        .finally(() => {
          isProbing = false
        })
    },
    // A stream that the server ended: who signed in, or what they may see, may have changed.
    onClosed: () => void session.refresh().catch(() => connection.reached(false)),
  })
  // The browser knows at once when there is no network; that there is one again only an answer shows.
  addEventListener('offline', () => connection.reached(false))
  return {
    client,
    cache,
    live,
    session,
    looking,
    connection,
    outbox,
    toasts,
    confirmations: createConfirmations(),
    failures: createFailures(),
    themes: createThemes(document.documentElement, localStorage),
    keys: createShortcutSetting(localStorage),
    limitsOf: (operation) => textLimits(TALEKEEPER_OPERATIONS[operation]),
    currentEntity: signal(null),
  }
}

const host = document.getElementById('app')
if (host) {
  render(
    <AppContext.Provider value={compose()}>
      <Root />
    </AppContext.Provider>,
    host,
  )
}
