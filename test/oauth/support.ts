import { createHash, randomBytes } from 'node:crypto'
import { startServer, type TestServer, type TestServerOptions } from '../support/server.ts'
import { insertSession } from '../support/sessions.ts'

export const password = 'a good long one'
/** Its argon2id hash of the least cost there is, so that no test waits for one. */
const passwordHash = '$argon2id$v=19$m=8,t=1,p=1$dGFsZWtlZXBlci10ZXN0cw$TfXfJXUQ47FzFK0Pj5a0uHk/v+TB5+TKfYzWUCCQMoc'
export const callback = 'http://127.0.0.1:43210/callback'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

export interface Send {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Fields
  readonly json?: unknown
  readonly payload?: string
}

/** Members of a query or form; an array is one that comes several times. */
export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>

export interface Place {
  readonly server: TestServer
  readonly userId: Readonly<Record<'marta' | 'hob' | 'admin', number>>
  readonly campaignId: Readonly<Record<'orchard' | 'lantern', number>>
  send(path: string, options?: Send): Promise<Reply>
  /** Stops the server and starts it again on the same folder. */
  restart(): Promise<void>
}

/** A server with three users: Marta runs one campaign and plays another, Hob runs the other, and somebody administers. */
export async function openPlace(options: TestServerOptions = {}): Promise<Place> {
  let server = await startServer(options)
  const store = server.app.store()
  const now = server.clock().toISOString()
  const user = (username: string, admin = 0): number =>
    store.run(
      'INSERT INTO users (username, password_hash, admin, created_at, updated_at) VALUES (@username, @passwordHash, @admin, @now, @now)',
      { username, passwordHash, admin, now },
    ).id
  const userId = { marta: user('Marta'), hob: user('Hob'), admin: user('Keeper', 1) }
  const campaign = (name: string, members: readonly (readonly [number, string])[]): number => {
    const { id } = store.run('INSERT INTO campaigns (name, created_at, updated_at) VALUES (@name, @now, @now)', {
      name,
      now,
    })
    for (const [member, role] of members) {
      store.run(
        'INSERT INTO memberships (campaign_id, user_id, role, created_at, updated_at) VALUES (@id, @member, @role, @now, @now)',
        { id, member, role, now },
      )
    }
    return id
  }
  const campaignId = {
    lantern: campaign('Lantern Street', [
      [userId.marta, 'player'],
      [userId.hob, 'dm'],
    ]),
    orchard: campaign('The Orchard in Winter', [
      [userId.marta, 'dm'],
      [userId.hob, 'player'],
    ]),
  }
  return {
    get server() {
      return server
    },
    userId,
    campaignId,
    send: (path, send) => sendTo(server, path, send),
    async restart() {
      const { dataDir, clock } = server
      await server.app.stop()
      server = await startServer({ ...options, dataDir })
      server.clock.advance(clock().getTime() - server.clock().getTime())
    },
  }
}

async function sendTo(
  { app }: TestServer,
  path: string,
  { method, headers = {}, form, json, payload }: Send = {},
): Promise<Reply> {
  const content =
    form !== undefined
      ? { payload: encode(form), type: 'application/x-www-form-urlencoded' }
      : json !== undefined
        ? { payload: JSON.stringify(json), type: 'application/json' }
        : payload !== undefined
          ? { payload, type: 'text/plain' }
          : null
  const response = await app.server.inject({
    method: (method ?? (content === null ? 'GET' : 'POST')) as 'GET',
    url: path,
    headers: { host: 'localhost:8020', ...(content ? { 'content-type': content.type } : {}), ...headers },
    ...(content ? { payload: content.payload } : {}),
  })
  const flat = Object.entries(response.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join('\n') : String(value),
  ])
  return {
    status: response.statusCode,
    headers: Object.fromEntries(flat),
    text: response.body,
    body: parsed(response.body),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function encode(fields: Fields): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    for (const each of value === undefined ? [] : typeof value === 'string' ? [value] : value)
      parameters.append(name, each)
  }
  return parameters.toString()
}

export interface RegisteredClient {
  readonly client_id: string
  readonly client_secret?: string
}

export async function registerClient(
  place: Place,
  metadata: Readonly<Record<string, unknown>> = {},
): Promise<RegisteredClient> {
  const { status, body, text } = await place.send('/oauth/register', {
    json: { client_name: 'Inkwell', redirect_uris: [callback], token_endpoint_auth_method: 'none', ...metadata },
  })
  if (status !== 201) throw new Error(`registration: ${status} ${text}`)
  return body as RegisteredClient
}

/** As if somebody had let the app in once before: only then is it told by redirect what is wrong with its requests. */
export function allowOnce({ server }: Place, clientId: string): void {
  server.app.store().run('UPDATE oauth_clients SET authorised_at = @now WHERE client_id = @clientId', {
    clientId,
    now: server.clock().toISOString(),
  })
}

export interface Pkce {
  readonly verifier: string
  readonly challenge: string
}

export function makePkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** What every authorization request of the tests says, unless told otherwise. */
export function authorizeQuery(client: RegisteredClient, pkce: Pkce, more: Fields = {}): Fields {
  return {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: callback,
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
    state: 'the state',
    ...more,
  }
}

