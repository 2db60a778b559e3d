import { beforeEach, describe, expect, test } from 'vitest'
import { type Answer, makeTable, type Table } from './support.ts'

// What of a map its readers see, and what follows from its fog.

let table: Table
beforeEach(async () => {
  table = await makeTable()
})

const picture = async (values: object = {}): Promise<number> =>
  (await table.call('ellen', 'create_attachment', { fileName: 'a.png', contentBase64: 'AQID', ...values })).id
const chart = async (values: object = {}): Promise<number> =>
  (await table.call('ellen', 'create_map', { name: 'The valley', attachmentId: await picture(), ...values })).id
const get = (person: 'ellen' | 'pell' | 'gast', mapId: number): Promise<Answer> =>
  table.call(person, 'get_map', { mapId })
const fog = (mapId: number, change: object): Promise<Answer> => table.call('ellen', 'set_map_fog', { mapId, ...change })
const pin = async (mapId: number, values: object): Promise<number> =>
  (await table.call('ellen', 'create_map_pin', { mapId, x: 0.5, y: 0.5, ...values })).id
const token = (mapId: number, values: object): Promise<Answer> =>
  table.call('ellen', 'set_map_token', { mapId, x: 0.5, y: 0.5, ...values })
const labels = (rows: Answer): string[] => rows.map(({ label }: Answer) => label)
const left = { x: 0, y: 0, width: 0.5, height: 1 }
const right = { x: 0.5, y: 0, width: 0.5, height: 1 }
const revert = async (operation: string): Promise<Answer> => {
  const { items } = await table.call('ellen', 'list_audit_records', { operation })
  return table.call('ellen', 'revert_change', { auditRecordId: items[0].id })
}

