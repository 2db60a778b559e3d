import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail } from '../../kernel/errors.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageOf } from '../../kernel/paging.ts'
import { firstPackEntryId } from '../../kernel/rule-shelf.ts'
import { familyOf } from '../../rules/systems.ts'
import { campaign } from '../campaign/entity.ts'
import { asNew, changed, deletes, trashedOutput } from '../plain.ts'
import { rulesOf } from '../sheets.ts'
import { type EntryKind, entryKind, keptBlock, readBlock, summaryOf } from '../stat-block.ts'
import { homebrew } from './entity.ts'

/** A few numbers of each kind, to show in which form they go. */
const exampleBlock = {
  size: 'medium',
  type: 'beast',
  rating: 1,
  armourClass: { value: 13, from: 'crusted hide' },
  hitPoints: { value: 22, dice: '4d8+4' },
  speeds: { walk: 50 },
  abilities: { str: 14, dex: 15, con: 12, int: 3, wis: 14, cha: 6 },
  actions: [
    {
      name: 'Bite',
      attack: { bonus: 4, kind: 'melee', reach: 5 },
      damage: [{ dice: '1d8+2', type: 'piercing' }],
    },
  ],
} as const

/** Numbers as their kind asks for them. */
function blockOf(kind: EntryKind, block: Readonly<Record<string, unknown>> | null | undefined) {
  return block == null ? block : readBlock(kind, block, 'statblock')
}

function kept(context: Context, id: number) {
  // One number names an entry of a pack or of a campaign: there are none left only after a million of the latter.
  if (id >= firstPackEntryId) throw fail('invalid_state', 'This server has no numbers left for rules of your own.')
  return changed(context, homebrew, id)
}

export const homebrewOperations = {
  list_homebrew: defineOperation({
    name: 'list_homebrew',
    title: 'List homebrew',
    description: "The campaign's own rule entries.",
    toolset: 'rules',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/homebrew',
    input: z.strictObject({ campaignId: campaign.id, kind: entryKind.optional(), ...listInput }),
    output: pageOf(homebrew.listed),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle: (context, { kind, ...page }) =>
      context.read(homebrew).list(page, { where: { kind }, order: [['name', 'asc']] }),
  }),
  create_homebrew: defineOperation({
    name: 'create_homebrew',
    title: 'Create homebrew',
    description: 'statblock as get_rule_entry shows for the kind.',
    toolset: 'rules',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/homebrew',
    creates: true,
    input: z.strictObject({
      campaignId: campaign.id,
      ...homebrew.create('kind', 'name', 'system', 'body', 'statblock', 'dmSecret', 'hidden'),
    }),
    output: homebrew.output,
    example: (world) => ({
      campaignId: world.id('campaign'),
      kind: 'creature' as const,
      name: 'Salt hound',
      body: 'It knows where all water is within a mile, a flask included.',
      statblock: { ...exampleBlock },
    }),
    handle(context, { campaignId: _, statblock, ...values }) {
      const block = blockOf(values.kind, statblock) ?? null
      // What a table writes is of the game that it plays, where it does not say otherwise: else no fight would be made up of it.
      const system = values.system ?? familyOf(rulesOf(context))
      const summary = summaryOf(values.kind, block, system)
      return kept(
        context,
        context.write(homebrew).insert({ ...asNew(context, values), system, statblock: block, summary }),
      )
    },
  }),
  update_homebrew: defineOperation({
    name: 'update_homebrew',
    title: 'Update homebrew',
    description: 'statblock is replaced as a whole.',
    toolset: 'rules',
    access: 'dm',
    effect: 'write',
    route: 'PATCH /homebrew/{ruleEntryId}',
    input: z.strictObject({
      ruleEntryId: homebrew.id,
      ...homebrew.update('name', 'system', 'body', 'dmSecret', 'hidden'),
      statblock: keptBlock.nullable().optional(),
    }),
    output: homebrew.output,
    example: (world) => ({ ruleEntryId: world.id('rule_entry'), body: 'They want the goat.' }),
    handle(context, { ruleEntryId, expectedRevision, statblock, ...patch }) {
      const before = context.read(homebrew).get(ruleEntryId)
      const block = blockOf(before.kind, statblock)
      const summary = summaryOf(
        before.kind,
        block === undefined ? before.statblock : block,
        patch.system ?? before.system,
      )
      context
        .write(homebrew)
        .update(
          ruleEntryId,
          { ...patch, ...(block === undefined ? {} : { statblock: block }), summary },
          expectedRevision,
        )
      return kept(context, ruleEntryId)
    },
  }),
  delete_homebrew: defineOperation({
    name: 'delete_homebrew',
    title: 'Delete homebrew',
    description: 'To the trash.',
    toolset: 'rules',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /homebrew/{ruleEntryId}',
    input: z.strictObject({ ruleEntryId: homebrew.id }),
    output: trashedOutput,
    example: (world) => ({ ruleEntryId: world.id('rule_entry', 'spare') }),
    handle: deletes(homebrew, 'ruleEntryId'),
  }),
}
