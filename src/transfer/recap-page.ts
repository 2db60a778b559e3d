import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { attachment } from '../domain/attachment/entity.ts'
import { campaign } from '../domain/campaign/entity.ts'
import { npc } from '../domain/npc/entity.ts'
import { session } from '../domain/session/entity.ts'
import { sessionShare } from '../domain/session-share/entity.ts'
import { isOpen } from '../domain/session-share/rules.ts'
import { type MaintenanceLock, runShared } from '../kernel/maintenance-lock.ts'
import { mentionsIn } from '../kernel/mentions.ts'
import { personIn } from '../kernel/viewer.ts'
import type { Images } from '../storage/images.ts'
import { readerFor, wholeRow } from '../storage/reader.ts'
import { hashSecret } from '../storage/secrets.ts'
import type { Store } from '../storage/store.ts'
import { escaped, recapHtml } from './recap-html.ts'

export interface RecapPageParts {
  store(): Store
  readonly lock: Pick<MaintenanceLock, 'acquireShared'>
  readonly clock: () => Date
  /** Pictures of people. */
  readonly faces: Pick<Images, 'find'>
  /** The address by which callers are counted: of a network of their own it is the same for all. */
  groupOf(address: string): string
}

/** How often one address is answered in a minute. */
const answersPerMinute = 60
/** Faces come with a page. */
const mostFaces = 12

const policy =
  "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

interface Chapter {
  readonly campaign: string
  readonly number: number
  readonly title: string | null
  readonly html: string
  /** The people whom it names, by the names that players know, with the picture that players see of them. */
  readonly people: readonly { readonly name: string; readonly face: Face | null }[]
}

interface Face {
  readonly fileKey: string
  readonly sha256: string
}

/**
 * `/share/<token>`: the recap of one session, for whoever has its address. It is read through the eyes of a player who is
 * nobody in particular, when it is asked for: what is no longer published, revoked, over or in the trash is not there, and the
 * answer does not say which. `styleSheet`: the web app's, undefined where it was not built.
 */
