import {
  Client as PresentClient,
  StreamableHTTPClientTransport as PresentTransport,
} from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeClients, load } from './installed.ts'
import { type Choices, letIn } from './person.ts'
import { openTable, type Table } from './table.ts'

// Libraries of others do by themselves what the protocol asks of a client: a challenge, two documents, a registration,
// a browser that comes back with a code, a pair of tokens, and the next pair.

const redirectUrl = 'http://127.0.0.1:43210/callback'

/** What a library keeps for one server, handed back as it was given. */
function createKeeper() {
  const kept: {
    client?: { readonly client_id: string }
    tokens?: { readonly access_token: string; readonly refresh_token?: string; readonly scope?: string }
    verifier?: string
    server?: unknown
    discovery?: unknown
    state?: string
    opened?: URL
  } = {}
  /** Keeps what is given under a name. */
  const keep =
    <K extends keyof typeof kept>(name: K) =>
    (value: (typeof kept)[K]): void => {
      kept[name] = value
    }
  const provider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'A library',
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    state: () => 'the state of a library',
    saveState: keep('state'),
    storedState: () => kept.state,
    clientInformation: () => kept.client,
    isClientInformationDynamicallyRegistered: () => true,
    saveClientInformation: keep('client'),
    authorizationServerInformation: () => kept.server,
    saveAuthorizationServerInformation: keep('server'),
    discoveryState: () => kept.discovery,
    saveDiscoveryState: keep('discovery'),
    tokens: () => kept.tokens,
    saveTokens: keep('tokens'),
    redirectToAuthorization: keep('opened'),
    saveCodeVerifier: keep('verifier'),
    codeVerifier: () => kept.verifier ?? '',
    invalidateCredentials(what: string) {
      if (what === 'tokens' || what === 'all') delete kept.tokens
    },
  }
  return { kept, provider }
}
type Keeper = ReturnType<typeof createKeeper>

/** What the tests use of a connected library. */
interface Connected {
  toolNames(): Promise<readonly string[]>
  call(name: string, args: Record<string, unknown>): Promise<unknown>
  close(): Promise<void>
}

interface Library {
  readonly name: string
  connect(url: string, keeper: Keeper): Promise<Connected>
  /** Takes the parameters with which the browser came back. */
  finish(url: string, keeper: Keeper, answer: URL): Promise<unknown>
}

const textOf = (result: unknown): unknown =>
  JSON.parse((result as { readonly content: readonly { readonly text: string }[] }).content[0]?.text ?? 'null')

/** Both libraries of the protocol have the same methods, each with types of its own. */
function ofSdk(client: OlderClient | PresentClient): Connected {
  const any = client as PresentClient
  return {
    toolNames: async () => (await any.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => textOf(await any.callTool({ name, arguments: args })),
    close: () => any.close(),
  }
}

const older: Library = {
  name: 'SDK 1',
  async connect(url, { provider }) {
    const client = new OlderClient({ name: 'older', version: '1' })
    await client.connect(new OlderTransport(new URL(url), { authProvider: provider as never }) as never)
    return ofSdk(client)
  },
  finish: (url, { provider }, answer) =>
    new OlderTransport(new URL(url), { authProvider: provider as never }).finishAuth(
      answer.searchParams.get('code') ?? '',
    ),
}

const present: Library = {
  name: 'client 2',
  async connect(url, { provider }) {
    const client = new PresentClient({ name: 'present', version: '1' })
    await client.connect(new PresentTransport(new URL(url), { authProvider: provider as never }))
    return ofSdk(client)
  },
  finish: (url, { provider }, answer) =>
    new PresentTransport(new URL(url), { authProvider: provider as never }).finishAuth(answer.searchParams),
}

interface AiSdk {
  createMCPClient(config: object): Promise<{
    listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>
    callTool(request: { readonly name: string; readonly arguments: object }): Promise<unknown>
    close(): Promise<void>
  }>
  auth(provider: object, options: object): Promise<string>
}
const loadAiSdk = () => load<AiSdk>('@ai-sdk/mcp', 'dist/index.js')

const aiSdk: Library = {
  name: '@ai-sdk/mcp',
  async connect(url, { provider }) {
    const { createMCPClient } = await loadAiSdk()
    const client = await createMCPClient({ transport: { type: 'http', url, authProvider: provider } })
    return {
      toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args) => textOf(await client.callTool({ name, arguments: args })),
      close: () => client.close(),
    }
  },
  async finish(url, { provider }, answer) {
    const { auth } = await loadAiSdk()
    return auth(provider, {
      serverUrl: url,
      authorizationCode: answer.searchParams.get('code'),
      callbackState: answer.searchParams.get('state'),
      callbackIssuer: answer.searchParams.get('iss'),
    })
  },
}

