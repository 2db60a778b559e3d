import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RawEntry, rawZip } from '../archive/raw-zip.ts'
import { kankaExport } from '../fixtures/kanka-export-2026-08.ts'
import { obsidianVault } from '../fixtures/obsidian-vault-1-9.ts'
import type { TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'

// What people bring from elsewhere: Kanka's export, and a folder of Markdown as Obsidian keeps it.

let world: TestWorld
let portrait: Buffer
beforeAll(async () => {
  world = await startWorld()
  portrait = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#a0522d' } })
    .png()
    .toBuffer()
})
afterAll(() => world.server.stop())

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
type Answer = any

const zipOf = (files: Readonly<Record<string, Buffer | string | object>>, more: readonly RawEntry[] = []): Buffer =>
  rawZip({
    entries: [
      ...Object.entries(files).map(([name, content]) => ({
        name,
        deflate: true,
        flags: 0x800,
        content: Buffer.isBuffer(content)
          ? content
          : Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
      })),
      ...more,
    ],
  })

async function send(zip: Buffer, at: 'import' | 'import/inspect'): Promise<{ status: number; body: Answer }> {
  const edge = 'edge-of-a-part'
  const head = `--${edge}\r\ncontent-disposition: form-data; name="file"; filename="a.zip"\r\ncontent-type: application/zip\r\n\r\n`
  const answer = await world.server.app.server.inject({
    method: 'POST',
    url: `/api/v1/campaigns/${at}`,
    headers: {
      host: 'localhost',
      'sec-fetch-site': 'same-origin',
      'content-type': `multipart/form-data; boundary=${edge}`,
      ...world.session('dm').headers,
    },
    payload: Buffer.concat([Buffer.from(head), zip, Buffer.from(`\r\n--${edge}--\r\n`)]),
  })
  return { status: answer.statusCode, body: JSON.parse(answer.payload) as Answer }
}

const counted = (): number => Number(world.server.app.store().get('SELECT count(*) AS n FROM campaigns')?.n)
const list = async (name: string, campaignId: number, more: object = {}): Promise<readonly Answer[]> =>
  (await world.as('dm', name, { campaignId, view: 'full', ...more })).items
const kanka = () => kankaExport(portrait)

describe('an export of Kanka', () => {
  test('is looked at first: what comes in, and what was not understood', async () => {
    const before = counted()
    const { status, body } = await send(zipOf(kanka()), 'import/inspect')
    expect([status, body.name, body.madeBy, body.pictures]).toEqual([
      200,
      'The Salt Road',
      'Kanka',
      { found: 1, missing: 0 },
    ])
    const kinds = Object.fromEntries(body.kinds.map((each: Answer) => [each.entityType, each.count]))
    expect(kinds).toMatchObject({
      npc: 2,
      location: 2,
      faction: 2,
      quest: 1,
      session: 1,
      timeline_event: 1,
      relation: 2,
      pin: 2,
    })
    const said = body.dropped.map(({ entityType, member }: Answer) => `${entityType} ${member}`.trim())
    expect(said).toEqual(
      expect.arrayContaining([
        ...[
          'npc assets',
          'npc reminders',
          'calendar phases of moons',
          'calendar seasons',
          'map layers',
          'pin',
          'pin shape',
        ],
        ...['starships_12', 'file .mp3'],
      ]),
    )
    expect(counted()).toBe(before)
  })

  test('comes in with its links, its pictures and its secrets', async () => {
    const { status, body } = await send(zipOf(kanka()), 'import')
    expect(status, JSON.stringify(body)).toBe(201)
    const { id } = body
    const [mira, osk] = await list('list_npcs', id)
    const [ford, valley] = await list('list_locations', id)
    expect(mira).toMatchObject({
      ...{ name: 'Mira', role: 'Ferrier', species: 'Human', status: 'alive', hidden: false, tags: ['ferry'] },
      location: { title: 'The ford' },
      faction: { title: 'The Wickers' },
      portraitAttachmentId: expect.any(Number),
    })
    expect(mira.body).toContain(`Knows **[the ford](location:${ford.id})** and [Osk](npc:${osk.id}).`)
    expect(mira.body).toContain('**Age:** 40')
    expect(mira.body).toContain('- One\n- Two')
    expect(mira.body).toContain('[yes](https://example.org/x)')
    expect(mira.body).toContain('She sings.')
    expect(mira.body).toContain('- **Body**\n- **HP**: 12\n- **Swims**: yes\n- **Also known as**: The ferrier')
    expect(mira.body).toContain(
      '- **See**: [her song](https://example.org/song)\n- **Carries**: 2 × Boat hook (belt, worn)',
    )
    expect(mira.body).toContain('- **Born**: 271-1-4')
    expect(mira.dmSecret).toContain('- **Can**: Sees well: in the dark')
    expect(mira.dmSecret).toMatch(/- \*\*Debt\*\*: to \[The Wickers\]\(faction:\d+\)/)
    for (const bad of ['alert', 'javascript', '<', 'owes', 'Scarred', 'Debt', 'in the dark'])
      expect(mira.body).not.toContain(bad)
    expect(mira.dmSecret).toContain('She owes the guild.')
    expect(mira.dmSecret).toContain('Scarred')
    expect(osk).toMatchObject({ hidden: true, status: 'dead' })
    expect(ford).toMatchObject({ kind: 'Crossing', parentLocation: { id: valley.id } })
    expect((await list('list_quests', id))[0]).toMatchObject({ status: 'completed', giverNpc: { title: 'Mira' } })
    expect((await list('list_sessions', id))[0]).toMatchObject({ number: 1, title: 'Session 1', recap: 'They came.' })
    expect((await world.as('dm', 'list_relations', { campaignId: id })).items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ label: 'sister', inverseLabel: 'brother' }),
        expect.objectContaining({ label: 'Listener', hidden: true }),
      ]),
    )
    expect((await list('list_timeline_events', id))[0]).toMatchObject({ title: 'The fire', worldDate: '300-2-1' })
    const [map] = await list('list_maps', id)
    const pins = (await world.as('dm', 'list_map_pins', { mapId: map.id })).items
    expect(pins).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          label: 'Ford',
          x: 0.25,
          y: 0.75,
          hidden: false,
          entityType: 'location',
          entityId: ford.id,
        }),
        expect.objectContaining({ label: 'Their den', x: 0.5, y: 0.25, hidden: true }),
      ]),
    )
    const calendar = await world.as('dm', 'get_world_calendar', { campaignId: id })
    expect([calendar.months.length, calendar.currentDate]).toEqual([2, '311-1-3'])
    expect(calendar.months[1]).toMatchObject({ between: true, leap: [{ every: 4, days: 2, offset: 2 }] })
    expect(calendar.moons).toEqual([{ name: 'Pip', period: 20, fullOn: '0-1-4' }])
    expect(
      (await world.as('dm', 'list_mentions', { campaignId: id, entityType: 'npc', entityId: osk.id })).items,
    ).toHaveLength(1)
  })
})

