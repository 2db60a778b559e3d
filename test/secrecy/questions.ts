import type * as z from 'zod'
import { entities } from '../../src/catalogue.ts'
import { schemaMarks } from '../../src/kernel/fields.ts'
import { long } from '../support/long.ts'
import { type Declared, type Door, declaredIn } from '../support/matrix.ts'
import type { TestWorld } from '../support/world.ts'
import { words } from './canaries.ts'
import { type Pools, poolsOf } from './pools.ts'

// What there is to ask, worked out from the declarations: every read with its example, and with every value of each of its
// members that could make a difference. A member whose values nobody knows stops the tests.

export type Input = Readonly<Record<string, unknown>>
export interface Question {
  readonly declared: Declared
  readonly input: Input
}

/** Reads that answer with no content of a campaign to a caller who may call them, or that are walked by a test of their own. */
const elsewhere: Readonly<Record<string, string>> = {
  campaign_events: 'a stream: live.test.ts',
  backup_events: 'a stream of phases and bytes, for the administrator',
  download_backup: 'the whole server, for its administrator',
  download_backup_with_key: 'the whole server, for its administrator',
  create_backup_link: 'the whole server, for its administrator',
  inspect_backup: 'takes an archive and tells of its manifest',
  verify_backup: 'the whole server, for its administrator',
  download_kept_backup: 'the whole server, for its administrator',
  use_download_ticket: 'the whole server, for its administrator',
  inspect_import: 'takes a document and tells of it',
}

/** Ways to ask for words: whole, by their beginning, all at once, and what would reach another column if it were not plain text. */
const queriesOf = (some: readonly string[]) => [
  ...some,
  ...some.map((word) => word.slice(0, 5)),
  'zq',
  'zq*',
  'secret:zq',
  '{secret} : zq',
  'zq OR lantern',
  'lantern',
  'orchard lantern',
  'the',
]

/** The search is asked for every word; a list that can be searched for every eighth, unless there is time. */
const allQueries = queriesOf(words)
const someQueries = long ? allQueries : queriesOf(words.filter((_, index) => index % 8 === 0))

const texts: Readonly<Record<string, readonly unknown[]>> = {
  tag: ['lantern', 'orchard', ...words.filter((word) => word.includes('tag'))],
  since: ['1970-01-01T00:00:00.000Z', '2026-11-20T18:00:00.000Z'],
  operation: ['update_npc', 'create_quest', 'create_note', 'send_whisper'],
  era: ['The years of the bell', ...words.filter((word) => word.includes('era'))],
  from: ['1970-01-01T00:00:00.000Z', '2026-11-20T18:00:00.000Z', '-5', '412-2', '412-2-11'],
  to: ['2026-11-20T18:00:00.000Z', '412-2-10', '412-2', '500'],
  clientId: ['tkcl_nobody'],
  entityTypes: entities.map(({ name }) => [name]),
  code: ['tki_nobody'],
  job: ['example'],
  v: ['another'],
  system: ['dnd5e', 'generic'],
}

/** Everything to ask at a door. */
export function questionsOf(world: TestWorld, door: Door): readonly Question[] {
  const pools = poolsOf(world)
  return declaredIn(world)
    .filter((each) => each.door === door && each.declared.effect === 'read' && !(each.declared.name in elsewhere))
    .flatMap(({ declared }) => inputsOf(world, declared, pools).map((input) => ({ declared, input })))
}

function inputsOf(world: TestWorld, declared: Declared, pools: Pools): readonly Input[] {
  const example = declared.example(world) as Input
  const { shape } = declared.input
  const campaigns = 'campaignId' in shape ? idInputs(example, 'campaignId', pools.ids.campaign) : []
  const filters = Object.keys(shape).flatMap((key): readonly Input[] => {
    if (key === 'campaignId' || key === 'cursor') return []
    if (key === 'entityId' && 'entityType' in shape) return pools.things.map((thing) => ({ ...example, ...thing }))
    if (key === 'aroundId')
      return pools.things.map((thing) => ({ ...example, aroundType: thing.entityType, aroundId: thing.entityId }))
    // Its example asks nobody's campaign; what that has written itself is asked for too.
    const within: Input =
      declared.name === 'search_rules' && key === 'query' ? { campaignId: world.id('campaign') } : {}
    return valuesOf(declared, key, shape[key] as z.ZodType, pools).map((value) => ({
      ...example,
      ...within,
      [key]: value,
    }))
  })
  return [example, ...campaigns, ...filters]
}

function idInputs(example: Input, key: string, ids: readonly number[] = []): readonly Input[] {
  return ids.map((id) => ({ ...example, [key]: id }))
}

function valuesOf(declared: Declared, key: string, schema: z.ZodType, { ids }: Pools): readonly unknown[] {
  const inner = unwrapped(schema)
  const entity = schemaMarks.get(schema)?.entity ?? schemaMarks.get(inner)?.entity
  if (entity !== undefined) return known(declared, key, ids[entity])
  if (key === 'limit') return [1]
  if (key === 'ruleEntryId') return known(declared, key, ids.rule_entry)
  if (key === 'rulePackIds') return known(declared, key, ids.rule_pack).map((id) => [id])
  if (key === 'entityType' || key === 'aroundType') return entities.map(({ name }) => name)
  if (key === 'depth') return [1, 4]
  if (/UserId$/.test(key)) return known(declared, key, ids.user)
  const def = inner._zod.def as { readonly type: string; readonly entries?: Readonly<Record<string, string>> }
  if (def.type === 'enum') return Object.values(def.entries ?? {})
  if (def.type === 'boolean') return [true, false]
  if (key === 'query') return declared.name === 'search_campaign' ? allQueries : someQueries
  return known(declared, key, texts[key])
}

function known<T>({ name }: Declared, key: string, values: readonly T[] | undefined): readonly T[] {
  if (values === undefined) throw new Error(`test/secrecy/questions.ts knows no values for ${key} of ${name}`)
  return values
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const def = schema._zod.def as { readonly type: string; readonly innerType?: z.ZodType }
  return def.type === 'optional' || def.type === 'nullable' ? unwrapped(def.innerType as z.ZodType) : schema
}

/** A question as a text, for messages and to tell two answers to the same question from each other. */
export function sayQuestion({ declared, input }: Question): string {
  return `${declared.name} ${JSON.stringify(input)}`
}

/** Everything that could be named in a write: its example with each id in it replaced by every other one. */
export function targetsOf(world: TestWorld, declared: Declared, pools: Pools): readonly Question[] {
  const example = declared.example(world) as Input
  const { shape } = declared.input
  const inputs = Object.entries(shape as Readonly<Record<string, z.ZodType>>).flatMap(([key, schema]) => {
    if (key === 'entityId' && 'entityType' in shape) return pools.things.map((thing) => ({ ...example, ...thing }))
    const inner = unwrapped(schema)
    const { element } = inner._zod.def as { readonly element?: z.ZodType }
    const entity = [schema, inner, element].map((each) => each && schemaMarks.get(each)?.entity).find(Boolean)
    if (entity === undefined) return []
    return (pools.ids[entity] ?? []).map((id) => ({ ...example, [key]: element === undefined ? id : [id] }))
  })
  return inputs.map((input) => ({ declared, input }))
}
