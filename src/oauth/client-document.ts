import ipaddr from 'ipaddr.js'
import { includesCodeFlow, readMetadata, shownName, usableRedirects } from './client-metadata.ts'
import { OauthError, PageError } from './errors.ts'
import { type Bounds, type Fetched, fetchGuarded, type Network, UnfetchableError } from './guarded-fetch.ts'
import type { CallLimits } from './limits.ts'

/**
 * Client ID Metadata Documents (draft-ietf-oauth-client-id-metadata-document): a client whose id is the https address of
 * a document that describes it, so that it need not register. Instead of its word for it there is its host's.
 */

/** What a document says of its client; it is always a public one, without a secret. */
export interface DescribedClient {
  readonly clientId: string
  readonly name: string
  readonly redirectUris: readonly string[]
}

export interface ClientDocuments {
  /**
   * The client that the document at this address describes: as it was kept while it is fresh, else fetched. `place`
   * stands for the person who asks. Throws PageError, and `temporarily_unavailable` where one place asks too often.
   */
  read(clientId: string, place: string): Promise<DescribedClient>
}

interface Parts {
  readonly network: Network
  readonly limits: CallLimits
  readonly log: { warn(facts: object, message: string): void }
  clock(): Date
  /** Shortened by tests. */
  readonly bounds?: Bounds
}

const minuteMs = 60_000
/** How long a document counts, whatever its server says of it. */
const leastKeptMs = 5 * minuteMs
const mostKeptMs = 24 * 60 * minuteMs
/** How long a document that could not be used is not asked for again. */
const failureKeptMs = minuteMs
/** Beyond that the ones that were not asked for longest go. */
const mostKept = 200

interface Kept {
  readonly outcome: DescribedClient | PageError
  readonly until: number
}

export function createClientDocuments({ network, limits, log, clock, bounds }: Parts): ClientDocuments {
  const kept = new Map<string, Kept>()
  const underway = new Map<string, Promise<Kept>>()

  const fetchAnew = async (clientId: string): Promise<Kept> => {
    const url = requireDocumentAddress(clientId)
    try {
      const fetched = await fetchGuarded(url, network, bounds)
      const outcome = describedClient(clientId, fetched.content)
      return { outcome, until: clock().getTime() + freshMs(fetched.headers) }
    } catch (error) {
      const reason = error instanceof UnfetchableError || error instanceof OauthError ? error.message : null
      if (reason === null) throw error
      log.warn({ host: url.hostname, reason, err: (error as Error).cause }, 'The document of a client cannot be used.')
      return { outcome: unusable(`The document ${reason}.`), until: clock().getTime() + failureKeptMs }
    }
  }

  const keep = (clientId: string, entry: Kept): void => {
    kept.delete(clientId)
    kept.set(clientId, entry)
    const [oldest] = kept.keys()
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
  }

  return {
    async read(clientId, place) {
      requireDocumentAddress(clientId)
      let entry = kept.get(clientId)
      if (entry === undefined || entry.until <= clock().getTime()) {
        await limits.count('document', place)
        // Two windows of one browser ask for the same at once.
        const work = underway.get(clientId) ?? fetchAnew(clientId)
        underway.set(clientId, work)
        entry = await work.finally(() => underway.delete(clientId))
      }
      keep(clientId, entry)
      if (entry.outcome instanceof PageError) throw entry.outcome
      return entry.outcome
    },
  }
}

/** Whether a client id is meant to be the address of a document. Ids that are given out here never look like one. */
export function isDocumentId(clientId: string): boolean {
  return /^https:/i.test(clientId)
}

const mostLength = 300

/**
 * Judges the address of a document (draft, 3): https at its standard port, a host with a domain, a path, and written as
 * it is normalised, since client ids are compared as text. Throws PageError.
 */
export function requireDocumentAddress(clientId: string): URL {
  const url = clientId.length <= mostLength ? URL.parse(clientId) : null
  const usable =
    url !== null &&
    url.protocol === 'https:' &&
    url.port === '' &&
    url.username === '' &&
    url.password === '' &&
    !clientId.includes('#') &&
    url.pathname !== '/' &&
    url.href === clientId &&
    /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(url.hostname) &&
    !ipaddr.isValid(url.hostname)
  if (!usable) throw unusable('Its address is not one of a document on the public internet.')
  return url
}

/** What is shown of a document's address before it is fetched, and for certain after it. */
export function documentHost(clientId: string): string | null {
  return isDocumentId(clientId) ? (URL.parse(clientId)?.host ?? null) : null
}

/**
 * Reads what a document says, by the rules of a registration (draft, 4.1). Throws UnfetchableError and
 * `invalid_client_metadata`, `invalid_redirect_uri`.
 */
function describedClient(clientId: string, content: unknown): DescribedClient {
  const { client_id: itself, client_secret: secret } = Object(content) as Readonly<Record<string, unknown>>
  if (itself !== clientId) throw new UnfetchableError('belongs to another address')
  if (secret !== undefined) throw new UnfetchableError('gives its secret away')
  const metadata = readMetadata(content)
  // A secret that is in a public document is none, and keys of clients are not read here.
  const method = metadata.token_endpoint_auth_method ?? 'none'
  if (method !== 'none') throw new UnfetchableError('asks for a way of authentication that is not known here')
  includesCodeFlow(metadata)
  return { clientId, name: shownName(metadata.client_name ?? ''), redirectUris: usableRedirects(metadata) }
}

/** How long an answer is fresh by its Cache-Control (RFC 9111, 5.2.2), within our bounds. In milliseconds. */
function freshMs({ 'cache-control': control = '', age = '0' }: Fetched['headers']): number {
  const isKept = !/(?:^|[\s,])no-(?:store|cache)(?:$|[\s,=])/i.test(control)
  const [, seconds = '0'] = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(control) ?? []
  const left = isKept ? (Number(seconds) - (Number(age) || 0)) * 1000 : 0
  return Math.min(Math.max(left, leastKeptMs), mostKeptMs)
}

function unusable(reason: string): PageError {
  return new PageError(
    400,
    'This app cannot be known by its address',
    `${reason} Ask who made the app; if it lets you, connect it without this address.`,
  )
}
