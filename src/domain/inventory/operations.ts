import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { line } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { character } from '../character/entity.ts'
import { changed, deletes, gets, trashedOutput } from '../plain.ts'
import { changeable, rulesOf } from '../sheets.ts'
import { inventoryItem } from './entity.ts'
import { isSame, split } from './rules.ts'

const writable = ['name', 'quantity', 'weight', 'value', 'notes', 'slot', 'dmSecret', 'hidden'] as const

/** What lies hidden, and what stands in its margin, is the Dungeon Masters'. */
function refuseSecrets(context: Context, given: { readonly hidden?: unknown; readonly dmSecret?: unknown }): void {
  if (context.viewer.role === 'dm') return
  if (given.hidden !== undefined || given.dmSecret !== undefined)
    throw fail('forbidden', 'Only a Dungeon Master hides things and writes dmSecret. Leave both away.')
}

/** An item that the caller may change. Throws `not_found` where they do not see it, `forbidden` where nobody plays who has it. */
function changeableItem(context: Context, itemId: number) {
  const item = context.read(inventoryItem).get(itemId)
  if (item.characterId !== null) changeable(context, item.characterId)
  return item
}

export const inventoryOperations = {
  list_inventory: defineOperation({
    name: 'list_inventory',
    title: 'List inventory',
    description: "Of a character, the party's cart, or all.",
    toolset: 'party',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/inventory',
    input: z.strictObject({
      campaignId: campaign.id,
      characterId: character.id.optional(),
      party: z.boolean().optional(),
      ...listInput,
    }),
    output: pageOf(inventoryItem.listed),
    example: (world) => ({ campaignId: world.id('campaign'), characterId: world.id('character') }),
    handle(context, { characterId, party, ...page }) {
      if (party && characterId !== undefined) throw invalid('party', 'either the party or a character')
      return context
        .read(inventoryItem)
        .list(page, { where: { characterId: party ? null : characterId }, order: [['name', 'asc']] })
    },
  }),
  get_inventory_item: defineOperation({
    name: 'get_inventory_item',
    title: 'Get inventory item',
    description: 'One item.',
    toolset: 'party',
    access: 'viewer',
    effect: 'read',
    route: 'GET /inventory-items/{itemId}',
    input: z.strictObject({ itemId: inventoryItem.id }),
    output: inventoryItem.output,
    example: (world) => ({ itemId: world.id('inventory_item') }),
    handle: gets(inventoryItem, 'itemId'),
  }),
  create_inventory_item: defineOperation({
    name: 'create_inventory_item',
    title: 'Create inventory item',
    description: "For a character, or the party's cart.",
    toolset: 'party',
    access: 'owner',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/inventory',
    creates: true,
    subject: 'characterId',
    input: z.strictObject({
      campaignId: campaign.id,
      characterId: character.id.optional(),
      ...inventoryItem.create(...writable),
    }),
    output: inventoryItem.output,
    example: (world) => ({
      campaignId: world.id('campaign'),
      characterId: world.id('character', 'own'),
      name: 'Rope of hair',
      quantity: 1,
      weight: 5,
      value: '15 gp',
    }),
    handle(context, { campaignId: _, ...values }) {
      refuseSecrets(context, values)
      if (values.characterId !== undefined) changeable(context, values.characterId)
      return changed(context, inventoryItem, context.write(inventoryItem).insert(values))
    },
  }),
  update_inventory_item: defineOperation({
    name: 'update_inventory_item',
    title: 'Update inventory item',
    description: 'Change an item. transfer_inventory_item hands it over.',
    toolset: 'party',
    access: 'owner',
    effect: 'write',
    route: 'PATCH /inventory-items/{itemId}',
    input: z.strictObject({ itemId: inventoryItem.id, ...inventoryItem.update(...writable) }),
    output: inventoryItem.output,
    example: (world) => ({ itemId: world.id('inventory_item', 'own'), notes: 'It hums near water.' }),
    handle(context, { itemId, expectedRevision, ...patch }) {
      changeableItem(context, itemId)
      refuseSecrets(context, patch)
      context.write(inventoryItem).update(itemId, patch, expectedRevision)
      return changed(context, inventoryItem, itemId)
    },
  }),
  transfer_inventory_item: defineOperation({
    name: 'transfer_inventory_item',
    title: 'Transfer inventory item',
    description: 'All or some to a character, or the party.',
    toolset: 'party',
    access: 'owner',
    effect: 'write',
    route: 'POST /inventory-items/{itemId}/transfer',
    input: z.strictObject({
      itemId: inventoryItem.id,
      toCharacterId: character.id.optional(),
      quantity: z.int().min(1).max(1_000_000).optional(),
    }),
    output: z.object({
      /** Where it now is. */
      item: inventoryItem.output,
      /** What stayed behind; null where all was given. */
      left: inventoryItem.output.nullable(),
    }),
    example: (world) => ({
      itemId: world.id('inventory_item', 'own'),
      toCharacterId: world.id('character', 'other'),
      quantity: 1,
    }),
    handle(context, { itemId, toCharacterId, quantity }) {
      const given = changeableItem(context, itemId)
      const to = toCharacterId === undefined ? null : (context.read(character).get(toCharacterId).id as number)
      if (given.characterId === to) throw fail('invalid_state', `${given.name} is there already.`)
      const parts = split(given.quantity, quantity)
      if (parts === null)
        throw invalid('quantity', 'not as many', `There are ${given.quantity} of ${given.name}, not ${quantity}.`)
      const items = context.write(inventoryItem)
      const loose = { ...given, equipped: false, attuned: false }
      const same = context
        .read(inventoryItem)
        .page({ where: { characterId: to, name: given.name }, limit: 50 })
        .items.find((each) => isSame(each, loose) && each.quantity + parts.goes <= 1_000_000)
      let target: number
      if (same !== undefined) {
        items.update(same.id, { quantity: same.quantity + parts.goes })
        target = same.id
        if (parts.stays === 0) items.trash(itemId)
      } else if (parts.stays === 0) {
        items.update(itemId, { characterId: to, equipped: false, attuned: false })
        target = itemId
      } else {
        const { name, weight, value, slot, notes, hidden } = given
        // Whoever hands over what they do not know all about hands that over too.
        const { dmSecret } = context.unfiltered(inventoryItem).get(itemId)
        target = items.insert({
          name,
          weight,
          value,
          slot,
          notes,
          hidden,
          dmSecret,
          characterId: to,
          quantity: parts.goes,
        })
      }
      if (parts.stays > 0) items.update(itemId, { quantity: parts.stays })
      return {
        item: changed(context, inventoryItem, target),
        left: parts.stays === 0 ? null : changed(context, inventoryItem, itemId),
      }
    },
  }),
  set_item_equipped: defineOperation({
    name: 'set_item_equipped',
    title: 'Set item equipped',
    description: 'Equip, stow or attune; slot: where it is worn.',
    toolset: 'party',
    access: 'owner',
    effect: 'write',
    route: 'PUT /inventory-items/{itemId}/equipped',
    input: z.strictObject({
      itemId: inventoryItem.id,
      equipped: z.boolean(),
      attuned: z.boolean().optional(),
      slot: line(60).optional(),
    }),
    output: inventoryItem.output,
    example: (world) => ({ itemId: world.id('inventory_item', 'own'), equipped: true, slot: 'hand' }),
    handle(context, { itemId, equipped, attuned, slot }) {
      const item = changeableItem(context, itemId)
      const { characterId } = item
      if (characterId === null && (equipped || attuned))
        throw fail('invalid_state', `${item.name} lies on the cart. Hand it to somebody first.`)
      const most = rulesOf(context).attunement
      if (attuned && !item.attuned && most !== null) {
        const bound = context.unfiltered(inventoryItem).count({ characterId, attuned: true })
        if (bound >= most) throw fail('invalid_state', `Nobody is attuned to more than ${most} things. End one first.`)
      }
      context.write(inventoryItem).update(itemId, {
        equipped,
        ...(attuned === undefined ? {} : { attuned }),
        ...(slot === undefined ? {} : { slot: slot === '' ? null : slot }),
      })
      return changed(context, inventoryItem, itemId)
    },
  }),
  delete_inventory_item: defineOperation({
    name: 'delete_inventory_item',
    title: 'Delete inventory item',
    description: 'To the trash.',
    toolset: 'party',
    access: 'owner',
    effect: 'destroy',
    route: 'DELETE /inventory-items/{itemId}',
    input: z.strictObject({ itemId: inventoryItem.id }),
    output: trashedOutput,
    example: (world) => ({ itemId: world.id('inventory_item', 'own') }),
    handle(context, input) {
      changeableItem(context, input.itemId)
      return deletes(inventoryItem, 'itemId')(context, input)
    },
  }),
}
