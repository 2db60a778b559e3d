import type { TransferContext } from '../kernel/transfer.ts'
import type { Actor } from '../kernel/viewer.ts'
import { requireOwnResource, resourceOf } from './audience.ts'
import { type Client, findClient } from './clients.ts'
import { campaignsOf, firstChoice } from './consent.ts'
import { OauthError, PageError, refuse } from './errors.ts'
import { consentPage, type Page, signInPage } from './pages.ts'
import { optional, type Parameters, required } from './parameters.ts'
import type { OauthServices } from './ports.ts'
import { isRegistered, withParameters } from './redirects.ts'
import { type AuthorizationRequest, insertRequest, openRequest } from './requests.ts'
import { defaultScope, readScope } from './scopes.ts'
import { later } from './settings.ts'

/** One request of a browser to the authorization endpoint. */
export interface BrowserCall {
  /** Of the query, or of the form. */
  readonly parameters: Parameters
  readonly context: TransferContext
  /** This server's address as it was typed. */
  readonly origin: string
  readonly browser: {
    /** The cookie that says which browser this is. */
    readonly cookie: string | null
    set(cookie: string): void
  }
}

export interface Redirect {
  /** Absolute for the client's address, a path for ours. */
  readonly location: string
}

/**
 * An authorization request (RFC 6749, 3.1 and 4.1.1): a client that is known sends a browser here to ask for access.
 *
 * 1. who asks, and where the answer would go; while that is not certain, a page of ours says so and nobody is sent away
 * 2. the other checks; what they refuse is told to the client at its address, once somebody has said yes to it; anybody
 *    can register, so until then a page of ours says it, or this server would send people wherever a stranger likes
 *    (RFC 9700, 4.11.2)
 * 3. the request is kept, bound to this browser, and the page shown: sign in, or consent. There is always a page, whoever
 *    has agreed to what before: anybody can call themselves by another client's name (RFC 8252, 8.6)
 *
 * With `continue` the page of a request that was kept is shown again. Throws PageError.
 */
export async function authorize(services: OauthServices, call: BrowserCall): Promise<Page | Redirect> {
  if (call.parameters.has('continue')) return resume(services, call)
  await services.limits.count('authorize', services.rateLimitKey(call.context.address))
  const client = knownClient(services, call.parameters)
  const redirectUri = registeredRedirect(call.parameters, client)
  try {
    const request = validate(call)
    return await begin(services, call, client, redirectUri, request)
  } catch (error) {
    if (!(error instanceof OauthError)) throw error
    if (!client.wasAllowed) throw unclear(`The request is refused: ${error.description}.`)
    return errorRedirect(redirectUri, error, stateOf(call.parameters), call.origin)
  }
}

const reconnect =
  'Go back to the app and connect it again, if need be after removing this server from it: it then makes itself known anew.'

/** What is wrong with a request, told to the person alone. */
export function unclear(reason: string): PageError {
  return new PageError(400, 'This app asks in a way that is not understood here', reason)
}

/** RFC 6749, 4.1.2.1: never a redirect for a client that is not known. */
function knownClient({ store }: OauthServices, parameters: Parameters): Client {
  const clientId = single(parameters, 'client_id')
  if (clientId === null) throw new PageError(400, 'This link does not say which app it is from', reconnect)
  const client = findClient(store(), clientId)
  if (client === null) throw new PageError(400, 'This app is not known here any more', reconnect)
  return client
}

/** RFC 6749, 3.1.2.3 and 4.1.2.1; OAuth 2.1, 4.1.1: exact, and never a redirect to an address that is not registered. */
function registeredRedirect(parameters: Parameters, client: Client): string {
  const given = single(parameters, 'redirect_uri')
  const [only, ...others] = client.redirectUris
  if (given === null && !parameters.has('redirect_uri') && only !== undefined && others.length === 0) return only
  if (given !== null && isRegistered(given, client.redirectUris)) return given
  throw new PageError(400, 'This app wants its answer at an address that it has not registered', reconnect)
}

/** A parameter on which a redirect depends: twice or overlong is the same as wrong. */
function single(parameters: Parameters, name: string): string | null {
  try {
    return optional(parameters, name)
  } catch {
    return null
  }
}

/** The checks whose refusals are told to the client, in the order in which a request meets them (RFC 6749, 4.1.2.1). */
const checks: readonly ((call: BrowserCall) => void)[] = [
  stateIsUsable,
  responseTypeIsCode,
  responseModeIsQuery,
  carriesNoRequestObject,
  challengeIsS256,
  resourceIsOurs,
]

/** Throws OauthError. */
export function validate(
  call: BrowserCall,
): Pick<AuthorizationRequest, 'scope' | 'state' | 'codeChallenge' | 'resource'> {
  const { parameters, origin } = call
  for (const check of checks) check(call)
  return {
    scope: readScope(optional(parameters, 'scope')) ?? defaultScope,
    state: optional(parameters, 'state'),
    codeChallenge: required(parameters, 'code_challenge'),
    resource: resourceOf(origin),
  }
}

/** RFC 6749, 3.1: no parameter twice. `state` goes back as it came, so it must be one text. */
function stateIsUsable({ parameters }: BrowserCall): void {
  optional(parameters, 'state')
}

/** RFC 6749, 3.1.1; RFC 9700, 2.1.2: the code flow only. */
function responseTypeIsCode({ parameters }: BrowserCall): void {
  const type = required(parameters, 'response_type')
  if (type !== 'code') throw refuse('unsupported_response_type', 'the only response_type is code')
}

