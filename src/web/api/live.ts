import type { Cache } from './cache.ts'
import { everything } from './dependencies.ts'

/** The part of EventSource that is used; tests hand in their own. */
export interface Stream {
  addEventListener(type: string, listener: (event: { data?: string }) => void): void
  close(): void
  readonly readyState: number
}

export interface LiveParts {
  readonly open: (path: string) => Stream
  /** The membership through whose eyes somebody looks, or null. */
  readonly viewAs?: () => number | null
  readonly cache: Cache
  readonly page: Pick<Document, 'hidden' | 'addEventListener'>
  /** The server closed the stream for good: the session or the membership may be gone. */
  readonly onClosed: () => void
  readonly onReach: (reached: boolean) => void
  /** The stream broke off, and the browser tries to open it again: is the server there at all? */
  readonly onLost: () => void
}

export interface Live {
  /** Listens to one campaign, or to none. */
  follow(campaignId: number | null): void
}

const CLOSE_WHEN_HIDDEN_MS = 30_000
const STREAM_CLOSED = 2

/**
 * Keeps what is on screen fresh from the campaign's live events. Browsers allow six connections to a host over
 * HTTP/1.1, so a tab that nobody looks at gives its stream up and reads everything anew when it is seen again.
 */
export function createLive({ open, cache, page, viewAs, onClosed, onReach, onLost }: LiveParts): Live {
  let campaign: number | null = null
  let stream: Stream | undefined
  let missed = false
  let hiding: ReturnType<typeof setTimeout> | undefined

  function close() {
    stream?.close()
    stream = undefined
  }

  function listen() {
    if (campaign === null || stream) return
    const eyes = viewAs?.() ?? null
    const own = open(`/api/v1/campaigns/${campaign}/events${eyes === null ? '' : `?viewAs=${eyes}`}`)
    stream = own
    const changed = ({ data }: { data?: string }) => {
      const event = JSON.parse(data ?? '{}') as { entityType?: string }
      cache.invalidate(event.entityType ? new Set([event.entityType]) : everything)
    }
    own.addEventListener('changed', changed)
    own.addEventListener('removed', changed)
    own.addEventListener('reset', () => cache.invalidate(everything))
    own.addEventListener('open', () => {
      onReach(true)
      if (missed) cache.invalidate(everything)
      missed = false
    })
    own.addEventListener('error', () => {
      missed = true
      // While it is still trying (readyState 0) the browser reconnects by itself.
      if (own.readyState !== STREAM_CLOSED) {
        if (stream === own) onLost()
        return
      }
      if (stream === own) close()
      onClosed()
    })
  }

  page.addEventListener('visibilitychange', () => {
    clearTimeout(hiding)
    if (page.hidden) {
      hiding = setTimeout(() => {
        if (stream) missed = true
        close()
      }, CLOSE_WHEN_HIDDEN_MS)
      return
    }
    if (!stream) listen()
  })

  return {
    follow(campaignId) {
      if (campaignId === campaign && stream) return
      close()
      campaign = campaignId
      missed = false
      listen()
    },
  }
}
