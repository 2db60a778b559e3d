import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../kernel/errors.ts'

export interface PageParts {
  asset(name: string): Buffer | undefined
  /** Whether /api/docs and /api/openapi.json are served (SPEC 4.7). */
  readonly docs: boolean
  openApi(): unknown
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
  json: 'application/json; charset=utf-8',
  webmanifest: 'application/manifest+json',
  txt: 'text/plain; charset=utf-8',
}

const appPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
/** Swagger UI writes style attributes; everything else is as strict. */
const docsPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"

const docsPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Talekeeper API</title><link rel="stylesheet" href="/api/docs/swagger-ui.css"></head>
<body><div id="api"></div><script src="/api/docs/swagger-ui-bundle.js"></script><script src="/api/docs/start.js"></script></body></html>`
const docsScript = `SwaggerUIBundle({ url: '/api/openapi.json', dom_id: '#api', deepLinking: true, tryItOutEnabled: true })`

/** The web app, from the executable's own assets, and the API's documents. Every address that is no file is the app's. */
export function pageRoutes(app: FastifyInstance, { asset, docs, openApi }: PageParts): void {
  /** Answers with the asset, or with the smaller twin that the build made and the client takes; undefined for no asset. */
  const send = (request: FastifyRequest, reply: FastifyReply, name: string): FastifyReply | undefined => {
    const whole = asset(name)
    if (whole === undefined) return undefined
    const extension = name.slice(name.lastIndexOf('.') + 1)
    const isHashed = /-[A-Z0-9]{8}\.\w+$/.test(name)
    reply.header('content-type', types[extension] ?? 'application/octet-stream')
    // Names with a hash never change their content; whether the others did is asked for each time.
    reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    reply.header('vary', 'accept-encoding')
    if (extension === 'html') reply.header('content-security-policy', appPolicy)
    if (!isHashed) {
      const tag = `W/"${hash('sha1', whole, 'base64url')}"`
      reply.header('etag', tag)
      if (request.headers['if-none-match']?.split(/\s*,\s*/).includes(tag)) return reply.code(304).send()
    }
    const twin = acceptedTwins(request).find((each) => asset(`${name}.${each.extension}`) !== undefined)
    if (twin === undefined) return reply.send(whole)
    return reply.header('content-encoding', twin.encoding).send(asset(`${name}.${twin.extension}`))
  }

  if (docs) {
    app.get('/api/openapi.json', async (_, reply) => reply.header('cache-control', 'no-cache').send(openApi()))
    app.get('/api/docs', async (_, reply) =>
      reply.header('content-type', types.html).header('content-security-policy', docsPolicy).send(docsPage),
    )
    app.get('/api/docs/start.js', async (_, reply) => reply.header('content-type', types.js).send(docsScript))
    app.get<{ Params: { file: string } }>('/api/docs/:file', async (request, reply) => {
      const sent = send(request, reply, `docs/${request.params.file}`)
      if (sent === undefined) throw fail('not_found')
      return sent
    })
  }

  app.get('/*', async (request, reply) => {
    const path = new URL(request.url, 'http://local').pathname
    if (path.startsWith('/api/') || path === '/mcp' || path.startsWith('/.well-known/'))
      throw fail('not_found', 'There is nothing at this address.')
    const sent = send(request, reply, `web${path === '/' ? '/index.html' : path}`)
    if (sent !== undefined) return sent
    if (/\.\w{2,5}$/.test(path)) throw fail('not_found', 'There is nothing at this address.')
    const page = send(request, reply, 'web/index.html')
    if (page === undefined) throw fail('unavailable', 'The web app was not built. Run "npm run build".')
    return page
  })
}

const twins = [
  { encoding: 'br', extension: 'br' },
  { encoding: 'gzip', extension: 'gz' },
] as const

/** The compressed twins that a client takes (RFC 9110 12.5.3), the smaller one first. `;q=0` refuses one. */
function acceptedTwins(request: FastifyRequest): (typeof twins)[number][] {
  const codings = (request.headers['accept-encoding'] ?? '').toLowerCase().split(',')
  const taken = new Set(
    codings.filter((coding) => !/;\s*q=0(\.0*)?\s*$/.test(coding)).map((coding) => coding.split(';', 1)[0]?.trim()),
  )
  return twins.filter(({ encoding }) => taken.has(encoding))
}
