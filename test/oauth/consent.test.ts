import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import {
  authorizeAs,
  authorizeQuery,
  type Browser,
  callback,
  connect,
  encode,
  formOf,
  makePkce,
  openBrowser,
  openPlace,
  opens,
  type Place,
  password,
  type RegisteredClient,
  type Reply,
  redeemForm,
  registerClient,
  signInSilently,
} from './support.ts'

let place: Place
let client: RegisteredClient
beforeAll(async () => {
  place = await openPlace()
  client = await registerClient(place)
})
afterAll(() => place?.server.stop())

const address = (more = {}, by = client): string => `/oauth/authorize?${encode(authorizeQuery(by, makePkce(), more))}`
const grants = (): number => Number(place.server.app.store().get('SELECT count(*) AS n FROM oauth_grants')?.n)
const locationOf = (reply: Reply): URL => new URL(reply.headers.location ?? 'none:')

describe('from the client and back', () => {
  it('goes over signing in and the choice, with 303 at every step', async () => {
    const pkce = makePkce()
    const browser = openBrowser(place)
    const signIn = await browser.open(`/oauth/authorize?${encode(authorizeQuery(client, pkce))}`)
    expect(signIn.text).toContain('type="password"')
    const form = { ticket: browser.ticket(), action: 'sign_in', username: 'marta', password }
    const cookies = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; ')
    const raw = await place.send('/oauth/authorize', { form, headers: { cookie: cookies, origin: 'null' } })
    expect([raw.status, raw.headers.location]).toEqual([
      303,
      expect.stringMatching(/^\/oauth\/authorize\?continue=\d+$/),
    ])
    expect(raw.headers['set-cookie']).toMatch(/^talekeeper_session=tkw_/)

    const consent = await browser.press('sign_in', { username: 'Marta', password })
    expect(consent.text).toContain('signed in as <strong>Marta</strong>')
    const back = await browser.press('allow', formOf(consent))
    expect(back.status).toBe(303)
    const location = locationOf(back)
    expect(location.origin + location.pathname).toBe(callback)
    expect(Object.fromEntries(location.searchParams)).toEqual({
      code: expect.stringMatching(/^tkc_[A-Za-z0-9_-]{43}$/),
      state: 'the state',
      iss: 'http://localhost:8020',
    })
    const granted = { code: location.searchParams.get('code') ?? '', pkce, client, parameters: location.searchParams }
    const { status, body, headers } = await place.send('/oauth/token', { form: redeemForm(granted) })
    expect(status).toBe(200)
    expect([headers['cache-control'], headers.pragma]).toEqual(['no-store', 'no-cache'])
    expect(body).toEqual({
      access_token: expect.stringMatching(/^tka_[A-Za-z0-9_-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^tkr_[A-Za-z0-9_-]{43}$/),
      scope: 'dm',
    })
    expect(await opens(place, body.access_token)).toBe(true)
    // The session that was begun on the way is the ordinary one.
    const me = await browser.open('/api/v1/auth/status')
    expect(me.body.user.username).toBe('Marta')
  })

  it('shows whoever is signed in the choice at once, and always', async () => {
    for (let turn = 0; turn < 2; turn++) {
      const browser = openBrowser(place)
      signInSilently(place, browser, place.userId.marta)
      const page = await browser.open(address())
      expect(page.status).toBe(200)
      expect(page.text).toContain('value="allow"')
      await browser.press('allow', formOf(page))
    }
  })

  it('gives the answer to a private-use scheme and to another port of the loopback interface', async () => {
    const app = await registerClient(place, { redirect_uris: ['cursor://anysphere.cursor/cb?x=1'] })
    const first = await authorizeAs(place, { client: app, query: { redirect_uri: 'cursor://anysphere.cursor/cb?x=1' } })
    expect(first.parameters.get('x')).toBe('1')
    expect(first.code).toMatch(/^tkc_/)
    const second = await authorizeAs(place, { client, query: { redirect_uri: 'http://127.0.0.1:6/callback' } })
    expect(second.code).toMatch(/^tkc_/)
  })

  it('uses the only registered address of a client that names none', async () => {
    const granted = await authorizeAs(place, { query: { redirect_uri: undefined } })
    const { status } = await place.send('/oauth/token', { form: redeemForm(granted, { redirect_uri: undefined }) })
    expect(status).toBe(200)
  })

  it('says no where the person says no, signed in or not', async () => {
    const before = grants()
    const signedIn = openBrowser(place)
    signInSilently(place, signedIn, place.userId.marta)
    for (const browser of [openBrowser(place), signedIn]) {
      await browser.open(address())
      const { searchParams } = locationOf(await browser.press('deny'))
      expect(Object.fromEntries(searchParams)).toMatchObject({
        error: 'access_denied',
        state: 'the state',
        iss: 'http://localhost:8020',
      })
    }
    expect(grants()).toBe(before)
  })
})

describe('signing in on the page', () => {
  it('shows the form again for a wrong password, and says nothing of who exists', async () => {
    const texts: string[] = []
    for (const username of ['Marta', 'Nobody']) {
      const browser = openBrowser(place)
      await browser.open(address())
      const again = await browser.press('sign_in', { username, password: 'wrong one' })
      expect(again.status).toBe(401)
      texts.push(again.text.replace(/value="[^"]+"/, ''))
      expect(browser.cookies.has('talekeeper_session')).toBe(false)
      const consent = await browser.press('sign_in', { username: 'Marta', password })
      expect(consent.text).toContain('value="allow"')
    }
    expect(texts[0]).toBe(texts[1])
  })

  it('stops who guesses', async () => {
    const fresh = await openPlace()
    try {
      const guesser = openBrowser(fresh)
      await guesser.open(address({}, await registerClient(fresh)))
      const statuses: number[] = []
      for (let turn = 0; turn < 11; turn++) {
        statuses.push((await guesser.press('sign_in', { username: 'Marta', password: `wrong ${turn}` })).status)
      }
      expect(statuses).toEqual([...new Array(10).fill(401), 429])
    } finally {
      await fresh.server.stop()
    }
  })

  it('lets somebody else in instead', async () => {
    const browser = openBrowser(place)
    signInSilently(place, browser, place.userId.hob)
    const page = await browser.open(address())
    expect(page.text).toContain('<strong>Hob</strong>')
    const link = /href="([^"]+as=another)"/.exec(page.text)?.[1]?.replace('&amp;', '&') ?? ''
    expect((await browser.open(link)).text).toContain('type="password"')
    const consent = await browser.press('sign_in', { username: 'Marta', password })
    expect(consent.text).toContain('<strong>Marta</strong>')
  })
})

