import { createHash } from 'node:crypto'
import type { Context } from '../kernel/context.ts'
import { fail } from '../kernel/errors.ts'
import type { CampaignFacts, ContextParts, Located, Unit } from '../kernel/execute.ts'
import { capRole, type Role, type Viewer } from '../kernel/viewer.ts'
import { beginChangeSet, type ChangeSet, type RowChange } from './change-set.ts'
import { columnOf } from './columns.ts'
import { journalFor } from './journal.ts'
import { outlineOf, readerFor, rulesFor, seesRow } from './reader.ts'
import { mentionsOf, search } from './search.ts'
import { hashSecret, mintSecret } from './secrets.ts'
import type { Store } from './store.ts'
import { trashFor } from './trash.ts'
import { writerFor } from './writer.ts'

export interface UnitWithChanges extends Unit {
  /** Everything that was changed, in order, to be announced after the commit. */
  readonly changes: readonly RowChange[]
}

/** Thrown to leave a rehearsal; it carries nothing and is caught where it began. */
const rollBack = Symbol('rehearsal')

/** One call's work on the store. `now` is the instant of the call. */
export function createUnit(store: Store, now: string): UnitWithChanges {
  const announced: RowChange[] = []
  let open: ChangeSet | null = null

  const unit: UnitWithChanges = {
    changes: announced,
    campaign: (id) => store.memo(`campaign ${id}`, () => campaignFacts(store, id)),
    roleOf: (userId, campaignId) => store.memo(`role ${userId} ${campaignId}`, () => roleIn(store, userId, campaignId)),
    locate: (name, id, viewerOf) => locate(store, name, id, viewerOf),
    listedBy: (name) =>
      name === 'audit_record' || name === 'revision' ? `list_${name}s` : store.registry.get(name).listedBy,
    context: (parts) => contextOn(store, now, parts, () => open) as Context<never>,
    changeSet(head, work) {
      const outer = open
      return store.savepoint(() => {
        const changes = beginChangeSet(store, head, now)
        open = changes
        try {
          const result = work()
          changes.record()
          announced.push(...changes.changes)
          return result
        } finally {
          open = outer
        }
      })
    },
    rehearse(work) {
      const outer = open
      let result: { readonly value: ReturnType<typeof work> } | null = null
      try {
        store.savepoint(() => {
          open = rehearsalSet(now)
          result = { value: work() }
          throw rollBack
        })
      } catch (error) {
        if (error !== rollBack) throw error
      } finally {
        open = outer
      }
      if (result === null) throw new Error('the rehearsal did not end')
      return (result as { readonly value: ReturnType<typeof work> }).value
    },
    idempotent: {
      hash: (input) => createHash('sha256').update(JSON.stringify(input)).digest('hex'),
      find(scope) {
        const row = store.get('SELECT input_hash, answer FROM idempotency_keys WHERE scope = @scope', { scope })
        return row ? { inputHash: String(row.input_hash), answer: row.answer as string | null } : null
      },
      keep(scope, inputHash, answer) {
        store.run(
          'INSERT INTO idempotency_keys (scope, input_hash, answer, created_at) VALUES (@scope, @inputHash, @answer, @now)',
          { scope, inputHash, answer, now },
        )
      },
    },
  }
  return unit
}

function campaignFacts(store: Store, id: number): CampaignFacts | null {
  const row = store.get('SELECT id, status, deleted_at, players_propose FROM campaigns WHERE id = @id', { id })
  if (!row) return null
  return { id, status: String(row.status), trashed: row.deleted_at !== null, playersPropose: row.players_propose === 1 }
}

function roleIn(store: Store, userId: number, campaignId: number): Role | null {
  const row = store.get(
    'SELECT role FROM memberships WHERE user_id = @userId AND campaign_id = @campaignId AND deleted_at IS NULL',
    { userId, campaignId },
  )
  return (row?.role as Role | undefined) ?? null
}

/** A change set that keeps nothing: what it would record is rolled back anyway. */
function rehearsalSet(now: string): ChangeSet {
  return { id: 0, now, changes: [], add: () => {}, record: () => {} }
}