/** OAuth 2.0 Multiple Response Types, 2.1. */
function responseModeIsQuery({ parameters }: BrowserCall): void {
  const mode = optional(parameters, 'response_mode')
  if (mode !== null && mode !== 'query') throw refuse('invalid_request', 'the only response_mode is query')
}

/** RFC 9101, 5: what a request object says would have to override the rest, so that it cannot be passed over. */
function carriesNoRequestObject({ parameters }: BrowserCall): void {
  if (parameters.has('request')) throw refuse('request_not_supported', 'request objects are not supported')
  if (parameters.has('request_uri')) throw refuse('request_uri_not_supported', 'request objects are not supported')
}

/** RFC 7636, 4.2 and 4.3; OAuth 2.1, 4.1.1: a challenge from everybody, and only S256. An absent method would mean plain. */
function challengeIsS256({ parameters }: BrowserCall): void {
  const challenge = required(parameters, 'code_challenge')
  const method = optional(parameters, 'code_challenge_method')
  if (method !== 'S256') throw refuse('invalid_request', 'code_challenge_method is S256')
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    throw refuse('invalid_request', 'code_challenge is a SHA-256 in 43 base64url characters')
  }
}

/** RFC 8707, 2. */
function resourceIsOurs({ parameters, origin }: BrowserCall): void {
  requireOwnResource(parameters.getAll('resource'), origin)
}

async function begin(
  services: OauthServices,
  call: BrowserCall,
  client: Client,
  redirectUri: string,
  validated: ReturnType<typeof validate>,
): Promise<Page> {
  const { store, clock, lifetimes, formTokens } = services
  const browser = await formTokens.browser(call.browser.cookie)
  if (browser.cookie !== null) call.browser.set(browser.cookie)
  const now = clock().toISOString()
  const present = store()
  const asked = {
    ...validated,
    clientId: client.clientId,
    browserHash: browser.hash,
    issuer: call.origin,
    redirectUri,
    redirectGiven: call.parameters.has('redirect_uri'),
    expiresAt: later(now, lifetimes.request),
  }
  const request = present.transaction(() => insertRequest(present, asked, now))
  return showPage(services, call, { client, request })
}

/** Shows the page of a request again: after signing in, and for another user with `as=another`. */
async function resume(services: OauthServices, call: BrowserCall): Promise<Page> {
  const browserHash = await services.formTokens.knownBrowser(call.browser.cookie)
  const pending = findPending(services, Number(single(call.parameters, 'continue')), browserHash)
  return showPage(services, call, pending, { anew: call.parameters.get('as') === 'another' })
}

export interface Pending {
  readonly client: Client
  readonly request: AuthorizationRequest
}

/** The request that waits for its answer in this browser, judged again as far as things can have changed. Throws PageError. */
export function findPending({ store, clock }: OauthServices, requestId: number, browserHash: string | null): Pending {
  const request =
    browserHash === null || !Number.isSafeInteger(requestId)
      ? null
      : openRequest(store(), requestId, browserHash, clock().toISOString())
  const client = request === null ? null : findClient(store(), request.clientId)
  if (request === null || client === null || !isRegistered(request.redirectUri, client.redirectUris)) throw stale()
  return { client, request }
}

export function stale(): PageError {
  return new PageError(
    400,
    'This page has expired, or it was answered already',
    'Go back to the app and connect it again. If that does not help, allow cookies for this address.',
  )
}

export interface Shown {
  /** Asks who it is although somebody is signed in. */
  readonly anew?: boolean
  readonly problem?: string
  readonly status?: number
}

/** The page for where the person is: signing in, or the choice. */
export async function showPage(
  services: OauthServices,
  { context }: Pick<BrowserCall, 'context'>,
  { client, request }: Pending,
  { anew = false, problem, status = 200 }: Shown = {},
): Promise<Page> {
  const { formTokens, store, toolsets, toolPresets } = services
  const actor = anew ? null : signedIn(services, context)
  const { id: requestId, browserHash, expiresAt } = request
  const step = actor === null ? 'sign-in' : 'consent'
  const formToken = await formTokens.issue(
    { requestId, browserHash, step, sessionId: actor?.credential.id ?? null },
    expiresAt,
  )
  const shown = { client, request, formToken, problem: problem ?? null, status }
  if (actor === null) return signInPage({ ...shown, name: client.name, leadsTo: request.redirectUri })
  const campaigns = campaignsOf(store(), actor.userId)
  const chosen = firstChoice(store(), actor.userId, request, campaigns)
  return consentPage({ ...shown, username: actor.username, campaigns, toolsets, toolPresets, chosen })
}

export function signedIn({ sessionActor }: OauthServices, { session }: Pick<TransferContext, 'session'>): Actor | null {
  return session.secret === null ? null : sessionActor(session.secret)
}

/** RFC 6749, 4.1.2.1, with the issuer (RFC 9207, 2), so that a client knows which server it talks to. */
export function errorRedirect(redirectUri: string, error: OauthError, state: string | null, issuer: string): Redirect {
  const { code, description } = error
  return {
    location: withParameters(redirectUri, { error: code, error_description: description, state, iss: issuer }),
  }
}

/** The state to give back; one that came twice or is overlong is part of what is refused. */
function stateOf(parameters: Parameters): string | null {
  return single(parameters, 'state')
}
