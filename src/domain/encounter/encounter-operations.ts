import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail } from '../../kernel/errors.ts'
import { name } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { asNew, deletes, trashedOutput } from '../plain.ts'
import { rulesOf } from '../sheets.ts'
import { freshLife } from './bodies.ts'
import { combatant, encounter, encounterEvent, encounterStatus } from './entity.ts'
import { mostCombatants } from './fight.ts'
import { detailOf, encounterDetail } from './read.ts'

const one = { encounterId: encounter.id }
const writable = ['name', 'body', 'locationId', 'questId', 'sessionId', 'dmSecret', 'hidden', 'monsterHp'] as const

/** What creatures show of their hit points follows the fight; characters show theirs. */
function followShown(context: Context, encounterId: number, monsterHp: 'exact' | 'band' | 'hidden' | undefined): void {
  if (monsterHp === undefined) return
  const creatures = context
    .unfiltered(combatant)
    .page({ where: { encounterId, kind: ['npc', 'monster'] }, columns: ['id'], limit: 2 * mostCombatants })
  for (const { id } of creatures.items) context.write(combatant).update(id, { hpShown: monsterHp })
}

/** The same fight anew, with everybody in it as they began. */
function copyOf(context: Context, encounterId: number, title: string | undefined): number {
  const source = context.unfiltered(encounter).get(encounterId)
  const { body, locationId, questId, dmSecret, hidden, monsterHp } = source
  const copied = { body, locationId, questId, dmSecret, hidden, monsterHp }
  const copyId = context.write(encounter).insert({ ...copied, name: title ?? source.name })
  const rules = rulesOf(context)
  const present = context
    .unfiltered(combatant)
    .page({ where: { encounterId, removed: false }, order: [['place', 'asc']], limit: mostCombatants })
  for (const row of present.items) {
    const {
      kind,
      npcId,
      characterId,
      controllerUserId,
      ally,
      hpShown,
      hpMax,
      ac,
      initiativeModifier,
      statblock,
      notes,
    } = row
    const same = {
      kind,
      npcId,
      characterId,
      controllerUserId,
      ally,
      hpShown,
      hpMax,
      ac,
      initiativeModifier,
      statblock,
      notes,
    }
    const own = { name: row.name, hidden: row.hidden, initiativeGroup: row.initiativeGroup, place: row.place }
    context.write(combatant).insert({ encounterId: copyId, ...same, ...own, ...freshLife(rules, row) })
  }
  return copyId
}

export const encounterOperations = {
  list_encounters: defineOperation({
    name: 'list_encounters',
    title: 'List encounters',
    description: 'Newest first. Players see those begun.',
    toolset: 'combat',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/encounters',
    input: z.strictObject({ campaignId: campaign.id, status: encounterStatus.optional(), ...listInput }),
    output: pageOf(encounter.listed),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle: (context, { status, ...page }) =>
      context.read(encounter).list(page, { where: { status }, order: [['createdAt', 'desc']] }),
  }),
  get_encounter: defineOperation({
    name: 'get_encounter',
    title: 'Get encounter',
    description: 'In initiative order.',
    toolset: 'combat',
    access: 'viewer',
    effect: 'read',
    route: 'GET /encounters/{encounterId}',
    input: z.strictObject(one),
    output: encounterDetail,
    example: (world) => ({ encounterId: world.id('encounter') }),
    handle: (context, { encounterId }) => detailOf(context, encounterId),
  }),
  create_encounter: defineOperation({
    name: 'create_encounter',
    title: 'Create encounter',
    description: 'In planning; players see it once begun. add_combatant fills it.',
    toolset: 'combat',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/encounters',
    creates: true,
    input: z.strictObject({ campaignId: campaign.id, ...encounter.create(...writable) }),
    output: encounter.output,
    example: (world) => ({
      campaignId: world.id('campaign'),
      name: 'The press-house at midnight',
      body: 'Dim light. The vats are loud.',
      locationId: world.id('location'),
      questId: world.id('quest'),
      dmSecret: 'Nettie’s year is bound in the left antler.',
    }),
    handle(context, { campaignId: _, ...values }) {
      return context.read(encounter).get(context.write(encounter).insert(asNew(context, values)))
    },
  }),
  update_encounter: defineOperation({
    name: 'update_encounter',
    title: 'Update encounter',
    description: "monsterHp: how players see creatures' hit points.",
    toolset: 'combat',
    access: 'dm',
    effect: 'write',
    route: 'PATCH /encounters/{encounterId}',
    input: z.strictObject({ ...one, ...encounter.update(...writable) }),
    output: encounter.output,
    example: (world) => ({ encounterId: world.id('encounter'), body: 'The lamps are out.' }),
    handle(context, { encounterId, expectedRevision, ...patch }) {
      context.write(encounter).update(encounterId, patch, expectedRevision)
      followShown(context, encounterId, patch.monsterHp)
      return context.read(encounter).get(encounterId)
    },
  }),
  duplicate_encounter: defineOperation({
    name: 'duplicate_encounter',
    title: 'Duplicate encounter',
    description: 'Fresh copy in planning, everybody unhurt.',
    toolset: 'combat',
    access: 'dm',
    effect: 'write',
    route: 'POST /encounters/{encounterId}/duplicate',
    creates: true,
    input: z.strictObject({ ...one, name: name().optional() }),
    output: encounter.output,
    example: (world) => ({ encounterId: world.id('encounter'), name: 'The press-house once more' }),
    handle: (context, { encounterId, name: title }) => context.read(encounter).get(copyOf(context, encounterId, title)),
  }),
  delete_encounter: defineOperation({
    name: 'delete_encounter',
    title: 'Delete encounter',
    description: 'To the trash; end it first.',
    toolset: 'combat',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /encounters/{encounterId}',
    input: z.strictObject(one),
    output: trashedOutput,
    example: (world) => ({ encounterId: world.id('encounter', 'spare') }),
    handle(context, input) {
      if (context.read(encounter).get(input.encounterId).status === 'running')
        throw fail('invalid_state', 'This fight is running. end_encounter ends it first.')
      return deletes(encounter, 'encounterId')(context, input)
    },
  }),
  list_encounter_events: defineOperation({
    name: 'list_encounter_events',
    title: 'List encounter events',
    description: 'What happened in a fight, newest first.',
    toolset: 'combat',
    access: 'viewer',
    effect: 'read',
    route: 'GET /encounters/{encounterId}/events',
    input: z.strictObject({ ...one, ...pageInput }),
    output: pageOf(encounterEvent.output),
    example: (world) => ({ encounterId: world.id('encounter') }),
    handle: (context, { encounterId, ...page }) =>
      context.read(encounterEvent).page({ where: { encounterId }, order: [['id', 'desc']], ...page }),
  }),
}
