import * as z from 'zod'
import { campaign } from '../../src/domain/campaign/entity.ts'
import type { Context } from '../../src/kernel/context.ts'
import { defineEntity, type Entity } from '../../src/kernel/entity.ts'
import {
  line,
  link,
  name,
  nullable,
  prose,
  reference,
  required,
  tags,
  userId,
  withDefault,
} from '../../src/kernel/fields.ts'
import { type AnyOperation, defineOperation } from '../../src/kernel/operation.ts'
import { anyOf, dungeonMasters, everyone, self, unlessHidden, where, withLinked } from '../../src/kernel/visibility.ts'
import type { Answer, Person, Table } from '../domain/support.ts'

// Monsters in their lairs, for tests of who may read a field, of links, and of the words of queries.

/** The Dungeon Master, and everybody once it is shown. */
const shown = anyOf(dungeonMasters, where('shown', true))

export const lair = defineEntity({
  name: 'test_lair',
  table: 'test_lairs',
  label: 'lair',
  listedBy: 'list_lairs',
  title: 'name',
  trash: true,
  hide: true,
  visible: unlessHidden,
  fields: {
    name: required(name(), { search: 'title' }),
    hidden: withDefault(z.boolean(), false),
  },
})

export const monster = defineEntity({
  name: 'test_monster',
  table: 'test_monsters',
  label: 'monster',
  listedBy: 'list_monsters',
  title: 'name',
  owner: 'keeperUserId',
  trash: true,
  visible: everyone,
  fields: {
    name: required(name(), { search: 'title' }),
    keeperUserId: nullable(userId(), { references: 'user' }),
    shown: withDefault(z.boolean(), false, { readableBy: 'dm' }),
    hp: withDefault(z.int(), 0, { readableBy: shown }),
    wounds: withDefault(tags(), [], { readableBy: shown }),
    lairId: reference('test_lair', { readableBy: shown }),
    nestId: reference('test_lair'),
    plan: nullable(prose(), { readableBy: 'dm', search: 'body' }),
    /** Its keeper and the Dungeon Master. */
    mood: nullable(line(), { readableBy: 'owner' }),
    /** Its keeper, and not even the Dungeon Master. */
    oath: nullable(line(), { readableBy: self('keeperUserId') }),
  },
})

/** Owned as the monster that guards it is: its charm is for whoever keeps that. */
export const trophy = defineEntity({
  name: 'test_trophy',
  table: 'test_trophies',
  label: 'trophy',
  listedBy: 'list_trophies',
  title: 'name',
  owner: 'monsterId',
  trash: true,
  visible: everyone,
  fields: {
    name: required(name(), { search: 'title' }),
    monsterId: reference('test_monster'),
    charm: nullable(line(), { readableBy: 'owner' }),
  },
})

/** Seen as the thing that it is about is seen. */
export const rumour = defineEntity({
  name: 'test_rumour',
  table: 'test_rumours',
  label: 'rumour',
  listedBy: 'list_rumours',
  title: 'text',
  trash: true,
  visible: withLinked('entityType', 'entityId'),
  fields: { text: required(line(), { search: 'title' }), ...link('entityType', 'entityId') },
})

/** About something, and seen whatever that is. */
export const omen = defineEntity({
  name: 'test_omen',
  table: 'test_omens',
  label: 'omen',
  listedBy: 'list_omens',
  title: 'text',
  trash: true,
  visible: everyone,
  fields: { text: required(line(), { search: 'title' }), ...link('aboutType', 'aboutId') },
})

export const lairEntities = [lair, monster, trophy, rumour, omen] as unknown as readonly Entity[]

/** What a handler answers for a person; the answer is given as it is, unprojected. */
export async function ask(table: Table, person: Person, handle: (context: Context) => unknown): Promise<Answer> {
  const operation = defineOperation({
    name: 'ask',
    title: 'Ask',
    description: 'Ask.',
    toolset: 'world',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/asked',
    input: z.strictObject({ campaignId: campaign.id }),
    output: z.object({ answer: z.unknown() }),
    example: () => ({ campaignId: 1 }),
    handle: (context) => ({ answer: handle(context) ?? null }),
  })
  const { answer } = await table.call(person, 'ask', {}, { operation: operation as unknown as AnyOperation })
  return answer
}

/** What a Dungeon Master (or somebody else) writes, in one change set. */
export async function write(
  table: Table,
  handle: (context: Context) => unknown,
  person: Person = 'ellen',
): Promise<Answer> {
  const operation = defineOperation({
    name: 'write_it',
    title: 'Write',
    description: 'Write.',
    toolset: 'world',
    access: 'viewer',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/written',
    input: z.strictObject({ campaignId: campaign.id }),
    output: z.object({ answer: z.unknown() }),
    example: () => ({ campaignId: 1 }),
    handle: (context) => ({ answer: handle(context) ?? null }),
  })
  const { answer } = await table.call(person, 'write_it', {}, { operation: operation as unknown as AnyOperation })
  return answer
}

/** An answer with a row in it, through the net. */
export async function answered(
  table: Table,
  person: Person,
  handle: (context: Context) => unknown,
  output: z.ZodType = monster.output.extend({ roar: z.string() }),
): Promise<Answer> {
  const operation = defineOperation({
    name: 'get_monster',
    title: 'Get',
    description: 'Get.',
    toolset: 'world',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/monster',
    input: z.strictObject({ campaignId: campaign.id }),
    output,
    example: () => ({ campaignId: 1 }),
    handle: (context) => handle(context) as never,
  })
  return table.call(person, 'get_monster', {}, { operation: operation as unknown as AnyOperation })
}