const vault = () => obsidianVault(portrait)

describe('a folder of Markdown', () => {
  test('is looked at first: what comes in, and what was not understood', async () => {
    const { status, body } = await send(zipOf(vault()), 'import/inspect')
    expect([status, body.name, body.pictures]).toEqual([200, 'Saltvault', { found: 1, missing: 0 }])
    const said = body.dropped.map(({ entityType, member }: Answer) => `${entityType} ${member}`.trim())
    expect(said).toEqual(expect.arrayContaining(['npc stats', 'npc link', 'npc statblock', 'npc deep', 'file .canvas']))
  })

  test('comes in as what its pages say they are', async () => {
    const { status, body } = await send(zipOf(vault()), 'import')
    expect(status, JSON.stringify(body)).toBe(201)
    const { id } = body
    const [mira, osk, wick] = await list('list_npcs', id)
    const [ford, valley] = await list('list_locations', id)
    expect(wick).toMatchObject({ name: 'Wick', hidden: true, faction: { title: 'The Wickers' } })
    expect(wick.body).toBe('Holds the rope.\n\n```statblock\nname: Wick\n```')
    const [wickers] = await list('list_factions', id)
    expect(wickers.body).toBe(`Rope and lamp, as in [the rope](npc:${wick.id}).`)
    expect(mira).toMatchObject({ name: 'Mira', tags: ['npc', 'ferry'], location: { id: ford.id } })
    expect(mira.body).toBe(
      `**home:** [her house](location:${ford.id})\n\nLives by [the ford](location:${ford.id}) with Nobody. \n\n\n\n\`[[code]]\``,
    )
    expect([mira.dmSecret, mira.portraitAttachmentId]).toEqual(['She owes the guild.', expect.any(Number)])
    expect(osk.body).toBe(`Brother of [his sister](npc:${mira.id}); see [here](location:${ford.id}).`)
    expect(ford.parentLocation.id).toBe(valley.id)
    expect((await list('list_sessions', id))[0].recap).toBe(`They came to [Mira](npc:${mira.id}).`)
    expect((await list('list_notes', id))[0].body).toBe(`# Loose thoughts\n\nAsk [Mira](npc:${mira.id}) twice.`)
  })

  test('that we wrote ourselves comes home with its people, places and secrets', async () => {
    const campaignId = world.id('campaign')
    const taken = await world.server.app.server.inject({
      method: 'GET',
      url: `/api/v1/campaigns/${campaignId}/export?format=markdown&profile=handoff`,
      headers: { host: 'localhost', ...world.session('dm').headers },
    })
    const { status, body } = await send(taken.rawPayload, 'import')
    expect(status, JSON.stringify(body)).toBe(201)
    const names = async (of: number) => (await list('list_npcs', of)).map(({ name, dmSecret }) => [name, dmSecret])
    expect(body.name).toBe('The Orchard in Winter')
    expect((await names(body.id)).map(([name]) => name)).toEqual((await names(campaignId)).map(([name]) => name))
  })
})

