import type { Writer } from '../kernel/context.ts'
import type { Entity } from '../kernel/entity.ts'
import { fail, invalid } from '../kernel/errors.ts'
import { sortKey } from '../kernel/sort-key.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { type ChangeSet, changedFields, isPublicUpdate, sameValue, type WholeRow } from './change-set.ts'
import {
  type Column,
  campaignOf,
  columnsOf,
  decode,
  encode,
  hasPublicColumns,
  homeColumns,
  type SqlValue,
} from './columns.ts'
import { moveFollowers } from './followers.ts'
import { addLabels, bringLabels } from './labels.ts'
import { isSeen, missing, revisionFor, seesRow, wholeRow } from './reader.ts'
import type { Store } from './store.ts'
import { bringTallies } from './tally-writes.ts'

type Untyped = Readonly<Record<string, unknown>>

/** Writes rows of one entity into a change set. Links must name rows that the writer can see in the same campaign. */
export function writerFor<E extends Entity>(store: Store, entity: E, viewer: Viewer, changes: ChangeSet): Writer<E> {
  const writable = (id: number): WholeRow => {
    const row = wholeRow(store, entity, id)
    if (row === null || row.deletedAt !== null || !inScope(store, entity, row, viewer)) throw missing(entity)
    return row
  }
  return {
    insert: (values) => insertRow(store, entity, viewer, changes, values as Untyped),
    update(id, patch, expectedRevision) {
      const before = writable(id)
      const revision = revisionFor(store, entity, before, viewer)
      if (expectedRevision !== undefined && revision !== expectedRevision) {
        throw fail(
          'stale_revision',
          `This ${entity.label} is at revision ${revision} now, not ${expectedRevision}. Read it again, then repeat your change.`,
        )
      }
      // Links are judged before unchanged values are dropped: else an answer would tell whether a guess at a hidden link was right.
      checkLinks(store, entity, viewer, patch as Untyped)
      const given = Object.entries(patch as Untyped).filter(
        ([key, value]) => value !== undefined && !sameValue(before[key], value),
      )
      updateRow(store, entity, changes, before, Object.fromEntries(given))
    },
    trash(id) {
      writable(id)
      trashRow(store, entity, id, changes)
    },
    remove(id) {
      const before = writable(id)
      store.run(`DELETE FROM ${entity.table} WHERE id = @id`, { id })
      bringTallies(store, entity, before, null)
      changes.add({
        entity,
        id,
        campaignId: campaignOf(entity, before),
        kind: 'purge',
        before,
        after: null,
        isPublic: true,
      })
    },
  }
}

/** The unique indexes are the last word: what was trashed or changed may find its number taken when it comes back. */
function runUnique(
  store: Store,
  entity: Entity,
  sql: string,
  bindings: Readonly<Record<string, SqlValue>>,
): { readonly id: number } {
  try {
    return store.run(sql, bindings)
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'SQLITE_CONSTRAINT_UNIQUE') throw error
    const fields = entity.unique.map((keys) => keys.join(' and ')).join(', or ')
    throw fail('invalid_state', `There is another ${entity.label} with the same ${fields} now. Change that one first.`)
  }
}

/** A campaign's rows are written in it, a person's by themself; an administrator, who ends credentials, writes those they see. */
function inScope(store: Store, entity: Entity, row: WholeRow, viewer: Viewer): boolean {
  const home = homeColumns[entity.scope]
  if (home === null || row[home.key] === homeOf(home.key, viewer)) return true
  return home.key === 'userId' && viewer.admin && seesRow(store, entity, row, viewer)
}

/** Where what the viewer writes comes to lie: in the campaign of the call, or with whom it names, else with themself. */
function homeOf(key: string, viewer: Viewer, { userId = viewer.userId }: Untyped = {}): number | null {
  return key === 'userId' ? (userId as number) : viewer.campaignId
}

/** The columns that these values fill, as they are stored, and those beside them by which they are ordered. */
export function stored(
  columns: readonly Column[],
  values: Untyped,
): readonly (readonly [column: string, value: SqlValue])[] {
  return columns.flatMap(({ key, column, kind, sortColumn }) => {
    const value = encode(kind, values[key])
    if (sortColumn === null) return [[column, value] as const]
    return [[column, value] as const, [sortColumn, typeof value === 'string' ? sortKey(value) : null] as const]
  })
}

