import type { Context } from '../kernel/context.ts'
import type { Random } from '../kernel/random.ts'
import type { CampaignFacts, Located, Unit } from '../kernel/system.ts'
import { type Actor, atLeast, personIn, type Role, type Viewer } from '../kernel/viewer.ts'
import { beginChangeSet, type ChangeSet, changedFields, type RowChange } from './change-set.ts'
import { campaignOf } from './columns.ts'
import { termsOf } from './consent-terms.ts'
import { contextOn } from './context.ts'
import { idempotencyOn, type SealedPasswords } from './idempotency.ts'
import { changedSince } from './journal.ts'
import { accessRowOf, seesRow, unfilteredReaderFor } from './reader.ts'
import type { Store } from './store.ts'
import { writerFor } from './writer.ts'

export interface UnitWithChanges extends Unit {
  /** Everything that was changed, in order, to be announced after the commit. */
  readonly changes: readonly RowChange[]
}

/** Brings up to date what follows from what a change set changed, in each campaign by itself. */
function settle(store: Store, changes: ChangeSet): void {
  for (const { of, follow } of store.registry.consequences) {
    const about = changes.changes.filter(({ entity }) => of.includes(entity.name))
    for (const campaignId of new Set(about.map((change) => change.campaignId))) {
      const viewer = personIn(campaignId, 'dm')
      const changed = about
        .filter((change) => change.campaignId === campaignId)
        .map(({ entity, id, before, after }) => ({ entityType: entity.name, row: after ?? before ?? { id } }))
      follow(changed, {
        unfiltered: (entity) => unfilteredReaderFor(store, entity, viewer),
        write: (entity) => writerFor(store, entity, viewer, changes),
      })
    }
  }
}

/** Thrown to leave a rehearsal; it carries nothing and is caught where it began. */
const rollBack = Symbol('rehearsal')

export interface UnitParts {
  readonly store: Store
  /** The instant of the call. */
  now(): string
  readonly random: Random
  seal(text: string): string
  readonly sealedPasswords: SealedPasswords
  recheck(store: Store, actor: Actor, now: string): Actor
}

/** One call's work on the store. */
export function createUnit({ store, now, random, seal, sealedPasswords, recheck }: UnitParts): UnitWithChanges {
  const announced: RowChange[] = []
  const revertible = new Map<number, boolean>()
  let open: ChangeSet | null = null

  const unit: UnitWithChanges = {
    changes: announced,
    campaign: (id) => store.memo(`campaign ${id}`, () => campaignFacts(store, id)),
    roleOf: (userId, campaignId) => roleIn(store, userId, campaignId),
    memberAt: (id) => memberAt(store, id),
    termsOf: (campaignId) => termsOf(store, campaignId),
    locate: (name, id, viewerOf) => locate(store, name, id, viewerOf),
    rowOf(name, id) {
      const entity = store.registry.get(name)
      const row = accessRowOf(store, entity, id)
      return row === null ? null : { entity, row }
    },
    listedBy: (name) =>
      name === 'audit_record' || name === 'revision' ? `list_${name}s` : store.registry.get(name).listedBy,
    mentionable: (name) => store.registry.kinds('mention').find((each) => each.name === name) ?? null,
    context: (parts) => contextOn({ store, now, random, openSet: () => open }, parts) as Context<never>,
    entered() {
      const row =
        open === null ? undefined : store.get('SELECT campaign_id FROM change_sets WHERE id = @id', { id: open.id })
      return (row?.campaign_id as number | null | undefined) ?? null
    },
    seal,
    recheck: (actor) => recheck(store, actor, now()),
    changeSet(head, work) {
      const outer = open
      return store.savepoint(() => {
        const changes = beginChangeSet(store, head, now())
        open = changes
        try {
          const result = work(changes)
          settle(store, changes)
          changes.record()
          revertible.set(changes.id, changes.isRevertible)
          announced.push(...changes.changes)
          return result
        } finally {
          open = outer
        }
      })
    },
    changedSince: (entityType, entityId, at) => changedSince(store, entityType, entityId, at),
    journalAt: () => Number(store.get('SELECT coalesce(max(id), 0) AS at FROM changes')?.at),
    isRevertible: (id) => revertible.get(id) ?? false,
    changedRow(name, id) {
      const changes = announced.filter(({ entity, id: its }) => entity.name === name && its === id)
      const [first] = changes
      if (first === undefined) return null
      const fields = changes.flatMap(({ entity, before, after }) => changedFields(entity, before, after))
      return { isNew: first.kind === 'create', fields: [...new Set(fields)], title: first.entity.title }
    },
    rehearse(head, work) {
      const outer = open
      let result: { readonly value: ReturnType<typeof work> } | null = null
      try {
        store.savepoint(() => {
          const set = beginChangeSet(store, head, now())
          open = set
          result = { value: work(set) }
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
    idempotent: idempotencyOn({ store, now, seal, sealedPasswords }),
  }
  return unit
}

function campaignFacts(store: Store, id: number): CampaignFacts | null {
  const row = store.get('SELECT id, status, deleted_at, players_propose FROM campaigns WHERE id = @id', { id })
  if (!row) return null
  return { id, status: String(row.status), trashed: row.deleted_at !== null, playersPropose: row.players_propose === 1 }
}

/** The role of a member; null for who is none. Kept until the next write. */
export function roleIn(store: Store, userId: number, campaignId: number): Role | null {
  return store.memo(`role ${userId} ${campaignId}`, () => {
    const row = store.get(
      'SELECT role FROM memberships WHERE user_id = @userId AND campaign_id = @campaignId AND deleted_at IS NULL AND accepted = 1',
      { userId, campaignId },
    )
    return (row?.role as Role | undefined) ?? null
  })
}

function memberAt(store: Store, id: number): ReturnType<Unit['memberAt']> {
  const row = store.get(
    `SELECT m.user_id, m.campaign_id, u.username FROM memberships m JOIN users u ON u.id = m.user_id
     WHERE m.id = @id AND m.deleted_at IS NULL AND m.accepted = 1`,
    { id },
  )
  if (!row) return null
  return { userId: Number(row.user_id), username: String(row.username), campaignId: Number(row.campaign_id) }
}

/** Records of the journal are found by their campaign; entities by their row, seen through the viewer's audience. */
function locate(
  store: Store,
  name: string,
  id: number,
  viewerOf: (campaignId: number | null) => Viewer | null,
): Located | null {
  if (name === 'campaign') return viewerOf(id) === null ? null : { campaignId: id, entity: null, row: null }
  if (name === 'audit_record' || name === 'revision') {
    const table = name === 'revision' ? 'changes' : 'change_sets'
    const campaignId = store.get(`SELECT campaign_id FROM ${table} WHERE id = @id`, { id })?.campaign_id
    // The journal is the Dungeon Master's: to others no id of it exists, or they could count what happens out of their source.
    return typeof campaignId === 'number' && atLeast(viewerOf(campaignId)?.role ?? null, 'dm')
      ? { campaignId, entity: null, row: null }
      : null
  }
  const entity = store.registry.get(name)
  const row = accessRowOf(store, entity, id)
  if (row === null || row.deletedAt !== null) return null
  const campaignId = campaignOf(entity, row)
  const viewer = viewerOf(campaignId)
  return viewer !== null && seesRow(store, entity, row, viewer) ? { campaignId, entity, row } : null
}