describeClients('libraries that connect', () => {
  let table: Table
  beforeAll(async () => {
    table = await openTable()
  })
  afterAll(() => table?.stop())

  describe.each([older, present, aiSdk])('$name', ({ connect, finish }) => {
    let keeper: Keeper
    beforeEach(() => {
      keeper = createKeeper()
    })

    /** From the challenge to a connection: the library opens a browser, and somebody lets it in there. */
    async function signIn(url: string, choices: Choices): Promise<Connected> {
      await expect(connect(url, keeper)).rejects.toThrow(/unauthori[sz]ed/i)
      const { opened } = keeper.kept
      if (opened === undefined) throw new Error('it opened no browser')
      await finish(url, keeper, await letIn(opened, table.marta, choices))
      return connect(url, keeper)
    }

    it('finds, registers, signs in, calls, and refreshes by itself', async () => {
      const url = `${table.base}/mcp`
      const client = await signIn(url, { campaign: 'all', write_mode: 'direct' })
      expect(keeper.kept.opened?.searchParams.get('resource')).toBe(url)
      expect(await client.toolNames()).toContain('create_quest')
      const campaignId = table.place.campaignId.orchard
      expect(await client.call('create_quest', { campaignId, title: 'The ladle' })).toMatchObject({
        title: 'The ladle',
      })

      const { refresh_token: before } = keeper.kept.tokens ?? {}
      const refreshes = table.refreshes()
      table.letAccessExpire()
      expect(await client.call('list_quests', { campaignId })).toMatchObject({ items: expect.any(Array) })
      expect(keeper.kept.tokens?.refresh_token).not.toBe(before)
      expect(table.refreshes()).toBe(refreshes + 1)
      await client.close()
    })

    it('sees what was opened to it at consent, and asks again when it was taken back', async () => {
      const url = `${table.base}/mcp`
      const { orchard, lantern } = table.place.campaignId
      const choices = {
        campaign: String(orchard),
        scope: 'player',
        write_mode: 'propose',
        toolset: ['story', 'journal'],
      }
      const client = await signIn(url, choices)
      expect(keeper.kept.tokens?.scope).toBe('player')
      const names = await client.toolNames()
      expect(names).toEqual(expect.arrayContaining(['list_campaigns', 'list_quests', 'list_sessions']))
      expect(names).not.toContain('list_npcs')
      const campaigns = (await client.call('list_campaigns', {})) as { readonly items: readonly { id: number }[] }
      expect(campaigns.items.map(({ id }) => id)).toEqual([orchard])
      expect(await client.call('list_quests', { campaignId: lantern })).toMatchObject({ error: { status: 404 } })
      expect(await client.call('list_npcs', { campaignId: orchard })).toMatchObject({ error: { status: 403 } })

      const revoked = await fetch(`${table.base}/oauth/revoke`, {
        method: 'POST',
        body: new URLSearchParams({
          token: keeper.kept.tokens?.refresh_token ?? '',
          client_id: keeper.kept.client?.client_id ?? '',
        }),
      })
      expect(revoked.status).toBe(200)
      delete keeper.kept.opened
      await expect(client.call('list_campaigns', {})).rejects.toThrow()
      expect(keeper.kept.opened).toBeInstanceOf(URL)
      await client.close()
    })

    it('may be given another name of this machine, and an address that narrows', async () => {
      const url = `${table.base.replace('127.0.0.1', 'localhost')}/mcp?mode=compact&readonly=1`
      const client = await signIn(url, { campaign: 'all' })
      expect(await client.toolNames()).toEqual(['search_tools', 'describe_tools', 'call_tool'])
      expect(await client.call('call_tool', { name: 'list_campaigns', input: {} })).toMatchObject({
        items: expect.arrayContaining([expect.objectContaining({ name: 'The Orchard in Winter' })]),
      })
      await client.close()
    })
  })
})
