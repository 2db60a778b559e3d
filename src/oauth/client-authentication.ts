import { timingSafeEqual } from 'node:crypto'
import { hashSecret } from '../storage/secrets.ts'
import type { Store } from '../storage/store.ts'
import { type Client, findClient } from './clients.ts'
import { type OauthError, refuse } from './errors.ts'
import { optional, type Parameters } from './parameters.ts'

/** What a request shows to say which client it is from. */
interface Presented {
  readonly clientId: string
  readonly secret: string | null
  /** Whether it came in the Authorization header; the refusal then answers in kind (RFC 6749, 5.2). */
  readonly basic: boolean
}

/**
 * The client that calls the token or revocation endpoint (RFC 6749, 2.3 and 3.2.1): a public one by its id, any other by
 * its secret, in the header or in the form. Throws `invalid_client` with 401 where it is unknown, which tells a client
 * whose registration is gone to register again, and `invalid_request` where it is not clear who calls.
 */
export function authenticateClient(store: Store, form: Parameters, authorization: string | undefined): Client {
  const presented = readPresented(form, authorization)
  const client = findClient(store, presented.clientId)
  if (client === null) throw unknown(presented, 'this client is not registered here, register it again')
  const { secretHash, ...known } = client
  if (secretHash === null) {
    if (presented.secret !== null) throw unknown(presented, 'this client has no secret')
    return known
  }
  if (presented.secret === null) throw unknown(presented, 'this client authenticates with its secret')
  if (!isSame(hashSecret(presented.secret), secretHash)) throw unknown(presented, 'the client secret is wrong')
  return known
}

function readPresented(form: Parameters, authorization: string | undefined): Presented {
  const clientId = optional(form, 'client_id')
  const secret = optional(form, 'client_secret')
  if (optional(form, 'client_assertion') !== null || optional(form, 'client_assertion_type') !== null) {
    throw refuse('invalid_client', 'client assertions are not supported')
  }
  if (authorization === undefined) {
    if (clientId === null) throw refuse('invalid_request', 'client_id is missing')
    return { clientId, secret, basic: false }
  }
  const basic = readBasic(authorization)
  // RFC 6749, 2.3: one way of authentication for each request.
  if (secret !== null)
    throw refuse('invalid_request', 'the client authenticates in the header or in the form, not both')
  if (clientId !== null && clientId !== basic.clientId) {
    throw refuse('invalid_request', 'client_id differs from the one in the Authorization header')
  }
  return basic
}

/** Id and secret in the header, each encoded as in a form before they were joined (RFC 6749, 2.3.1). */
function readBasic(authorization: string): Presented {
  const encoded = /^basic +([A-Za-z0-9+/=_-]{1,2048}) *$/i.exec(authorization)?.[1]
  const [id, ...rest] = encoded === undefined ? [] : Buffer.from(encoded, 'base64').toString('utf8').split(':')
  const clientId = id === undefined ? null : decoded(id)
  const secret = decoded(rest.join(':'))
  const malformed = { clientId: '', secret: null, basic: true }
  if (rest.length === 0 || clientId === null || clientId === '' || secret === null) {
    throw unknown(malformed, 'the Authorization header is not that of a client')
  }
  // A public client that some library made send an empty password.
  return { clientId, secret: secret === '' ? null : secret, basic: true }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

function unknown({ basic }: Presented, description: string): OauthError {
  const headers = basic ? { 'www-authenticate': 'Basic realm="talekeeper"' } : {}
  return refuse('invalid_client', description, { headers })
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}
