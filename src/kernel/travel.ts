import type { Entity } from './entity.ts'
import type { Carry, Circle, Field } from './fields.ts'
import { idsIn, unmarkedId } from './inner-ids.ts'
import { personIn, type Viewer } from './viewer.ts'

// How a campaign leaves and comes home (SPEC 4.5, 4.6). Everything follows from the marks of the entities: what an export
// holds, what an import takes, and what a copy of a campaign keeps.

/**
 * `backup`: all that the exporter reads, to come home to. `handoff`: the whole tale for the next Dungeon Master, and nobody's
 * account. `publish`: what everybody at the table knows, with other names for the people.
 */
export const profiles = ['handoff', 'publish', 'backup'] as const
export type Profile = (typeof profiles)[number]

/** `json`: the document alone. `zip`: the document with its pictures. `markdown`: pages and pictures, for people. */
export const exportFormats = ['json', 'zip', 'markdown'] as const
export type ExportFormat = (typeof exportFormats)[number]

type Travelling = Pick<Entity, 'name' | 'scope' | 'fields' | 'journal'>

/**
 * How a field travels. What is not said follows from what the field is: a text, number or choice goes as it is, a reference
 * with its id rewritten. Throws where that would be a guess: what never leaves the storage, users, ids inside of other values.
 */
export function carryOf({ name, fields }: Pick<Travelling, 'name' | 'fields'>, key: string): Carry {
  const { schema, marks } = fields[key] as Field
  const holdsIds = idsIn(schema)
  const fault = (why: string): Error => new Error(`${name}.${key}: ${why}. Say how it travels: carry, remap or drop.`)
  const unmarked = isDropped(marks.carry) || marks.internal ? null : unmarkedId(schema)
  if (unmarked !== null)
    throw new Error(`${name}.${key}: ${unmarked} is an id that nothing follows. Say whose it is: idOf('…').`)
  if (marks.carry !== undefined) {
    if (marks.carry === 'remap' && marks.link === undefined && holdsIds === null)
      throw fault('it is to be remapped and names nothing')
    if (marks.carry === 'carry' && marks.references !== undefined) throw fault('an id means nothing elsewhere')
    if (marks.carry === 'remap' && marks.references === 'user')
      throw fault('users of one server are not users of another')
    return marks.carry
  }
  if (marks.references === 'user') throw fault('it names a user')
  if (marks.internal || marks.lookup || marks.random) throw fault('it never leaves the storage')
  if (marks.link !== undefined) return 'id' in marks.link ? 'carry' : 'remap'
  if (marks.references !== undefined) return 'remap'
  if (holdsIds !== null) throw fault(`it holds ids of ${holdsIds}`)
  return 'carry'
}

/** Whether anything of a kind of thing leaves with its campaign. What is anonymous stays: nobody can say whose it was. */
export function travels(entity: Travelling): boolean {
  if (entity.scope !== 'campaign' && entity.scope !== 'root') return false
  return entity.journal !== 'anonymous' && Object.keys(entity.fields).some((key) => !isDropped(carryOf(entity, key)))
}

export function isDropped(carry: Carry | undefined): carry is { readonly drop: string } {
  return typeof carry === 'object'
}

/**
 * Throws, naming the field, where nobody has said how it travels, or where a row could not come home without a value that
 * stays behind. Users alone can be missing: what somebody wrote is then the importer's.
 */
export function checkTravel(entities: readonly Travelling[]): void {
  for (const entity of entities) {
    if (!travels(entity)) continue
    for (const [key, { presence, marks }] of Object.entries(entity.fields)) {
      const carry = carryOf(entity, key)
      if (isDropped(carry) && presence === 'required' && marks.references !== 'user')
        throw new Error(`${entity.name}.${key}: no row can be without it, and it is dropped. Give it a default.`)
    }
  }
}

/** What of a campaign's toolsets is about people and not about the tale. */
const circles: Readonly<Record<string, Circle>> = {
  dice: 'people',
  combat: 'people',
  schedule: 'people',
  table: 'table',
  review: 'people',
  ai: 'people',
}

/** Whom a kind of thing is about: as it says itself, else by what members write to each other, else by its toolset. */
export function circleOf(entity: Pick<Entity, 'about' | 'forAi'>, toolset: string | undefined): Circle {
  return entity.about ?? (entity.forAi === null ? (circles[toolset ?? ''] ?? 'tale') : 'table')
}

/**
 * Through whose eyes an export reads a kind of thing; null where it leaves it out. What members write to each other is handed
 * on only as far as everybody at the table reads it. An outside AI exports no more than it reads.
 */
export function eyesFor(
  profile: Profile,
  entity: Pick<Entity, 'about' | 'forAi'>,
  toolset: string | undefined,
  viewer: Viewer,
): Viewer | null {
  if (profile === 'backup') return viewer
  const circle = circleOf(entity, toolset)
  if (circle === 'people' || (profile === 'publish' && circle === 'table')) return null
  const role = profile === 'publish' || entity.forAi !== null ? 'viewer' : 'dm'
  return { ...personIn(viewer.campaignId, role), ai: viewer.ai, toolsets: viewer.toolsets }
}

/** Kinds of things in an order in which each stands behind all that its rows cannot be without. */
export function byDependence<E extends Pick<Entity, 'name' | 'fields'>>(entities: readonly E[]): readonly E[] {
  const byName = new Map(entities.map((entity) => [entity.name, entity]))
  const placed = new Set<E>()
  const place = (entity: E, passed: readonly string[]): void => {
    if (placed.has(entity)) return
    if (passed.includes(entity.name)) throw new Error(`${[...passed, entity.name].join(' -> ')} need each other`)
    for (const { presence, marks } of Object.values(entity.fields)) {
      const needed = presence === 'nullable' ? undefined : byName.get(marks.references ?? '')
      if (needed !== undefined) place(needed, [...passed, entity.name])
    }
    placed.add(entity)
  }
  for (const entity of entities) place(entity, [])
  return [...placed]
}