/** Records of the journal are found by their campaign; entities by their row, seen through the viewer's eyes. */
function locate(
  store: Store,
  name: string,
  id: number,
  viewerOf: (campaignId: number) => Viewer | null,
): Located | null {
  if (name === 'campaign') return viewerOf(id) === null ? null : { campaignId: id, entity: null, row: null }
  if (name === 'audit_record' || name === 'revision') {
    const table = name === 'revision' ? 'changes' : 'change_sets'
    const campaignId = store.get(`SELECT campaign_id FROM ${table} WHERE id = @id`, { id })?.campaign_id
    return typeof campaignId === 'number' && viewerOf(campaignId) !== null
      ? { campaignId, entity: null, row: null }
      : null
  }
  const entity = store.registry.get(name)
  const row = outlineOf(store, entity, id)
  if (row === null || row.deletedAt !== null) return null
  const campaignId = row.campaignId as number
  const viewer = viewerOf(campaignId)
  return viewer !== null && seesRow(store, entity, row, viewer) ? { campaignId, entity, row } : null
}

function contextOn(store: Store, now: string, parts: ContextParts, openSet: () => ChangeSet | null): Context<unknown> {
  const { viewer, actor, reason, prepared, pipeline } = parts
  const withholds =
    viewer.door === 'mcp' && viewer.campaignId !== null && contentPolicy(store, viewer.campaignId) === 'disabled'
  const writing = (): ChangeSet => {
    const changes = openSet()
    if (changes === null) throw new Error('a read cannot write')
    return changes
  }
  return {
    viewer,
    actor,
    door: viewer.door,
    now,
    reason,
    prepared,
    pipeline,
    get campaignId() {
      if (viewer.campaignId === null) throw fail('not_found')
      return viewer.campaignId
    },
    read: (entity) => readerFor(store, entity, viewer, withholds),
    rules: (entity) => rulesFor(store, entity, viewer.campaignId),
    write: (entity) => writerFor(store, entity, viewer, writing()),
    within(campaignId, role) {
      const changes = openSet()
      // What began outside a campaign (creating one, joining) belongs to the history of the one it ends in.
      if (changes !== null && viewer.campaignId === null) {
        store.run('UPDATE change_sets SET campaign_id = @campaignId WHERE id = @id AND campaign_id IS NULL', {
          campaignId,
          id: changes.id,
        })
      }
      return contextOn(store, now, { ...parts, viewer: { ...viewer, campaignId, role } }, openSet)
    },
    users: {
      find: (id) => userBy(store, 'id = @key', id),
      byUsername: (username) => userBy(store, 'username = @key AND disabled_at IS NULL', username),
    },
    memberships({ trashed = false } = {}) {
      const rows = store.all(
        `SELECT m.campaign_id, m.role FROM memberships m JOIN campaigns c ON c.id = m.campaign_id
         WHERE m.user_id = @userId AND m.deleted_at IS NULL AND (c.deleted_at IS NOT NULL) = @trashed AND (@bound IS NULL OR m.campaign_id = @bound) ORDER BY m.campaign_id`,
        { userId: actor.userId, trashed: trashed ? 1 : 0, bound: actor.credential.campaignId },
      )
      return rows.map((row) => ({
        campaignId: row.campaign_id as number,
        role: capRole(row.role as Role, actor.credential.scope),
      }))
    },
    byHash(entity, field, hash) {
      const row = store.get(
        `SELECT id, campaign_id FROM ${entity.table} WHERE ${columnOf(entity, field).column} = @hash AND deleted_at IS NULL`,
        { hash },
      )
      return row ? { campaignId: row.campaign_id as number, id: row.id as number } : null
    },
    secrets: { mint: mintSecret, hash: hashSecret },
    search: (query, types, page) => search(store, viewer, query, types, page, withholds),
    mentions: (type, id, page) => mentionsOf(store, viewer, type, id, page, withholds),
    get journal() {
      return journalFor(store, viewer, openSet(), withholds)
    },
    get trash() {
      return trashFor(store, viewer, openSet(), withholds)
    },
    entity(name, can) {
      const known = store.registry.all.filter(
        (entity) => entity.scope === 'campaign' && (can === undefined || entity[can]),
      )
      const entity = known.find((each) => each.name === name)
      if (entity) return entity
      throw fail('validation_failed', `entityType: one of ${known.map((each) => each.name).join(', ')}.`, {
        details: [{ path: 'entityType', message: 'not a kind of thing that this works on' }],
      })
    },
  }
}

function contentPolicy(store: Store, campaignId: number): unknown {
  return store.get('SELECT ai_content_policy FROM campaigns WHERE id = @campaignId', { campaignId })?.ai_content_policy
}

function userBy(
  store: Store,
  test: string,
  key: string | number,
): { readonly id: number; readonly username: string } | null {
  const row = store.get(`SELECT id, username FROM users WHERE ${test}`, { key })
  return row ? { id: row.id as number, username: String(row.username) } : null
}
