import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { FieldsOf, Patch } from '../../kernel/entity.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { inWords, name, userId } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { character } from '../character/entity.ts'
import { member } from '../member/entity.ts'
import { npc } from '../npc/entity.ts'
import { rulesOf } from '../sheets.ts'
import { type CombatantRow, freshLife } from './bodies.ts'
import { creatureOf } from './creatures.ts'
import { combatant, combatantKind, encounter, statblock } from './entity.ts'
import { carryOut, encounterOf, mostCombatants } from './fight.ts'
import { combatantSeen, doneOutput, doneTo, inOrder, withSheets } from './read.ts'

const one = { combatantId: combatant.id }
/** The tool that makes a combatant says its form at length. */
const statblockAgain = inWords(z.strictObject(statblock.shape), 'as in add_combatant')
const writable = [
  'name',
  'hpMax',
  'ac',
  'initiativeModifier',
  'statblock',
  'hidden',
  'hpShown',
  'ally',
  'controllerUserId',
  'notes',
] as const

function needMember(context: Context, id: number | null | undefined): void {
  if (id == null) return
  const found = context.read(member).first({ where: { userId: id, accepted: true }, columns: ['userId'] })
  if (found === null)
    throw invalid('controllerUserId', 'no member', `User ${id} is no member. list_members has their ids.`)
}

interface Given {
  readonly encounterId: number
  readonly kind: CombatantRow['kind']
  readonly npcId?: number | undefined
  readonly characterId?: number | undefined
  readonly ruleEntryId?: number | undefined
  readonly name?: string | undefined
  readonly count?: number | undefined
  readonly hpMax?: number | null | undefined
  readonly ac?: number | null | undefined
  readonly initiativeModifier?: number | null | undefined
  readonly statblock?: CombatantRow['statblock'] | undefined
  readonly hidden?: boolean | undefined
  readonly ally?: boolean | undefined
  readonly controllerUserId?: number | undefined
  readonly notes?: string | null | undefined
}

/** What somebody is called, and whether players see them: as the NPC that they are, where nothing else is said. */
function calledBy(
  context: Context,
  { kind, npcId, characterId, count, name: given, hidden }: Given,
  book: string | undefined,
) {
  if (npcId !== undefined && kind !== 'npc')
    throw invalid('npcId', 'only with kind npc', 'npcId goes with the kind npc. Leave it away, or say kind npc.')
  if (characterId !== undefined && (kind !== 'character' || (count ?? 1) > 1))
    throw invalid(
      'characterId',
      'one, with kind character',
      'characterId goes with the kind character, and there is one of them.',
    )
  const person = npcId === undefined ? null : context.read(npc).get(npcId)
  const sheet = characterId === undefined ? null : context.read(character).get(characterId)
  const called = given ?? sheet?.name ?? person?.name ?? book
  if (called === undefined)
    throw invalid(
      'name',
      'who it is',
      'Say who it is: a name, a characterId, an npcId or a ruleEntryId. list_characters, list_npcs and search_rules find ids.',
    )
  return { called, ownerUserId: sheet?.ownerUserId ?? null, hidden: hidden ?? person?.hidden ?? false }
}

/** Numbers that begin behind those there are: "Picker 3" comes after "Picker 2". */
function namesFor(called: string, count: number, taken: ReadonlySet<string>): readonly string[] {
  if (count === 1 && !taken.has(called)) return [called]
  const names: string[] = []
  for (let number = 1; names.length < count; number++) {
    const candidate = `${called} ${number}`
    if (!taken.has(candidate)) names.push(candidate)
  }
  return names
}