export function recapPage(
  app: FastifyInstance,
  { store, lock, clock, faces, groupOf }: RecapPageParts,
  styleSheet: () => Buffer | undefined,
): void {
  const limiter = new RateLimiterMemory({ points: answersPerMinute, duration: 60 })
  const ofFaces = new RateLimiterMemory({ points: answersPerMinute * mostFaces, duration: 60 })
  const refusalOf = (by: RateLimiterMemory, request: FastifyRequest): Promise<RateLimiterRes | null> =>
    by.consume(groupOf(request.ip)).then(
      () => null,
      (limited: RateLimiterRes) => limited,
    )
  const send = (reply: FastifyReply, status: number, body: string): FastifyReply =>
    reply
      .code(status)
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', policy)
      // Not to be found by search engines, and not kept by what stands between.
      .header('cache-control', 'no-store')
      .header('x-robots-tag', 'noindex, nofollow')
      .send(body)

  app.get('/share/style.css', async (_, reply) =>
    reply
      .header('content-type', 'text/css; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(stylesOf(styleSheet()?.toString('utf8') ?? '')),
  )
  app.get<{ Params: { token: string } }>('/share/:token', async (request, reply) => {
    const refusal = await refusalOf(limiter, request)
    const theme = request.cookies.talekeeper_theme
    if (refusal !== null) {
      reply.header('retry-after', String(Math.ceil(refusal.msBeforeNext / 1000)))
      return send(
        reply,
        429,
        messagePage('One moment', 'This page was opened too often. Try again in a minute.', theme),
      )
    }
    const { token } = request.params
    const chapter = await runShared(lock, () => chapterOf(store(), token, clock().toISOString()))
    if (chapter !== null) return send(reply, 200, chapterPage(chapter, token, theme))
    const text = 'Its table shared it for a while. Ask whoever sent you here.'
    return send(reply, 404, messagePage('This page is closed', text, theme))
  })
  // By their place on the page: no address says which picture of which person it is.
  app.get<{ Params: { token: string; place: string } }>('/share/:token/faces/:place', async (request, reply) => {
    const nothing = () => reply.code(404).header('cache-control', 'no-store').send()
    if ((await refusalOf(ofFaces, request)) !== null) return reply.code(429).header('cache-control', 'no-store').send()
    const { token, place } = request.params
    const chapter = await runShared(lock, () => chapterOf(store(), token, clock().toISOString()))
    const face = /^\d{1,2}$/.test(place) ? chapter?.people[Number(place)]?.face : undefined
    if (face === undefined || face === null) return nothing()
    const picture = await faces.find(face, 'thumb').catch(() => null)
    if (picture === null) return nothing()
    return reply
      .header('content-type', picture.mimeType)
      .header('content-security-policy', "default-src 'none'")
      .header('cache-control', 'no-store')
      .header('x-robots-tag', 'noindex, nofollow')
      .send(await readFile(picture.path))
  })
}

/** What an address opens now; null for every one that opens nothing, for whatever reason. */
function chapterOf(store: Store, token: string, now: string): Chapter | null {
  if (!/^tks_[\w-]{43}$/.test(token)) return null
  const found = store.get(`SELECT id FROM ${sessionShare.table} WHERE token_hash = @hash AND deleted_at IS NULL`, {
    hash: hashSecret(token),
  })
  const share = found === undefined ? null : wholeRow(store, sessionShare, Number(found.id))
  if (share === null || !isOpen(share as { revokedAt: string | null; expiresAt: string }, now)) return null
  const campaignId = Number(share.campaignId)
  const home = wholeRow(store, campaign, campaignId)
  const anyPlayer = personIn(campaignId, 'player')
  const told = readerFor(store, session, anyPlayer).find(Number(share.sessionId))
  if (home === null || home.deletedAt !== null || told === null || told.recap === null) return null
  const nameOf = (entityType: string, id: number): string | null => {
    const entity = store.registry.kinds('mention').find(({ name }) => name === entityType)
    const row =
      entity === undefined ? null : (readerFor(store, entity, anyPlayer).find(id) as Record<string, unknown> | null)
    const name = entity?.title == null ? null : row?.[entity.title]
    return typeof name === 'string' && name !== '' ? name : null
  }
  const people = mentionsIn(told.recap)
    .filter(({ entityType }) => entityType === npc.name)
    .flatMap(({ entityId }) => {
      const name = nameOf(npc.name, entityId)
      const pictureId = readerFor(store, npc, anyPlayer).find(entityId)?.portraitAttachmentId ?? null
      return name === null ? [] : [{ name, face: pictureId === null ? null : faceOf(store, anyPlayer, pictureId) }]
    })
  return {
    campaign: String(home.name),
    number: told.number,
    title: told.title,
    html: recapHtml(told.recap, nameOf),
    people,
  }
}

/** A picture that every player sees; null for what is hidden or gone. */
function faceOf(store: Store, anyPlayer: ReturnType<typeof personIn>, id: number): Face | null {
  if (readerFor(store, attachment, anyPlayer).find(id) === null) return null
  const row = wholeRow(store, attachment, id)
  return row === null || row.missing === true ? null : { fileKey: String(row.fileKey), sha256: String(row.sha256) }
}

const themes = ['ink', 'vellum', 'contrast']

const fleuron =
  '<svg class="fleuron" viewBox="0 0 112 16" aria-hidden="true"><path fill="none" stroke="currentColor" stroke-width="1.2" d="M0 8h38M74 8h38"/><path fill="currentColor" d="m56 2 6 6-6 6-6-6Z"/><circle cx="43" cy="8" r="1.6" fill="currentColor"/><circle cx="69" cy="8" r="1.6" fill="currentColor"/></svg>'
const logo =
  '<svg viewBox="4 3 56 58" class="mark" aria-hidden="true"><path fill="currentColor" d="M7 26.4c7.5-3.3 14.2-2.7 19.6.9 1 1.8 2.2 3 2.2 3l-2.2 23.1C20.6 50.5 13.8 50 7 52.3Zm50 0c-7.5-3.3-14.2-2.7-19.6.9-1 1.8-2.2 3-2.2 3l2.2 23.1c6-2.9 12.8-3.4 19.6-1.1Z"/><path fill="none" stroke="currentColor" stroke-width="2.6" d="M5.5 56.3c9.8-2.7 18.7-1.3 26.5 3.2 7.8-4.5 16.7-5.9 26.5-3.2"/><path class="flame" d="M32 5.5c2.2 5.8 7.5 8.8 7.5 15a7.5 7.5 0 0 1-15 0c0-6.2 5.3-9.2 7.5-15Z"/></svg>'

function chapterPage(
  { campaign: name, number, title, html, people }: Chapter,
  token: string,
  theme: string | undefined,
): string {
  const heading = title ?? `Session ${number}`
  const cast =
    people.length === 0
      ? ''
      : `<section class="share-cast" aria-label="In this chapter"><h2 class="label">In this chapter</h2><ul>${people
          .map((each, index) => `<li>${faceHtml(token, each.face, index)}${escaped(each.name)}</li>`)
          .join('')}</ul></section>`
  return pageOf(
    `${heading} · ${name}`,
    `<a class="skip" href="#main">Skip to the page</a>
<div class="share-plate"><img src="/art/orchard.svg" alt=""></div>
<main id="main" class="share-page chapter-page" tabindex="-1">
<header><p class="chapter">${escaped(name)}, session ${number}</p><h1>${escaped(heading)}</h1></header>
${fleuron}
<div class="story-text drop-cap">
${html}
</div>
${fleuron}
${cast}
<footer class="share-colophon">${logo}<p>Kept with Talekeeper.<br>This page was shared by its table and shows only what its players know.</p></footer>
</main>`,
    theme,
  )
}

function faceHtml(token: string, face: Face | null, place: number): string {
  if (face === null || place >= mostFaces) return ''
  return `<img src="/share/${token}/faces/${place}" alt="" width="72" height="90" loading="lazy">`
}

function messagePage(title: string, text: string, theme: string | undefined): string {
  return pageOf(
    title,
    `<main id="main" class="share-page chapter-page share-message"><header><h1>${escaped(title)}</h1><p class="chapter">${escaped(text)}</p></header>
${fleuron}
<footer class="share-colophon">${logo}<p>Kept with Talekeeper.</p></footer></main>`,
    theme,
  )
}

function pageOf(title: string, body: string, theme: string | undefined): string {
  const chosen = themes.find((each) => each === theme)
  return `<!doctype html>
<html lang="en" data-theme="${chosen ?? 'ink'}"${chosen === undefined ? ' class="as-device"' : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="dark light">
<meta name="robots" content="noindex, nofollow">
<title>${escaped(title)}</title>
<link rel="icon" href="/icon/talekeeper.svg">
<link rel="stylesheet" href="/share/style.css">
</head>
<body class="share">
${body}
</body>
</html>
`
}

const layout = `
.share-plate { position: relative; height: min(46vh, 24rem); overflow: hidden; }
.share-plate img { width: 100%; height: 100%; object-fit: cover; object-position: 50% 62%; }
.share-plate::after { content: ""; position: absolute; inset: auto 0 0; height: 45%; background: linear-gradient(0deg, var(--ground), transparent); }
.share-page { margin-top: -2.5rem; padding: 0 var(--s5) var(--s8); }
.share-page .story-text :is(h2, h3) { text-indent: 0; }
.share-page .story-text blockquote p { margin: 0; }
.share-page hr { border: 0; height: 1px; background: var(--hair); }
.share-message { margin-top: 0; padding-top: 18vh; text-align: center; }
.share-message h1 { font-size: var(--t-h1); }
.share-cast { text-align: center; font-size: var(--t-small); }
.share-cast ul { display: flex; flex-wrap: wrap; justify-content: center; gap: var(--s1) var(--s5); margin: var(--s2) 0 0; padding: 0; list-style: none; font: 600 var(--t-h3)/1.3 var(--serif); }
.share-cast li { display: flex; flex-direction: column; align-items: center; justify-content: flex-end; }
.share-cast img { width: 4.5rem; height: 5.625rem; margin-bottom: var(--s2); object-fit: cover; border-radius: var(--niche); }
.share-colophon { margin-top: var(--s7); text-align: center; color: var(--text-2); font-size: var(--t-small); }
.share-colophon .mark { width: 2.75rem; margin: 0 auto var(--s2); display: block; }
@media (max-width: 40rem) {
  .share-plate { height: 13rem; }
  .share-page .story-text { font-size: 1.1875rem; }
}
@media (prefers-color-scheme: light) {
  .share-plate::after { display: none; }
  .share-page { margin-top: var(--s6); }
}
@media print { .share-plate { display: none; } .share-page { margin-top: 0; } }
`

/**
 * The web app's style sheet and the layout of this page. Nobody has chosen a theme here, so that it is dark or light as the
 * device is: the light one's tokens count where the device asks for it.
 */
function stylesOf(appStyles: string): string {
  const [, tokens = ''] = /\[data-theme="?vellum"?\]\s*\{([^}]*)\}/.exec(appStyles) ?? []
  return `${appStyles}\n${layout.trim()}\n@media (prefers-color-scheme: light) { html.as-device { ${tokens} } }\n`
}
