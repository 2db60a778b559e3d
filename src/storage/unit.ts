import type { Context } from '../kernel/context.ts'
import type { Entity } from '../kernel/entity.ts'
import type { RowOf } from '../kernel/ownership.ts'
import type { Random } from '../kernel/random.ts'
import type {
  CampaignFacts,
  ChangedRow,
  ChangeSetHead,
  ContextParts,
  Located,
  OpenChangeSet,
  Unit,
} from '../kernel/system.ts'
import { type Actor, atLeast, type ConsentTerms, personIn, type Role, type Viewer } from '../kernel/viewer.ts'
import { beginChangeSet, type ChangeSet, changedFields, type RowChange } from './change-set.ts'
import { campaignOf } from './columns.ts'
import { termsOf } from './consent-terms.ts'
import { contextOn } from './context.ts'
import { idempotencyOn, type SealedPasswords } from './idempotency.ts'
import { changedSince } from './journal.ts'
import { accessRowOf, seesRow, unfilteredReaderFor } from './reader.ts'
import type { MemoKind, Store } from './store.ts'
import { writerFor } from './writer.ts'

export interface UnitWithChanges extends Unit {
  /** Everything that was changed, in order, to be announced after the commit. */
  readonly changes: readonly RowChange[]
  /** Throws where a change set failed whose changes would be committed all the same: a programming error. */
  requireWhole(): void
}

/** Runs the work of one unit; whoever calls it undoes all of it where it throws. */
export function whole<T>(unit: UnitWithChanges, work: (unit: Unit) => T): T {
  const result = work(unit)
  unit.requireWhole()
  return result
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
export function createUnit(parts: UnitParts): UnitWithChanges {
  return new StoreUnit(parts)
}

/** A class and not an object of closures: one is made for every call. */
class StoreUnit implements UnitWithChanges {
  readonly changes: RowChange[] = []
  readonly #store: Store
  readonly #parts: UnitParts
  readonly #revertible = new Set<number>()
  readonly #openSet = (): ChangeSet | null => this.#open
  #open: ChangeSet | null = null
  #isWhole = true

  constructor(parts: UnitParts) {
    this.#parts = parts
    this.#store = parts.store
  }

  requireWhole(): void {
    if (!this.#isWhole) throw new Error('a change set failed, and its transaction went on')
  }

  campaign(id: number): CampaignFacts | null {
    return this.#store.memo(campaignsKept, id, () => campaignFacts(this.#store, id))
  }

  roleOf(userId: number, campaignId: number): Role | null {
    return roleIn(this.#store, userId, campaignId)
  }

  memberAt(id: number): ReturnType<Unit['memberAt']> {
    return memberAt(this.#store, id)
  }

  termsOf(campaignId: number): ConsentTerms {
    return termsOf(this.#store, campaignId)
  }

  locate(name: string, id: number, viewerOf: (campaignId: number | null) => Viewer | null): Located | null {
    return locate(this.#store, name, id, viewerOf)
  }

  // Lent out by itself (kernel/ownership.ts).
  readonly rowOf: RowOf = (name, id) => {
    const entity = this.#store.registry.get(name)
    const row = accessRowOf(this.#store, entity, id)
    return row === null ? null : { entity, row }
  }

  listedBy(name: string): string {
    return name === 'audit_record' || name === 'revision' ? `list_${name}s` : this.#store.registry.get(name).listedBy
  }

  mentionable(name: string): Entity | null {
    return this.#store.registry.kinds('mention').find((each) => each.name === name) ?? null
  }

  context(parts: ContextParts): Context<never> {
    const { store, now, random } = this.#parts
    return contextOn({ store, now, random, openSet: this.#openSet }, parts) as Context<never>
  }

  entered(): number | null {
    const row =
      this.#open === null
        ? undefined
        : this.#store.get('SELECT campaign_id FROM change_sets WHERE id = @id', { id: this.#open.id })
    return (row?.campaign_id as number | null | undefined) ?? null
  }

  seal(text: string): string {
    return this.#parts.seal(text)
  }

  recheck(actor: Actor): Actor {
    return this.#parts.recheck(this.#store, actor, this.#parts.now())
  }

  changeSet<T>(head: ChangeSetHead, work: (set: OpenChangeSet) => T): T {
    // The first is taken back with its transaction: SQLite would keep a copy of every page that it changes.
    if (this.#open !== null) return this.#store.savepoint(() => this.#recorded(head, work))
    try {
      return this.#recorded(head, work)
    } catch (error) {
      this.#isWhole = false
      throw error
    }
  }

  #recorded<T>(head: ChangeSetHead, work: (set: OpenChangeSet) => T): T {
    return this.#within(head, (set) => {
      const result = work(set)
      settle(this.#store, set)
      set.record()
      if (set.isRevertible) this.#revertible.add(set.id)
      this.changes.push(...set.changes)
      return result
    })
  }

  #within<T>(head: ChangeSetHead, work: (set: ChangeSet) => T): T {
    const outer = this.#open
    const set = beginChangeSet(this.#store, head, this.#parts.now())
    this.#open = set
    try {
      return work(set)
    } finally {
      this.#open = outer
    }
  }

  changedSince(entityType: string, entityId: number, at: number): readonly string[] {
    return changedSince(this.#store, entityType, entityId, at)
  }

  journalAt(): number {
    return Number(this.#store.get('SELECT coalesce(max(id), 0) AS at FROM changes')?.at)
  }

  isRevertible(id: number): boolean {
    return this.#revertible.has(id)
  }

  changedRow(name: string, id: number): ChangedRow | null {
    const changes = this.changes.filter(({ entity, id: its }) => entity.name === name && its === id)
    const [first] = changes
    if (first === undefined) return null
    const fields = changes.flatMap(({ entity, before, after }) => changedFields(entity, before, after))
    return { isNew: first.kind === 'create', fields: [...new Set(fields)], title: first.entity.title }
  }

  rehearse<T>(head: ChangeSetHead, work: (set: OpenChangeSet) => T): T {
    let result: { readonly value: T } | null = null
    try {
      this.#store.savepoint(() => {
        result = { value: this.#within(head, work) }
        throw rollBack
      })
    } catch (error) {
      if (error !== rollBack) throw error
    }
    if (result === null) throw new Error('the rehearsal did not end')
    return (result as { readonly value: T }).value
  }

  get idempotent(): Unit['idempotent'] {
    const { store, now, seal, sealedPasswords } = this.#parts
    return idempotencyOn({ store, now, seal, sealedPasswords })
  }
}

const campaignsKept: MemoKind = { tables: ['campaigns'] }
const rolesKept: MemoKind = { tables: ['memberships'] }

function campaignFacts(store: Store, id: number): CampaignFacts | null {
  const row = store.get('SELECT id, status, deleted_at, players_propose FROM campaigns WHERE id = @id', { id })
  if (!row) return null
  return { id, status: String(row.status), trashed: row.deleted_at !== null, playersPropose: row.players_propose === 1 }
}

/** The role of a member; null for who is none. Kept until the next write. */
export function roleIn(store: Store, userId: number, campaignId: number): Role | null {
  return store.memo(rolesKept, `${userId} ${campaignId}`, () => {
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
