import * as z from 'zod'
import { type Context, searchHit } from '../../kernel/context.ts'
import { fail } from '../../kernel/errors.ts'
import { pageOf, withheldOutput } from '../../kernel/paging.ts'
import { sayWithheld } from '../../kernel/withheld.ts'
import type { RuleSystem } from '../../rules/system.ts'
import { relationOutput, relationsOf } from '../related.ts'
import { type CharacterRow, lifeOf, sheetOf } from '../sheets.ts'
import { character } from './entity.ts'

/** What follows from a sheet by the rules of the campaign. */
export const computedOutput = z.object({
  system: z.string(),
  /** With what conditions take from it; 0 where no hit points are counted. */
  hpMax: z.int(),
  band: z.enum(['unhurt', 'hurt', 'bloodied', 'critical', 'down', 'dead']),
  ac: z.int().nullable(),
  initiative: z.int(),
  proficiencyBonus: z.int().nullable(),
  abilityModifiers: z.record(z.string(), z.int()),
  /** Feet by the way one moves. */
  speeds: z.record(z.string(), z.int()),
  passives: z.array(z.object({ key: z.string(), name: z.string(), value: z.int() })),
  load: z.object({ unit: z.string(), free: z.int(), most: z.int() }).nullable(),
  /** Experience that the next level asks for; null where levels come by other means. */
  nextLevelAt: z.int().nullable(),
  levelReady: z.boolean(),
})

export function computed(system: RuleSystem, row: CharacterRow): z.input<typeof computedOutput> {
  const sheet = sheetOf(row)
  const life = lifeOf(system, row)
  const abilities = system.abilities.length > 0 ? system.abilities.map(({ key }) => key) : Object.keys(row.abilities)
  return {
    system: system.id,
    hpMax: life.hpMax,
    band: system.life.band(life),
    ac: system.armourClass(sheet, life.conditions),
    initiative: system.initiative(sheet, life.conditions).modifier,
    proficiencyBonus: system.proficiencyBonus(sheet),
    abilityModifiers: Object.fromEntries(abilities.map((key) => [key, system.abilityModifier(sheet, key)])),
    speeds: { ...system.speeds(sheet, life.conditions) },
    passives: system.passives(sheet, life.conditions).map((each) => ({ ...each })),
    load: system.load(sheet),
    nextLevelAt: system.levels?.experienceFor(row.level + 1) ?? null,
    levelReady: system.levels?.award(row.level, row.experience, 0).ready ?? false,
  }
}

export const characterDetail = character.output.extend({
  computed: computedOutput,
  /** The first of them; list_relations goes on with the cursor. */
  relations: pageOf(relationOutput),
  /** The first backlinks; list_mentions goes on with the cursor. */
  mentionedBy: pageOf(searchHit),
  ...withheldOutput,
})

export function detail(context: Context, system: RuleSystem, row: CharacterRow) {
  return {
    ...row,
    computed: computed(system, row),
    relations: relationsOf(context, 'character', row.id, { limit: 20 }),
    mentionedBy: context.mentions('character', row.id, { limit: 20 }),
    ...withheldNotes(context, row),
  }
}

/** What an outside AI of a Dungeon Master is told of the player's own notes, whether there are any or not. */
function withheldNotes({ viewer: { ai, role, userId } }: Context, { ownerUserId }: CharacterRow) {
  const isTheirs = ownerUserId === null || ownerUserId === userId
  return sayWithheld(role === 'dm' ? ai : null, isTheirs || ai?.agreed.has(ownerUserId) ? 0 : 1)
}

const atAGlance = {
  id: true,
  name: true,
  ownerUserId: true,
  ownerUser: true,
  status: true,
  species: true,
  className: true,
  level: true,
  experience: true,
  hp: true,
  hpTemp: true,
  lifeState: true,
  marks: true,
  conditions: true,
  concentration: true,
  spellSlots: true,
  resources: true,
  hitDice: true,
  portraitAttachmentId: true,
  revision: true,
} as const

export const glanceOutput = character.output.pick(atAGlance).extend({
  computed: computedOutput.pick({
    hpMax: true,
    band: true,
    ac: true,
    initiative: true,
    speeds: true,
    passives: true,
    levelReady: true,
  }),
})

export function glance(system: RuleSystem, row: CharacterRow): z.input<typeof glanceOutput> {
  const { hpMax, band, ac, initiative, speeds, passives, levelReady } = computed(system, row)
  const few = Object.fromEntries(Object.keys(atAGlance).map((key) => [key, row[key as keyof typeof atAGlance]]))
  return {
    ...(few as Pick<CharacterRow, keyof typeof atAGlance>),
    computed: { hpMax, band, ac, initiative, speeds, passives, levelReady },
  }
}

/** The answer of what changes somebody's state: the sheet at a glance, and what the table is told. */
export const stateOutput = glanceOutput.extend({ says: z.array(z.string()) })

export function stateOf(context: Context, system: RuleSystem, characterId: number, ...says: readonly string[]) {
  return { ...glance(system, context.read(character).get(characterId)), says: [...says] }
}

export const someCharacters = z.array(character.id).min(1).max(100)

/** The characters that were named, or all that are active. Throws `not_found` for one that is not there. */
export function chosen(context: Context, characterIds: readonly number[] | undefined): readonly CharacterRow[] {
  if (characterIds !== undefined)
    return [...new Set(characterIds)].map((characterId) => context.read(character).get(characterId))
  const { items } = context.read(character).page({ where: { status: 'active' }, order: [['name', 'asc']], limit: 100 })
  if (items.length === 0) throw fail('invalid_state', 'There is no active character.')
  return items
}
