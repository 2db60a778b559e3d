import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'

// The page of a shared recap: what somebody reads there who has the address and nothing else.

let world: TestWorld
let sessionId: number
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.server.stop())

// Each test comes from an address of its own, since each is answered only so often.
let address = 0
beforeEach(async () => {
  address += 1
  const { id } = await world.as('dm', 'create_session', {
    campaignId: world.id('campaign'),
    title: 'The ledger',
    status: 'played',
    prep: 'Marta waits on the stair.',
    dmSecret: 'She sold the year.',
  })
  sessionId = id
})

const open = (path: string, method: 'GET' | 'HEAD' = 'GET') =>
  world.server.app.server.inject({
    method,
    url: path,
    headers: { host: '127.0.0.1' },
    remoteAddress: `203.0.113.${address}`,
  })
const publish = (recap: string) => world.as('dm', 'publish_session_recap', { sessionId, recap })
const share = async (expiresAt = '2026-12-24T18:00:00Z'): Promise<{ id: number; path: string }> =>
  world.as('dm', 'create_session_share', { sessionId, expiresAt })

describe('a shared recap', () => {
  test('is the published recap and nothing else of the session', async () => {
    await publish('We had been warned about the dog.\n\n> Every year is somebody’s favourite.')
    const { statusCode, body } = await open((await share()).path)
    expect(statusCode).toBe(200)
    for (const text of ['The ledger', 'The Orchard in Winter', 'warned about the dog', '<blockquote>'])
      expect(body).toContain(text)
    for (const secret of ['Marta waits', 'sold the year', 'prep', '/api/', '/campaigns/'])
      expect(body).not.toContain(secret)
  })

  test('needs no script, and is kept from search engines, frames and caches', async () => {
    await publish('We had been warned about the dog.')
    const { headers, body } = await open((await share()).path)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    })
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['content-security-policy']).not.toMatch(/script-src|unsafe/)
    expect(headers).not.toHaveProperty('set-cookie')
    expect(body).not.toMatch(/<script|<style|style=|javascript:/i)
    expect(body).toContain('<meta name="robots" content="noindex, nofollow">')
    expect((await open('/share/style.css')).headers['content-type']).toContain('text/css')
  })

  test('names what every player sees as it is called now, and what is hidden as it was typed', async () => {
    const [npc, hidden, quest] = [world.id('npc'), world.id('npc', 'hidden'), world.id('quest', 'hidden')]
    await publish(`[Marta](npc:${npc}) spoke of [the other one](npc:${hidden}) and [a year](quest:${quest}).`)
    const { body } = await open((await share()).path)
    expect(body).toContain('<p>Marta Quill spoke of the other one and a year.</p>')
    expect(body).not.toMatch(/Cellarer|The year that was sold|npc:|quest:/)
    expect(body).toContain('<li>Marta Quill</li>')
  })

  test('shows the faces that every player sees, by their place on the page alone', async () => {
    const campaignId = world.id('campaign')
    const [shown, hidden] = [world.id('attachment'), world.id('attachment', 'hidden')]
    const person = (name: string, portraitAttachmentId: number) =>
      world.as('dm', 'create_npc', { campaignId, name, portraitAttachmentId })
    const [ida, nils] = [await person('Ida', shown), await person('Nils', hidden)]
    await publish(`[Ida](npc:${ida.id}) and [Nils](npc:${nils.id}) came.`)
    const { path, id } = await share()
    const { body } = await open(path)
    expect(body).toContain(`<li><img src="${path}/faces/0" alt="" width="72" height="90" loading="lazy">Ida</li>`)
    expect(body).toContain('<li>Nils</li>')
    const face = await open(`${path}/faces/0`)
    expect([face.statusCode, face.headers['content-type'], face.headers['cache-control']]).toEqual([
      ...[200, 'image/webp', 'no-store'],
    ])
    for (const place of ['1', '2', '99', 'x', '0?x=1/..']) {
      const other = await open(`${path}/faces/${place}`)
      expect(other.statusCode, place).toBe(place.startsWith('0') ? 200 : 404)
    }
    await world.as('dm', 'hide_entity', { campaignId, entityType: 'npc', entityId: ida.id })
    expect((await open(`${path}/faces/0`)).statusCode).toBe(404)
    await world.as('dm', 'reveal_entity', { campaignId, entityType: 'npc', entityId: ida.id })
    await world.as('dm', 'revoke_session_share', { shareId: id })
    expect((await open(`${path}/faces/0`)).statusCode).toBe(404)
  })

  test('is words: nothing that somebody typed becomes a tag, a link or a picture', async () => {
    await publish(
      [
        '<script>alert(1)</script> and <img src=x onerror=alert(1)>',
        '[a place](https://evil.example/?a="b") ![seen](https://evil.example/pixel.png)',
        '<div onclick="x">one</div>',
        '`<b>code</b>` **bold** \\*plain\\*',
        '```\n<i>block</i>\n```',
        '| a | b |\n|---|---|\n| <u>c</u> | d |',
      ].join('\n\n'),
    )
    const { body } = await open((await share()).path)
    const told = /<div class="story-text drop-cap">([\s\S]*?)<\/div>\n<svg/.exec(body)?.[1] ?? ''
    const tags = Array.from(told.matchAll(/<\/?([a-z]\w*)([^>]*)>/g), ([, tag, rest]) => `${tag}${rest}`)
    expect(new Set(tags)).toEqual(new Set(['p', 'strong']))
    expect(told).not.toContain('evil.example/pixel')
    expect(told).toContain('*plain*')
  })

  test('is gone when it is revoked, over, unpublished or in the trash, and nobody learns which', async () => {
    await publish('We had been warned about the dog.')
    const one = await share()
    const before = (await open('/share/tks_0000000000000000000000000000000000000000000')).body
    const gone = async (path: string): Promise<void> => {
      const { statusCode, body } = await open(path)
      expect([statusCode, body]).toEqual([404, before])
    }
    await world.as('dm', 'revoke_session_share', { shareId: one.id })
    await gone(one.path)

    const { path } = await share()
    world.server.app.store().run('UPDATE game_sessions SET recap = NULL WHERE id = @sessionId', { sessionId })
    await gone(path)
    await publish('Told anew.')
    expect((await open(path)).body).toContain('Told anew.')

    await world.as('dm', 'delete_session', { sessionId })
    await gone(path)
    await world.as('dm', 'restore_from_trash', {
      campaignId: world.id('campaign'),
      entityType: 'session',
      entityId: sessionId,
    })
    expect((await open(path)).statusCode).toBe(200)

    await world.as('dm', 'delete_campaign', { campaignId: world.id('campaign') })
    await gone(path)
    await world.as('dm', 'restore_campaign', { campaignId: world.id('campaign') })

    const soon = new Date(world.server.clock().getTime() + 60_000).toISOString()
    const short = await share(soon)
    expect((await open(short.path)).statusCode).toBe(200)
    world.server.clock.advance(61_000)
    await gone(short.path)
    for (const path of ['/share/tks_x', '/share/%00', `/share/tki_${one.path.slice(11)}`]) await gone(path)
  })

  test('keeps its address out of the database and the log', async () => {
    await publish('We had been warned about the dog.')
    const { path } = await share()
    const token = path.slice('/share/'.length)
    await open(path)
    await open(path, 'HEAD')
    expect(world.server.logs()).not.toContain(token)
    expect(JSON.stringify(world.server.app.store().all('SELECT * FROM session_shares'))).not.toContain(token)
  })

  test('is answered so often in a minute to one address, whether there is something or not', async () => {
    await publish('We had been warned about the dog.')
    const { path } = await share()
    const statuses: number[] = []
    for (let turn = 0; turn < 62; turn += 1) statuses.push((await open(turn % 2 ? path : '/share/nothing')).statusCode)
    expect(statuses.slice(0, 60)).not.toContain(429)
    expect(statuses.slice(60)).toEqual([429, 429])
    address += 100
    expect((await open(path)).statusCode).toBe(200)
  })
})
