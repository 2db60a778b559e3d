import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'

// The page of a television: what stands on it for whoever has its address and nothing else, and what comes as things change.

let world: TestWorld
let base: string
let campaignId: number
let encounterId: number
let code: string
let displayId: number

beforeAll(async () => {
  world = await startWorld()
  base = await world.server.app.listen()
  campaignId = world.id('campaign')
})
afterAll(() => world.server.stop())

// Each test comes from an address of its own, since each is answered only so often.
let address = 0
beforeEach(async () => {
  address += 1
  for (const { id } of (await world.as('dm', 'list_encounters', { campaignId, status: 'running', limit: 50 })).items)
    await world.as('dm', 'end_encounter', { encounterId: id })
  const made = await world.as('dm', 'create_encounter', {
    campaignId,
    name: 'The press-house at midnight',
    dmSecret: 'The left antler.',
  })
  encounterId = made.id
  await world.as('dm', 'add_combatant', {
    encounterId,
    kind: 'character',
    characterId: world.id('character', 'own'),
    initiativeModifier: 90,
  })
  await add('Wicker Stag', { hpMax: 85, initiativeModifier: 60 })
  await add('Hollow Picker', { hpMax: 27, hidden: true, initiativeModifier: 30 })
  await world.as('dm', 'begin_encounter', { encounterId })
  const opened = await world.as('dm', 'create_display', { campaignId, label: 'Over the fireplace' })
  code = opened.code
  displayId = opened.id
})

const add = (name: string, values: object) =>
  world.as('dm', 'add_combatant', { encounterId, kind: 'monster', name, ...values })
const open = (path: string) =>
  world.server.app.server.inject({
    url: path,
    headers: { host: '127.0.0.1' },
    remoteAddress: `203.0.113.${address}`,
  })
const idOf = async (name: string): Promise<number> =>
  (await world.as('dm', 'get_encounter', { encounterId })).combatants.find(
    (each: { name: string }) => each.name === name,
  ).id

/** The views of a stream as they come. */
async function watching() {
  const leaving = new AbortController()
  const answer = await fetch(`${base}/display/${code}/events`, { signal: leaving.signal })
  const views: string[] = []
  let ended = false
  const reading = (async () => {
    let text = ''
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
      text += new TextDecoder().decode(chunk)
      const parts = text.split('\n\n')
      text = parts.pop() ?? ''
      for (const part of parts) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? []
        if (name !== undefined) views.push(name === 'view' ? JSON.parse(data ?? '""') : name)
      }
    }
  })()
    .catch(() => undefined)
    .finally(() => {
      ended = true
    })
  await expect.poll(() => views.length).toBe(1)
  return { views, isOver: () => ended, leave: () => leaving.abort(), reading }
}

