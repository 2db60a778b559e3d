import type { FastifyInstance } from 'fastify'
import type { Actor } from '../kernel/viewer.ts'
import type { Store } from '../storage/store.ts'
import { type Access, createAccess, recheckGrant } from './access.ts'
import { createClientDocuments } from './client-document.ts'
import { sweepClients } from './clients.ts'
import { createFormTokens } from './form-tokens.ts'
import { sweepGrants } from './grants.ts'
import { createCallLimits } from './limits.ts'
import type { OauthPorts, OauthServices } from './ports.ts'
import { sweepRequests } from './requests.ts'
import { oauthRoutes, type RouteTools } from './routes.ts'
import { type Lifetimes, standardLifetimes } from './settings.ts'
import { sweepTokens } from './tokens.ts'

export interface OauthParts extends OauthPorts {
  /** Shortened by tests. */
  readonly lifetimes?: Lifetimes
}

/** The OAuth 2.1 authorization server (SPEC 4.2 and 5), for app. */
export interface Oauth {
  routes(app: FastifyInstance, tools: RouteTools): void
  /** The actor behind an access token that is valid now at this address of the server. */
  resolveAccessToken: Access['resolve']
  /** The actor behind a grant as it is now; null where it or its person's account has ended. */
  recheckGrant(store: Store, actor: Actor): Actor | null
  /** Clears away what has run out; at start and once an hour. */
  sweep(): void
  /** Writes what is pending. The store must still be open. */
  close(): void
}

export function createOauth({ lifetimes = standardLifetimes, ...ports }: OauthParts): Oauth {
  const { store, clock, network } = ports
  const limits = createCallLimits()
  const access = createAccess(ports)
  const services: OauthServices = {
    ...ports,
    lifetimes,
    limits,
    formTokens: createFormTokens(ports),
    documents: network === null ? null : createClientDocuments({ ...ports, network, limits }),
  }
  return {
    routes: (app, tools) => oauthRoutes(app, services, tools),
    resolveAccessToken: access.resolve,
    recheckGrant,
    sweep() {
      const present = store()
      const now = clock().toISOString()
      present.transaction(() => {
        sweepRequests(present, now)
        sweepTokens(present, now)
        sweepGrants(present, now)
        sweepClients(present, now)
      })
    },
    close: access.close,
  }
}