function insertRow(store: Store, entity: Entity, viewer: Viewer, changes: ChangeSet, values: Untyped): number {
  checkLinks(store, entity, viewer, values)
  const home = homeColumns[entity.scope]
  const own = columnsOf(entity).filter(({ key, field }) => field !== null && values[key] !== undefined)
  const pairs: readonly (readonly [string, SqlValue])[] = [
    ...(home === null || home.column === 'id' ? [] : [[home.column, homeOf(home.key, viewer, values)] as const]),
    ['created_at', changes.now],
    ['updated_at', changes.now],
    ...(hasPublicColumns(entity) ? [['public_updated_at', changes.now] as const] : []),
    ...stored(own, values),
  ]
  const bindings: Readonly<Record<string, SqlValue>> = Object.fromEntries(pairs)
  const { id } = runUnique(
    store,
    entity,
    `INSERT INTO ${entity.table} (${pairs.map(([column]) => column).join(', ')}) VALUES (${pairs.map(([column]) => `@${column}`).join(', ')})`,
    bindings,
  )
  addLabels(store, entity, id, values)
  const after = inserted(entity, id, bindings) ?? wholeRow(store, entity, id)
  if (after === null) throw new Error(`${entity.name} ${id} is not there after it was written`)
  bringTallies(store, entity, null, after)
  changes.add({
    entity,
    id,
    campaignId: campaignOf(entity, after),
    kind: 'create',
    before: null,
    after,
    isPublic: true,
  })
  return id
}

/** The row that a statement with these bindings made, as it would be read; null where the database chose a part of it. */
function inserted(entity: Entity, id: number, bindings: Readonly<Record<string, SqlValue>>): WholeRow | null {
  const row: Record<string, unknown> = {}
  for (const { key, column, kind, field } of columnsOf(entity)) {
    if (column in bindings) row[key] = decode(kind, bindings[column])
    else if (field === null) row[key] = begins[key] ?? null
    else if (field.marks.random) return null
    // Encoded first: what is read of it is the reader's own, and nobody's declaration.
    else row[key] = decode(kind, encode(kind, field.initial))
  }
  row.id = id
  if (homeColumns[entity.scope]?.column === 'id') row.campaignId = id
  return row
}

/** Columns of every table that a new row does not name. */
const begins: Readonly<Record<string, unknown>> = { revision: 1, publicRevision: 1 }

const publicly = ['public_revision = public_revision + 1', 'public_updated_at = @now']

/** Changes a row without asking who may: the journal's undo uses it too. Nothing is written where nothing differs. */
export function updateRow(store: Store, entity: Entity, changes: ChangeSet, before: WholeRow, patch: Untyped): void {
  const own = columnsOf(entity).filter(({ key, field }) => field !== null && key in patch)
  if (own.length === 0) return
  const pairs = stored(own, patch)
  const bindings: Record<string, SqlValue> = {
    ...Object.fromEntries(pairs),
    id: before.id as number,
    now: changes.now,
  }
  const assignments = pairs.map(([column]) => `${column} = @${column}`)
  const isPublic = isPublicUpdate(store, entity, before, { ...before, ...patch })
  // One statement: nobody reads a row whose two revisions do not go together.
  const isNoticed = hasPublicColumns(entity) && isPublic
  const counted = ['revision = revision + 1', 'updated_at = @now', ...(isNoticed ? publicly : [])]
  runUnique(
    store,
    entity,
    `UPDATE ${entity.table} SET ${[...assignments, ...counted].join(', ')} WHERE id = @id`,
    bindings,
  )
  const id = before.id as number
  bringLabels(store, entity, id, Object.keys(patch))
  // What the statement left behind is known: to read the whole row again would cost more than to write it.
  const after: WholeRow = {
    ...before,
    ...Object.fromEntries(own.map(({ key, kind, column }) => [key, decode(kind, bindings[column])])),
    revision: Number(before.revision) + 1,
    updatedAt: changes.now,
    ...(isNoticed ? { publicRevision: Number(before.publicRevision) + 1, publicUpdatedAt: changes.now } : {}),
  }
  if (changedFields(entity, before, after).length === 0) return
  bringTallies(store, entity, before, after)
  moveFollowers(store, entity, before, after)
  changes.add({ entity, id, campaignId: campaignOf(entity, before), kind: 'update', before, after, isPublic })
}

