import * as z from 'zod'
import { campaign } from '../../src/domain/campaign/entity.ts'
import { defineEntity, type Entity } from '../../src/kernel/entity.ts'
import { name, nullable, parent, reference, required, userId, withDefault } from '../../src/kernel/fields.ts'
import { type AnyOperation, defineOperation } from '../../src/kernel/operation.ts'
import { anyOf, dungeonMasters, everyone, self, unlessHidden } from '../../src/kernel/visibility.ts'

// A party for tests of ownership: who plays a character owns what the character carries, however deep it is packed.

export const character = defineEntity({
  name: 'test_character',
  table: 'test_characters',
  label: 'character',
  listedBy: 'list_test_characters',
  owner: 'ownerUserId',
  title: 'name',
  trash: true,
  hide: true,
  visible: unlessHidden,
  fields: {
    name: required(name()),
    ownerUserId: nullable(userId(), { references: 'user' }),
    hidden: withDefault(z.boolean(), false),
  },
})

export const pack = defineEntity({
  name: 'test_pack',
  table: 'test_packs',
  label: 'pack',
  listedBy: 'list_test_packs',
  owner: 'characterId',
  trash: true,
  visible: everyone,
  fields: { characterId: reference('test_character') },
})

/** Its note is for who owns it and the Dungeon Master: the predicate of a row follows the same path. */
export const item = defineEntity({
  name: 'test_item',
  table: 'test_items',
  label: 'item',
  listedBy: 'list_test_items',
  owner: 'packId',
  title: 'name',
  trash: true,
  visible: everyone,
  fields: { name: required(name()), packId: reference('test_pack') },
})

/** Seen by who owns the pack alone. */
export const diary = defineEntity({
  name: 'test_diary',
  table: 'test_diaries',
  label: 'diary',
  listedBy: 'list_test_diaries',
  owner: 'packId',
  visible: anyOf(dungeonMasters, self('packId')),
  fields: { packId: reference('test_pack') },
})

export const encounter = defineEntity({
  name: 'test_encounter',
  table: 'test_encounters',
  label: 'encounter',
  listedBy: 'list_test_encounters',
  acting: 'actingCombatantId',
  visible: everyone,
  fields: { round: withDefault(z.int(), 1), actingCombatantId: reference('test_combatant') },
})

/** A character's combatant is played by who plays the character; a monster's has none. */
export const combatant = defineEntity({
  name: 'test_combatant',
  table: 'test_combatants',
  label: 'combatant',
  listedBy: 'list_test_combatants',
  controller: 'characterId',
  visible: everyone,
  fields: {
    encounterId: parent('test_encounter'),
    characterId: reference('test_character'),
    hp: withDefault(z.int(), 10),
  },
})

export const partyEntities = [character, pack, item, diary, encounter, combatant] as unknown as readonly Entity[]

const shared = { title: 'For tests', description: 'For tests.', toolset: 'party', effect: 'write' } as const
const done = z.object({ id: z.int() })

const declared = {
  edit_item: defineOperation({
    ...shared,
    name: 'edit_item',
    access: 'owner',
    route: 'PATCH /test-items/{itemId}',
    input: z.strictObject({ itemId: item.id, ...item.update('name') }),
    output: done,
    example: () => ({ itemId: 1 }),
    handle(context, { itemId, expectedRevision, ...patch }) {
      context.write(item).update(itemId, patch, expectedRevision)
      return { id: itemId }
    },
  }),
  add_pack: defineOperation({
    ...shared,
    name: 'add_pack',
    access: 'owner',
    subject: 'characterId',
    route: 'POST /campaigns/{campaignId}/test-packs',
    input: z.strictObject({ campaignId: campaign.id, characterId: character.id.nullable().optional() }),
    output: done,
    example: () => ({ campaignId: 1 }),
    handle: (context, { characterId }) => ({ id: context.write(pack).insert({ characterId }) }),
  }),
  /** Several of one list. */
  gather_items: defineOperation({
    ...shared,
    name: 'gather_items',
    access: 'owner',
    subject: 'itemIds',
    route: 'POST /campaigns/{campaignId}/test-gather',
    input: z.strictObject({ campaignId: campaign.id, itemIds: z.array(item.id).max(10).optional() }),
    output: done,
    example: () => ({ campaignId: 1 }),
    handle: () => ({ id: 0 }),
  }),
  damage: defineOperation({
    ...shared,
    name: 'damage',
    access: 'controller',
    route: 'POST /test-combatants/{combatantId}/damage',
    input: z.strictObject({ combatantId: combatant.id, amount: z.int() }),
    output: done,
    example: () => ({ combatantId: 1, amount: 1 }),
    handle(context, { combatantId, amount }) {
      const { hp } = context.unfiltered(combatant).get(combatantId)
      context.write(combatant).update(combatantId, { hp: hp - amount })
      return { id: combatantId }
    },
  }),
  /** Either of two members says whose it is. */
  place_token: defineOperation({
    ...shared,
    name: 'place_token',
    access: 'controller',
    subject: ['combatantId', 'characterId'],
    route: 'PUT /campaigns/{campaignId}/test-tokens',
    input: z.strictObject({
      campaignId: campaign.id,
      combatantId: combatant.id.optional(),
      characterId: character.id.optional(),
    }),
    output: done,
    example: () => ({ campaignId: 1 }),
    handle: () => ({ id: 0 }),
  }),
  end_turn: defineOperation({
    ...shared,
    name: 'end_turn',
    access: 'turn',
    route: 'POST /test-encounters/{encounterId}/next-turn',
    input: z.strictObject({ encounterId: encounter.id }),
    output: done,
    example: () => ({ encounterId: 1 }),
    handle: (_, { encounterId }) => ({ id: encounterId }),
  }),
  burn_diary: defineOperation({
    ...shared,
    name: 'burn_diary',
    access: 'author',
    route: 'POST /test-diaries/{diaryId}/burn',
    input: z.strictObject({ diaryId: diary.id }),
    output: done,
    example: () => ({ diaryId: 1 }),
    handle: (_, { diaryId }) => ({ id: diaryId }),
  }),
}

export const partyOperations = declared as unknown as Readonly<Record<string, AnyOperation>>
