import './styles/main.css'
import { signal } from '@preact/signals'
import { render } from 'preact'
import { createCache } from './api/cache.ts'
import { createClient } from './api/call.ts'
import { createLive } from './api/live.ts'
import { createOutbox } from './api/outbox.ts'
import { createSession } from './api/session.ts'
import { createWire } from './api/wire.ts'
import { createAsks } from './kit/ask.tsx'
import { createToasts } from './kit/toast.tsx'
import { Root } from './shell/app.tsx'
import { type App, AppContext } from './shell/context.ts'
import { createKeys } from './shell/keys.ts'
import { createThemes } from './shell/theme.ts'

function compose(): App {
  const wire = createWire()
  const toasts = createToasts()
  const client = createClient({
    routes: TALEKEEPER_ROUTES,
    fetch: (input, init) => fetch(input, init),
    onWrite: wire.wrote,
    onReach: wire.reached,
    onSignedOut() {
      const status = session.status.peek()
      if (status?.user) {
        cache.purge()
        session.status.value = { ...status, user: null }
      }
    },
  })
  const cache = createCache(client)
  const session = createSession(client, cache.purge)
  const outbox = createOutbox({
    client,
    store: localStorage,
    onRefused: (body, why) => toasts.fail(`“${body.slice(0, 60)}” was not taken: ${why}`),
  })
  const live = createLive({
    open: (path) => new EventSource(path),
    cache,
    page: document,
    onReach: wire.reached,
    // A stream that the server ended: who signed in, or what they may see, may have changed.
    onClosed: () => void session.refresh().catch(() => wire.reached(false)),
  })
  return {
    client,
    cache,
    live,
    session,
    wire,
    outbox,
    toasts,
    asks: createAsks(),
    themes: createThemes(document.documentElement, localStorage),
    keys: createKeys(localStorage),
    anchor: signal(null),
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
