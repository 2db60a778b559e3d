import { describe, expect, test } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { uploadOperation } from '../../src/domain/attachment/operations.ts'
import type { Access, AnyOperation } from '../../src/kernel/operation.ts'
import { wholeRow } from '../../src/storage/reader.ts'
import type { Store } from '../../src/storage/store.ts'
import { measureCost } from '../support/cost.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { Person } from '../support/world.ts'
import { makeTable } from './support.ts'

// Every operation of the catalogue with its own example, which is what the documentation shows and the role matrix calls.

const shared = shareWorld()
const cost = measureCost('examples', () => operations.size)

/** The weakest who may call; what is one's own in the world is the player's. */
const weakest: Readonly<Record<Access, Person>> = {
  public: 'viewer',
  user: 'viewer',
  session: 'viewer',
  viewer: 'viewer',
  player: 'player',
  owner: 'player',
  controller: 'player',
  turn: 'player',
  author: 'player',
  'author+dm': 'player',
  'dm+propose': 'dm',
  dm: 'dm',
  admin: 'admin',
}

/** What the journal says that a row holds since its last change is what it holds. */
function expectTrueImages(store: Store, since: number): void {
  const written = store.all(
    'SELECT entity_type, entity_id, revision, after FROM changes WHERE id > @since ORDER BY id',
    {
      since,
    },
  )
  const last = new Map(written.map((change) => [`${change.entity_type} ${change.entity_id}`, change]))
  for (const { entity_type: type, entity_id: id, revision, after } of last.values()) {
    if (after === null) continue
    const row = wholeRow(store, store.registry.get(String(type)), Number(id))
    expect(row, `${type} ${id}`).toMatchObject({ ...JSON.parse(String(after)), revision })
  }
}

describe.each([...operations.keys()])('%s', (name) => {
  const operation = operations.get(name) as AnyOperation

  test(
    'succeeds with its example for the weakest who may call it, and answers what it declares',
    shared.alone(async (world) => {
      cost.add(1)
      const store = world.server.app.store()
      const at = Number(store.get('SELECT coalesce(max(id), 0) AS at FROM changes')?.at)
      const output = await world.as(weakest[operation.access], name, operation.example(world))
      operation.output.parse(output)
      expectTrueImages(store, at)
    }),
  )

  if (operation.access === 'dm+propose')
    test(
      'is filed with its example for a player',
      shared.alone(async (world) => {
        cost.add(1)
        const { proposal } = await world.as('player', name, operation.example(world))
        expect(proposal).toMatchObject({ changes: [{ operation: name }], status: 'pending' })
      }),
    )

  test('says what it does in at most 200 characters', () => {
    expect(operation.description.length).toBeLessThanOrEqual(200)
    expect(operation.title.length).toBeLessThanOrEqual(40)
  })
})

test('a multipart upload runs through the same operation', async () => {
  const table = await makeTable()
  const pieces = async function* () {
    yield Uint8Array.of(1, 2)
    yield Uint8Array.of(3)
  }
  const operation = uploadOperation({ size: 3, pieces: pieces() }) as unknown as AnyOperation
  const input = { fileName: 'lantern.png', kind: 'handout', caption: 'The wall' }
  const row = await table.call('pell', 'create_attachment', { ...input, contentSha256: '0'.repeat(64) }, { operation })
  expect(row).toMatchObject({ ...input, byteSize: 3, uploadedByUserId: table.userId('pell') })
  expect(table.keptImages).toEqual([Buffer.of(1, 2, 3)])
})
