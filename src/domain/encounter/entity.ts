import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import {
  byUser,
  idOf,
  instant,
  inWords,
  line,
  name,
  nullable,
  parent,
  prose,
  reference,
  required,
  userId,
  withDefault,
} from '../../kernel/fields.ts'
import { allOf, anyOf, dungeonMasters, self, where, withParent } from '../../kernel/visibility.ts'
import {
  abilityValues,
  actions,
  bonusValues,
  conditions,
  defences,
  key,
  markValues,
  ownChecks,
  rankValues,
  resources,
  slots,
  speedValues,
} from '../sheet-schemas.ts'

export const encounterStatus = z.enum(['planning', 'running', 'ended'])
/** How others see somebody's hit points: the numbers, a word for how they stand, or nothing. */
export const hpShown = z.enum(['exact', 'band', 'hidden'])

/** What changes at every blow. No earlier version of a row brings it back: a fight has an undo of its own. */
const inFight = { journal: 'name' } as const

const points = z.int().min(0).max(100_000)

export const rewards = z.strictObject({
  /** All of it, and what each of the characters got. */
  xp: z.int().min(0),
  each: z.int().min(0),
  characterIds: z.array(idOf('character')),
  coins: z.record(z.string(), z.int()),
  items: z.array(z.string()),
  at: z.string(),
})

/**
 * A fight, planned, running or over. Players see it once it has begun, unless it is hidden. What moves in it only moves by the
 * commands of src/combat, each of which leaves events.
 */
export const encounter = defineEntity({
  name: 'encounter',
  table: 'encounters',
  label: 'encounter',
  listedBy: 'list_encounters',
  title: 'name',
  trash: true,
  hide: true,
  acting: 'actingCombatantId',
  visible: anyOf(dungeonMasters, allOf(where('hidden', false), where('status', 'running', 'ended'))),
  lists: { orders: [[['createdAt', 'desc']]], filters: ['status'] },
  since: 4,
  fields: {
    name: required(name(), { search: 'title' }),
    status: withDefault(encounterStatus, 'planning', inFight),
    body: nullable(prose(), { search: 'body' }),
    locationId: reference('location'),
    questId: reference('quest'),
    sessionId: reference('session'),
    dmSecret: nullable(prose(), { readableBy: 'dm', search: 'body' }),
    hidden: withDefault(z.boolean(), false),
    /** How players see the hit points of creatures. */
    monsterHp: withDefault(hpShown, 'band'),
    round: withDefault(z.int().min(0), 0, inFight),
    /** Turns that have ended, those of hidden creatures too. */
    turns: withDefault(z.int().min(0), 0, { ...inFight, readableBy: 'dm' }),
    actingCombatantId: reference('combatant', inFight),
    outcome: nullable(line(), inFight),
    /** What was given out for it, once. */
    rewards: nullable(rewards, { carry: 'remap' }),
    startedAt: nullable(instant(), inFight),
    endedAt: nullable(instant(), inFight),
  },
})

export const combatantKind = z.enum(['character', 'npc', 'monster'])

/** What the rules compute with and what somebody can do, as a stat block has it. Keys are those of the campaign's rules. */
export const statblock = inWords(
  z.strictObject({
    level: z.int().min(-1).max(100).optional(),
    /** Challenge, or level of a creature: fractions as 0.25. */
    rating: z.number().min(-1).max(100).optional(),
    /** Where the stat block itself says what it is worth. */
    experience: points.max(10_000_000).optional(),
    size: line(40).optional(),
    type: line(120).optional(),
    abilities: abilityValues().optional(),
    skills: rankValues().optional(),
    saves: rankValues().optional(),
    bonuses: bonusValues().optional(),
    checks: ownChecks().optional(),
    /** Feet by the way it moves: `walk`, `fly`. */
    speeds: speedValues().optional(),
    defences: defences.optional(),
    actions: actions().optional(),
    /** Counted things, as legendary actions: `left` is where a fight begins. */
    resources: resources().optional(),
    slots: slots().optional(),
    /** What else it can do, in words. */
    says: z.string().max(4000).optional(),
  }),
  [
    "level; rating: challenge, as 0.25; experience, size, type, says; abilities {dex:14}; skills, saves {dex:'proficient'}",
    "bonuses {'save.dex':1}; speeds {fly:60}; checks [{key,name,expression}]; resources [{key,name,max,left,recharge:turn|short|long|day|none}]",
    "slots [{level,max,used}]; defences {immunities:['fire'],resistances and weaknesses:[{type,amount?}],conditionImmunities,threshold}",
    "actions [{key:'hook',name:'Hook',attack:4,damage:[{expression:'1d8+2',type}],save:{checkId:'save.dex',difficulty,half},heals,conditions:[{key,rounds}],uses:{resource,count},cost,spellLevel,rechargeFrom,concentration,agile,says}]",
  ].join('; '),
)

