import type { Entity } from '../kernel/entity.ts'
import { fail } from '../kernel/errors.ts'
import type { AuditRecord, Journal, JournalChange, NamedThing, Revision, ThingOf } from '../kernel/journal.ts'
import { type Page, type PageRequest, pageFrom } from '../kernel/paging.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { auditRecord, auditRecords } from './audit-records.ts'
import { type ChangeSet, isKept, type WholeRow } from './change-set.ts'
import { columnOf, columnsOf } from './columns.ts'
import { readerFor, wholeRow } from './reader.ts'
import { recentChanges } from './recent-changes.ts'
import { isOpen } from './registry.ts'
import { decisionIn } from './reversibility.ts'
import { entityOf, imageFor, isInTrashOf, mayRead, targetOf } from './row-image.ts'
import type { Raw } from './row-source.ts'
import { serverRecords } from './server-records.ts'
import type { Store } from './store.ts'
import { linkTitleSql, namedBy, seenTitle, targetTitleSql } from './titles.ts'
import { undo } from './undo.ts'
import { sqlViewerOf } from './visibility-sql.ts'
import { updateRow } from './writer.ts'

const changeColumns = 'c.id, c.entity_type, c.entity_id, c.revision, c.kind, c.fields, c.before, c.after'

/** One statement for each kind of thing, however many there are. */
function namesOf(store: Store, viewer: Viewer, things: readonly ThingOf[]): NamedThing[] {
  const eyes = { registry: store.registry, audience: sqlViewerOf(viewer) }
  const kinds = Map.groupBy(things, ({ entityType }) => entityType)
  return Array.from(kinds).flatMap(([entityType, of]) => {
    const entity = store.registry.find(entityType)
    if (entityType !== 'user' && (entity === undefined || entity.title === null)) return []
    const named = store.all(
      `SELECT each.value AS id, ${targetTitleSql(eyes, entityType, 'each.value')} AS title FROM json_each(@ids) each`,
      {
        ids: JSON.stringify(Array.from(new Set(of.map(({ entityId }) => entityId)))),
        campaign: viewer.campaignId,
        viewer: viewer.userId,
      },
    )
    return named.flatMap(({ id, title }) => {
      const word = seenTitle(title)
      return word === null ? [] : [{ entityType, entityId: Number(id), title: word }]
    })
  })
}

/** The change journal as one viewer may read it. `changes` is the set that an undo writes into; null in reads. */
export function journalFor(store: Store, viewer: Viewer, changes: ChangeSet | null): Journal {
  const campaign = viewer.campaignId
  const record = (id: number): AuditRecord => auditRecord(store, viewer, id)
  const revision = (id: number): { readonly entity: Entity; readonly found: Revision } => {
    const raw = store.get(`${revisionSql(store, viewer)} WHERE c.id = @id AND c.campaign_id = @campaign`, {
      id,
      campaign,
      viewer: viewer.userId,
    })
    const entity = raw ? store.registry.find(String(raw.entity_type)) : undefined
    if (!raw || !entity)
      throw fail('not_found', 'There is no such revision in this campaign. list_revisions finds ids.')
    requireSight(store, entity, viewer, Number(raw.entity_id))
    return { entity, found: revisionOf(raw) }
  }
  const writing = (): ChangeSet => {
    if (changes === null) throw new Error('the journal of a read cannot write')
    return changes
  }
  return {
    record,
    revision(id) {
      const { entity, found } = revision(id)
      return { ...found, fields: readableFields(store, entity, viewer, found.entityId, found.fields) }
    },
    records: (filter, page) => auditRecords(store, viewer, filter, page),
    changes(recordId) {
      record(recordId)
      return changesOf(store, recordId, campaign)
        .filter(({ entityType }) => isOpen(store.registry, store.registry.get(entityType), viewer.toolsets))
        .map((change) => shown(store, viewer, change))
    },
    names: (things) => namesOf(store, viewer, things),
    revisions(entity, entityId, page) {
      requireSight(store, entity, viewer, entityId)
      const { items, nextCursor } = revisions(store, viewer, entity, entityId, page)
      const named = (found: Revision): Revision => {
        const of = store.registry.get(found.entityType)
        return { ...found, fields: readableFields(store, of, viewer, found.entityId, found.fields) }
      }
      const seen = items.filter(
        (found) =>
          found.entityType === entity.name ||
          seesOwned(store, store.registry.get(found.entityType), viewer, found.entityId),
      )
      return { items: seen.map(named), nextCursor }
    },
    imageAt(id) {
      const { entity, found } = revision(id)
      return forViewer(store, entity, viewer, found.entityId, imageAt(store, entity, found.entityId, id))
    },
    revert(recordId) {
      record(recordId)
      for (const { entityType, entityId } of changesOf(store, recordId, campaign)) {
        const entity = store.registry.get(entityType)
        if (viewer.toolsets !== null && !isOpen(store.registry, entity, viewer.toolsets))
          throw fail('forbidden', `This app was let into ${viewer.toolsets.join(', ')} only.`)
        if (viewer.ai !== null && entity.forAi !== null && !seesRow(store, entity, viewer, entityId))
          throw fail('forbidden', 'This record is about texts that their author does not give to an outside AI.')
      }
      return undo(store, recordId, changesOf(store, recordId, campaign), writing())
    },
    restore(id) {
      const { entity, found } = revision(id)
      const { entityId, kind } = found
      // What has no trash is no content but a right: a role, a consent, a code, a decision. None comes back this way.
      if (entity.journal !== 'full' || kind === 'purge' || !entity.trash)
        throw fail('invalid_state', 'No values were kept of this revision, so it cannot come back.')
      const current = wholeRow(store, entity, entityId)
      if (current === null) throw fail('not_found')
      const image = imageAt(store, entity, entityId, id)
      const decision = decisionIn(entity, current, image)
      if (decision !== null)
        throw fail('invalid_state', `This revision cannot come back: ${decision} is a person's decision.`)
      updateRow(store, entity, writing(), current, restorable(store, entity, viewer, current, image))
    },
    changedSince: (entityType, entityId, since) => changedSince(store, entityType, entityId, since),
    serverRecords: (filter, page) => serverRecords(store, filter, page),
    recent: (since, page) => recentChanges(store, viewer, since, page),
  }
}

