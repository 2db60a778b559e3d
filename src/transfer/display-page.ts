import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { map } from '../domain/map/entity.ts'
import { strokesThatCount } from '../domain/map/fog.ts'
import { type MaintenanceLock, runShared } from '../kernel/maintenance-lock.ts'
import { personIn } from '../kernel/viewer.ts'
import type { FogImages } from '../storage/images-of-maps.ts'
import { unfilteredReaderFor, wholeRow } from '../storage/reader.ts'
import type { Store } from '../storage/store.ts'
import { openImage } from './attachments.ts'
import { closedPage, pageOf, screenScript, screenStyle, viewOf } from './display-html.ts'
import { imageOf, type Shown, shownBy } from './display-state.ts'

export interface DisplayPageParts {
  store(): Store
  /** Tells that something changed, and when all streams end. */
  readonly hub: { watch(watcher: { changed(): void; close(): void }): () => void }
  readonly lock: Pick<MaintenanceLock, 'acquireShared'>
  readonly images: FogImages
  /** The address by which callers are counted: of a network of their own it is the same for all. */
  groupOf(address: string): string
}

/** How often one address is answered in a minute; a screen asks for its page, its stream and an image. */
const answersPerMinute = 120
/** Screens of one address, and of all. */
const mostOfCode = 10
const mostStreams = 100
/** Changes that follow each other so closely are drawn once. */
const gatherMs = 60
const heartbeatMs = 25_000

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * `/display/<code>`: the fight and a map on a television, for whoever has the address. What it shows is worked out for a guest
 * (display-state.ts) whenever something of the campaign changed, and sent only where it looks different: not even when
 * something hidden changes shows in the stream. An address that was taken back, or whose campaign is gone, ends its streams.
 */
export function displayPage(
  app: FastifyInstance,
  { store, hub, lock, images, groupOf }: DisplayPageParts,
  styleSheet: () => Buffer | undefined,
): void {
  const limiter = new RateLimiterMemory({ points: answersPerMinute, duration: 60 })
  const streams = new Map<string, number>()
  let open = 0

  const look = (code: string): Promise<Shown | null> => runShared(lock, () => shownBy(store(), code))
  const hidden = (reply: FastifyReply): FastifyReply =>
    // Not to be found by search engines, and not kept by what stands between.
    reply.header('cache-control', 'no-store').header('x-robots-tag', 'noindex, nofollow')
  const send = (reply: FastifyReply, status: number, body: string): FastifyReply =>
    hidden(reply)
      .code(status)
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .send(body)
  /** Seconds to wait; null where the caller may go on. */
  const limited = async (request: FastifyRequest): Promise<number | null> =>
    limiter.consume(groupOf(request.ip)).then(
      () => null,
      (refusal: RateLimiterRes) => Math.ceil(refusal.msBeforeNext / 1000),
    )
  const wait = (reply: FastifyReply, seconds: number): FastifyReply =>
    send(
      reply.header('retry-after', String(seconds)),
      429,
      closedPage('One moment', 'This page was opened too often. It comes back in a minute.'),
    )
  const closed = (reply: FastifyReply): FastifyReply =>
    send(reply, 404, closedPage('This screen is dark', 'Its table took the address back. Ask for a new one.'))

  app.get('/display/style.css', async (_, reply) =>
    reply
      .header('content-type', 'text/css; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(`${styleSheet()?.toString('utf8') ?? ''}\n${screenStyle.trim()}\n`),
  )
  app.get('/display/screen.js', async (_, reply) =>
    reply
      .header('content-type', 'text/javascript; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(screenScript),
  )

  app.get<{ Params: { code: string } }>('/display/:code', async (request, reply) => {
    const seconds = await limited(request)
    if (seconds !== null) return wait(reply, seconds)
    const { code } = request.params
    const shown = await look(code)
    if (shown === null) return closed(reply)
    return send(reply, 200, pageOf(shown.campaign, `<main data-live>${viewOf(shown, code, request.host)}</main>`))
  })

  app.get<{ Params: { code: string } }>('/display/:code/map', async (request, reply) => {
    const seconds = await limited(request)
    if (seconds !== null) return wait(reply, seconds)
    const painted = await runShared(lock, () => {
      const now = store()
      const shown = shownBy(now, request.params.code)
      if (shown === null || shown.map === null) return null
      const { id } = shown.map
      const image = imageOf(now, id)
      const row = wholeRow(now, map, id)
      if (image === null || row === null) return null
      const viewer = personIn(Number(row.campaignId), 'dm')
      const strokes =
        row.fogEnabled === true
          ? strokesThatCount({ unfiltered: (entity) => unfilteredReaderFor(now, entity, viewer) }, id)
          : null
      return { image, strokes }
    })
    if (painted === null) return closed(reply)
    const { file, mimeType } = await openImage(images, painted.image, painted.strokes, 'full')
    const { size } = await file.stat()
    return hidden(reply)
      .header('content-type', mimeType)
      .header('content-length', size)
      .header('content-security-policy', "default-src 'none'; sandbox")
      .send(file.createReadStream())
  })

  app.get<{ Params: { code: string } }>('/display/:code/events', async (request, reply) => {
    const seconds = await limited(request)
    if (seconds !== null) return wait(reply, seconds)
    const { code } = request.params
    const { host } = request
    const first = await look(code)
    if (first === null) return closed(reply)
    const own = streams.get(code) ?? 0
    if (own >= mostOfCode || open >= mostStreams) return wait(reply, 60)
    streams.set(code, own + 1)
    open += 1
    hidden(reply)
    reply.hijack()
    const { raw } = reply
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    })
    raw.write('retry: 3000\n\n')
    let told = ''
    let isOver = false
    let gathering: NodeJS.Timeout | undefined
    const event = (name: string, data: unknown): void => {
      if (!isOver && !raw.writableEnded) raw.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
    }
    const end = (): void => {
      if (isOver) return
      isOver = true
      clearInterval(heartbeat)
      clearTimeout(gathering)
      leave()
      open -= 1
      const left = (streams.get(code) ?? 1) - 1
      if (left === 0) streams.delete(code)
      else streams.set(code, left)
      if (!raw.writableEnded) raw.end()
    }
    const show = (shown: Shown | null): void => {
      if (shown === null) {
        event('closed', null)
        end()
        return
      }
      const view = viewOf(shown, code, host)
      if (view === told) return
      told = view
      event('view', view)
    }
    const draw = (): void => {
      gathering = undefined
      look(code).then(show, end)
    }
    const heartbeat = setInterval(() => {
      if (!raw.writableEnded) raw.write(': still here\n\n')
    }, heartbeatMs)
    heartbeat.unref()
    const leave = hub.watch({
      changed: () => {
        gathering ??= setTimeout(draw, gatherMs)
      },
      close: end,
    })
    raw.once('close', end)
    raw.once('error', end)
    show(first)
  })
}
