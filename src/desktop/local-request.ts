import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

export interface LocalAnswer {
  readonly status: number
  readonly body: unknown
}

/**
 * A JSON request to a program on this machine. The certificate is not asked for: it names the address that players use,
 * not 127.0.0.1, and the lock file's token is what proves who answers. Rejects when nothing answers in time.
 */
export function localRequest(
  url: string,
  { body, timeoutMs }: { readonly body?: unknown; readonly timeoutMs?: number } = {},
): Promise<LocalAnswer> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const options = {
    method: text === undefined ? 'GET' : 'POST',
    rejectUnauthorized: false,
    headers:
      text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
    ...(timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
  }
  return new Promise((resolve, reject) => {
    const outgoing = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, options, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.once('error', reject)
      incoming.once('end', () => {
        try {
          resolve({ status: incoming.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) })
        } catch (error) {
          reject(error)
        }
      })
    })
    outgoing.once('error', reject)
    outgoing.end(text)
  })
}