/** Puts somebody, or several of a kind, into a fight. Answers who they became, in order. */
export function addCreatures(context: Context, given: Given): { combatantId: number; name: string }[] {
  const { encounterId, kind, npcId, characterId, ruleEntryId, count = 1 } = given
  if (ruleEntryId !== undefined && characterId !== undefined)
    throw invalid('ruleEntryId', 'not of a character', 'A character has a sheet: leave ruleEntryId away.')
  const rules = rulesOf(context)
  const { monsterHp } = context.read(encounter).get(encounterId)
  const book = ruleEntryId === undefined ? null : creatureOf(context, rules, ruleEntryId)
  const { called, hidden, ownerUserId } = calledBy(context, given, book?.name)
  needMember(context, given.controllerUserId)
  const rows = context.unfiltered(combatant)
  const columns = ['name', 'characterId', 'initiativeGroup'] as const
  const here = rows.page({ where: { encounterId, removed: false }, columns: [...columns], limit: mostCombatants }).items
  if (characterId !== undefined && here.some((each) => each.characterId === characterId))
    throw invalid('characterId', 'in this fight already', `${called} is in this fight already.`)
  if (here.length + count > mostCombatants)
    throw invalid('count', 'too many', `${here.length} are in this fight; ${mostCombatants} are the most.`)
  const body = {
    kind,
    hpMax: given.hpMax ?? book?.hpMax ?? null,
    ac: given.ac ?? book?.ac ?? null,
    initiativeModifier: given.initiativeModifier ?? book?.initiativeModifier ?? null,
    statblock: given.statblock ?? book?.statblock ?? {},
  }
  const life = freshLife(rules, body)
  const names = namesFor(called, count, new Set(here.map((each) => each.name)))
  const isPack = count > 1 || here.some(({ initiativeGroup }) => initiativeGroup === called)
  const last = rows.max('place', { encounterId }) ?? 0
  return names.map((each, index) => {
    const combatantId = context.write(combatant).insert({
      encounterId,
      ...body,
      ...life,
      name: each,
      npcId: npcId ?? null,
      characterId: characterId ?? null,
      hidden,
      ally: given.ally ?? false,
      controllerUserId: given.controllerUserId ?? ownerUserId,
      notes: given.notes ?? null,
      hpShown: kind === 'character' ? 'exact' : monsterHp,
      initiativeGroup: isPack ? called : null,
      place: last + (index + 1) * 2 ** 30,
    })
    return { combatantId, name: each }
  })
}