describe('the choice', () => {
  const ask = async (
    more = {},
    user: 'marta' | 'hob' | 'admin' = 'marta',
    by = client,
  ): Promise<{ browser: Browser; page: Reply }> => {
    const browser = openBrowser(place)
    signInSilently(place, browser, place.userId[user])
    return { browser, page: await browser.open(address(more, by)) }
  }
  const offered = (page: Reply, name: string): (string | undefined)[] =>
    Array.from(page.text.matchAll(new RegExp(`name="${name}" value="([^"]+)"`, 'g')), ([, value]) => value)

  test.each([
    [undefined, ['viewer', 'player', 'dm'], 'dm'],
    ['dm player viewer', ['viewer', 'player', 'dm'], 'dm'],
    ['player', ['viewer', 'player'], 'player'],
    ['viewer', ['viewer'], 'viewer'],
    ['openid viewer', ['viewer'], 'viewer'],
  ])('offers for the scope %j the rungs %j', async (scope, rungs, first) => {
    const fresh = await registerClient(place)
    const { page } = await ask({ scope }, 'marta', fresh)
    expect(offered(page, 'scope')).toEqual(rungs)
    expect(formOf(page)).toMatchObject({
      scope: first,
      write_mode: 'propose',
      campaign: String(place.campaignId.orchard),
    })
  })

  it('offers the campaigns of the user only, and begins with what was chosen last', async () => {
    const own = await registerClient(place)
    const { page, browser } = await ask({}, 'admin', own)
    expect(page.text).not.toContain('The Orchard in Winter')
    expect(formOf(page).campaign).toBe('all')
    await browser.press('allow', { ...formOf(page), scope: 'viewer', write_mode: 'read', toolset: ['story', 'world'] })
    const again = await ask({}, 'admin', own)
    expect(formOf(again.page)).toMatchObject({ scope: 'viewer', write_mode: 'read', toolset: ['story', 'world'] })
  })

  it('stands on the grant, and the access token carries it', async () => {
    const { tokens } = await connect(place, {
      choice: {
        scope: 'player',
        campaign: String(place.campaignId.orchard),
        write_mode: 'read',
        toolset: ['story', 'journal'],
      },
    })
    expect(tokens.scope).toBe('player')
    const actor = place.server.app.identity.resolve({
      authorization: `Bearer ${tokens.access_token}`,
      sessionSecret: null,
      audience: 'http://localhost:8020',
    })
    expect(actor).toMatchObject({
      username: 'Marta',
      admin: false,
      credential: {
        kind: 'oauth',
        scope: 'player',
        campaignId: place.campaignId.orchard,
        writeMode: 'read',
        toolsets: ['campaign', 'story', 'journal'],
      },
    })
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    const list = await place.send('/api/v1/campaigns', { headers })
    expect(list.body.items.map(({ name }: { name: string }) => name)).toEqual(['The Orchard in Winter'])
    expect((await place.send(`/api/v1/campaigns/${place.campaignId.lantern}`, { headers })).status).toBe(404)
    const write = await place.send(`/api/v1/campaigns/${place.campaignId.orchard}/quests`, {
      headers,
      json: { title: 'x' },
    })
    expect([write.status, write.body.error.code]).toEqual([403, 'write_mode'])
  })

  it('closes the shelves that were not chosen, over REST and over MCP', async () => {
    const { tokens } = await connect(place, {
      choice: { write_mode: 'direct', toolset: ['story', 'server', '__proto__'] },
    })
    const headers = { authorization: `Bearer ${tokens.access_token}`, accept: 'application/json, text/event-stream' }
    const campaign = `/api/v1/campaigns/${place.campaignId.orchard}`
    expect((await place.send(`${campaign}/quests`, { headers })).status).toBe(200)
    const closed = await place.send(`${campaign}/npcs`, { headers })
    expect([closed.status, closed.body.error.code]).toEqual([403, 'forbidden'])
    expect((await place.send('/api/v1/campaigns/999/npcs', { headers })).status).toBe(404)
    const rpc = async (method: string, params: object): Promise<string> =>
      (await place.send('/mcp', { headers, json: { jsonrpc: '2.0', id: 1, method, params } })).text
    const list = await rpc('tools/list', {})
    expect(list).toContain('"list_quests"')
    expect(list).toContain('"list_campaigns"')
    expect(list).not.toContain('"list_npcs"')
    const input = { campaignId: place.campaignId.orchard }
    expect(await rpc('tools/call', { name: 'list_npcs', arguments: input })).toContain('"isError":true')
    expect(await rpc('tools/call', { name: 'list_quests', arguments: input })).not.toContain('"isError":true')
  })

  it('shows an app as many tools as was chosen, unless it asks for others itself; it narrows no right', async () => {
    const listed = async (form: Record<string, string | string[]>, query = ''): Promise<readonly string[]> => {
      const { tokens } = await connect(place, { choice: { write_mode: 'direct', ...form } })
      const headers = { authorization: `Bearer ${tokens.access_token}`, accept: 'application/json' }
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
      const { body } = await place.send(`/mcp${query}`, { headers, json: call })
      return body.result.tools.map(({ name }: { name: string }) => name)
    }
    const player = await listed({ shown: 'player' })
    expect(player.length).toBeLessThan(40)
    expect(player).toContain('roll_check')
    expect(player).not.toContain('create_npc')
    expect(await listed({ shown: 'compact' })).toEqual(['search_tools', 'describe_tools', 'call_tool'])
    expect((await listed({ shown: 'all' })).length).toBeGreaterThan(200)
    expect(await listed({ shown: 'compact' }, '?tools=create_npc')).toEqual(['create_npc'])
    // Of a closed shelf nothing comes in by the selection.
    const dice = await listed({ shown: 'player', toolset: ['dice'] })
    expect(dice).toContain('roll_dice')
    expect(dice).not.toContain('list_quests')
    expect(dice.filter((name) => !player.includes(name))).toEqual([])
  })

  it('begins with the selection that was chosen last, and refuses one that is not offered', async () => {
    const own = await registerClient(place)
    const { page, browser } = await ask({}, 'marta', own)
    expect(formOf(page).shown).toBe('all')
    expect(page.text).toContain('<option value="player">39 for one player')
    const wrong = await browser.press('allow', { ...formOf(page), shown: 'everything' })
    expect([wrong.status, wrong.text.includes('Choose how many tools it is shown.')]).toEqual([400, true])
    await browser.press('allow', { ...formOf(page), shown: 'session' })
    expect(formOf((await ask({}, 'marta', own)).page).shown).toBe('session')
  })

  it('never gives an administrator of the server their rights (SPEC 5.5)', async () => {
    const { tokens } = await connect(place, { user: 'admin', choice: { write_mode: 'direct', campaign: 'all' } })
    for (const path of ['/api/v1/users', '/api/v1/audit', '/api/v1/oauth/clients', '/api/v1/backup']) {
      const { status } = await place.send(path, { headers: { authorization: `Bearer ${tokens.access_token}` } })
      expect([path, status]).toEqual([path, 403])
    }
  })

  test.each([
    ['a higher scope', { scope: 'dm' }],
    ['no scope', { scope: undefined }],
    ['an unknown scope', { scope: 'admin' }],
    ['no write mode', { write_mode: undefined }],
    ['an unknown write mode', { write_mode: 'all' }],
    ['no campaign', { campaign: undefined }],
    ['a campaign of others', { campaign: '999' }],
    ['a campaign that is none', { campaign: '-1' }],
  ])('is asked for again with %s, and can then be made', async (_, wrong) => {
    const before = grants()
    const { browser, page } = await ask({ scope: 'player' })
    const form = formOf(page)
    const again = await browser.press('allow', { ...form, ...wrong })
    expect(again.status).toBe(400)
    expect(again.text).toContain('role="alert"')
    expect(grants()).toBe(before)
    expect((await browser.press('allow', form)).status).toBe(303)
    expect(grants()).toBe(before + 1)
  })
})

