import type { Entity } from '../kernel/entity.ts'
import { fail } from '../kernel/errors.ts'
import type { JournalChange } from '../kernel/journal.ts'
import { type ChangeSet, isKept, type WholeRow } from './change-set.ts'
import { columnsOf } from './columns.ts'
import { wholeRow } from './reader.ts'
import { followsOnly, whyFinal } from './reversibility.ts'
import type { Store } from './store.ts'
import { setTrashed, trashRow, updateRow } from './writer.ts'

/**
 * Undoes one record of the journal as a new change set.
 *
 * 1. refuse what was undone before, and what by its declaration cannot be undone at all
 * 2. refuse, naming it, where a later record changed the same members or hangs on what would go
 * 3. take the changes back, newest first
 * 4. mark the record as reverted by this one
 */
export function undo(
  store: Store,
  recordId: number,
  done: readonly JournalChange[],
  changes: ChangeSet,
): readonly JournalChange[] {
  const record = store.get('SELECT operation, reverted_by FROM change_sets WHERE id = @recordId', {
    recordId,
  })
  if (record?.reverted_by != null)
    throw fail('invalid_state', `Record ${recordId} was already reverted by record ${String(record.reverted_by)}.`)
  const refuse = (why: string): Error =>
    fail('invalid_state', `Record ${recordId} (${String(record?.operation)}) cannot be undone: ${why}.`)
  if (done.length === 0) throw refuse('it changed nothing that is kept')
  const elsewhere = done.find(({ entityType }) => store.registry.get(entityType).undoneBy !== null)
  // What has a way back of its own is more to the point than what else stands against it.
  const first = elsewhere && whyFinal(store.registry.get(elsewhere.entityType), elsewhere)
  if (first) throw refuse(first)
  for (const change of done) {
    const entity = store.registry.get(change.entityType)
    const final = whyFinal(entity, change)
    if (final !== null) throw refuse(final)
    refuseLater(store, recordId, entity, change)
    if (change.kind === 'create' || change.kind === 'restore')
      refuseDependants(store, entity, change.entityId, recordId)
  }
  if (
    done.every(
      (change) => change.kind === 'update' && keptOf(store.registry.get(change.entityType), change).length === 0,
    )
  )
    throw fail('invalid_state', `Record ${recordId} cannot be undone: no values are kept of what it changed.`)
  for (const change of [...done].reverse()) takeBack(store, change, changes)
  store.run('UPDATE change_sets SET reverted_by = @by WHERE id = @recordId', { by: changes.id, recordId })
  return done
}

/** The fields of a change of which values are kept. An undo leaves the others as they are, and so nothing stands in its way. */
function keptOf(entity: Entity, change: JournalChange): readonly string[] {
  return change.fields.filter((field) => isKept(entity, field))
}

function refuseLater(store: Store, recordId: number, entity: Entity, change: JournalChange): void {
  const later = store.all(
    `SELECT c.change_set_id AS record, c.kind AS kind, c.fields AS fields, s.operation AS operation FROM changes c JOIN change_sets s ON s.id = c.change_set_id
     WHERE c.entity_type = @type AND c.entity_id = @id AND c.id > @after AND c.change_set_id <> @recordId ORDER BY c.id`,
    { type: change.entityType, id: change.entityId, after: change.id, recordId },
  )
  const blocking = later.find((each) => {
    if (cancelsOut(store, Number(each.record), recordId)) return false
    const fields = JSON.parse(String(each.fields)) as string[]
    if (followsOnly(entity, { kind: each.kind as JournalChange['kind'], fields })) return false
    if (change.kind !== 'update' || each.kind !== 'update') return true
    return keptOf(entity, change).some((field) => fields.includes(field))
  })
  if (blocking)
    throw fail(
      'invalid_state',
      `Record ${String(blocking.record)} (${String(blocking.operation)}) changed this later. Revert that one first.`,
    )
}

/** Whether nothing is left of a record: it was undone since `after`, or it undid one that is not older than that. */
function cancelsOut(store: Store, record: number, after: number): boolean {
  if (!stands(store, record)) return true
  const undid = store.get('SELECT id FROM change_sets WHERE reverted_by = @record', { record })?.id
  return typeof undid === 'number' && undid > after
}

/** A record stands until it is undone, and again when that was undone. */
function stands(store: Store, record: number): boolean {
  const by = store.get('SELECT reverted_by FROM change_sets WHERE id = @record', { record })?.reverted_by
  return typeof by !== 'number' || !stands(store, by)
}

/** What a created or restored row owns by now would go with it. */
function refuseDependants(store: Store, entity: Entity, id: number, recordId: number): void {
  for (const owned of store.registry.ownedBy(entity.name)) {
    const column = columnsOf(owned.entity).find(({ key }) => key === owned.field)?.column
    const dependant = store.get(
      `SELECT s.id AS record, s.operation AS operation FROM ${owned.entity.table} o
       JOIN changes c ON c.entity_type = @type AND c.entity_id = o.id AND c.kind = 'create' JOIN change_sets s ON s.id = c.change_set_id
       WHERE o.${column} = @id AND o.deleted_at IS NULL AND s.id > @recordId LIMIT 1`,
      { type: owned.entity.name, id, recordId },
    )
    if (dependant)
      throw fail(
        'invalid_state',
        `Record ${String(dependant.record)} (${String(dependant.operation)}) depends on this one. Revert that one first.`,
      )
  }
}

function takeBack(store: Store, change: JournalChange, changes: ChangeSet): void {
  const entity = store.registry.get(change.entityType)
  const row = wholeRow(store, entity, change.entityId)
  if (row === null) throw fail('invalid_state', 'What this record changed was deleted for good.')
  switch (change.kind) {
    case 'create':
    case 'restore':
      trashRow(store, entity, change.entityId, changes)
      break
    case 'trash':
      setTrashed(store, entity, change.entityId, changes, null)
      break
    case 'update':
      updateRow(store, entity, changes, row, withoutLostLinks(store, entity, change.before ?? {}))
      break
    case 'purge':
      throw fail('invalid_state', 'What was deleted for good cannot come back.')
  }
}

/** A link to what was deleted for good meanwhile stays empty. */
function withoutLostLinks(store: Store, entity: Entity, image: WholeRow): WholeRow {
  const isLost = (key: string, value: unknown): boolean => {
    const target = entity.fields[key]?.marks.references
    if (target === undefined || target === 'user' || typeof value !== 'number') return false
    return wholeRow(store, store.registry.get(target), value) === null
  }
  return Object.fromEntries(Object.entries(image).map(([key, value]) => [key, isLost(key, value) ? null : value]))
}