describe('under fog', () => {
  test('pins and tokens are not there for players, in lists, counts, search or by name', async () => {
    const mapId = await chart({ fogEnabled: true })
    await fog(mapId, { reveal: [left] })
    await pin(mapId, { x: 0.2, label: 'Chapel' })
    const under = await pin(mapId, { x: 0.8, label: 'Hagstone' })
    await token(mapId, { x: 0.3, label: 'Asha' })
    await token(mapId, { x: 0.9, label: 'Hound' })
    const [whole, seen] = [await get('ellen', mapId), await get('pell', mapId)]
    expect([labels(whole.pins), whole.pinCount, whole.tokenCount]).toEqual([['Chapel', 'Hagstone'], 2, 2])
    expect([labels(seen.pins), seen.pinCount]).toEqual([['Chapel'], 1])
    expect([labels(seen.tokens), seen.tokenCount]).toEqual([['Asha'], 1])
    expect(labels((await table.call('gast', 'list_map_pins', { mapId })).items)).toEqual(['Chapel'])
    expect((await table.call('pell', 'search_campaign', { query: 'Hagstone' })).items).toEqual([])
    expect((await table.call('ellen', 'search_campaign', { query: 'Hagstone' })).items).toMatchObject([
      { entityType: 'pin', entityId: under, partOf: { entityType: 'map', entityId: mapId } },
    ])
    expect(seen.fog).toEqual({ enabled: true })
    expect(JSON.stringify(seen)).not.toContain('Hagstone')
  })

  test('they come and go with it, and with where they are', async () => {
    const mapId = await chart({ fogEnabled: true })
    const pinId = await pin(mapId, { x: 0.8, label: 'Hagstone' })
    const seen = async () => labels((await get('pell', mapId)).pins)
    expect(await seen()).toEqual([])
    const before = table.announced.length
    await fog(mapId, { reveal: [right] })
    expect(await seen()).toEqual(['Hagstone'])
    // Open pages of players are told of the pin, not only of the map.
    expect(table.announced.slice(before).map(({ entity }) => entity.name)).toContain('pin')
    // One that is made under fog is told of as it is then, never as it was for a moment.
    await pin(mapId, { x: 0.1, label: 'Cellar' })
    const made = table.announced.filter(({ entity, after }) => entity.name === 'pin' && after?.label === 'Cellar')
    expect(made.map(({ kind, after }) => [kind, after?.underFog])).toEqual([['create', true]])
    await table.call('ellen', 'update_map_pin', { pinId, x: 0.1 })
    expect(await seen()).toEqual([])
    await table.call('ellen', 'update_map_pin', { pinId, x: 0.9 })
    await fog(mapId, {
      conceal: [
        {
          points: [
            { x: 0.8, y: 0.4 },
            { x: 1, y: 0.4 },
            { x: 0.9, y: 0.7 },
          ],
        },
      ],
    })
    expect(await seen()).toEqual([])
    await fog(mapId, { enabled: false })
    expect(await seen()).toEqual(['Hagstone', 'Cellar'])
    await fog(mapId, { enabled: true, reset: true })
    expect(await seen()).toEqual([])
  })

  test('an undo of either puts what follows right', async () => {
    const mapId = await chart({ fogEnabled: true })
    await fog(mapId, { reveal: [right] })
    const { imageVersion } = await get('pell', mapId)
    await pin(mapId, { x: 0.8, label: 'Hagstone' })
    await revert('set_map_fog')
    expect((await get('pell', mapId)).pins).toEqual([])
    expect((await get('pell', mapId)).imageVersion).not.toBe(imageVersion)
    await revert('create_map_pin')
    await table.call('ellen', 'delete_map', { mapId })
    await table.call('ellen', 'restore_from_trash', { entityType: 'map', entityId: mapId })
    await fog(mapId, { reveal: [left] })
    const pinId = await pin(mapId, { x: 0.2, label: 'Chapel' })
    await table.call('ellen', 'update_map_pin', { pinId, x: 0.9 })
    await fog(mapId, { reveal: [right] })
    await revert('update_map_pin')
    expect(labels((await get('pell', mapId)).pins)).toEqual(['Chapel'])
    await fog(mapId, { reset: true })
    expect((await get('pell', mapId)).pins).toEqual([])
  })

  test('the image itself is hidden, and stays so', async () => {
    const attachmentId = await picture()
    const mapId = await chart({ attachmentId })
    const image = (person: 'pell' | 'ellen') => table.call(person, 'get_attachment', { attachmentId })
    expect((await image('pell')).id).toBe(attachmentId)
    expect((await get('pell', mapId)).attachmentId).toBe(attachmentId)
    await fog(mapId, { enabled: true })
    expect((await table.refusal('pell', 'get_attachment', { attachmentId })).code).toBe('not_found')
    expect((await get('pell', mapId)).attachmentId).toBeNull()
    await table.call('ellen', 'update_attachment', { attachmentId, hidden: false })
    await table.call('ellen', 'reveal_entity', { entityType: 'attachment', entityId: attachmentId })
    expect((await table.refusal('pell', 'get_attachment', { attachmentId })).code).toBe('not_found')
    // A second map of the same image, without fog, does not bring it back.
    await chart({ attachmentId })
    expect((await table.refusal('pell', 'get_attachment', { attachmentId })).code).toBe('not_found')
  })

  test('its strokes are the DMs alone, and so are addresses of the whole image', async () => {
    const mapId = await chart({ fogEnabled: true })
    await fog(mapId, { reveal: [left], conceal: [right] })
    const whole = await get('ellen', mapId)
    expect(whole.fog).toEqual({
      enabled: true,
      strokeCount: 2,
      strokes: [
        { effect: 'conceal', shape: right },
        { effect: 'reveal', shape: left },
      ],
    })
    expect(whole.imageUrl).toContain('layer=whole')
    expect((await get('gast', mapId)).imageUrl).toContain('layer=players')
    expect((await table.call('pell', 'list_maps')).items[0].thumbnailUrl).toContain('layer=players')
  })

  test('2,000 strokes are the most; one over everything makes room', async () => {
    const mapId = await chart({ fogEnabled: true })
    const small = Array.from({ length: 50 }, (_, at) => ({ x: at / 100, y: 0.1, width: 0.01, height: 0.01 }))
    for (let call = 0; call < 40; call++) await fog(mapId, { reveal: small })
    expect((await get('ellen', mapId)).fog.strokeCount).toBe(2000)
    const refused = await table.refusal('ellen', 'set_map_fog', { mapId, reveal: [left] })
    expect(refused).toMatchObject({ code: 'invalid_state', message: expect.stringContaining('2000 strokes') })
    expect((await fog(mapId, { reset: true, reveal: [left] })).fog.strokeCount).toBe(2)
    const empty = { mapId, reveal: [{ points: [{ x: 0, y: 0 }] }] }
    expect((await table.refusal('ellen', 'set_map_fog', empty)).code).toBe('validation_failed')
  })
})

