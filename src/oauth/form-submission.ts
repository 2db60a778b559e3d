import { oauthGrant } from '../domain/app/entity.ts'
import { hostOf } from '../domain/app/rules.ts'
import { recordChange } from '../kernel/recorded-change.ts'
import { grantActor } from './audit.ts'
import {
  type BrowserCall,
  errorRedirect,
  findPending,
  type Pending,
  type Redirect,
  showPage,
  signedIn,
  stale,
} from './authorize.ts'
import { markAuthorised } from './clients.ts'
import { campaignsOf, readChoice } from './consent.ts'
import { PageError, refuse } from './errors.ts'
import type { FormToken } from './form-tokens.ts'
import type { Choice } from './grants.ts'
import { paths } from './metadata.ts'
import type { Page } from './pages.ts'
import type { OauthServices } from './ports.ts'
import { withParameters } from './redirects.ts'
import { useRequest } from './requests.ts'
import { later } from './settings.ts'
import { signInByForm } from './sign-in.ts'
import { issueCode } from './tokens.ts'

interface Submission extends Pending {
  readonly formToken: FormToken
}

const actions: Readonly<
  Record<string, (services: OauthServices, call: BrowserCall, submission: Submission) => Promise<Page | Redirect>>
> = { sign_in: signIn, allow, deny }

/**
 * The forms of the pages that have a request. What they mean is read from the request that was kept, never from the
 * form; the form brings its token, an action and the person's choice. Throws PageError.
 */
export async function submitPendingForm(services: OauthServices, call: BrowserCall): Promise<Page | Redirect> {
  const { formTokens } = services
  const browserHash = await formTokens.knownBrowser(call.browser.cookie)
  const formToken = await formTokens.read(call.parameters.get('ticket'), browserHash)
  if (formToken === null) throw stale()
  const pending = findPending(services, formToken.requestId, browserHash)
  const action = call.parameters.get('action') ?? ''
  const act = Object.hasOwn(actions, action) ? actions[action] : undefined
  if (act === undefined) throw new PageError(400, 'This form was not complete', 'Go back and press one of its buttons.')
  return act(services, call, { ...pending, formToken })
}

/** A wrong password shows the form again; a right one leads to the next page with 303, which no browser sends again. */
async function signIn(services: OauthServices, call: BrowserCall, submission: Submission): Promise<Page | Redirect> {
  const wrong = await signInByForm(services, call)
  if (wrong !== null) return showPage(services, call, submission, { anew: true, ...wrong })
  return { location: `${paths.authorize}?continue=${submission.request.id}` }
}

/** The person says yes: a grant, and its code at the client's address (RFC 6749, 4.1.2). */
async function allow(services: OauthServices, call: BrowserCall, submission: Submission): Promise<Page | Redirect> {
  const { store, toolsets } = services
  const { request, formToken } = submission
  const actor = signedIn(services, call.context)
  // Signed out meanwhile, or as somebody else in another tab: the page must be seen by whoever says yes.
  if (actor === null || formToken.step !== 'consent' || formToken.sessionId !== actor.credential.id) {
    return { location: `${paths.authorize}?continue=${request.id}` }
  }
  const choice = readChoice(call.parameters, request, campaignsOf(store(), actor.userId), toolsets)
  if (typeof choice === 'string') return showPage(services, call, submission, { problem: choice, status: 400 })
  const code = grantAccess(services, submission, actor.userId, choice)
  return {
    location: withParameters(request.redirectUri, { code, state: request.state, iss: request.issuer }),
  }
}

/** One transaction: the request is used up, the grant and its code made, and the record written. */
function grantAccess(services: OauthServices, { client, request }: Pending, userId: number, choice: Choice): string {
  const { store, system, clock, lifetimes } = services
  const now = clock().toISOString()
  return system().transaction((unit) => {
    const present = store()
    if (!useRequest(present, request.id, now)) throw stale()
    const { clientId, redirectUri, resource } = request
    const expiresAt = later(now, lifetimes.code)
    const facts = { clientName: client.name, redirect: hostOf(redirectUri), ...choice }
    const change = { operation: 'connect_app', effect: 'write', by: userId, facts } as const
    const grantId = recordChange(unit, change, ({ context, attribute }) => {
      const { toolsets, ...rest } = choice
      const chosen = { ...rest, toolsets: toolsets === null ? null : [...toolsets], userId, clientId, resource }
      const id = context.write(oauthGrant).insert({ ...chosen, expiresAt })
      attribute(grantActor({ ...chosen, id, endedAt: null }))
      return id
    })
    markAuthorised(present, clientId, now)
    return issueCode(present, grantId, request, expiresAt, now)
  })
}

/** The person says no, signed in or not (RFC 6749, 4.1.2.1). */
async function deny({ store, clock }: OauthServices, _: BrowserCall, { request }: Submission): Promise<Redirect> {
  if (!useRequest(store(), request.id, clock().toISOString())) throw stale()
  const refusal = refuse('access_denied', 'the person at the computer said no')
  return errorRedirect(request.redirectUri, refusal, request.state, request.issuer)
}