describe('a display', () => {
  test('shows whose turn it is, who comes, and how foes stand in a word', async () => {
    await world.as('dm', 'damage_combatant', { combatantId: await idOf('Wicker Stag'), amount: 50 })
    const { statusCode, body, headers } = await open(`/display/${code}`)
    expect(statusCode).toBe(200)
    for (const text of [
      '<h1>Wren</h1>',
      'Round 1',
      'Wicker Stag',
      'Bloodied',
      'The press-house at midnight',
      'Join at',
    ])
      expect(body).toContain(text)
    expect(body).not.toMatch(/Picker|antler|35|85|\/api\/|\/campaigns\//)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    })
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:/)
    expect(headers).not.toHaveProperty('set-cookie')
  })

  test('is small enough for the oldest television: its page and script are a few kilobytes', async () => {
    const page = (await open(`/display/${code}`)).body.length + (await open('/display/screen.js')).body.length
    expect(page).toBeLessThan(12_000)
  })

  test('is a screen without turns where somebody hidden acts, and says nothing of them', async () => {
    for (let turn = 0; turn < 2; turn++) await world.as('dm', 'next_turn', { encounterId })
    const { body } = await open(`/display/${code}`)
    expect(body).toContain('Somebody acts')
    expect(body).not.toContain('Picker')
  })

  test('changes as the fight does, and not at all when something hidden changes', async () => {
    const { views, leave, reading } = await watching()
    await world.as('dm', 'next_turn', { encounterId })
    await expect.poll(() => views.at(-1)).toContain('<h1>Wicker Stag</h1>')
    const seen = views.length
    await world.as('dm', 'damage_combatant', { combatantId: await idOf('Hollow Picker'), amount: 5 })
    await world.as('dm', 'update_encounter', { encounterId, dmSecret: 'The right antler.' })
    await world.as('dm', 'create_note', { campaignId, title: 'For me', body: 'Nothing.' }).catch(() => undefined)
    await world.as('dm', 'damage_combatant', { combatantId: await idOf('Wicker Stag'), amount: 60 })
    await expect.poll(() => views.at(-1)).toContain('Bloodied')
    expect(views.length).toBe(seen + 1)
    leave()
    await reading
  })

  test('goes still with the table, at once', async () => {
    const { views, leave, reading } = await watching()
    await world.as('viewer', 'raise_safety_signal', { campaignId, kind: 'pause' })
    await expect.poll(() => views.at(-1)).toContain('The table is still')
    await world.as('dm', 'clear_safety_signal', { campaignId })
    await expect.poll(() => views.at(-1)).not.toContain('The table is still')
    leave()
    await reading
  })

  test('goes dark when its address is taken back: page, image and open streams', async () => {
    const { views, isOver } = await watching()
    await world.as('dm', 'revoke_display', { displayId })
    await expect.poll(isOver).toBe(true)
    expect(views.at(-1)).toBe('closed')
    const unknown = await open(`/display/tkv_${'0'.repeat(43)}`)
    for (const path of [`/display/${code}`, `/display/${code}/map`, `/display/${code}/events`]) {
      const { statusCode, body } = await open(path)
      expect([path, statusCode, body]).toEqual([path, 404, unknown.body])
    }
  })

  test('shows a map as everybody sees it, painted over by its fog, and none that is hidden', async () => {
    const mapId = world.id('map')
    await world.as('dm', 'update_display', { displayId, mapId })
    const { body } = await open(`/display/${code}`)
    const image = /<image href="([^"]+)"/.exec(body)?.[1] ?? ''
    expect(image).toMatch(/^\/display\/tkv_/)
    const sent = await open(image)
    expect([sent.statusCode, sent.headers['content-type']]).toEqual([200, expect.stringMatching(/^image\//)])
    const { headers } = world.session('player')
    const theirs = await world.server.app.server.inject({
      url: `/api/v1/maps/${mapId}/image?layer=players`,
      headers: { host: '127.0.0.1', ...headers },
    })
    expect([theirs.statusCode, sent.rawPayload.equals(theirs.rawPayload)]).toEqual([200, true])
    const { tokens } = await world.as('dm', 'get_map', { mapId })
    for (const { label, hidden } of tokens as { label: string | null; hidden: boolean }[])
      if (hidden && label) expect(body).not.toContain(label)
    const hiddenMap = world.id('map', 'hidden')
    await world.as('dm', 'update_display', { displayId, mapId: hiddenMap })
    expect((await open(`/display/${code}`)).body).not.toContain('<image')
    expect((await open(`/display/${code}/map`)).statusCode).toBe(404)
  })

  test('keeps nobody who tries addresses: their own is answered only so often', async () => {
    const answers = await Promise.all(Array.from({ length: 130 }, () => open(`/display/tkv_${'0'.repeat(43)}`)))
    expect(answers.filter(({ statusCode }) => statusCode === 404)).toHaveLength(120)
    const [refused] = answers.filter(({ statusCode }) => statusCode === 429)
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0)
  })

  test('has at most ten screens on one address', async () => {
    const screens = await Promise.all(Array.from({ length: 10 }, () => watching()))
    const refused = await fetch(`${base}/display/${code}/events`)
    expect(refused.status).toBe(429)
    for (const { leave } of screens) leave()
    await Promise.all(screens.map(({ reading }) => reading))
    await expect.poll(async () => (await watchedAgain()).status).toBe(200)
  })

  test('is made and taken back by Dungeon Masters, and its code is nowhere but in the answer', async () => {
    await expect(world.as('player', 'create_display', { campaignId })).rejects.toThrow()
    await expect(world.as('player', 'list_displays', { campaignId })).rejects.toThrow()
    const { items } = await world.as('dm', 'list_displays', { campaignId, limit: 50 })
    expect(JSON.stringify(items)).not.toContain(code)
    expect(JSON.stringify(world.server.app.store().all('SELECT * FROM displays'))).not.toContain(code)
  })
})

async function watchedAgain(): Promise<Response> {
  const leaving = new AbortController()
  const answer = await fetch(`${base}/display/${code}/events`, { signal: leaving.signal })
  leaving.abort()
  return answer
}