/** Names of the members of a row that changed behind a place in the journal. */
export function changedSince(store: Store, entityType: string, entityId: number, at: number): readonly string[] {
  return store
    .all('SELECT fields FROM changes WHERE entity_type = @entityType AND entity_id = @entityId AND id > @at', {
      entityType,
      entityId,
      at,
    })
    .flatMap(({ fields }) => JSON.parse(String(fields)) as string[])
}

/**
 * The raw changes of a record, for undo and for showing. What it changed besides of persons and of the server (a
 * notification) is none of its campaign's history.
 */
function changesOf(store: Store, recordId: number, campaign: number | null): readonly JournalChange[] {
  return store
    .all(
      `SELECT ${changeColumns} FROM changes c WHERE c.change_set_id = @recordId AND +c.campaign_id = @campaign ORDER BY c.id`,
      { recordId, campaign },
    )
    .map(journalChange)
}

function journalChange(raw: Raw): JournalChange {
  return {
    id: Number(raw.id),
    entityType: String(raw.entity_type),
    entityId: Number(raw.entity_id),
    revision: Number(raw.revision),
    kind: raw.kind as JournalChange['kind'],
    fields: JSON.parse(String(raw.fields)) as string[],
    before: raw.before === null ? null : (JSON.parse(String(raw.before)) as Record<string, unknown>),
    after: raw.after === null ? null : (JSON.parse(String(raw.after)) as Record<string, unknown>),
  }
}

/** Images are shown only to who may see the row now, and of it what they may read now, the names of changed members included. */
function shown(store: Store, viewer: Viewer, change: JournalChange): JournalChange {
  const entity = store.registry.find(change.entityType)
  if (!entity || !seesRow(store, entity, viewer, change.entityId)) return { ...change, before: null, after: null }
  const image = (whole: WholeRow | null): WholeRow | null =>
    whole && forViewer(store, entity, viewer, change.entityId, whole)
  const fields = readableFields(store, entity, viewer, change.entityId, change.fields)
  return { ...change, fields, before: image(change.before), after: image(change.after) }
}

/** An image as the viewer may read it, judged by the row as it is now. */
function forViewer(store: Store, entity: Entity, viewer: Viewer, id: number, image: WholeRow): WholeRow {
  return imageFor(store, entity, viewer, wholeRow(store, entity, id) ?? {}, image, true)
}

function readableFields(store: Store, entity: Entity, viewer: Viewer, id: number, fields: readonly string[]): string[] {
  const now = wholeRow(store, entity, id) ?? {}
  return fields.filter((key) => mayRead(store, entity, key, now, viewer))
}

function seesRow(store: Store, entity: Entity, viewer: Viewer, id: number): boolean {
  const row = wholeRow(store, entity, id)
  if (row === null) return false
  if (row.deletedAt !== null) return isInTrashOf(store, entity, row, viewer)
  return readerFor(store, entity, viewer).find(id) !== null
}

