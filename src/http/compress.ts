import { pipeline, Readable } from 'node:stream'
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
  type InputType,
} from 'node:zlib'
import type { FastifyInstance } from 'fastify'

// Answers of JSON alone: files of the web app have compressed twins, pictures are compressed, event streams must not wait.

/** Shorter answers fit one packet in any case. */
const shortest = 1024
/** Up to this length, compressing costs the main thread less than handing it to another one would. */
const longestInPlace = 16 * 1024

type Done = (error: Error | null, bytes: Buffer) => void
interface Encoding {
  now(text: InputType): Buffer
  aside(text: InputType, done: Done): void
  stream(): NodeJS.ReadWriteStream
}

const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const encodings: Readonly<Record<'br' | 'gzip', Encoding>> = {
  br: {
    now: (text) => brotliCompressSync(text, brotli),
    aside: (text, done) => brotliCompress(text, brotli, done),
    stream: () => createBrotliCompress(brotli),
  },
  gzip: { now: (text) => gzipSync(text), aside: (text, done) => gzip(text, done), stream: () => createGzip() },
}

/** Compresses answers of JSON for clients that take it (RFC 9110 12.5.3). */
export function compressJson(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload: unknown, done) => {
    const accepted = request.headers['accept-encoding']
    if (accepted === undefined || payload === null || payload === undefined || reply.statusCode === 206)
      return done(null, payload)
    const type = reply.getHeader('content-type')
    if (typeof type !== 'string' || !/^application\/json\b/.test(type) || reply.hasHeader('content-encoding'))
      return done(null, payload)
    const isText = typeof payload === 'string' || payload instanceof Uint8Array
    if (!isText && !(payload instanceof Readable)) return done(null, payload)
    const length = isText ? Buffer.byteLength(payload) : null
    if (length !== null && length < shortest) return done(null, payload)
    reply.header('vary', varying(reply.getHeader('vary')))
    const name = encodingOf(accepted)
    if (name === null) return done(null, payload)
    reply.header('content-encoding', name)
    reply.removeHeader('content-length')
    const encoding = encodings[name]
    // Whoever reads the answer hears of a failure in the middle by its end.
    if (!isText)
      return done(
        null,
        pipeline(payload, encoding.stream(), () => {}),
      )
    if (length !== null && length <= longestInPlace) return done(null, encoding.now(payload))
    encoding.aside(payload, (error, bytes) => (error === null ? done(null, bytes) : done(error as never)))
  })
}

/** The better one of those that a client takes, as it says; null where it takes none of ours. */
function encodingOf(accepted: string): 'br' | 'gzip' | null {
  const weights = new Map<string, boolean>()
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', ...more] = part.split(';').map((each) => each.trim())
    weights.set(name, !more.some((each) => /^q=0(?:\.0*)?$/.test(each)))
  }
  const takes = (name: string): boolean => weights.get(name) ?? weights.get('*') ?? false
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : null
}

function varying(present: unknown): string {
  const names = typeof present === 'string' && present !== '' ? present.split(/\s*,\s*/) : []
  return names.some((name) => name.toLowerCase() === 'accept-encoding')
    ? names.join(', ')
    : [...names, 'accept-encoding'].join(', ')
}