/** A browser: it keeps cookies, follows our own redirects, and sends the forms that it is shown. */
export interface Browser {
  readonly cookies: Map<string, string>
  open(path: string, headers?: Readonly<Record<string, string>>): Promise<Reply>
  /** Sends the form of the page it shows, with these fields besides the hidden ones. */
  press(action: string, fields?: Fields): Promise<Reply>
  post(form: Fields, headers?: Readonly<Record<string, string>>): Promise<Reply>
  /** The hidden member of the form. */
  ticket(): string
}

export function openBrowser(place: Place, host = 'localhost:8020'): Browser {
  const cookies = new Map<string, string>()
  let shown: Reply | undefined
  const keep = async (reply: Reply): Promise<Reply> => {
    for (const line of reply.headers['set-cookie']?.split('\n') ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    const { location } = reply.headers
    if (reply.status === 303 && location?.startsWith('/')) return open(location)
    shown = reply
    return reply
  }
  const jar = (): Readonly<Record<string, string>> =>
    cookies.size === 0 ? {} : { cookie: Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ') }
  const open: Browser['open'] = async (path, headers = {}) =>
    keep(await place.send(path, { headers: { host, ...jar(), ...headers } }))
  // A page whose Referrer-Policy is no-referrer sends its form with this Origin.
  const post: Browser['post'] = async (form, headers = {}) =>
    keep(await place.send('/oauth/authorize', { form, headers: { host, origin: 'null', ...jar(), ...headers } }))
  const ticket = (): string => /name="ticket" value="([^"]+)"/.exec(shown?.text ?? '')?.[1] ?? ''
  return { cookies, open, post, ticket, press: (action, fields = {}) => post({ ticket: ticket(), action, ...fields }) }
}

/** What the consent form says as it is shown, when nobody changes anything. */
export function formOf(page: Reply): Record<string, string | string[]> {
  const radio = (name: string): string =>
    new RegExp(`name="${name}" value="([^"]+)" checked`).exec(page.text)?.[1] ?? ''
  return {
    campaign: /<option value="([^"]+)" selected/.exec(page.text)?.[1] ?? '',
    scope: radio('scope'),
    write_mode: radio('write_mode'),
    shown: /id="shown"[\s\S]*?<option value="([^"]+)" selected/.exec(page.text)?.[1] ?? '',
    toolset: Array.from(page.text.matchAll(/name="toolset" value="([^"]+)" checked/g), ([, name = '']) => name),
  }
}

/** Gives the browser a session as if its user had signed in before. */
export function signInSilently(place: Place, browser: Browser, userId: number): void {
  const { app, clock } = place.server
  const secret = insertSession(app.store(), userId, clock().toISOString())
  browser.cookies.set('talekeeper_session', secret)
}

export interface Granted {
  readonly code: string
  readonly pkce: Pkce
  readonly client: RegisteredClient
  readonly parameters: URLSearchParams
}

/** A whole yes by Marta; the code is not redeemed yet. */
export async function authorizeAs(
  place: Place,
  {
    client,
    query = {},
    choice = {},
    user = 'marta',
    host,
  }: {
    readonly client?: RegisteredClient
    readonly query?: Fields
    readonly choice?: Fields
    readonly user?: 'marta' | 'hob' | 'admin'
    readonly host?: string
  } = {},
): Promise<Granted> {
  const known = client ?? (await registerClient(place))
  const pkce = makePkce()
  const browser = openBrowser(place, host)
  signInSilently(place, browser, place.userId[user])
  const page = await browser.open(`/oauth/authorize?${encode(authorizeQuery(known, pkce, query))}`)
  const answer = await browser.press('allow', { ...formOf(page), ...choice })
  const parameters = new URL(answer.headers.location ?? 'none:').searchParams
  return { code: parameters.get('code') ?? '', pkce, client: known, parameters }
}

export function redeemForm({ code, pkce, client }: Granted, more: Fields = {}): Fields {
  return {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callback,
    client_id: client.client_id,
    code_verifier: pkce.verifier,
    ...more,
  }
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
  readonly expires_in: number
  readonly token_type: string
}

export interface Connection {
  readonly client: RegisteredClient
  readonly code: string
  readonly granted: Granted
  readonly tokens: Tokens
}

/** The whole flow; tokens in hand. */
export async function connect(place: Place, options: Parameters<typeof authorizeAs>[1] = {}): Promise<Connection> {
  const granted = await authorizeAs(place, options)
  const headers = options.host === undefined ? {} : { host: options.host }
  const { status, body, text } = await place.send('/oauth/token', { form: redeemForm(granted), headers })
  if (status !== 200) throw new Error(`token: ${status} ${text}`)
  return { client: granted.client, code: granted.code, granted, tokens: body as Tokens }
}

export function refreshForm(client: RegisteredClient, token: string, more: Fields = {}): Fields {
  return { grant_type: 'refresh_token', refresh_token: token, client_id: client.client_id, ...more }
}

/** Whether an access token opens the API now. */
export async function opens(place: Place, accessToken: string, host = 'localhost:8020'): Promise<boolean> {
  const { status } = await place.send('/api/v1/campaigns', {
    headers: { host, authorization: `Bearer ${accessToken}` },
  })
  if (status !== 200 && status !== 401) throw new Error(`status ${status}`)
  return status === 200
}
