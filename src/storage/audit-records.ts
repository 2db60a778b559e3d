import { fail } from '../kernel/errors.ts'
import type { AuditFilter, AuditRecord } from '../kernel/journal.ts'
import { type CursorKey, type Page, type PageRequest, pageFrom, sift } from '../kernel/paging.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { speaksOf, wordsIn } from '../kernel/words.ts'
import { isOpen } from './registry.ts'
import type { Raw } from './row-source.ts'
import type { Store } from './store.ts'
import { type Eyes, linkTitleSql, namedBy, seenTitle, targetTitleSql } from './titles.ts'
import { sqlViewerOf } from './visibility-sql.ts'

// `+` keeps SQLite from the index of all changes of the campaign: it knows nothing of how many those are.

/** Of how many changed rows a record tells; `entityCount` says how many there are. */
const told = 50

/** A record of the viewer's campaign. Throws `not_found`. */
export function auditRecord(store: Store, viewer: Viewer, id: number): AuditRecord {
  const eyes = eyesOf(store, viewer)
  const raw = store.get(`${recordSql(eyes)} WHERE s.id = @id AND s.campaign_id = @campaign`, {
    ...bindingsOf(viewer),
    id,
  })
  if (!raw) throw fail('not_found', 'There is no such audit record in this campaign. list_audit_records finds ids.')
  return recordOf(store, viewer, eyes, raw)
}

/** The records of the viewer's campaign that pass, newest first. */
export function auditRecords(
  store: Store,
  viewer: Viewer,
  { query, ...filter }: AuditFilter,
  page: PageRequest,
): Page<AuditRecord> {
  const eyes = eyesOf(store, viewer)
  const tests = [
    's.campaign_id = @campaign',
    's.id < @before',
    ...(filter.actorUserId === undefined ? [] : ['s.actor_user_id = @actorUserId']),
    ...(filter.clientId === undefined ? [] : ['s.client_id = @clientId']),
    ...(filter.operation === undefined ? [] : ['s.operation = @operation']),
    ...(filter.since === undefined ? [] : ['s.at >= @since']),
    ...(filter.entityType === undefined
      ? []
      : [
          'EXISTS (SELECT 1 FROM changes c WHERE c.change_set_id = s.id AND c.entity_type = @entityType AND (@entityId IS NULL OR c.entity_id = @entityId))',
        ]),
  ]
  const asked = Object.fromEntries(
    Object.entries({ entityId: null, ...filter }).map(([key, value]) => [key, value ?? null]),
  )
  const sql = `${recordSql(eyes)} WHERE ${tests.join(' AND ')} ORDER BY s.id DESC LIMIT @most`
  const newest = (key: CursorKey | null, most: number): readonly Raw[] =>
    store.all(sql, { ...asked, ...bindingsOf(viewer), before: key?.[0] ?? Number.MAX_SAFE_INTEGER, most })
  if (query === undefined) {
    const found = pageFrom(page, newest, ({ id }) => [Number(id)])
    return { ...found, items: found.items.map((raw) => recordOf(store, viewer, eyes, raw)) }
  }
  const words = wordsIn(query)
  const records = function* (key: CursorKey | null): Generator<AuditRecord> {
    for (let behind = key; ; ) {
      const raws = newest(behind, slice)
      for (const raw of raws) yield recordOf(store, viewer, eyes, raw)
      if (raws.length < slice) return
      behind = [Number(raws.at(-1)?.id)]
    }
  }
  return sift(
    page,
    records,
    ({ id }) => [id],
    (record) => speaksOf(wordsOf(record), words),
  )
}

/** Rows that a walk reads at once. */
const slice = 100

function wordsOf({ actorUser, proposedByUser, operation, clientId, reason, proposal, entities }: AuditRecord): string {
  const titles = entities.map(({ entityType, title }) => `${title ?? ''} ${entityType}`)
  const names = [actorUser, proposedByUser, proposal].map((each) => each?.title)
  return [...names, operation, clientId, reason, ...titles].join(' ').replaceAll('_', ' ')
}

function eyesOf(store: Store, viewer: Viewer): Eyes {
  return { registry: store.registry, audience: sqlViewerOf(viewer) }
}

function bindingsOf(viewer: Viewer): { readonly campaign: number | null; readonly viewer: number } {
  return { campaign: viewer.campaignId, viewer: viewer.userId }
}

function recordSql(eyes: Eyes): string {
  return `SELECT s.id, s.campaign_id, s.at, s.operation, s.effect, s.door, s.actor_user_id, s.credential_kind, s.credential_id, s.client_id,
    s.proposal_id, s.proposed_by_user_id, s.reason, s.revertible, s.reverted_by,
    ${targetTitleSql(eyes, 'user', 's.actor_user_id')} AS actor_name, ${targetTitleSql(eyes, 'user', 's.proposed_by_user_id')} AS proposer_name,
    ${targetTitleSql(eyes, 'proposal', 's.proposal_id')} AS proposal_title,
    (SELECT count(*) FROM changes c WHERE c.change_set_id = s.id AND +c.campaign_id = s.campaign_id) AS entity_count FROM change_sets s`
}

/** A reason is in the words of who gave it; an outside AI gets it as it gets what else members write. */
function givesWords({ ai, userId }: Viewer, author: Raw[string] | undefined): boolean {
  return ai === null || author === userId || (typeof author === 'number' && ai.agreed.has(author))
}

function isOpenTo({ registry }: Store, { toolsets }: Viewer): (touched: Raw) => boolean {
  return ({ entity_type: type }) => {
    const entity = registry.find(String(type))
    return entity !== undefined && isOpen(registry, entity, toolsets)
  }
}

function recordOf(store: Store, viewer: Viewer, eyes: Eyes, raw: Raw): AuditRecord {
  const id = Number(raw.id)
  const touched = store.all(
    `SELECT c.entity_type, c.entity_id, c.kind, ${linkTitleSql(eyes, 'c.entity_type', 'c.entity_id', true)} AS title
     FROM changes c WHERE c.change_set_id = @id AND +c.campaign_id = @campaign ORDER BY c.id LIMIT ${told}`,
    { ...bindingsOf(viewer), id },
  )
  const proposal = raw.proposal_title === null ? null : namedBy(raw.proposal_id, raw.proposal_title)
  return {
    id,
    campaignId: Number(raw.campaign_id),
    at: String(raw.at),
    operation: String(raw.operation),
    effect: raw.effect as AuditRecord['effect'],
    door: raw.door as AuditRecord['door'],
    actorUserId: raw.actor_user_id as number | null,
    actorUser: namedBy(raw.actor_user_id, raw.actor_name),
    credentialKind: raw.credential_kind as string | null,
    credentialId: raw.credential_id as number | null,
    clientId: raw.client_id as string | null,
    proposalId: proposal?.id ?? null,
    proposal,
    proposedByUserId: raw.proposed_by_user_id as number | null,
    proposedByUser: namedBy(raw.proposed_by_user_id, raw.proposer_name),
    reason: givesWords(viewer, raw.actor_user_id) ? (raw.reason as string | null) : null,
    revertible: raw.revertible === 1,
    revertedByRecordId: raw.reverted_by as number | null,
    entities: touched.filter(isOpenTo(store, viewer)).map((each) => ({
      entityType: String(each.entity_type),
      entityId: Number(each.entity_id),
      kind: String(each.kind),
      title: seenTitle(each.title),
    })),
    entityCount: Number(raw.entity_count),
  }
}
