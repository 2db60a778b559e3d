import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { type FeedNights, readFeedNights } from '../domain/calendar-feed/nights.ts'
import { member } from '../domain/member/entity.ts'
import { user } from '../domain/user/entity.ts'
import type { CalendarFeeds } from '../kernel/context.ts'
import { fail } from '../kernel/errors.ts'
import { execute } from '../kernel/execute.ts'
import { type MaintenanceLock, runShared } from '../kernel/maintenance-lock.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import type { System } from '../kernel/system.ts'
import type { Actor } from '../kernel/viewer.ts'
import { wholeRow } from '../storage/reader.ts'
import type { Store } from '../storage/store.ts'
import { calendarText } from './calendar-text.ts'

export interface CalendarFeedParts {
  system(): System
  store(): Store
  readonly lock: Pick<MaintenanceLock, 'acquireShared'>
  /** The installation's secret, at least 32 bytes. */
  key(): Uint8Array
}

export interface CalendarFeedRoutes extends CalendarFeeds {
  /** `GET /ics/<feed>.ics`: the address is the credential. */
  routes(app: FastifyInstance): void
}

/** How often one calendar is answered in a minute: it asks a few times a day. */
const answersPerMinute = 30

const gone = 'This calendar is not there any more. Its owner finds the present address on the page of game nights.'

/**
 * The calendars of members. An address is `<membership>-<HMAC-SHA-256 of membership and version>` under a key derived from the
 * installation's own: nothing of it is stored but the version, it can be shown again, and it ends with the membership, with a
 * new version, and where the installation has another key.
 */
export function createCalendarFeeds({ system, store, lock, key }: CalendarFeedParts): CalendarFeedRoutes {
  let derived: Uint8Array | undefined
  const proofOf = (id: number, version: number): string => {
    // At the first address: the key's file is made while the program starts.
    derived ??= new Uint8Array(hkdfSync('sha256', key(), '', 'talekeeper calendar feeds', 32))
    return createHmac('sha256', derived).update(`${id}:${version}`).digest('base64url')
  }
  const limiter = new RateLimiterMemory({ points: answersPerMinute, duration: 60 })

  /** Whose feed an address is. Throws `not_found` for every address that is none now, for whatever reason. */
  const ownerOf = (feed: string): { readonly memberId: number; readonly actor: Actor } => {
    const [, id = '', proof = ''] = /^([1-9]\d{0,14})-([\w-]{43})\.ics$/.exec(feed) ?? []
    const row = id === '' ? null : wholeRow(store(), member, Number(id))
    const expected = proofOf(Number(id), Number(row?.calendarFeedVersion ?? 0))
    const isTheirs = proof.length === expected.length && timingSafeEqual(Buffer.from(proof), Buffer.from(expected))
    const owner = row !== null && isTheirs ? wholeRow(store(), user, Number(row.userId)) : null
    if (row === null || row.deletedAt !== null || owner === null || owner.disabledAt !== null)
      throw fail('not_found', gone)
    return {
      memberId: Number(id),
      actor: {
        userId: Number(row.userId),
        username: String(owner.username),
        admin: false,
        credential: {
          kind: 'system',
          id: 0,
          scope: 'viewer',
          campaignId: Number(row.campaignId),
          writeMode: 'read',
          clientId: null,
          toolsets: null,
        },
      },
    }
  }

  const read = async (feed: string, requestId: string): Promise<string> => {
    const { memberId, actor } = await runShared(lock, () => ownerOf(feed))
    await limiter.consume(memberId).catch((refusal: RateLimiterRes) => {
      throw fail('rate_limited', undefined, { retryAfterSeconds: refusal.msBeforeNext / 1000 })
    })
    const { output } = await execute(
      system(),
      readFeedNights as unknown as AnyOperation,
      { campaignId: actor.credential.campaignId },
      { actor, door: 'rest', idempotencyKey: null, reason: null, requestId },
    )
    return calendarText(output as FeedNights)
  }

  return {
    pathOf: ({ id, version }) => `/ics/${id}-${proofOf(id, version)}.ics`,
    routes(app) {
      app.get<{ Params: { feed: string } }>('/ics/:feed', async (request, reply) => {
        // Not to be found by search engines, and not kept by what stands between.
        reply.header('cache-control', 'no-store').header('x-robots-tag', 'noindex')
        const text = await read(request.params.feed, request.id)
        const tag = `"${hash('sha256', text, 'base64url').slice(0, 22)}"`
        reply.header('etag', tag)
        const known = request.headers['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, ''))
        if (known?.some((each) => each === tag || each === '*')) return reply.code(304).send()
        return reply.header('content-type', 'text/calendar; charset=utf-8').send(text)
      })
    },
  }
}