describe('what is shown of a client', () => {
  const shown = async (metadata: Readonly<Record<string, unknown>>, redirectUri: string): Promise<Reply> => {
    const known = await registerClient(place, { redirect_uris: [redirectUri], ...metadata })
    const browser = openBrowser(place)
    signInSilently(place, browser, place.userId.marta)
    return browser.open(address({ redirect_uri: redirectUri }, known))
  }

  it('is its name as text, and where the answer goes', async () => {
    const name = '<img src=x onerror=alert(1)>"Claude"'
    const page = await shown({ client_name: name }, 'https://evil.example/cb')
    expect(page.text).not.toContain('<img')
    expect(page.text).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;Claude&quot;')
    expect(page.text).toContain('<span class="oa-host">evil.example</span>')
    expect(page.text).not.toContain('Any program on that computer')
    expect(page.headers['content-security-policy']).toContain("form-action 'self' https://evil.example;")
  })

  it('warns of programs on the computer, of which any can say this name', async () => {
    const page = await shown({}, 'http://127.0.0.1:5000/cb')
    expect(page.text).toContain('Any program on that computer')
    expect(page.headers['content-security-policy']).toContain("form-action 'self' http://127.0.0.1:5000;")
    const app = await shown({}, 'cursor://x/cb')
    expect(app.text).toContain('<span class="oa-host">cursor:</span>')
    expect(app.headers['content-security-policy']).toContain("form-action 'self' cursor:;")
  })
})

