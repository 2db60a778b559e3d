import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { FieldsOf, Patch } from '../../kernel/entity.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageOf } from '../../kernel/paging.ts'
import type { RuleSystem } from '../../rules/system.ts'
import { campaign } from '../campaign/entity.ts'
import { combatant } from '../encounter/entity.ts'
import { member } from '../member/entity.ts'
import { deletes, trashedOutput } from '../plain.ts'
import { changeable, classesOf, lifeOf, lifePatch, rulesOf, sheetOf } from '../sheets.ts'
import { character, characterStatus } from './entity.ts'
import { characterDetail, computed, computedOutput, detail, glance, glanceOutput } from './read.ts'

export const writable = [
  'name',
  'species',
  'className',
  'level',
  'experience',
  'abilities',
  'skills',
  'saves',
  'bonuses',
  'checks',
  'size',
  'ac',
  'speed',
  'otherSpeeds',
  'hpMax',
  'hitDice',
  'spellSlots',
  'actions',
  'defences',
  'portraitAttachmentId',
  'body',
  'notes',
  'dmSecret',
] as const

/**
 * Members with shapes of their own, told to a language model as lists and maps and no more: all of it would be a tenth of what it
 * reads of all tools. They are held against their schemas all the same, and a complaint names the place.
 */
const rows = <S extends z.ZodType>(schema: S) =>
  z
    .array(z.record(z.string(), z.unknown()))
    .max(200)
    .pipe(schema as never) as unknown as S
const map = <S extends z.ZodType>(schema: S) => z.record(z.string(), z.unknown()).pipe(schema as never) as unknown as S
const { fields } = character
const loose = {
  abilities: map(fields.abilities.schema).optional(),
  skills: map(fields.skills.schema).optional(),
  saves: map(fields.saves.schema).optional(),
  bonuses: map(fields.bonuses.schema).optional(),
  otherSpeeds: map(fields.otherSpeeds.schema).optional(),
  checks: rows(fields.checks.schema).optional(),
  hitDice: rows(fields.hitDice.schema).optional(),
  spellSlots: rows(fields.spellSlots.schema).optional(),
  actions: rows(fields.actions.schema).optional(),
  defences: map(fields.defences.schema).optional(),
}

type SheetPatch = Patch<FieldsOf<typeof character>>

/** Refuses keys that the rules do not know, so that a misspelt one is not kept without ever doing anything. */
export function refuseUnknown(system: RuleSystem, { abilities, skills, saves, size }: SheetPatch): void {
  const check = (path: string, keys: readonly string[], known: readonly { readonly key: string }[]): void => {
    const stranger = known.length === 0 ? undefined : keys.find((key) => !known.some((each) => each.key === key))
    if (stranger === undefined) return
    const names = known.map(({ key }) => key).join(', ')
    throw invalid(
      `${path}.${stranger}`,
      `not of ${system.title}`,
      `${system.title} has no ${stranger} here. It has ${names}.`,
    )
  }
  check('abilities', Object.keys(abilities ?? {}), system.abilities)
  check('skills', Object.keys(skills ?? {}), [...system.skills, { key: 'perception' }])
  check('saves', Object.keys(saves ?? {}), system.saves)
  check('skills', Object.values(skills ?? {}), system.ranks)
  check('saves', Object.values(saves ?? {}), system.ranks)
  if (size != null) check('size', [size], system.sizes)
}

function refuseSecret(context: Context, { dmSecret }: SheetPatch): void {
  if (dmSecret !== undefined && context.viewer.role !== 'dm')
    throw fail('forbidden', 'Only a Dungeon Master writes dmSecret. Your own words go into notes.')
}

