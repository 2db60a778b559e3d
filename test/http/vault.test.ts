import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { entities } from '../../src/catalogue.ts'
import { filledDocument } from '../support/filled-document.ts'
import { faultsOf, type Vault } from '../support/vault.ts'
import type { TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'

// A campaign as pages, opened as Obsidian opens a folder: every link leads somewhere, properties are flat and said once, and
// it reads as somebody would have written it.

let world: TestWorld
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.server.stop())

async function vaultOf(campaignId: number, profile: string): Promise<Vault> {
  const { rawPayload } = await world.server.app.server.inject({
    method: 'GET',
    url: `/api/v1/campaigns/${campaignId}/export?format=markdown&profile=${profile}`,
    headers: { host: 'localhost', ...world.session('dm').headers },
  })
  const archive = await fromBufferPromise(rawPayload)
  const found = new Map<string, Buffer>()
  for await (const entry of archive.eachEntry()) {
    const pieces: Buffer[] = []
    for await (const piece of await archive.openReadStreamPromise(entry)) pieces.push(piece as Buffer)
    found.set(entry.fileName, Buffer.concat(pieces))
  }
  return found
}
const idOf = (made: unknown): number => (made as { readonly id: number }).id
const page = (vault: Vault, name: string): string => String(vault.get(`${name}.md`))

describe.each(['backup', 'handoff', 'publish'])('as %s', (profile) => {
  test('the sample campaign opens without a fault', async () => {
    const made = await world.as('dm', 'create_sample_campaign', {})
    const vault = await vaultOf(idOf(made), profile)
    expect(vault.size).toBeGreaterThan(40)
    expect(faultsOf(vault)).toEqual([])
  })

  test('so does one with every field of every kind of thing', async () => {
    const made = await world.as('dm', 'import_campaign', { document: filledDocument(entities) as never })
    const vault = await vaultOf(idOf(made), profile)
    expect(vault.size).toBeGreaterThan(profile === 'publish' ? 4 : 20)
    expect(faultsOf(vault)).toEqual([])
  })
})

test('pages read as somebody would have written them', async () => {
  const vault = await vaultOf(idOf(await world.as('dm', 'create_sample_campaign', {})), 'backup')
  const faction = page(vault, 'Factions/The Pomary')
  expect(faction).toMatch(/^---\ntype: faction\ncampaign: The Orchard in Winter\nkind: A trading house\n/)
  expect(faction).toMatch(/\n# The Pomary\n\nThey press apples[\s\S]*\n## Goals\n\n- The winter of 412/)
  expect(faction).toContain('- Osk was seen at the chapel (delta: -5, reputation: 30)\n- Tamsin refused')
  expect(page(vault, 'Random tables/Heard at the orchard wall')).toContain('## Rows\n\n- Nothing, and then')
  expect(page(vault, 'Random tables/Heard at the orchard wall')).toContain('- `1d4+1` apples falling')
  expect(page(vault, 'Sessions/The ledger')).toContain('## Attendances\n\n- Imke (present)\n- Tom (present)')
  const night = Array.from(vault.keys()).find((name) => name.startsWith('Game nights/Game night of')) ?? ''
  // As the clock on the wall there says it, and so that Obsidian knows it for an instant.
  expect(String(vault.get(night))).toMatch(/\nstartsAt: \d{4}-\d{2}-\d{2}T19:00:00\ntimeZone: "Europe\/Brussels"\n/)
  expect(page(vault, 'Characters/Pell Underbough')).toContain('abilities:\n  - str 8\n  - dex 16\n')
  expect(page(vault, 'Relations/Hob Fennick and Nettie Crake')).toContain(
    '- [[NPCs/Hob Fennick|Hob Fennick]]: ferries her for nothing → [[NPCs/Nettie Crake|Nettie Crake]]',
  )
  const start = page(vault, 'Start here')
  const order = ['The Pomary is built', 'Hob sells the winter', 'Long Night'].map((title) =>
    start.indexOf(`/${title}|`),
  )
  expect(order.every((at) => at > 0) && order.toSorted((one, other) => one - other)).toEqual(order)
})

test('what was hidden, or for one person, is so again when the pages come home', async () => {
  const id = idOf(await world.as('dm', 'create_campaign', { name: 'Hidden things' }))
  await world.as('dm', 'create_npc', { campaignId: id, name: 'The Cellarer?', hidden: true })
  for (const visibility of ['party', 'dm', 'private'] as const)
    await world.as('dm', 'create_note', { campaignId: id, body: `For ${visibility}.`, visibility })
  const { rawPayload } = await world.server.app.server.inject({
    method: 'GET',
    url: `/api/v1/campaigns/${id}/export?format=markdown`,
    headers: { host: 'localhost', ...world.session('dm').headers },
  })
  const edge = 'edge-of-a-part'
  const head = `--${edge}\r\ncontent-disposition: form-data; name="file"; filename="a.zip"\r\n\r\n`
  const brought = await world.server.app.server.inject({
    method: 'POST',
    url: '/api/v1/campaigns/import',
    headers: {
      host: 'localhost',
      'sec-fetch-site': 'same-origin',
      'content-type': `multipart/form-data; boundary=${edge}`,
      ...world.session('dm').headers,
    },
    payload: Buffer.concat([Buffer.from(head), rawPayload, Buffer.from(`\r\n--${edge}--\r\n`)]),
  })
  expect(brought.statusCode, brought.payload).toBe(201)
  const campaignId = idOf(JSON.parse(brought.payload))
  const list = async (name: string) =>
    ((await world.as('dm', name, { campaignId, view: 'full' })) as { items: Record<string, unknown>[] }).items
  expect(await list('list_npcs')).toEqual([expect.objectContaining({ name: 'The Cellarer?', hidden: true })])
  const notes = (await list('list_notes')).map(({ body, visibility }) => [body, visibility])
  expect(notes.sort()).toEqual([
    ['For dm.', 'dm'],
    ['For party.', 'party'],
    ['For private.', 'private'],
  ])
})