describe('the pages', () => {
  it('cannot be framed, kept, or given a script', async () => {
    const browser = openBrowser(place)
    const pages = [
      await browser.open(address()),
      await browser.press('sign_in', { username: 'Marta', password: 'wrong one' }),
      await browser.press('sign_in', { username: 'Marta', password }),
      await browser.open('/oauth/authorize?client_id=unknown'),
      await browser.open('/oauth/authorize?continue=1'),
    ]
    for (const { headers, text } of pages) {
      expect(headers['x-frame-options']).toBe('DENY')
      expect(headers['referrer-policy']).toBe('no-referrer')
      expect(headers['cache-control']).toBe('no-store')
      expect(headers['x-content-type-options']).toBe('nosniff')
      const policy = headers['content-security-policy'] ?? ''
      expect(policy).toMatch(/^default-src 'none'; style-src 'self'; /)
      for (const part of ["frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"])
        expect(policy).toContain(part)
      expect(policy).not.toMatch(/script|unsafe|\*/)
      expect(text).not.toMatch(/<script| style=| on\w+=/)
    }
  })

  it('have a style sheet of their own address', async () => {
    const { status, headers, text } = await place.send('/oauth/style.css')
    expect([status, headers['content-type']]).toEqual([200, 'text/css; charset=utf-8'])
    expect(text).toContain('.oa-go')
  })

  it('keep their cookie from scripts and from other sites, and on https to this very host', async () => {
    expect((await place.send(address())).headers['set-cookie']).toMatch(
      /^talekeeper_oauth=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    const secure = await openPlace({ env: { BASE_URL: 'https://tale.example.org' } })
    try {
      const known = await registerClient(secure)
      const { headers } = await secure.send(address({}, known))
      expect(headers['set-cookie']).toMatch(/^__Host-talekeeper_oauth=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    } finally {
      await secure.server.stop()
    }
  })
})

it.each([
  ['vellum', 'vellum'],
  ['contrast', 'contrast'],
  ['"><script>', 'ink'],
  [null, 'ink'],
])('with the theme %s of the web app is drawn in %s', async (chosen, theme) => {
  const browser = openBrowser(place)
  if (chosen !== null) browser.cookies.set('talekeeper_theme', encodeURIComponent(chosen))
  const { text } = await browser.open('/oauth/authorize')
  expect(text).toContain(`<html lang="en" data-theme="${theme}">`)
})