function requireSight(store: Store, entity: Entity, viewer: Viewer, id: number): void {
  const row = wholeRow(store, entity, id)
  if (row?.campaignId !== viewer.campaignId || !seesRow(store, entity, viewer, id)) {
    throw fail('not_found', `There is no such ${entity.label}, or you may not see it. ${entity.listedBy} finds ids.`)
  }
}

/** What is owned is gone or not together with its owner: of what was purged nothing is told. */
function seesOwned(store: Store, entity: Entity, viewer: Viewer, id: number): boolean {
  return isOpen(store.registry, entity, viewer.toolsets) && seesRow(store, entity, viewer, id)
}

function revisionSql({ registry }: Store, viewer: Viewer): string {
  const title = linkTitleSql({ registry, audience: sqlViewerOf(viewer) }, 'c.entity_type', 'c.entity_id', true)
  return `SELECT ${changeColumns}, c.change_set_id, s.at, s.actor_user_id, u.username AS actor_name, ${title} AS title
    FROM changes c JOIN change_sets s ON s.id = c.change_set_id LEFT JOIN users u ON u.id = s.actor_user_id`
}

function revisions(
  store: Store,
  viewer: Viewer,
  entity: Entity,
  entityId: number,
  { withOwned = false, ...page }: PageRequest & { readonly withOwned?: boolean | undefined },
): Page<Revision> {
  const owned = withOwned ? store.registry.ownedBy(entity.name) : []
  const own = 'SELECT c.id FROM changes c WHERE c.entity_type = @type AND c.entity_id = @entityId AND c.id < @before'
  const theirs = owned.map(
    (each) =>
      `SELECT c.id FROM ${each.entity.table} t JOIN changes c ON c.entity_type = '${each.entity.name}' AND c.entity_id = t.id
       WHERE t.${columnOf(each.entity, each.field).column} = @entityId AND c.id < @before`,
  )
  const which = theirs.length === 0 ? null : [own, ...theirs].join(' UNION ALL ')
  const where =
    which === null
      ? 'c.entity_type = @type AND c.entity_id = @entityId AND c.id < @before'
      : `c.id IN (SELECT id FROM (${which}) ORDER BY id DESC LIMIT @most)`
  const sql = `${revisionSql(store, viewer)} WHERE ${where} ORDER BY c.id DESC LIMIT @most`
  const eyes = { campaign: viewer.campaignId, viewer: viewer.userId }
  const found = pageFrom(
    page,
    (key, most) =>
      store.all(sql, { ...eyes, type: entity.name, entityId, before: key?.[0] ?? Number.MAX_SAFE_INTEGER, most }),
    ({ id }) => [Number(id)],
  )
  return { ...found, items: found.items.map(revisionOf) }
}

function revisionOf(raw: Raw): Revision {
  const { id, entityType, entityId, revision, kind, fields } = journalChange(raw)
  return {
    id,
    entityType,
    entityId,
    revision,
    kind,
    fields,
    at: String(raw.at),
    actorUserId: raw.actor_user_id as number | null,
    actorUser: namedBy(raw.actor_user_id, raw.actor_name),
    title: seenTitle(raw.title),
    auditRecordId: Number(raw.change_set_id),
  }
}

/** Walks back from the row as it is now over the changes that came after the revision. It is whole, and shown to nobody as it is. */
function imageAt(store: Store, entity: Entity, entityId: number, revisionId: number): WholeRow {
  const image: Record<string, unknown> = { ...wholeRow(store, entity, entityId) }
  const later = store.all(
    `SELECT ${changeColumns} FROM changes c WHERE c.entity_type = @type AND c.entity_id = @entityId AND c.id > @revisionId ORDER BY c.id DESC`,
    {
      type: entity.name,
      entityId,
      revisionId,
    },
  )
  for (const raw of later) Object.assign(image, journalChange(raw).before ?? {})
  const members = columnsOf(entity)
    .filter(({ key, field }) => field !== null && isKept(entity, key))
    .map(({ key }) => [key, image[key] ?? null] as const)
  return Object.fromEntries(members)
}

/**
 * What of an image the viewer may bring back: what they may read, and no link to what is gone or hidden. The rest stays as it
 * is.
 */
function restorable(store: Store, entity: Entity, viewer: Viewer, current: WholeRow, image: WholeRow): WholeRow {
  const usable = (key: string): boolean => {
    if (!mayRead(store, entity, key, current, viewer)) return false
    const target = targetOf(entity, key, image)
    if (target === null) return true
    const linked = entityOf(store, target)
    return linked !== undefined && readerFor(store, linked, viewer).find(target.id) !== null
  }
  return Object.fromEntries(Object.entries(image).filter(([key]) => usable(key)))
}
