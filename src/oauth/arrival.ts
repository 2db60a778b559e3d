import { answerPage } from './answer.ts'
import { authorize, judge, type Redirect, signedIn, stale, type Visit } from './authorize.ts'
import { documentHost, isDocumentId, requireDocumentAddress } from './client-document.ts'
import { keepDescribedClient } from './clients.ts'
import { OauthError, PageError } from './errors.ts'
import { paths } from './metadata.ts'
import { messagePage, type Page, signInPage } from './pages.ts'
import type { OauthServices } from './ports.ts'
import { later } from './settings.ts'
import { type Problem, signInByForm } from './sign-in.ts'

/** Runs work that needs the database; it waits while a restore replaces it. */
type Within = <T>(work: () => Promise<T>) => Promise<T>

/**
 * GET /oauth/authorize for every client. One that is known by its document takes a step more: until somebody is signed
 * in nothing is fetched or kept, and the page says no more than the host's name; then the document is read, outside of
 * what a restore waits for, and from there on it is a client like others. Throws PageError, OauthError.
 */
export async function arrive(services: OauthServices, visit: Visit, within: Within): Promise<Page | Redirect> {
  const [clientId = '', ...others] = visit.parameters.getAll('client_id')
  const isDocument = isDocumentId(clientId) && others.length === 0 && !visit.parameters.has('continue')
  if (!isDocument) return within(() => authorize(services, visit))
  const { documents, store, clock, placeOf } = services
  if (documents === null) {
    throw new PageError(
      400,
      'This server knows apps by registration only',
      'It does not look up the addresses of apps (OAUTH_CIMD). Where the app lets you, have it register itself, or use a key from your account.',
    )
  }
  requireDocumentAddress(clientId)
  const isSignedIn = await within(async () => signedIn(services, visit.context) !== null)
  if (!isSignedIn) return within(() => arrivalPage(services, visit))
  const described = await documents.read(clientId, placeOf(visit.context.address))
  return within(() => {
    const present = store()
    present.transaction(() => keepDescribedClient(present, described, clock().toISOString()))
    return authorize(services, visit)
  })
}

/** Asks who it is. The request itself is in the ticket, as it came: there is no client yet that a row could belong to. */
async function arrivalPage(services: OauthServices, visit: Visit): Promise<Page> {
  const { tickets, limits, placeOf, lifetimes, clock } = services
  await limits.count('authorize', placeOf(visit.context.address))
  requireJudgeable(visit)
  const browser = await tickets.browser(visit.browser.cookie)
  if (browser.cookie !== null) visit.browser.set(browser.cookie)
  const query = visit.parameters.toString()
  return pageOf(services, { query, browserHash: browser.hash }, later(clock().toISOString(), lifetimes.request))
}

const mostQueryLength = 6000

/** What is wrong with the request itself can be told to nobody but the person, as long as the client is not known. */
function requireJudgeable(visit: Visit): void {
  if (visit.parameters.toString().length > mostQueryLength) throw unclear('The request is too long.')
  try {
    judge(visit)
  } catch (error) {
    if (error instanceof OauthError) throw unclear(`The request is refused: ${error.description}.`)
    throw error
  }
}

function unclear(reason: string): PageError {
  return new PageError(400, 'This app asks in a way that is not understood here', reason)
}

interface Arrival {
  readonly query: string
  readonly browserHash: string
}

async function pageOf(
  { tickets }: OauthServices,
  arrival: Arrival,
  until: string,
  { problem, status }: Partial<Problem> = {},
): Promise<Page> {
  const name = documentHost(new URLSearchParams(arrival.query).get('client_id') ?? '') ?? ''
  const ticket = await tickets.issueArrival(arrival, until)
  // The form leads nowhere but to ourselves, since the address for the answer is not judged yet.
  return signInPage({ name, leadsTo: null, ticket, problem: problem ?? null, status: status ?? 200 })
}

/** POST /oauth/authorize: the forms of all pages. Throws PageError, OauthError. */
export async function answer(services: OauthServices, visit: Visit): Promise<Page | Redirect> {
  const { tickets, clock, lifetimes } = services
  const browserHash = await tickets.knownBrowser(visit.browser.cookie)
  const arrival = await tickets.readArrival(visit.parameters.get('ticket'), browserHash)
  if (arrival === null) return answerPage(services, visit)
  switch (visit.parameters.get('action')) {
    case 'sign_in': {
      const problem = await signInByForm(services, visit)
      if (problem === null) return { location: `${paths.authorize}?${arrival.query}` }
      return pageOf(services, arrival, later(clock().toISOString(), lifetimes.request), problem)
    }
    case 'deny':
      return messagePage(200, 'Nobody was let in', 'You can close this page.')
    default:
      throw stale()
  }
}
