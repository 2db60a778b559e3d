import {
  Client as PresentClient,
  StreamableHTTPClientTransport as PresentTransport,
} from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import {
  allowOnce,
  callback,
  type Fields,
  formOf,
  openBrowser,
  openPlace,
  type Place,
  signInSilently,
} from './support.ts'

// The answers as independent client libraries judge them, over real sockets.

let place: Place
let base: string
beforeAll(async () => {
  place = await openPlace()
  base = await place.server.app.listen()
})
afterAll(() => place?.server.stop())

/** What a browser does when a client opens this address: Marta is signed in and says yes. Where it ends up. */
async function sayYes(address: URL, choice: Fields = {}): Promise<URL> {
  const browser = openBrowser(place, address.host)
  signInSilently(place, browser, place.userId.marta)
  const page = await browser.open(address.pathname + address.search)
  const { headers, text } = await browser.press('allow', { ...formOf(page), ...choice })
  if (headers.location === undefined) throw new Error(text)
  return new URL(headers.location)
}

const insecure = { [oauth.allowInsecureRequests]: true } as const

describe('oauth4webapi', () => {
  test.each([
    ['none', undefined],
    ['client_secret_post', oauth.ClientSecretPost],
    ['client_secret_basic', oauth.ClientSecretBasic],
  ] as const)('finds, registers, authorizes, redeems, refreshes and revokes with %s', async (method, withSecret) => {
    const resource = new URL(`${base}/mcp`)
    const found = await oauth.processResourceDiscoveryResponse(
      resource,
      await oauth.resourceDiscoveryRequest(resource, insecure),
    )
    const issuer = new URL(found.authorization_servers?.[0] ?? 'none:')
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
    )
    const client = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        server,
        { client_name: 'Strict', redirect_uris: [callback], token_endpoint_auth_method: method },
        insecure,
      ),
    )
    const authentication = withSecret ? withSecret(String(client.client_secret)) : oauth.None()
    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const address = new URL(String(server.authorization_endpoint))
    for (const [name, value] of Object.entries({
      client_id: client.client_id,
      redirect_uri: callback,
      response_type: 'code',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      scope: 'dm player viewer',
      resource: resource.href,
      state,
    })) {
      address.searchParams.set(name, value)
    }
    // Holds `iss` against the metadata (RFC 9207).
    const parameters = oauth.validateAuthResponse(server, client, await sayYes(address, { scope: 'player' }), state)
    const more = { additionalParameters: { resource: resource.href }, ...insecure }
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(server, client, authentication, parameters, callback, verifier, more),
    )
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'player' })
    const call = (token: string): Promise<Response> =>
      oauth.protectedResourceRequest(token, 'GET', new URL(`${base}/api/v1/campaigns`), new Headers(), null, insecure)
    expect((await call(tokens.access_token)).status).toBe(200)
    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, authentication, String(tokens.refresh_token), more),
    )
    expect((await call(refreshed.access_token)).status).toBe(200)
    const revoked = await oauth.revocationRequest(
      server,
      client,
      authentication,
      String(refreshed.refresh_token),
      insecure,
    )
    await oauth.processRevocationResponse(revoked)
    await expect(call(refreshed.access_token)).rejects.toMatchObject({
      status: 401,
      cause: [{ scheme: 'bearer' }],
    })
    const again = oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, authentication, String(refreshed.refresh_token), more),
    )
    await expect(again).rejects.toMatchObject({ error: 'invalid_grant', status: 400 })
  })

  it('reads a refusal that comes by the browser', async () => {
    const issuer = new URL(base)
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
    )
    const registration = await oauth.dynamicClientRegistrationRequest(
      server,
      { redirect_uris: [callback], token_endpoint_auth_method: 'none' },
      insecure,
    )
    const client = await oauth.processDynamicClientRegistrationResponse(registration)
    allowOnce(place, client.client_id)
    const { headers } = await place.send(`/oauth/authorize?client_id=${client.client_id}&response_type=token&state=s`, {
      headers: { host: issuer.host },
    })
    const answer = new URL(headers.location ?? 'none:')
    expect(() => oauth.validateAuthResponse(server, client, answer, 's')).toThrow(
      expect.objectContaining({ error: 'unsupported_response_type' }),
    )
  })
})

/** What the MCP libraries keep for a server; they are handed everything back as they gave it. */
function provider(onRedirect: (address: URL) => void) {
  const kept: { client?: unknown; tokens?: { refresh_token?: string; access_token: string }; verifier?: string } = {}
  return {
    kept,
    redirectUrl: callback,
    clientMetadata: {
      client_name: 'MCP library',
      redirect_uris: [callback],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    state: () => 'library state',
    clientInformation: () => kept.client as never,
    saveClientInformation: (client: unknown) => {
      kept.client = client
    },
    tokens: () => kept.tokens as never,
    saveTokens: (tokens: unknown) => {
      kept.tokens = tokens as never
    },
    redirectToAuthorization: onRedirect,
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier ?? '',
  }
}

describe.each([
  {
    name: 'the MCP library of today',
    make: (authProvider: ReturnType<typeof provider>) =>
      new PresentTransport(new URL(`${base}/mcp`), { authProvider: authProvider as never }),
    client: () => new PresentClient({ name: 'present', version: '1' }),
    finish: (transport: unknown, answer: URL) => (transport as PresentTransport).finishAuth(answer.searchParams),
  },
  {
    name: 'the MCP library of before',
    make: (authProvider: ReturnType<typeof provider>) =>
      new OlderTransport(new URL(`${base}/mcp`), { authProvider: authProvider as never }),
    client: () => new OlderClient({ name: 'older', version: '1' }),
    finish: (transport: unknown, answer: URL) =>
      (transport as OlderTransport).finishAuth(answer.searchParams.get('code') ?? ''),
  },
])('$name', ({ make, client, finish }) => {
  it('goes from the challenge of /mcp to its tools, and refreshes by itself', async () => {
    let opened: URL | undefined
    const authProvider = provider((address) => {
      opened = address
    })
    const first = make(authProvider)
    await expect(client().connect(first as never)).rejects.toThrow(/unauthorized/i)
    if (opened === undefined) throw new Error('no browser was opened')
    expect(opened.searchParams.get('resource')).toBe(`${base}/mcp`)
    await finish(first, await sayYes(opened))
    const list = async (): Promise<readonly string[]> => {
      const connected = client()
      await connected.connect(make(authProvider) as never)
      const { tools } = await connected.listTools()
      await connected.close()
      return tools.map(({ name }) => name)
    }
    expect(await list()).toContain('list_campaigns')
    const before = authProvider.kept.tokens?.refresh_token
    place.server.clock.advance(3600_000)
    expect(await list()).toContain('list_campaigns')
    expect(authProvider.kept.tokens?.refresh_token).not.toBe(before)
  })
})
