import type { Context, Pipeline, Trash, UserSummary, Writer } from '../kernel/context.ts'
import type { Entity } from '../kernel/entity.ts'
import { fail, invalid } from '../kernel/errors.ts'
import type { Fields, KindAbility } from '../kernel/fields.ts'
import type { Journal } from '../kernel/journal.ts'
import type { PageRequest } from '../kernel/paging.ts'
import type { Random } from '../kernel/random.ts'
import type { AcrossReader, Reader, UnfilteredReader, Where } from '../kernel/reader.ts'
import type { ContextParts } from '../kernel/system.ts'
import {
  type Actor,
  type ConsentTerms,
  capRole,
  type Door,
  type Role,
  type Viewer,
  viewerIn,
} from '../kernel/viewer.ts'
import { acrossReader } from './across.ts'
import type { ChangeSet } from './change-set.ts'
import { columnOf } from './columns.ts'
import { termsOf } from './consent-terms.ts'
import { journalFor } from './journal.ts'
import { readerFor, unfilteredReaderFor } from './reader.ts'
import { ruleShelf } from './rule-entries.ts'
import { mentionsOf } from './search.ts'
import { hashSecret, mintSecret } from './secrets.ts'
import type { Store } from './store.ts'
import { trashFor } from './trash.ts'
import { userNamed, usersLike } from './user-names.ts'
import { withheldRows } from './withheld-rows.ts'
import { writerFor } from './writer.ts'

const secrets: Context['secrets'] = { mint: mintSecret, hash: hashSecret }

/** What acts in this program by itself, by the client id in its records. */
const ownApps: Readonly<Record<string, string>> = {
  'talekeeper-scribe': 'The scribe',
  'talekeeper-seat': 'The AI seat',
}

/** What contexts of one unit share. */
interface Shared {
  readonly store: Store
  now(): string
  readonly random: Random
  /** The change set that is open by then; null in reads. */
  openSet(): ChangeSet | null
}

/** What the handler of one call gets. */
export function contextOn(shared: Shared, parts: ContextParts): Context {
  return new CallContext(shared, parts)
}

/** A class and not an object of closures: one is made for every call, at a tenth of the cost. */
class CallContext implements Context {
  readonly viewer: Viewer
  readonly actor: Actor
  readonly door: Door
  readonly reason: string | null
  readonly authorRole: Role | null
  readonly prepared: unknown
  readonly secrets = secrets
  readonly random: Random
  readonly #shared: Shared
  readonly #store: Store
  readonly #parts: ContextParts

  constructor(shared: Shared, parts: ContextParts) {
    const { store, random } = shared
    const { viewer, actor, reason, authorRole, prepared } = parts
    this.viewer = viewer
    this.actor = actor
    this.door = viewer.door
    this.reason = reason
    this.authorRole = authorRole
    this.prepared = prepared
    this.random = random
    this.#shared = shared
    this.#store = store
    this.#parts = parts
  }

  get now(): string {
    return this.#shared.now()
  }

  get pipeline(): Pipeline {
    return this.#parts.pipeline()
  }

  get campaignId(): number {
    if (this.viewer.campaignId === null) throw fail('not_found')
    return this.viewer.campaignId
  }

