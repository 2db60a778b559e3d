import { beforeEach, expect, test } from 'vitest'
import * as z from 'zod'
import { campaign } from '../../src/domain/campaign/entity.ts'
import { member } from '../../src/domain/member/entity.ts'
import { npc } from '../../src/domain/npc/entity.ts'
import { type AnyOperation, defineOperation } from '../../src/kernel/operation.ts'
import { makeTable, type Table } from '../domain/support.ts'

// A call that begins outside a campaign is answered for whom the caller is in the end: founding one makes a Dungeon Master,
// joining one a player, and anything else nobody.

const shared = {
  title: 'For tests',
  description: 'For tests.',
  toolset: 'campaign',
  access: 'user',
  effect: 'write',
  output: npc.output,
} as const

const founding = defineOperation({
  ...shared,
  name: 'found_test',
  route: 'POST /test-found',
  input: z.strictObject({}),
  example: () => ({}),
  handle(context) {
    const inside = context.within(context.write(campaign).insert({ name: 'Founded' }), 'dm')
    inside.write(member).insert({ userId: context.actor.userId, role: 'dm' })
    return inside.read(npc).get(inside.write(npc).insert({ name: 'Marta', dmSecret: 'She rang the bell.' }))
  },
})

/** Careless: it reads as a Dungeon Master what it answers to a player. */
const joining = defineOperation({
  ...shared,
  name: 'join_test',
  route: 'POST /test-join',
  input: z.strictObject({ table: z.int(), npc: z.int(), joins: z.boolean() }),
  example: () => ({ table: 1, npc: 1, joins: true }),
  handle(context, { table, npc: npcId, joins }) {
    const inside = context.within(table, 'dm')
    if (joins) inside.write(member).insert({ userId: context.actor.userId, role: 'player' })
    return inside.read(npc).get(npcId)
  },
})

let table: Table
let marta: number
beforeEach(async () => {
  const operations = { found_test: founding, join_test: joining } as unknown as Readonly<Record<string, AnyOperation>>
  table = await makeTable([], operations)
  marta = (await table.call('ellen', 'create_npc', { name: 'Marta', dmSecret: 'She rang the bell.' })).id
  const { items } = await table.call('ellen', 'list_members')
  const { id: memberId } = items.find(({ username }: { readonly username: string }) => username === 'gast')
  await table.call('ellen', 'remove_member', { memberId })
})

test('who founds a campaign is answered as its Dungeon Master', async () => {
  expect(await table.call('gast', 'found_test')).toMatchObject({ name: 'Marta', dmSecret: 'She rang the bell.' })
})

test('who joins one is answered as the player that they are there', async () => {
  const answer = await table.call('gast', 'join_test', { table: table.campaignId, npc: marta, joins: true })
  expect(answer).toMatchObject({ name: 'Marta' })
  expect(answer).not.toHaveProperty('dmSecret')
})

test('who only looks in from outside is answered as nobody', async () => {
  const answer = await table.call('gast', 'join_test', { table: table.campaignId, npc: marta, joins: false })
  expect(answer).not.toHaveProperty('dmSecret')
})