describe('a pin', () => {
  test('of what players do not know of is not there for them', async () => {
    const mapId = await chart()
    const { id: locationId } = await table.call('ellen', 'create_location', { name: 'The stair', discovery: 'unknown' })
    await pin(mapId, { label: 'A stair', entityType: 'location', entityId: locationId })
    expect((await get('pell', mapId)).pinCount).toBe(0)
    await table.call('ellen', 'set_location_discovery', { locationId, discovery: 'rumoured' })
    expect((await get('pell', mapId)).pins).toMatchObject([{ entity: { title: 'The stair' } }])
  })

  test('leads to a map within, which says where it is; not to its own', async () => {
    const [mapId, inner] = [await chart(), await chart({ name: 'Ground floor' })]
    const pinId = await pin(mapId, { entityType: 'map', entityId: inner })
    expect((await get('pell', inner)).within).toEqual([{ id: mapId, name: 'The valley' }])
    await table.call('ellen', 'update_map_pin', { pinId, hidden: true })
    expect((await get('pell', inner)).within).toEqual([])
    const self = { pinId, entityType: 'map', entityId: mapId }
    expect((await table.refusal('ellen', 'update_map_pin', self)).code).toBe('validation_failed')
  })

  test('of a player becomes a proposal where they see the place, and is refused where they do not', async () => {
    const mapId = await chart({ fogEnabled: true })
    await fog(mapId, { reveal: [left] })
    const asked = await table.call('pell', 'create_map_pin', { mapId, x: 0.2, y: 0.2, label: 'Camp' })
    const { id: proposalId, revision } = asked.proposal
    await table.call('ellen', 'approve_proposals', { proposals: [{ proposalId, revision }] })
    expect(labels((await get('pell', mapId)).pins)).toEqual(['Camp'])
    const refused = await table.refusal('pell', 'create_map_pin', { mapId, x: 0.8, y: 0.2, label: 'Camp' })
    expect(refused).toMatchObject({ code: 'invalid_state', message: expect.stringContaining('under fog') })
  })
})

describe('a token', () => {
  test('is moved by who plays it, and by nobody else; only the DM changes what it is', async () => {
    const mapId = await chart({ fogEnabled: true })
    await fog(mapId, { reveal: [left] })
    const { id: tokenId } = await token(mapId, { x: 0.2, label: 'Asha', playerUserId: table.userId('pell') })
    const to = { mapId, tokenId, x: 0.3, y: 0.7 }
    expect(await table.call('pell', 'set_map_token', to)).toMatchObject({ id: tokenId, x: 0.3, y: 0.7 })
    expect((await table.refusal('wren', 'set_map_token', to)).code).toBe('forbidden')
    expect((await table.refusal('gast', 'set_map_token', to)).code).toBe('forbidden')
    expect((await table.refusal('pell', 'set_map_token', { ...to, hidden: true })).code).toBe('forbidden')
    expect((await table.refusal('pell', 'set_map_token', { ...to, x: 0.8 })).message).toContain('under fog')
    expect((await table.refusal('pell', 'set_map_token', { mapId, label: 'Mine', x: 0.3, y: 0.3 })).code).toBe(
      'forbidden',
    )
    await fog(mapId, { reset: true })
    expect((await table.refusal('pell', 'set_map_token', to)).message).toContain('no such')
  })

  test('is found again by whom it stands for, or by what it is called', async () => {
    const [mapId, other] = [await chart(), await chart()]
    const { id: npcId } = await table.call('ellen', 'create_npc', { name: 'Marta Quill' })
    const one = await token(mapId, { npcId })
    expect(one.npc).toEqual({ id: npcId, title: 'Marta Quill' })
    expect(await token(mapId, { npcId, x: 0.9, size: 2 })).toMatchObject({ id: one.id, x: 0.9, size: 2 })
    const hound = await token(mapId, { label: 'Hound' })
    expect((await token(mapId, { label: 'Hound', x: 0.1 })).id).toBe(hound.id)
    expect((await token(other, { label: 'Hound' })).id).not.toBe(hound.id)
    const astray = { mapId: other, tokenId: hound.id, x: 0.1, y: 0.1 }
    expect((await table.refusal('ellen', 'set_map_token', astray)).message).toContain('another map')
    expect((await table.refusal('ellen', 'set_map_token', { mapId, x: 0.1, y: 0.1 })).code).toBe('validation_failed')
    const stranger = { mapId, label: 'Asha', playerUserId: 9999, x: 0.1, y: 0.1 }
    expect((await table.refusal('ellen', 'set_map_token', stranger)).code).toBe('validation_failed')
    await table.call('ellen', 'update_npc', { npcId, hidden: true })
    expect(labels((await get('pell', mapId)).tokens)).toEqual(['Hound'])
    await table.call('ellen', 'remove_map_token', { tokenId: hound.id })
    expect((await get('pell', mapId)).tokens).toEqual([])
  })
})

test('a map of a hidden image shows it; its own hiding hides all of it', async () => {
  const mapId = await chart({ attachmentId: await picture({ hidden: true }) })
  expect((await get('pell', mapId)).name).toBe('The valley')
  await table.call('ellen', 'update_map', { mapId, hidden: true })
  expect((await table.refusal('pell', 'get_map', { mapId })).code).toBe('not_found')
  expect((await table.call('pell', 'list_maps')).items).toEqual([])
})
