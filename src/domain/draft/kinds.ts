import * as z from 'zod'
import type { ProposedChange } from '../../kernel/context.ts'
import { combatant, encounter } from '../encounter/entity.ts'
import { faction } from '../faction/entity.ts'
import { homebrew } from '../homebrew/entity.ts'
import { location } from '../location/entity.ts'
import { disposition, npc } from '../npc/entity.ts'
import { objective } from '../objective/entity.ts'
import { quest } from '../quest/entity.ts'
import { randomTable } from '../random-table/entity.ts'
import { beat } from '../story/entity.ts'

// What can be drafted: what a model is asked for, and the changes that make it. A model names things by their names and never
// by ids; what it names must be among what it was told of. Until a Dungeon Master shows it, what was drafted is hidden.

/** Things of the campaign by the names that the model was told. */
export interface Known {
  find(kind: 'npc' | 'location' | 'faction' | 'quest', name: string | undefined): number | undefined
  /** The arc that beats come into. */
  readonly arcId: number | null
}

interface DraftKind<S extends z.ZodObject = z.ZodObject> {
  /** For the model. */
  readonly what: string
  readonly shape: S
  changes(draft: z.output<S>, known: Known): readonly ProposedChange[]
}

const kind = <S extends z.ZodObject>(declared: DraftKind<S>): DraftKind => declared as unknown as DraftKind
const text = (most: number) => z.string().max(most)
const maybe = (most: number) => z.string().max(most).optional()
const few = z.array(z.string().max(40)).max(8).optional()

/** Without members that were not said; blank is not said. */
function given<T extends Readonly<Record<string, unknown>>>(input: T): Readonly<Record<string, unknown>> {
  const said = Object.entries(input).filter(
    ([, value]) => value !== undefined && (typeof value !== 'string' || value.trim() !== ''),
  )
  return Object.fromEntries(said)
}

export const draftKinds = {
  npc: kind({
    what: 'people of the world: who they are, how they speak, what they want, and a secret for the Dungeon Master',
    shape: z.strictObject({
      name: text(80),
      role: maybe(200),
      species: maybe(100),
      disposition: disposition.optional(),
      description: text(3000),
      voice: maybe(200),
      secret: maybe(1500),
      locationName: maybe(120),
      factionName: maybe(120),
      tags: few,
    }),
    changes: ({ description, secret, locationName, factionName, ...rest }, known) => [
      {
        operation: 'create_npc',
        input: given({
          ...rest,
          body: description,
          dmSecret: secret,
          locationId: known.find('location', locationName),
          factionId: known.find('faction', factionName),
          hidden: true,
        }),
      },
    ],
  }),
  location: kind({
    what: 'places: what one sees, hears and smells, who is there, and a secret for the Dungeon Master',
    shape: z.strictObject({
      name: text(80),
      kind: maybe(100),
      description: text(3000),
      secret: maybe(1500),
      insideOf: maybe(120),
      tags: few,
    }),
    changes: ({ description, secret, insideOf, ...rest }, known) => [
      {
        operation: 'create_location',
        input: given({
          ...rest,
          body: description,
          dmSecret: secret,
          parentLocationId: known.find('location', insideOf),
          hidden: true,
        }),
      },
    ],
  }),
  quest: kind({
    what: 'quests: what is asked of the party, two to six steps of it, what they get, and what nobody tells them',
    shape: z.strictObject({
      title: text(100),
      description: text(3000),
      objectives: z.array(text(250)).min(1).max(8),
      reward: maybe(250),
      secret: maybe(1500),
      giverName: maybe(120),
      locationName: maybe(120),
      tags: few,
    }),
    changes: ({ description, secret, objectives, giverName, locationName, ...rest }, known) => [
      {
        operation: 'create_quest',
        as: 'quest',
        input: given({
          ...rest,
          body: description,
          dmSecret: secret,
          giverNpcId: known.find('npc', giverName),
          locationId: known.find('location', locationName),
          hidden: true,
        }),
      },
      ...objectives.map((step) => ({
        operation: 'create_objective',
        input: { questId: { $of: 'quest' }, text: step },
      })),
    ],
  }),
  faction: kind({
    what: 'groups of people who want something together: what they want, how they go about it, and what they hide',
    shape: z.strictObject({
      name: text(80),
      kind: maybe(100),
      goals: z.array(text(250)).min(1).max(6),
      description: text(3000),
      secret: maybe(1500),
      tags: few,
    }),
    changes: ({ description, secret, goals, ...rest }) => [
      {
        operation: 'create_faction',
        input: given({
          ...rest,
          body: description,
          dmSecret: secret,
          goals: goals.map((goal) => `- ${goal}`).join('\n'),
          hidden: true,
        }),
      },
    ],
  }),
  item: kind({
    what: 'things that may be found: what they look like, what they do at the table, and what nobody knows of them',
    shape: z.strictObject({ name: text(80), description: text(3000), secret: maybe(1500) }),
    changes: ({ name, description, secret }) => [
      {
        operation: 'create_homebrew',
        input: given({ kind: 'item', name, body: description, dmSecret: secret, hidden: true }),
      },
    ],
  }),
  encounter: kind({
    what: 'fights: where, against whom, what makes it more than blows, and what the Dungeon Master should know',
    shape: z.strictObject({
      name: text(80),
      description: text(2000),
      tactics: maybe(1500),
      locationName: maybe(120),
      creatures: z
        .array(
          z.strictObject({
            name: text(80),
            count: z.int().min(1).max(20),
            hitPoints: z.int().min(1).max(2000),
            armourClass: z.int().min(1).max(40),
          }),
        )
        .min(1)
        .max(6),
    }),
    changes: ({ name, description, tactics, locationName, creatures }, known) => [
      {
        operation: 'create_encounter',
        as: 'fight',
        input: given({ name, body: description, dmSecret: tactics, locationId: known.find('location', locationName) }),
      },
      ...creatures.map(({ name: creature, count, hitPoints, armourClass }) => ({
        operation: 'add_combatant',
        input: {
          encounterId: { $of: 'fight' },
          kind: 'monster',
          name: creature,
          count,
          hpMax: hitPoints,
          ac: armourClass,
        },
      })),
    ],
  }),
  beat: kind({
    what: 'moments of the story that may come: what happens, and what the Dungeon Master keeps back',
    shape: z.strictObject({
      title: text(100),
      description: text(2000),
      secret: maybe(1500),
      locationName: maybe(120),
      questName: maybe(120),
    }),
    changes: ({ title, description, secret, locationName, questName }, known) => [
      {
        operation: 'create_beat',
        input: given({
          arcId: known.arcId ?? undefined,
          ...{ title, body: description, dmSecret: secret },
          locationId: known.find('location', locationName),
          questId: known.find('quest', questName),
        }),
      },
    ],
  }),
  table: kind({
    what: 'tables that are rolled on: eight to twelve lines that each give the Dungeon Master something to say at once',
    shape: z.strictObject({
      name: text(80),
      description: maybe(250),
      rows: z
        .array(z.strictObject({ text: text(400), more: maybe(800), weight: z.int().min(1).max(20).optional() }))
        .min(4)
        .max(20),
    }),
    changes: ({ name, description, rows }) => [
      { operation: 'create_random_table', input: given({ name, description, rows: rows.map(given) }) },
    ],
  }),
} as const satisfies Readonly<Record<string, DraftKind>>