/** Moves a row and what it owns to the trash as one batch, named after the change set. Rows already there stay in theirs. */
export function trashRow(store: Store, entity: Entity, id: number, changes: ChangeSet): void {
  setTrashed(store, entity, id, changes, changes.id)
  for (const owned of store.registry.ownedBy(entity.name)) {
    const column = columnsOf(owned.entity).find(({ key }) => key === owned.field)?.column
    const rows = store.all(
      `SELECT id FROM ${owned.entity.table} WHERE ${column} = @id AND deleted_at IS NULL ORDER BY id`,
      { id },
    )
    for (const row of rows) trashRow(store, owned.entity, row.id as number, changes)
  }
}

/** Sets or clears the mark of the trash; `batch` null brings the row back. */
export function setTrashed(store: Store, entity: Entity, id: number, changes: ChangeSet, batch: number | null): void {
  const before = wholeRow(store, entity, id)
  if (before === null) return
  const deletedAt = batch === null ? null : changes.now
  runUnique(
    store,
    entity,
    `UPDATE ${entity.table} SET deleted_at = @deletedAt, trash_batch = @batch, revision = revision + 1${hasPublicColumns(entity) ? ', public_revision = public_revision + 1' : ''} WHERE id = @id`,
    { id, deletedAt, batch },
  )
  const kind = batch === null ? 'restore' : 'trash'
  const after = wholeRow(store, entity, id)
  bringTallies(store, entity, before, after)
  changes.add({
    entity,
    id,
    campaignId: campaignOf(entity, before),
    kind,
    before,
    after,
    isPublic: true,
  })
}

/** A link names a visible row of the same campaign; the answer is the same for absent, foreign, trashed and hidden ones. */
function checkLinks(store: Store, entity: Entity, viewer: Viewer, values: Untyped): void {
  for (const { key, field } of columnsOf(entity)) {
    const { references: target, link } = field?.marks ?? {}
    const id = values[key]
    if (link !== undefined && 'type' in link) checkLink(store, viewer, link.type, key, values)
    if (target === undefined || typeof id !== 'number') continue
    if (target === 'user') {
      const known = store.get('SELECT 1 AS known FROM users WHERE id = @id', { id })
      if (known === undefined) throw badLink(key, 'user', 'list_members')
      continue
    }
    const linked = store.registry.get(target)
    if (!isSeen(store, linked, viewer, id)) throw badLink(key, linked.label, linked.listedBy)
  }
}

/** Both halves or neither, naming a thing that the writer sees. */
function checkLink(store: Store, viewer: Viewer, typeKey: string, idKey: string, values: Untyped): void {
  const [type, id] = [values[typeKey], values[idKey]]
  if (type === id) return
  if (typeof type !== 'string' || typeof id !== 'number') {
    const path = type === undefined || typeof id === 'number' ? typeKey : idKey
    throw fail('validation_failed', `Give both ${typeKey} and ${idKey}, or neither.`, {
      details: [{ path, message: 'goes with the other' }],
    })
  }
  const linked = store.registry.kinds('linked').find(({ name }) => name === type)
  if (linked === undefined) {
    const kinds = store.registry
      .kinds('linked')
      .map(({ name }) => name)
      .join(', ')
    throw fail('validation_failed', `${typeKey}: one of ${kinds}.`, {
      details: [{ path: typeKey, message: 'not a kind of thing that can be linked to' }],
    })
  }
  if (!isSeen(store, linked, viewer, id)) throw badLink(idKey, linked.label, linked.listedBy)
}

function badLink(key: string, label: string, listedBy: string): Error {
  return invalid(key, `no such ${label}`, `${key}: there is no such ${label} here. ${listedBy} finds ids.`)
}