/** What a class brings along where nobody has said otherwise. */
export function fromClass(system: RuleSystem, given: SheetPatch): SheetPatch {
  const classes = classesOf(given.className ?? null, given.level ?? 1)
  const known = classes.flatMap(({ name, level }) => {
    const rule = system.classOf(name)
    return rule === null ? [] : [{ ...rule, level }]
  })
  const dice = known.flatMap(({ hitDie, level }) => (hitDie === null ? [] : [{ die: hitDie, max: level, used: 0 }]))
  const joined = dice.filter((each, index) => dice.findIndex(({ die }) => die === each.die) === index)
  const proficient = system.ranks.find(({ key }) => key === 'proficient')?.key
  const [first] = known
  return {
    hitDice: joined.map((each) => ({
      ...each,
      max: dice.filter(({ die }) => die === each.die).reduce((sum, { max }) => sum + max, 0),
    })),
    saves:
      first === undefined || proficient === undefined
        ? {}
        : Object.fromEntries(first.saves.map((save) => [save, proficient])),
    spellSlots: (system.slotsFor(classes) ?? []).map(({ level, max, pact }) => ({
      level,
      max,
      used: 0,
      ...(pact ? { pact } : {}),
    })),
  }
}

const charactersOf = (context: Context, status: 'active') =>
  context.read(character).page({ where: { status }, order: [['name', 'asc']], limit: 100 })

/** Of a list only who they are: a sheet with all that is on it is read by itself. */
const listed = character.listed.omit({
  abilities: true,
  skills: true,
  saves: true,
  bonuses: true,
  checks: true,
  otherSpeeds: true,
  marks: true,
  hitDice: true,
  spellSlots: true,
  resources: true,
  actions: true,
  defences: true,
})