export type DraftType = keyof typeof draftKinds
export const draftTypes = Object.keys(draftKinds) as [DraftType, ...DraftType[]]

/** What the operations take, by their entities' own fields. An id that an earlier change makes is judged when it is tried. */
const accepted: Readonly<Record<string, z.ZodObject>> = {
  create_npc: z.strictObject(
    npc.create(
      'name',
      'role',
      'species',
      'disposition',
      'locationId',
      'factionId',
      'body',
      'voice',
      'dmSecret',
      'hidden',
      'tags',
    ),
  ),
  create_location: z.strictObject(
    location.create('name', 'kind', 'parentLocationId', 'body', 'dmSecret', 'hidden', 'tags'),
  ),
  create_quest: z.strictObject(
    quest.create('title', 'body', 'giverNpcId', 'locationId', 'reward', 'dmSecret', 'hidden', 'tags'),
  ),
  create_objective: z.strictObject(objective.create('text')),
  create_faction: z.strictObject(faction.create('name', 'kind', 'goals', 'body', 'dmSecret', 'hidden', 'tags')),
  create_homebrew: z.strictObject(homebrew.create('kind', 'name', 'body', 'dmSecret', 'hidden')),
  create_encounter: z.strictObject(encounter.create('name', 'body', 'locationId', 'dmSecret')),
  add_combatant: z.strictObject({ ...combatant.create('kind', 'name', 'hpMax', 'ac'), count: z.int() }),
  create_beat: z.strictObject(beat.create('arcId', 'title', 'body', 'dmSecret', 'locationId', 'questId')),
  create_random_table: z.strictObject(randomTable.create('name', 'description', 'rows')),
}

/** What a model is asked for where so many are wanted. */
export function draftsShape(type: DraftType, count: number): z.ZodObject {
  return z.strictObject({ drafts: z.array(draftKinds[type].shape).min(1).max(count) })
}

export type JudgedDrafts =
  | { readonly ok: true; readonly value: readonly (readonly ProposedChange[])[] }
  | { readonly ok: false; readonly problems: readonly string[] }

/** The changes that make what a model answered, or what is wrong with it: lines `path: message`, without the words themselves. */
export function judgeDrafts(type: DraftType, count: number, known: Known, value: unknown): JudgedDrafts {
  const read = draftsShape(type, count).safeParse(value)
  if (!read.success)
    return { ok: false, problems: read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) }
  const { drafts } = read.data as { readonly drafts: readonly never[] }
  const made = drafts.map((draft) => draftKinds[type].changes(draft, known))
  const problems = made.flatMap((changes, index) => changes.flatMap((change) => problemsOf(change, `drafts.${index}`)))
  return problems.length === 0 ? { ok: true, value: made } : { ok: false, problems }
}

function problemsOf({ operation, input }: ProposedChange, place: string): readonly string[] {
  const own = Object.fromEntries(
    Object.entries(input).filter(([, value]) => typeof value !== 'object' || value === null || !('$of' in value)),
  )
  const read = accepted[operation]?.safeParse(own)
  if (read === undefined || read.success) return []
  return read.error.issues.map(({ path, message }) => `${place}.${path.join('.')}: ${message}`)
}
