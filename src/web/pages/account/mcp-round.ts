/** What a round with a key found. */
export interface KeyRound {
  readonly tools: number
  readonly bytes: number
  readonly milliseconds: number
  /** The names of the campaigns that the key opens, the first few. */
  readonly campaigns: readonly string[]
}

/** A sentence for who reads it. */
export class RoundError extends Error {}

const revision = '2025-06-18'

interface Answer {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly message?: string }
}

/**
 * What an assistant does first, done by this page: the handshake, the list of tools and one call (MCP 2025-06-18, lifecycle).
 * Only the key counts, as for an assistant: no cookie goes along. Throws `RoundError`.
 */
export async function roundWithKey(address: string, key: string): Promise<KeyRound> {
  const began = performance.now()
  const client = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'talekeeper-test', version: '1' } }
  await ask(address, key, 'initialize', client)
  const listed = await ask(address, key, 'tools/list', {})
  const tools = (listed.body.result?.tools ?? []) as readonly { readonly name: string }[]
  const milliseconds = Math.round(performance.now() - began)
  const campaigns = await campaignsBy(address, key, tools)
  return { tools: tools.length, bytes: listed.bytes, milliseconds, campaigns }
}

const mostNamed = 3

async function campaignsBy(
  address: string,
  key: string,
  tools: readonly { readonly name: string }[],
): Promise<readonly string[]> {
  const name = 'list_campaigns'
  const input = { limit: mostNamed }
  const isListed = tools.some((tool) => tool.name === name)
  const call = isListed ? { name, arguments: input } : { name: 'call_tool', arguments: { name, input } }
  if (!isListed && !tools.some((tool) => tool.name === call.name)) return []
  const { body } = await ask(address, key, 'tools/call', call)
  const [content] = (body.result?.content ?? []) as readonly { readonly text?: string }[]
  if (body.result?.isError === true) throw new RoundError(content?.text ?? 'Its first call failed.')
  const found = JSON.parse(content?.text ?? '{}') as { readonly items?: readonly { readonly name: string }[] }
  return found.items?.map((each) => each.name) ?? []
}

async function ask(
  address: string,
  key: string,
  method: string,
  params: object,
): Promise<{ readonly body: Answer; readonly bytes: number }> {
  const response = await send(address, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json',
      'mcp-protocol-version': revision,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await response.text()
  if (response.status === 401) throw new RoundError('The key opens nothing any more. Make another one.')
  const body = parsed(text)
  const problem = body.error?.message
  if (!response.ok || problem !== undefined) throw new RoundError(problem ?? `It answered ${response.status}.`)
  return { body, bytes: new TextEncoder().encode(text).length }
}

/**
 * The first steps of an assistant that signs in by itself: it is refused, and finds by what it is told where to ask
 * (RFC 9728, 5; RFC 8414, 3). The host where it would ask. Throws `RoundError`.
 */
export async function roundWithoutKey(address: string): Promise<string> {
  const refused = await send(address, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
  const told = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1]
  if (refused.status !== 401 || told === undefined) throw new RoundError('It answers, but does not ask to sign in.')
  const resource = (await read(told)) as { readonly authorization_servers?: readonly string[] }
  const issuer = resource.authorization_servers?.[0]
  if (issuer === undefined) throw new RoundError('It does not say where to sign in.')
  const server = (await read(new URL('/.well-known/oauth-authorization-server', issuer).href)) as {
    readonly authorization_endpoint?: string
  }
  if (server.authorization_endpoint === undefined) throw new RoundError('It does not say where to sign in.')
  return new URL(server.authorization_endpoint).host
}

async function read(address: string): Promise<unknown> {
  const url = new URL(address)
  if (url.origin !== location.origin) {
    // An assistant would go there; this page may only ask its own server, and what it was told shows what is wrong.
    throw new RoundError(
      `It sends assistants to ${url.origin}, and this page is ${location.origin}. Open this page there, or change BASE_URL.`,
    )
  }
  const response = await send(address, {})
  if (!response.ok) throw new RoundError(`${url.pathname} answered ${response.status}.`)
  return parsed(await response.text())
}

async function send(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, { ...init, credentials: 'omit', cache: 'no-store' })
  } catch {
    throw new RoundError('Nothing answers at this address just now.')
  }
}

function parsed(text: string): Answer {
  try {
    return JSON.parse(text) as Answer
  } catch {
    throw new RoundError('What answers there is not Talekeeper.')
  }
}
