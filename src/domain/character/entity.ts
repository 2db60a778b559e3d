import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { byUser, line, name, nullable, prose, reference, required, userId, withDefault } from '../../kernel/fields.ts'
import { agreedBy, allOf, anyOf, dungeonMasters, everyone, self } from '../../kernel/visibility.ts'
import {
  abilityValues,
  actions,
  bonusValues,
  conditions,
  defences,
  hitDice,
  markValues,
  ownChecks,
  rankValues,
  resources,
  slots,
  speedValues,
} from '../sheet-schemas.ts'

export const characterStatus = z.enum(['active', 'inactive', 'retired', 'dead'])
export const characterLevel = z.int().min(0).max(100)
const points = z.int().min(0).max(100_000)

/**
 * Somebody whom a member plays, with their sheet. What the sheet says the table knows; `notes` are the player's and the
 * Dungeon Masters', `dmSecret` theirs alone.
 */
export const character = defineEntity({
  name: 'character',
  table: 'characters',
  label: 'character',
  listedBy: 'list_characters',
  title: 'name',
  owner: 'ownerUserId',
  trash: true,
  mention: true,
  visible: everyone,
  lists: { orders: [[['name', 'asc']]], filters: ['status', 'ownerUserId'] },
  since: 4,
  fields: {
    name: required(name(), { search: 'title' }),
    ownerUserId: nullable(userId(), { ...byUser, references: 'user' }),
    status: withDefault(characterStatus, 'active'),
    species: nullable(line(), { search: 'body' }),
    /** In words: "Rogue", or "Paladin 5 / Sorcerer 2". */
    className: nullable(line(), { search: 'body' }),
    level: withDefault(characterLevel, 1),
    experience: withDefault(points.max(10_000_000), 0),
    abilities: withDefault(abilityValues(), {}),
    /** Ranks by the keys of skills and saves. */
    skills: withDefault(rankValues(), {}),
    saves: withDefault(rankValues(), {}),
    bonuses: withDefault(bonusValues(), {}),
    /** Checks that only this sheet has, with dice of their own. */
    checks: withDefault(ownChecks(), []),
    size: nullable(line(40)),
    ac: nullable(z.int().min(0).max(1000)),
    /** Feet. */
    speed: nullable(z.int().min(0).max(10_000)),
    otherSpeeds: withDefault(speedValues(), {}),
    /** Without what conditions take from it. Null: no hit points are counted. */
    hpMax: nullable(points),
    hp: withDefault(points, 0),
    hpTemp: withDefault(points, 0),
    lifeState: withDefault(z.enum(['up', 'dying', 'stable', 'dead']), 'up'),
    marks: withDefault(markValues(), {}),
    conditions: withDefault(conditions(), []),
    concentration: nullable(line(120)),
    hitDice: withDefault(hitDice(), []),
    spellSlots: withDefault(slots(), []),
    resources: withDefault(resources(), []),
    actions: withDefault(actions(), []),
    defences: withDefault(defences, {}),
    portraitAttachmentId: reference('attachment'),
    body: nullable(prose(), { search: 'body' }),
    // Their words reach a Dungeon Master's outside AI only when they agreed (SPEC 2.2).
    notes: nullable(prose(), {
      readableBy: allOf(anyOf(dungeonMasters, self('ownerUserId')), agreedBy('ownerUserId')),
    }),
    dmSecret: nullable(prose(), { readableBy: 'dm', search: 'body' }),
  },
})