  read<E extends Entity>(entity: E): Reader<E> {
    return readerFor(this.#store, entity, this.viewer, this.#parts.totals === true)
  }

  unfiltered<E extends Entity>(entity: E): UnfilteredReader<E> {
    return unfilteredReaderFor(this.#store, entity, this.viewer)
  }

  write<E extends Entity>(entity: E): Writer<E> {
    const changes = this.#shared.openSet()
    if (changes === null) throw new Error('a read cannot write')
    return writerFor(this.#store, entity, this.viewer, changes)
  }

  across<E extends Entity<string, Fields, 'campaign'>>(entity: E): AcrossReader<E> {
    const viewers = this.memberships().map(({ campaignId, role }) => this.#viewerIn(campaignId, role))
    return acrossReader(this.#store, entity, viewers)
  }

  within(campaignId: number, role: Role): CallContext {
    const changes = this.#shared.openSet()
    // What began outside a campaign (creating one, joining) belongs to the history of the one it ends in.
    if (changes !== null && this.viewer.campaignId === null) {
      this.#store.run('UPDATE change_sets SET campaign_id = @campaignId WHERE id = @id AND campaign_id IS NULL', {
        campaignId,
        id: changes.id,
      })
    }
    return new CallContext(this.#shared, { ...this.#parts, viewer: this.#viewerIn(campaignId, role) })
  }

  #viewerIn(campaignId: number, role: Role): Viewer {
    return viewerIn(this.viewer, { campaignId, role, terms: () => termsOf(this.#store, campaignId) })
  }

  get consentTerms(): ConsentTerms {
    return termsOf(this.#store, this.campaignId)
  }

  withheld<E extends Entity>(entity: E, where: Where<E> = {}): number {
    return withheldRows(this.#store, entity, this.viewer, where)
  }

  get users(): Context['users'] {
    const store = this.#store
    return {
      find: (id) => userBy(store, 'id = @key', id),
      byUsername(username) {
        const known = userNamed(store, username)
        return known && userBy(store, 'id = @key AND disabled_at IS NULL', known.id)
      },
      named: (username) => userNamed(store, username),
      alike: (username) => usersLike(store, username),
    }
  }

  memberships({
    trashed = false,
    waiting = false,
    of,
  }: {
    readonly trashed?: boolean
    readonly waiting?: boolean
    readonly of?: number
  } = {}): ReturnType<Context['memberships']> {
    const { credential } = this.actor
    const userId = of ?? this.actor.userId
    const isOwn = userId === this.actor.userId
    const rows = this.#store.all(
      `SELECT m.campaign_id, m.role FROM memberships m JOIN campaigns c ON c.id = m.campaign_id
       WHERE m.user_id = @userId AND m.deleted_at IS NULL AND m.accepted = @accepted AND (c.deleted_at IS NOT NULL) = @trashed AND (@bound IS NULL OR m.campaign_id = @bound) ORDER BY m.campaign_id`,
      { userId, accepted: waiting ? 0 : 1, trashed: trashed ? 1 : 0, bound: isOwn ? credential.campaignId : null },
    )
    return rows.map((row) => ({
      campaignId: row.campaign_id as number,
      role: isOwn ? capRole(row.role as Role, credential.scope) : (row.role as Role),
    }))
  }

  get appName(): string | null {
    const { kind, id, clientId } = this.actor.credential
    if (kind === 'system') return clientId === null ? null : (ownApps[clientId] ?? null)
    const row =
      kind === 'token'
        ? this.#store.get('SELECT name FROM personal_tokens WHERE id = @id', { id })
        : kind === 'oauth'
          ? this.#store.get('SELECT name FROM oauth_clients WHERE client_id = @clientId', { clientId })
          : undefined
    return row === undefined ? null : String(row.name)
  }

  byHash(entity: Entity, field: string, hash: string): { readonly campaignId: number; readonly id: number } | null {
    const row = this.#store.get(
      `SELECT id, campaign_id FROM ${entity.table} WHERE ${columnOf(entity, field).column} = @hash AND deleted_at IS NULL`,
      { hash },
    )
    return row ? { campaignId: row.campaign_id as number, id: row.id as number } : null
  }

  mentions(entityType: string, entityId: number, page: PageRequest): ReturnType<Context['mentions']> {
    return mentionsOf(this.#store, this.viewer, entityType, entityId, page)
  }

  get rules(): Context['rules'] {
    return ruleShelf(this.#store)
  }

  get journal(): Journal {
    return journalFor(this.#store, this.viewer, this.#shared.openSet())
  }

  get trash(): Trash {
    return trashFor(this.#store, this.viewer, this.#shared.openSet())
  }

  findEntity(name: string): Entity | null {
    return this.#store.registry.kinds('any').find((each) => each.name === name) ?? null
  }

  entity(name: string, can: KindAbility = 'any'): Entity {
    const known = this.#store.registry.kinds(can)
    const entity = known.find((each) => each.name === name)
    if (entity) return entity
    throw invalid(
      'entityType',
      'not a kind of thing that this works on',
      `entityType: one of ${known.map((each) => each.name).join(', ')}.`,
    )
  }
}

function userBy(store: Store, test: string, key: number): UserSummary | null {
  const row = store.get(`SELECT id, username FROM users WHERE ${test}`, { key })
  return row ? { id: row.id as number, username: String(row.username) } : null
}
