import { readersOf } from '../kernel/audience.ts'
import type { Entity } from '../kernel/entity.ts'
import { atLeast, type Viewer } from '../kernel/viewer.ts'
import { everyone, sees } from '../kernel/visibility.ts'
import { accessRowOf, holdsFor, parentsIn, seesRow } from './reader.ts'
import type { Untyped } from './row-source.ts'
import type { Store } from './store.ts'

type WholeRow = Readonly<Untyped>

/** Whether a viewer who sees a row may read a field of it: the twin in TypeScript of what a reader asks SQLite. */
export function mayRead(store: Store, entity: Entity, key: string, row: WholeRow, viewer: Viewer): boolean {
  const field = entity.fields[key]
  if (field === undefined) return true
  if (field.marks.internal) return false
  const readers = readersOf(entity, field)
  return readers === null || sees(readers, row, viewer, parentsIn(store, viewer))
}

/**
 * Values of a row, now or earlier, as a viewer may read them: without the members that are not for them, judged by the row
 * `judged`; links to what they do not see are null. Where `history` is set, what is in the trash counts as seen by Dungeon
 * Masters, who find it there.
 */
export function imageFor(
  store: Store,
  entity: Entity,
  viewer: Viewer,
  judged: WholeRow,
  image: WholeRow,
  history = false,
): WholeRow {
  const result: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(image)) {
    if (!mayRead(store, entity, key, judged, viewer)) continue
    const target = targetOf(entity, key, image, judged)
    result[key] = target === null || seesTarget(store, target, viewer, history) ? value : null
  }
  return result
}

export interface Target {
  readonly kind: string
  readonly id: number
  readonly byLink: boolean
}

/** What a member of an image names; a half of a link names what both halves do. Null where it names nothing that can be hidden. */
export function targetOf(entity: Entity, key: string, image: WholeRow, otherwise: WholeRow = {}): Target | null {
  const { references, owned, link } = entity.fields[key]?.marks ?? {}
  const of = (member: string): unknown => (member in image ? image[member] : otherwise[member])
  const target = (kind: unknown, id: unknown): Target | null =>
    typeof kind === 'string' && typeof id === 'number' ? { kind, id, byLink: link !== undefined } : null
  if (link !== undefined) return 'id' in link ? target(of(key), of(link.id)) : target(of(link.type), of(key))
  return references === undefined || references === 'user' || owned ? null : target(references, of(key))
}

/** The declaration of what a reference names, or of what a link does; undefined where a link names no kind that it can. */
export function entityOf(store: Store, { kind, byLink }: Target): Entity | undefined {
  return byLink ? store.registry.kinds('linked').find(({ name }) => name === kind) : store.registry.find(kind)
}

function seesTarget(store: Store, target: Target, viewer: Viewer, history: boolean): boolean {
  const entity = entityOf(store, target)
  const row = entity === undefined ? null : accessRowOf(store, entity, target.id)
  if (entity === undefined || row === null) return false
  if (row.deletedAt !== null) return history && isInTrashOf(store, entity, row, viewer)
  return seesRow(store, entity, row, viewer)
}

/**
 * A trashed row is judged as it was: a Dungeon Master looks at what is in the trash, and their outside AI at what of it is
 * open to it and what its author agreed to.
 */
export function isInTrashOf(store: Store, entity: Entity, row: WholeRow, viewer: Viewer): boolean {
  const forAi = entity.forAi ?? everyone
  return atLeast(viewer.role, 'dm') && entity.journal === 'full' && holdsFor(store, forAi, entity, row, viewer)
}