const partLeft = z.strictObject({
  key: z.string(),
  name: z.string(),
  left: z.int(),
  max: z.int(),
  unit: z.enum(['each', 'feet']),
  outOfTurn: z.boolean(),
})

const ofHp = anyOf(dungeonMasters, where('hpShown', 'exact'), self('controllerUserId'))
const ofBand = anyOf(dungeonMasters, where('hpShown', 'exact', 'band'), self('controllerUserId'))

/** Somebody in a fight. Hidden ones are in nothing that players are told. */
export const combatant = defineEntity({
  name: 'combatant',
  table: 'combatants',
  label: 'combatant',
  listedBy: 'list_combatants',
  title: 'name',
  owner: 'controllerUserId',
  trash: true,
  hide: true,
  visible: allOf(withParent('encounterId', 'encounter'), anyOf(dungeonMasters, where('hidden', false))),
  lists: { orders: [[['place', 'asc']]], filters: ['encounterId', 'characterId'] },
  since: 4,
  fields: {
    encounterId: parent('encounter'),
    name: required(name(), { search: 'title' }),
    kind: required(combatantKind),
    npcId: reference('npc'),
    /** Whose sheet says how they live and what they have: nothing of it is kept here. */
    characterId: reference('character'),
    /** Who plays it; null: the Dungeon Masters do. */
    controllerUserId: nullable(userId(), { ...byUser, references: 'user' }),
    /** On the side of the party, so that nobody gets experience for it. */
    ally: withDefault(z.boolean(), false),
    hidden: withDefault(z.boolean(), false),
    hpShown: withDefault(hpShown, 'band', { readableBy: 'dm' }),
    /** Null: no hit points are counted. */
    hpMax: nullable(points, { readableBy: ofHp }),
    ac: nullable(z.int().min(0).max(1000), { readableBy: 'owner' }),
    /** All that is added to its initiative; null: what follows from the stat block. */
    initiativeModifier: nullable(z.int().min(-100).max(100), { readableBy: 'owner' }),
    statblock: withDefault(statblock, {}, { readableBy: 'owner' }),
    notes: nullable(prose(), { readableBy: 'dm' }),
    /** Those of one group share a roll of initiative. */
    initiativeGroup: nullable(line(), { internal: true, carry: { drop: 'it is settled when a fight begins' } }),

    hp: withDefault(points, 0, { ...inFight, readableBy: ofHp }),
    hpTemp: withDefault(points, 0, { ...inFight, readableBy: ofHp }),
    /** How it stands, in a word. */
    band: withDefault(z.enum(['unhurt', 'hurt', 'bloodied', 'critical', 'down', 'dead']), 'unhurt', {
      ...inFight,
      readableBy: ofBand,
    }),
    lifeState: withDefault(z.enum(['up', 'dying', 'stable', 'dead']), 'up', inFight),
    marks: withDefault(markValues(), {}, { ...inFight, readableBy: ofBand }),
    conditions: withDefault(conditions(), [], inFight),
    concentration: nullable(line(120), inFight),
    initiative: nullable(z.int().min(-1000).max(10_000), inFight),
    place: withDefault(z.int(), 0, { ...inFight, place: true }),
    parts: withDefault(z.array(partLeft).max(20), [], { ...inFight, readableBy: 'owner' }),
    attacksMade: withDefault(z.int().min(0), 0, { ...inFight, readableBy: 'owner' }),
    resources: withDefault(resources(), [], { ...inFight, readableBy: 'owner' }),
    slots: withDefault(slots(), [], { ...inFight, readableBy: 'owner' }),
    spent: withDefault(z.array(key()).max(200), [], { ...inFight, readableBy: 'owner' }),
    delaying: withDefault(z.boolean(), false, inFight),
    readied: nullable(line(), { ...inFight, readableBy: 'owner' }),
    recoveryDue: withDefault(z.boolean(), false, { ...inFight, readableBy: ofBand }),
    /** Taken out of the fight. */
    removed: withDefault(z.boolean(), false, inFight),
  },
})

