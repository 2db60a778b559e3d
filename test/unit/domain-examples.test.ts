import { expect, test } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { attachmentOperations, uploadOperation } from '../../src/domain/attachment/operations.ts'
import { inboxOperations } from '../../src/domain/inbox/operations.ts'
import { locationOperations } from '../../src/domain/location/operations.ts'
import { mentionOperations } from '../../src/domain/mention/operations.ts'
import { noteOperations } from '../../src/domain/note/operations.ts'
import { npcOperations } from '../../src/domain/npc/operations.ts'
import { sessionOperations } from '../../src/domain/session/operations.ts'
import type { Access } from '../../src/kernel/access.ts'
import type { AnyOperation, World } from '../../src/kernel/operation.ts'
import { makeTable, type Person, type Table } from './domain-support.ts'

const names = Object.keys({
  ...npcOperations,
  ...locationOperations,
  ...mentionOperations,
  ...sessionOperations,
  ...noteOperations,
  ...inboxOperations,
  ...attachmentOperations,
})

/** The weakest member who may call; a player's `dm+propose` call is filed. */
const weakest: Partial<Record<Access, Person>> = {
  viewer: 'gast',
  player: 'pell',
  author: 'pell',
  'author+dm': 'pell',
  'dm+propose': 'pell',
  dm: 'ellen',
}

/** Makes what an example names when it is asked for; `caller` writes what is their own. */
async function worldFor(table: Table, operation: AnyOperation, caller: Person): Promise<World> {
  const wanted = new Map<string, number>()
  const asked: string[] = []
  const makers: Record<string, () => Promise<number> | number> = {
    campaign: () => table.campaignId,
    'user other_member': () => table.userId(caller === 'wren' ? 'pell' : 'wren'),
    npc: () => made('ellen', 'create_npc', { name: 'Marta Quill' }),
    location: () => made('ellen', 'create_location', { name: 'The Pomary' }),
    'location leaf': () => made('ellen', 'create_location', { name: 'The press' }),
    session: () => made('ellen', 'create_session', { status: 'played' }),
    'session planned': () => made('ellen', 'create_session', {}),
    'session live': async () => {
      const id = await made('ellen', 'create_session', {})
      await table.call('ellen', 'start_session', { sessionId: id })
      return id
    },
    'note party': () => made('wren', 'create_note', { body: 'The bell rang twice.', visibility: 'party' }),
    'note own': () => made(caller, 'create_note', { body: 'Mine.' }),
    inbox_item: () => made('wren', 'submit_inbox_item', { body: 'Who rings it?' }),
    'inbox_item own': () => made(caller, 'submit_inbox_item', { body: 'Mine.' }),
    'inbox_item resolved': async () => {
      const id = await made('wren', 'submit_inbox_item', { body: 'Done with.' })
      await table.call('ellen', 'resolve_inbox_item', { inboxItemId: id })
      return id
    },
    attachment: () => made('ellen', 'create_attachment', { fileName: 'a.png', contentBase64: 'AAAA' }),
    'attachment own': () => made(caller, 'create_attachment', { fileName: 'b.png', contentBase64: 'AAAB' }),
  }
  const made = async (person: Person, name: string, input: Record<string, unknown>): Promise<number> =>
    (await table.call(person, name, input)).id
  // An example is synchronous: the first pass finds out what it asks for.
  operation.example({
    id: (entity, variant) => asked.push(variant === undefined ? entity : `${entity} ${variant}`),
    text: () => '',
  })
  for (const key of asked) {
    const make = makers[key]
    if (make === undefined) throw new Error(`the world has no ${key}`)
    wanted.set(key, await make())
  }
  return {
    id: (entity, variant) => wanted.get(variant === undefined ? entity : `${entity} ${variant}`) as number,
    text: () => '',
  }
}

test.each(names)('%s succeeds with its example for the weakest member who may call it', async (name) => {
  const operation = operations.get(name) as AnyOperation
  const caller = weakest[operation.access] as Person
  const table = await makeTable()
  const world = await worldFor(table, operation, caller)
  await expect(table.call(caller, name, operation.example(world))).resolves.toBeTruthy()
  if (operation.access === 'dm+propose') {
    await expect(table.call('ellen', name, operation.example(world))).resolves.toBeTruthy()
  }
})

test('a multipart upload runs through the same operation', async () => {
  const table = await makeTable()
  const operation = uploadOperation(async () => Uint8Array.of(1, 2, 3)) as unknown as AnyOperation
  const input = { fileName: 'lantern.png', kind: 'handout', caption: 'The wall' }
  const row = await table.call('pell', 'create_attachment', { ...input, contentSha256: '0'.repeat(64) }, { operation })
  expect(row).toMatchObject({ ...input, byteSize: 3, uploadedByUserId: table.userId('pell') })
  expect(table.keptImages).toEqual([Uint8Array.of(1, 2, 3)])
})

test.each(names)('%s says what it does in at most 200 characters', (name) => {
  const { title, description } = operations.get(name) as AnyOperation
  expect(description.length).toBeLessThanOrEqual(200)
  expect(title.length).toBeLessThanOrEqual(40)
})
