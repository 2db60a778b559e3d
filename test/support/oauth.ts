import { resourceOf } from '../../src/oauth/audience.ts'
import { insertClient, markAuthorised } from '../../src/oauth/clients.ts'
import type { Choice } from '../../src/oauth/grants.ts'
import { standardLifetimes } from '../../src/oauth/settings.ts'
import { issueTokens } from '../../src/oauth/tokens.ts'
import type { TestServer } from './server.ts'

export interface ConnectedApp {
  readonly clientId: string
  readonly grantId: number
  readonly accessToken: string
}

/** What an app has after somebody let it in; the flow itself is walked in test/oauth. */
export function connectApp({ app, clock }: TestServer, userId: number, choice: Partial<Choice> = {}): ConnectedApp {
  const store = app.store()
  const now = clock().toISOString()
  const redirectUris = ['https://app.example/callback']
  const { clientId } = insertClient(store, { name: 'An AI client', authMethod: 'none', redirectUris }, now)
  markAuthorised(store, clientId, now)
  const scope = choice.scope ?? 'dm'
  const { id: grantId } = store.run(
    `INSERT INTO oauth_grants (user_id, client_id, scope, campaign_id, write_mode, toolsets, resource, created_at, updated_at, expires_at)
     VALUES (@userId, @clientId, @scope, @campaignId, @writeMode, @toolsets, @resource, @now, @now, @now)`,
    {
      userId,
      clientId,
      scope,
      campaignId: choice.campaignId ?? null,
      writeMode: choice.writeMode ?? 'direct',
      toolsets: choice.toolsets ? JSON.stringify(choice.toolsets) : null,
      resource: resourceOf('http://localhost'),
      now,
    },
  )
  const tokens = issueTokens(store, { grantId, family: grantId, scope, granted: scope }, standardLifetimes, now)
  return { clientId, grantId, accessToken: tokens.access_token }
}