describe('a zip that means no good', () => {
  const deep = `{"id":1,"name":"x","entity":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`
  const plain = (name: string, more: object = {}): RawEntry => ({
    name,
    content: Buffer.from('x'),
    flags: 0x800,
    ...more,
  })
  const cases: Readonly<Record<string, () => Buffer>> = {
    'a record that is no JSON': () => zipOf({ ...kanka(), 'characters/x_1.json': '{' }),
    'a campaign that is a list': () =>
      zipOf({ 'info.json': {}, 'campaign.json': [] as never, 'characters/a_1.json': '[]' }, [plain('../up.md')]),
    'places that lie in each other': () =>
      zipOf({
        ...kanka(),
        'locations/_45.json': { id: 8, name: 'The valley', entity: { id: 45, parent_id: 44 } },
      }),
    'a name that leaves its folder': () => zipOf({ 'a.md': 'x' }, [plain('../../etc/b.md')]),
    'an encrypted page': () => zipOf({ 'a.md': 'x' }, [plain('b.md', { flags: 0x801 })]),
    'a page that is larger than it says': () => zipOf({ 'a.md': 'x' }, [plain('b.md', { bytes: 3 })]),
    'the same page twice': () => zipOf({ 'a.md': 'x' }, [plain('a.md')]),
    'a picture that is none': () => zipOf({ 'people/a.md': '![[a.png]]', 'a.png': 'no picture' }),
    'nothing that is known': () => zipOf({ 'a.txt': 'x' }),
    'half of a zip': () => zipOf({ 'a.md': 'x' }).subarray(0, 40),
  }
  test.each(Object.entries(cases))('is refused with a sentence, and nothing is left: %s', async (_, make) => {
    const before = counted()
    const { status, body } = await send(make(), 'import')
    expect([400, 413], JSON.stringify(body)).toContain(status)
    expect(body.error.message.length).toBeGreaterThan(20)
    expect(counted()).toBe(before)
  })

  test('or a record that is nested without end is named and left out', async () => {
    const { status, body } = await send(zipOf({ ...kanka(), 'characters/x_1.json': deep }), 'import/inspect')
    const places = body.dropped.flatMap((each: Answer) => each.places)
    expect([status, places]).toEqual([200, expect.arrayContaining(['characters/x_1.json'])])
  })

  test('or says nothing at all becomes an empty campaign, and the report says why', async () => {
    const { status, body } = await send(
      zipOf({ 'info.json': {}, 'campaign.json': {}, 'odd/x_1.json': { name: 'x' } }),
      'import/inspect',
    )
    expect([status, body.name, body.dropped.length]).toEqual([200, 'From Kanka', 1])
  })
})
