import { expect, test } from 'vitest'
import { entities } from '../../src/catalogue.ts'
import type { Entity } from '../../src/kernel/entity.ts'
import { personIn } from '../../src/kernel/viewer.ts'
import { readerFor } from '../../src/storage/reader.ts'
import { rangeOf } from '../../src/storage/search-places.ts'
import { talliesOf } from '../../src/storage/tallies.ts'
import { shareWorld } from '../support/shared-world.ts'
import { keptTallies, recounted } from '../support/tallies.ts'

// Numbers of values are kept with each write. Whatever is written, they are those that counting would give, for whoever asks.

const shared = shareWorld()
const counted = (entities as readonly Entity[]).filter((entity) => talliesOf(entity).length > 0)
const place = (type: string, id: number): unknown =>
  shared.world.server.app
    .store()
    .get('SELECT id FROM search_documents WHERE entity_type = @type AND entity_id = @id', { type, id })?.id

function check(): void {
  const { world } = shared
  const store = world.server.app.store()
  expect(keptTallies(store)).toEqual(recounted(store))
  // A person, and an outside AI to which nobody agreed.
  for (const [role, ai] of [
    ['dm', null],
    ['player', null],
    ['dm', { policy: 'member_consent', agreed: new Set<number>() }],
    ['player', { policy: 'member_consent', agreed: new Set<number>() }],
  ] as const) {
    for (const entity of counted) {
      const reader = readerFor(store, entity, {
        ...personIn(world.id('campaign'), role, world.userId[role]),
        door: ai === null ? 'rest' : 'mcp',
        ai,
      })
      const rows = Array.from(reader.each()) as Readonly<Record<string, unknown>>[]
      expect(reader.count(), `${entity.name} for a ${role}`).toBe(rows.length)
      for (const { by } of talliesOf(entity)) {
        const values = rows.flatMap((row) => row[by.key] as never)
        const live = new Map(values.map((value) => [value, values.filter((each) => each === value).length]))
        expect(reader.countBy(by.key as never), `${entity.name} by ${by.key} for a ${role}`).toEqual(live)
      }
    }
  }
}

test(
  'they follow every write',
  shared.alone(async (world) => {
    const campaignId = world.id('campaign')
    const as = (name: string, input: Readonly<Record<string, unknown>>) => world.as('dm', name as never, input as never)
    check()
    const quest = await as('create_quest', { campaignId, title: 'The well', tags: ['Ice', 'bell'], hidden: true })
    const step = await as('create_objective', { questId: quest.id, text: 'Draw the bucket' })
    const hidden = await as('create_objective', { questId: quest.id, text: 'Find the ledger', hidden: true })
    check()
    const { from: closed } = rangeOf(campaignId, 'closed')
    expect(place('objective', step.id)).toBeGreaterThanOrEqual(closed)
    await as('update_quest', { questId: quest.id, hidden: false, tags: ['Bell'] })
    check()
    // What follows a thing goes with it into the open, unless it is hidden itself.
    expect(place('objective', step.id)).toBeLessThan(closed)
    expect(place('objective', hidden.id)).toBeGreaterThanOrEqual(closed)
    await as('update_objective', { objectiveId: step.id, text: 'Draw it slowly' })
    await as('update_objective', { objectiveId: hidden.id, hidden: false })
    await as('update_quest', { questId: quest.id, status: 'completed' })
    check()
    await as('update_quest', { questId: quest.id, hidden: true })
    check()
    expect(place('objective', hidden.id)).toBeGreaterThanOrEqual(closed)
    await as('delete_quest', { questId: quest.id })
    check()
    await as('restore_from_trash', { campaignId, entityType: 'quest', entityId: quest.id })
    check()
    const [newest] = (await as('list_audit_records', { campaignId, limit: 1 })).items
    await as('revert_change', { auditRecordId: newest.id })
    check()
    await as('purge_from_trash', { campaignId, entityType: 'quest', entityId: quest.id })
    check()
    const copy = await as('duplicate_campaign', { campaignId })
    expect(copy).toBeTruthy()
    check()
  }),
)