export const eventKind = z.enum([
  'begin',
  'initiative',
  'order',
  'turn',
  'turn_end',
  'end',
  'reopen',
  'damage',
  'heal',
  'condition',
  'death_save',
  'resource',
  'spend',
  'action',
  'join',
  'removal',
])

const rollLine = z.strictObject({ label: z.string(), text: z.string(), total: z.number() })

/** Numbers of creatures are for those who may read their hit points. */
const ofNumbers = anyOf(dungeonMasters, where('open', true), self('controllerUserId'))

/** It is written once and stays: the history of the campaign need not hold it a second time. */
const once = { journal: 'name' } as const

/** One thing that happened in a fight. Who sees it sees everybody it is about, and saw them then. */
export const encounterEvent = defineEntity({
  name: 'encounter_event',
  table: 'encounter_events',
  label: 'event of a fight',
  listedBy: 'list_encounter_events',
  trash: true,
  undoneBy: 'What happened in a fight is taken back there: undo_encounter_event, or previous_turn for a turn.',
  visible: allOf(
    withParent('encounterId', 'encounter'),
    anyOf(
      dungeonMasters,
      allOf(
        where('secret', false),
        anyOf(
          where('about', 'fight'),
          allOf(where('about', 'one'), withParent('combatantId', 'combatant')),
          allOf(where('about', 'target'), withParent('targetId', 'combatant')),
          allOf(where('about', 'two'), withParent('combatantId', 'combatant'), withParent('targetId', 'combatant')),
        ),
      ),
    ),
  ),
  lists: { orders: [[]], filters: ['encounterId'] },
  since: 4,
  fields: {
    encounterId: parent('encounter'),
    kind: required(eventKind),
    round: required(z.int().min(0)),
    /** Whose doing it is, or whom it is about. */
    combatantId: reference('combatant'),
    /** Whom it happened to. */
    targetId: reference('combatant'),
    about: required(z.enum(['fight', 'one', 'target', 'two']), { readableBy: 'dm' }),
    says: required(line(2000), once),
    numbers: nullable(line(2000), { ...once, readableBy: ofNumbers }),
    amount: nullable(z.int(), { readableBy: ofNumbers }),
    rolls: withDefault(z.array(rollLine).max(200), [], { ...once, readableBy: ofNumbers }),
    /** It was taken back. */
    undone: withDefault(z.boolean(), false),
    /** Somebody whom it is about was hidden then. */
    secret: withDefault(z.boolean(), false, { readableBy: 'dm' }),
    /** Its numbers are for everybody. */
    open: withDefault(z.boolean(), false, { readableBy: 'dm' }),
    /** Who plays whom it is about. */
    controllerUserId: nullable(userId(), { ...byUser, references: 'user' }),
    /** What one command did is taken back as one. */
    step: required(z.int().min(1), { readableBy: 'dm' }),
    /** What changed, both ways. */
    patch: withDefault(
      z.object({ fight: z.unknown(), fighters: z.array(z.unknown()) }),
      { fight: null, fighters: [] },
      {
        internal: true,
        carry: { drop: 'its ids are those of this server: a fight elsewhere begins with what stands' },
      },
    ),
  },
})