export const characterOperations = {
  list_characters: defineOperation({
    name: 'list_characters',
    title: 'List characters',
    description: 'By name. get_party has the active ones with numbers.',
    toolset: 'party',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/characters',
    input: z.strictObject({
      campaignId: campaign.id,
      status: characterStatus.optional(),
      ownerUserId: character.fields.ownerUserId.schema.optional(),
      ...listInput,
    }),
    output: pageOf(listed),
    example: (world) => ({ campaignId: world.id('campaign'), status: 'active' as const }),
    handle: (context, { status, ownerUserId, ...page }) =>
      context.read(character).list(page, { where: { status, ownerUserId }, order: [['name', 'asc']] }),
  }),
  get_character: defineOperation({
    name: 'get_character',
    title: 'Get character',
    description: 'One sheet, and what follows by the rules.',
    toolset: 'party',
    access: 'viewer',
    effect: 'read',
    route: 'GET /characters/{characterId}',
    input: z.strictObject({ characterId: character.id }),
    output: characterDetail,
    example: (world) => ({ characterId: world.id('character') }),
    handle: (context, { characterId }) => detail(context, rulesOf(context), context.read(character).get(characterId)),
  }),
  get_party: defineOperation({
    name: 'get_party',
    title: 'Get party',
    description: 'Active characters: hit points, armour, passives, conditions, what is left.',
    toolset: 'party',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/party',
    input: z.strictObject({ campaignId: campaign.id }),
    output: z.object({
      system: z.object({ id: z.string(), title: z.string() }),
      /** The first hundred by name. */
      characters: z.array(glanceOutput),
      characterCount: z.int(),
    }),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context) {
      const system = rulesOf(context)
      return {
        system: { id: system.id, title: system.title },
        characters: charactersOf(context, 'active').items.map((row) => glance(system, row)),
        characterCount: context.read(character).count({ status: 'active' }),
      }
    },
  }),
  create_character: defineOperation({
    name: 'create_character',
    title: 'Create character',
    description: 'A player owns what they create. Hit dice, slots, saves follow from a known class.',
    toolset: 'party',
    access: 'player',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/characters',
    creates: true,
    input: z.strictObject({ campaignId: campaign.id, ...character.create(...writable), ...loose }),
    output: character.output.extend({ computed: computedOutput }),
    example: (world) => ({
      campaignId: world.id('campaign'),
      name: 'Ilsabet Thorne',
      species: 'Human',
      className: 'Cleric',
      level: 3,
      abilities: { wis: 16, con: 14 },
      ac: 16,
      hpMax: 24,
    }),
    handle(context, { campaignId: _, ...given }) {
      const system = rulesOf(context)
      refuseUnknown(system, given)
      refuseSecret(context, given)
      const { spellSlots, hitDice, saves } = fromClass(system, given)
      const ownerUserId = context.viewer.role === 'dm' ? null : context.actor.userId
      const values = { spellSlots, hitDice, saves, ...defined(given), name: given.name, ownerUserId }
      const id = context.write(character).insert(values)
      const row = context.read(character).get(id)
      context.write(character).update(id, lifePatch(system.life.fresh(sheetOf(row))))
      const made = context.read(character).get(id)
      return { ...made, computed: computed(system, made) }
    },
  }),
  update_character: defineOperation({
    name: 'update_character',
    title: 'Update character',
    description: "A list or map replaces. actions as in add_combatant's statblock.",
    toolset: 'party',
    access: 'owner',
    effect: 'write',
    route: 'PATCH /characters/{characterId}',
    input: z.strictObject({ characterId: character.id, ...character.update(...writable), ...loose }),
    output: character.output.extend({ computed: computedOutput }),
    example: (world) => ({ characterId: world.id('character', 'own'), ac: 15, body: 'Left-handed, and proud of it.' }),
    handle(context, { characterId, expectedRevision, ...patch }) {
      const system = rulesOf(context)
      const before = changeable(context, characterId)
      refuseUnknown(system, patch)
      refuseSecret(context, patch)
      context.write(character).update(characterId, patch, expectedRevision)
      const after = context.read(character).get(characterId)
      const life = lifeOf(system, after)
      // Whoever was whole stays whole when they have more.
      const wasWhole = before.hp >= (before.hpMax ?? 0) && before.lifeState === 'up'
      const hp = wasWhole ? life.hpMax : life.hp
      if (hp !== after.hp) context.write(character).update(characterId, { hp })
      const row = context.read(character).get(characterId)
      return { ...row, computed: computed(system, row) }
    },
  }),
  assign_character: defineOperation({
    name: 'assign_character',
    title: 'Assign character',
    description: 'Give a character to a member, or nobody (null).',
    toolset: 'party',
    access: 'dm',
    effect: 'write',
    route: 'PUT /characters/{characterId}/owner',
    input: z.strictObject({ characterId: character.id, userId: character.fields.ownerUserId.schema.nullable() }),
    output: character.output,
    example: (world) => ({ characterId: world.id('character', 'unowned'), userId: world.id('user', 'player') }),
    handle(context, { characterId, userId }) {
      const isMember =
        userId === null ||
        context.read(member).first({ where: { userId, accepted: true }, columns: ['userId'] }) !== null
      if (!isMember)
        throw invalid(
          'userId',
          'no member of this campaign',
          `User ${userId} is no member. list_members has their ids.`,
        )
      context.write(character).update(characterId, { ownerUserId: userId })
      // Whoever plays a character plays them in a fight.
      for (const { id } of context.unfiltered(combatant).each({ where: { characterId }, columns: ['id'] }))
        context.write(combatant).update(id, { controllerUserId: userId })
      return context.read(character).get(characterId)
    },
  }),
  set_character_status: defineOperation({
    name: 'set_character_status',
    title: 'Set character status',
    description: 'Who was dead and is active again stands up.',
    toolset: 'party',
    access: 'owner',
    effect: 'write',
    route: 'PUT /characters/{characterId}/status',
    input: z.strictObject({ characterId: character.id, status: characterStatus }),
    output: character.output,
    example: (world) => ({ characterId: world.id('character', 'own'), status: 'inactive' as const }),
    handle(context, { characterId, status }) {
      const system = rulesOf(context)
      const row = changeable(context, characterId)
      const life = lifeOf(system, row)
      const isBack = status === 'active' && life.state === 'dead'
      const patch = isBack ? lifePatch(system.life.revive(life, 1).life) : {}
      context.write(character).update(characterId, { ...patch, status })
      return context.read(character).get(characterId)
    },
  }),
  delete_character: defineOperation({
    name: 'delete_character',
    title: 'Delete character',
    description: 'To the trash, with what they carry.',
    toolset: 'party',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /characters/{characterId}',
    input: z.strictObject({ characterId: character.id }),
    output: trashedOutput,
    example: (world) => ({ characterId: world.id('character', 'spare') }),
    handle: deletes(character, 'characterId'),
  }),
}

/** Without the members that are undefined: they would stand over what a class brings. */
export function defined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T
}
