import { runShared } from '../kernel/maintenance-lock.ts'
import { authorize, type BrowserCall, type Redirect, signedIn, stale, unclear, validate } from './authorize.ts'
import { documentHost, isDocumentId, requireDocumentAddress } from './client-document.ts'
import { keepDescribedClient } from './clients.ts'
import { OauthError, PageError } from './errors.ts'
import { submitPendingForm } from './form-submission.ts'
import type { UnresolvedRequest } from './form-tokens.ts'
import { paths } from './metadata.ts'
import { messagePage, type Page, signInPage } from './pages.ts'
import type { OauthServices } from './ports.ts'
import { later } from './settings.ts'
import { type Problem, signInByForm } from './sign-in.ts'

/**
 * GET /oauth/authorize for every client. One that is known by its document takes a step more: until somebody is signed
 * in nothing is fetched or kept, and the page says no more than the host's name; then the document is read, outside of
 * what a restore waits for, and from there on it is a client like others. Throws PageError, OauthError.
 */
export async function openAuthorization(services: OauthServices, call: BrowserCall): Promise<Page | Redirect> {
  const [clientId = '', ...others] = call.parameters.getAll('client_id')
  const isDocument = isDocumentId(clientId) && others.length === 0 && !call.parameters.has('continue')
  if (!isDocument) return runShared(services, () => authorize(services, call))
  const { documents, store, clock, rateLimitKey } = services
  if (documents === null) {
    throw new PageError(
      400,
      'This server knows apps by registration only',
      'It does not look up the addresses of apps (OAUTH_CIMD). Where the app lets you, have it register itself, or use a key from your account.',
    )
  }
  requireDocumentAddress(clientId)
  const isSignedIn = await runShared(services, async () => signedIn(services, call.context) !== null)
  if (!isSignedIn) return runShared(services, () => showUnresolvedSignIn(services, call))
  const described = await documents.read(clientId, rateLimitKey(call.context.address))
  return runShared(services, () => {
    const present = store()
    present.transaction(() => keepDescribedClient(present, described, clock().toISOString()))
    return authorize(services, call)
  })
}

/** Asks who it is. The request itself is in the form's token, as it came: there is no client yet that a row could belong to. */
async function showUnresolvedSignIn(services: OauthServices, call: BrowserCall): Promise<Page> {
  const { formTokens, limits, rateLimitKey, lifetimes, clock } = services
  await limits.count('authorize', rateLimitKey(call.context.address))
  requireValid(call)
  const browser = await formTokens.browser(call.browser.cookie)
  if (browser.cookie !== null) call.browser.set(browser.cookie)
  const query = call.parameters.toString()
  return pageOf(services, { query, browserHash: browser.hash }, later(clock().toISOString(), lifetimes.request))
}

const mostQueryLength = 6000

/** What is wrong with the request itself can be told to nobody but the person, as long as the client is not known. */
function requireValid(call: BrowserCall): void {
  if (call.parameters.toString().length > mostQueryLength) throw unclear('The request is too long.')
  try {
    validate(call)
  } catch (error) {
    if (error instanceof OauthError) throw unclear(`The request is refused: ${error.description}.`)
    throw error
  }
}

async function pageOf(
  { formTokens }: OauthServices,
  unresolved: UnresolvedRequest,
  until: string,
  { problem, status }: Partial<Problem> = {},
): Promise<Page> {
  const name = documentHost(new URLSearchParams(unresolved.query).get('client_id') ?? '') ?? ''
  const formToken = await formTokens.issueUnresolved(unresolved, until)
  // The form leads nowhere but to ourselves, since the address for the answer is not checked yet.
  return signInPage({ name, leadsTo: null, formToken, problem: problem ?? null, status: status ?? 200 })
}

/** POST /oauth/authorize: the forms of all pages. Throws PageError, OauthError. */
export async function submitForm(services: OauthServices, call: BrowserCall): Promise<Page | Redirect> {
  const { formTokens, clock, lifetimes } = services
  const browserHash = await formTokens.knownBrowser(call.browser.cookie)
  const unresolved = await formTokens.readUnresolved(call.parameters.get('ticket'), browserHash)
  if (unresolved === null) return submitPendingForm(services, call)
  switch (call.parameters.get('action')) {
    case 'sign_in': {
      const problem = await signInByForm(services, call)
      if (problem === null) return { location: `${paths.authorize}?${unresolved.query}` }
      return pageOf(services, unresolved, later(clock().toISOString(), lifetimes.request), problem)
    }
    case 'deny':
      return messagePage(200, 'Nobody was let in', 'You can close this page.')
    default:
      throw stale()
  }
}
