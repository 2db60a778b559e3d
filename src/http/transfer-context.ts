import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail, invalid } from '../kernel/errors.ts'
import type { StreamEvent, StreamHead, TransferContext, Upload } from '../kernel/transfer.ts'
import { collectSpentBuffers } from './buffer-gc.ts'
import { type CallerFacts, header, sessionCookie } from './caller.ts'

export interface TransferContextSettings {
  readonly tempDir: string
  /** Set the cookie's Secure mark: exactly when the effective base URL is https. */
  readonly secureCookies: boolean
  isDirect(request: FastifyRequest): boolean
  originOf(request: FastifyRequest): string
}

/** Rejects when the credential that a request came with would not let it in any more; without one it always would. */
export type RecheckAuthorisation = () => Promise<void>

const sessionDays = 90
const deviceCookie = 'talekeeper_device'
/** The longest that browsers keep a cookie. */
const deviceDays = 400
const heartbeatMs = 20_000
/** A subscriber that reads this slowly is cut off; it resumes by its last event id. In bytes. */
const mostUnsent = 1024 * 1024

/** The HTTP side of a transfer. `finish` removes what was spooled. */
export function createTransferContext(
  request: FastifyRequest,
  reply: FastifyReply,
  caller: CallerFacts,
  settings: TransferContextSettings,
  recheckAuthorisation: RecheckAuthorisation = async () => {},
): { readonly context: TransferContext; finish(): Promise<void> } {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const spooled: string[] = []
  const cookie = { httpOnly: true, sameSite: 'lax', secure: settings.secureCookies, path: '/' } as const
  const context: TransferContext = {
    ...caller,
    requestId: request.id,
    signal: gone.signal,
    address: request.ip,
    userAgent: header(request, 'user-agent')?.slice(0, 300) ?? null,
    origin: settings.originOf(request),
    loopback: settings.isDirect(request),
    lastEventId: header(request, 'last-event-id') ?? null,
    session: {
      secret: request.cookies[sessionCookie] ?? null,
      set: (secret) => void reply.setCookie(sessionCookie, secret, { ...cookie, maxAge: sessionDays * 24 * 3600 }),
      clear: () => void reply.clearCookie(sessionCookie, cookie),
    },
    device: {
      value: request.cookies[deviceCookie] ?? null,
      set: (value) => void reply.setCookie(deviceCookie, value, { ...cookie, maxAge: deviceDays * 24 * 3600 }),
    },
    async receive({ fileField, mostBytes }) {
      // Its name says whose it is, so that the next start can remove it after a crash (archive/recover.ts).
      const folder = await mkdtemp(path.join(settings.tempDir, `talekeeper-upload-${process.pid}-`))
      spooled.push(folder)
      return receive(request, folder, fileField, mostBytes, gone.signal)
    },
    send: (head, bytes) => sendBytes(reply, head, bytes, gone.signal),
    events: () => openEvents(reply, gone.signal, recheckAuthorisation),
  }
  return {
    context,
    async finish() {
      for (const folder of spooled) await rm(folder, { recursive: true, force: true })
    },
  }
}

async function receive(
  request: FastifyRequest,
  folder: string,
  fileField: string,
  mostBytes: number,
  signal: AbortSignal,
): Promise<Upload> {
  if (request.body instanceof Readable) {
    const body = await receiveBody(request.body, path.join(folder, 'file'), mostBytes, signal)
    return { ...body, fileName: 'document', fields: {} }
  }
  if (!request.isMultipart()) throw fail('unsupported_media_type', 'Send this as multipart/form-data.')
  const fields: Record<string, string> = {}
  let file: { readonly path: string; readonly fileName: string; readonly byteSize: number } | null = null
  for await (const part of request.parts({
    limits: { files: 1, fields: 20, fieldSize: 64 * 1024, fileSize: mostBytes, parts: 24 },
  })) {
    if (part.type === 'field') {
      fields[part.fieldname] = String(part.value)
      continue
    }
    if (part.fieldname !== fileField)
      throw invalid(part.fieldname, 'not a field for a file', `The file belongs in the field "${fileField}".`)
    const target = path.join(folder, 'file')
    const sink = createWriteStream(target, { flags: 'wx', mode: 0o600 })
    part.file.on('data', collectSpentBuffers())
    await pipeline(part.file, sink, { signal })
    if (part.file.truncated)
      throw fail('too_large', `The file is larger than ${Math.floor(mostBytes / 1024 / 1024)} MiB.`)
    file = { path: target, fileName: part.filename, byteSize: sink.bytesWritten }
  }
  if (file === null) throw invalid(fileField, 'missing', `The form lacks the field "${fileField}".`)
  return { ...file, fields }
}

async function receiveBody(
  body: Readable,
  target: string,
  mostBytes: number,
  signal: AbortSignal,
): Promise<{ readonly path: string; readonly byteSize: number }> {
  let byteSize = 0
  const collect = collectSpentBuffers()
  // What is too large is read to its end all the same: whoever is still sending would not hear why it was refused.
  const counted = new Transform({
    transform(chunk: Uint8Array, _, done) {
      byteSize += chunk.length
      collect(chunk)
      done(null, byteSize > mostBytes ? undefined : chunk)
    },
  })
  await pipeline(body, counted, createWriteStream(target, { flags: 'wx', mode: 0o600 }), { signal })
  if (byteSize > mostBytes)
    throw fail('too_large', `The document is larger than ${Math.floor(mostBytes / 1024 / 1024)} MiB.`)
  return { path: target, byteSize }
}

async function sendBytes(
  reply: FastifyReply,
  head: StreamHead,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  reply.header('content-type', head.mimeType)
  reply.header('cache-control', head.cacheControl ?? 'no-store')
  if (head.sandboxed) reply.header('content-security-policy', "sandbox; default-src 'none'; img-src 'self'")
  if (head.byteSize !== undefined) reply.header('content-length', String(head.byteSize))
  if (head.downloadName !== undefined) reply.header('content-disposition', contentDisposition(head.downloadName))
  // Counted in bytes: sixteen pieces of any size would be waited for otherwise.
  const source = bytes instanceof Readable ? bytes : Readable.from(bytes, { objectMode: false })
  const settled = new Promise<void>((resolve) => {
    reply.raw.once('close', resolve)
  })
  signal.addEventListener('abort', () => source.destroy(), { once: true })
  await reply.send(source)
  await settled
}

/** RFC 6266: an ASCII fallback and the real name (RFC 8187). */
function contentDisposition(name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

function openEvents(
  reply: FastifyReply,
  signal: AbortSignal,
  recheckAuthorisation: RecheckAuthorisation,
): ReturnType<TransferContext['events']> {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  raw.write('retry: 2000\n\n')
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const write = (text: string): void => {
    if (signal.aborted || raw.writableEnded) return
    raw.write(text)
    if (raw.writableLength > mostUnsent) raw.destroy()
  }
  // A credential that runs out while nobody ends it (a session, an access token) ends its streams within a heartbeat.
  const heartbeat = setInterval(() => recheckAuthorisation().then(() => write(': still here\n\n'), end), heartbeatMs)
  heartbeat.unref()
  const end = (): void => {
    clearInterval(heartbeat)
    if (!raw.writableEnded) raw.end()
    resolve()
  }
  signal.addEventListener('abort', end, { once: true })
  raw.once('error', end)
  return { send: (event: StreamEvent) => write(eventText(event)), close: end, closed }
}

function eventText({ event, data, id }: StreamEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