export const combatantOperations = {
  list_combatants: defineOperation({
    name: 'list_combatants',
    title: 'List combatants',
    description: 'Who is in a fight, in order.',
    toolset: 'combat',
    access: 'viewer',
    effect: 'read',
    route: 'GET /encounters/{encounterId}/combatants',
    input: z.strictObject({ encounterId: encounter.id, ...pageInput }),
    output: pageOf(inOrder),
    example: (world) => ({ encounterId: world.id('encounter') }),
    handle(context, { encounterId, ...page }) {
      const where = { encounterId, removed: false }
      const found = context.read(combatant).page({ where, order: [['place', 'asc']], ...page })
      return { ...found, items: withSheets(context, found.items) }
    },
  }),
  get_combatant: defineOperation({
    name: 'get_combatant',
    title: 'Get combatant',
    description: 'With its stat block.',
    toolset: 'combat',
    access: 'viewer',
    effect: 'read',
    route: 'GET /combatants/{combatantId}',
    input: z.strictObject(one),
    output: combatant.output,
    example: (world) => ({ combatantId: world.id('combatant') }),
    handle: (context, { combatantId }) => combatantSeen(context, combatantId),
  }),
  add_combatant: defineOperation({
    name: 'add_combatant',
    title: 'Add combatant',
    description: 'Character, NPC or monster (ruleEntryId: of the rules); count: several with one initiative.',
    toolset: 'combat',
    access: 'dm',
    effect: 'write',
    route: 'POST /encounters/{encounterId}/combatants',
    creates: true,
    input: z.strictObject({
      encounterId: encounter.id,
      kind: combatantKind,
      characterId: character.id.optional(),
      npcId: npc.id.optional(),
      /** A creature of the rules: its numbers are taken where no others are given. */
      ruleEntryId: z.int().min(1).optional(),
      name: name(100).optional(),
      count: z.int().min(1).max(50).optional(),
      hpMax: combatant.fields.hpMax.schema.optional(),
      ac: combatant.fields.ac.schema.optional(),
      initiativeModifier: combatant.fields.initiativeModifier.schema.optional(),
      statblock: combatant.fields.statblock.schema.optional(),
      hidden: z.boolean().optional(),
      ally: z.boolean().optional(),
      controllerUserId: userId().optional(),
      notes: combatant.fields.notes.schema.optional(),
    }),
    output: combatant.output.extend({ added: z.array(z.object({ combatantId: combatant.id, name: z.string() })) }),
    tells: ['added'],
    example: (world) => ({
      encounterId: world.id('encounter'),
      kind: 'monster' as const,
      name: 'Hollow Picker',
      count: 2,
      hpMax: 27,
      ac: 13,
      statblock: {
        rating: 1,
        abilities: { dex: 14, con: 12 },
        actions: [{ key: 'hook', name: 'Hook', attack: 4, damage: [{ expression: '1d8+2', type: 'slashing' }] }],
      },
    }),
    handle(context, given) {
      const { status } = context.read(encounter).get(given.encounterId)
      if (status === 'ended') throw fail('invalid_state', 'This fight has ended. reopen_encounter takes it up again.')
      const added = addCreatures(context, given)
      if (status === 'running')
        carryOut(context, given.encounterId, { do: 'join', ids: added.map(({ combatantId }) => combatantId) })
      return { ...combatantSeen(context, added[0]?.combatantId ?? 0), added }
    },
  }),
  update_combatant: defineOperation({
    name: 'update_combatant',
    title: 'Update combatant',
    description: 'hidden false shows them to players. statblock as in add_combatant.',
    toolset: 'combat',
    access: 'dm',
    effect: 'write',
    route: 'PATCH /combatants/{combatantId}',
    input: z.strictObject({ ...one, ...combatant.update(...writable), statblock: statblockAgain.optional() }),
    output: combatant.output,
    example: (world) => ({ combatantId: world.id('combatant'), notes: 'It turns its head without its body.' }),
    handle(context, { combatantId, expectedRevision, ...patch }) {
      const before = context.unfiltered(combatant).get(combatantId)
      const { status } = context.read(encounter).get(before.encounterId)
      if (status === 'ended' && !onlyNotes(patch))
        throw fail('invalid_state', 'This fight has ended. reopen_encounter takes it up again.')
      needMember(context, patch.controllerUserId)
      if (before.characterId !== null && (patch.hpMax ?? patch.ac ?? patch.statblock) !== undefined)
        throw invalid(
          'statblock',
          'on the sheet',
          'What a character is stands on their sheet: update_character changes it.',
        )
      context.write(combatant).update(combatantId, patch, expectedRevision)
      context.write(combatant).update(combatantId, followBody(context, before, patch, status))
      return combatantSeen(context, combatantId)
    },
  }),
  remove_combatant: defineOperation({
    name: 'remove_combatant',
    title: 'Remove combatant',
    description: 'Out of the fight; undo_encounter_event brings it back.',
    toolset: 'combat',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /combatants/{combatantId}',
    input: z.strictObject(one),
    output: doneOutput,
    example: (world) => ({ combatantId: world.id('combatant') }),
    handle(context, { combatantId }) {
      return doneTo(
        context,
        combatantId,
        carryOut(context, encounterOf(context, combatantId), { do: 'remove', id: combatantId }),
      )
    },
  }),
}

type CombatantPatch = Patch<FieldsOf<typeof combatant>>

const onlyNotes = (patch: CombatantPatch): boolean =>
  Object.keys(patch).every((key) => key === 'notes' || key === 'hidden')

/** Hit points follow a new maximum; before the fight all that is counted begins anew. */
function followBody(
  context: Context,
  before: CombatantRow,
  patch: CombatantPatch,
  status: 'planning' | 'running' | 'ended',
): CombatantPatch {
  if (patch.hpMax === undefined && patch.statblock === undefined) return {}
  const body = { ...before, ...(patch as Partial<CombatantRow>) }
  if (status === 'planning') return freshLife(rulesOf(context), body)
  if (patch.hpMax === undefined) return {}
  const most = patch.hpMax ?? 0
  const wasWhole = before.hp === (before.hpMax ?? 0) && before.lifeState === 'up'
  return { hp: wasWhole ? most : Math.min(before.hp, most) }
}
