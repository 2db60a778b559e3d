import * as z from 'zod'
import { fail, invalid } from '../kernel/errors.ts'
import { idOf, name } from '../kernel/fields.ts'
import { limits } from '../kernel/limits.ts'
import { decodeCursor, encodeCursor, type Page, type PageRequest } from '../kernel/paging.ts'
import { type Actor, type Role, rank, roles, type WriteMode, writeModes } from '../kernel/viewer.ts'
import type { SqlValue } from '../storage/columns.ts'
import { mintSecret } from '../storage/secrets.ts'
import type { Store } from '../storage/store.ts'
import type { User } from './users.ts'

/** Members that ask for a token, wherever one is made (SPEC 2.5; all behind `scope` may be left away). */
export const tokenRequest = {
  tokenName: name(),
  scope: z.enum(roles),
  campaignId: idOf('campaign').optional(),
  writeMode: z.enum(writeModes).optional(),
  admin: z.boolean().optional(),
  expiresInDays: z.int().min(1).max(3650).optional(),
}

const requestShape = z.object(tokenRequest)
export type TokenRequest = z.output<typeof requestShape>

/** What a token may do. */
export interface Grant {
  readonly scope: Role
  readonly campaignId: number | null
  readonly writeMode: WriteMode
  readonly admin: boolean
  readonly expiresAt: string | null
}

/** Who makes a token, as far as their own credential reaches. */
export type Minter = Grant & { readonly userId: number }

export interface Token extends Grant {
  readonly id: number
  readonly name: string
  /** The first characters, to tell it from others. */
  readonly hint: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

const dayMs = 24 * 3600 * 1000

/** The maker of tokens that an acting credential is. */
export function minterOf(store: Store, actor: Actor): Minter {
  const { userId, admin, credential } = actor
  const { kind, id, scope, campaignId, writeMode } = credential
  const row = kind === 'token' ? store.get('SELECT expires_at FROM personal_tokens WHERE id = @id', { id }) : undefined
  return { userId, admin, scope, campaignId, writeMode, expiresAt: (row?.expires_at as string | null) ?? null }
}

/**
 * What is granted for a request: never more than the minter has, and never longer (SPEC 5.4). Server-admin rights come
 * with a token of scope dm that is unbound and writes directly, made by an administrator for one, unless refused.
 * Throws `forbidden` for what exceeds the minter, `validation_failed` for what contradicts itself.
 */
export function grantFor(
  minter: Minter,
  owner: Pick<User, 'admin' | 'username'>,
  request: TokenRequest,
  now: string,
): Grant {
  const { scope, campaignId = null, writeMode = 'direct', admin: wanted, expiresInDays } = request
  if (rank(scope) > rank(minter.scope)) throw exceeds(`scope is at most ${minter.scope}`)
  if (minter.campaignId !== null && campaignId !== minter.campaignId)
    throw exceeds(`campaignId is ${minter.campaignId}`)
  if (writeModes.indexOf(writeMode) > writeModes.indexOf(minter.writeMode)) {
    throw exceeds(`writeMode is at most ${minter.writeMode}`)
  }
  const whole = scope === 'dm' && campaignId === null && writeMode === 'direct'
  if (wanted === true) {
    if (!whole) {
      throw invalid(
        'admin',
        'only with scope dm, without campaignId and with writeMode direct',
        'admin: only for a token of scope dm without a campaign that writes directly.',
      )
    }
    if (!minter.admin) throw exceeds('admin is false')
    if (!owner.admin) throw fail('forbidden', `${owner.username} is no server administrator.`)
  }
  const admin = wanted !== false && whole && minter.admin && owner.admin
  const asked = expiresInDays === undefined ? null : new Date(Date.parse(now) + expiresInDays * dayMs).toISOString()
  return { scope, campaignId, writeMode, admin, expiresAt: earlier(asked, minter.expiresAt) }
}

function exceeds(most: string): Error {
  return fail('forbidden', `A token cannot have more rights than the credential that makes it: here ${most}.`)
}

function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}

/** Makes a personal token. The value is shown once. Throws as `grantFor`, and `not_found` for a campaign its owner is not in. */
export function mintToken(
  store: Store,
  minter: Minter,
  owner: User,
  request: TokenRequest,
  now: string,
): { readonly token: Token; readonly value: string } {
  const grant = grantFor(minter, owner, request, now)
  if (grant.campaignId !== null) requireMember(store, owner.id, grant.campaignId)
  const { value, hash, hint } = mintSecret('tkp')
  const { id } = store.run(
    `INSERT INTO personal_tokens (user_id, minted_by_user_id, hash, hint, name, scope, campaign_id, write_mode, admin, created_at, expires_at)
     VALUES (@userId, @minterId, @hash, @hint, @name, @scope, @campaignId, @writeMode, @admin, @now, @expiresAt)`,
    {
      ...grant,
      admin: grant.admin ? 1 : 0,
      userId: owner.id,
      minterId: minter.userId,
      hash,
      hint,
      name: request.tokenName,
      now,
    },
  )
  return { token: { ...grant, id, name: request.tokenName, hint, createdAt: now, lastUsedAt: null }, value }
}

/** The same answer for a campaign that is absent, in the trash, or not the owner's. */
function requireMember(store: Store, userId: number, campaignId: number): void {
  const known = store.get(
    `SELECT 1 AS known FROM memberships m JOIN campaigns c ON c.id = m.campaign_id
     WHERE m.user_id = @userId AND m.campaign_id = @campaignId AND m.deleted_at IS NULL AND c.deleted_at IS NULL`,
    { userId, campaignId },
  )
  if (known === undefined) throw fail('not_found', 'There is no such campaign. list_campaigns finds ids.')
}

const columns = 'id, name, hint, scope, campaign_id, write_mode, admin, created_at, expires_at, last_used_at'

/** A user's tokens that were not revoked, newest first; those that have expired are among them. */
export function listTokens(store: Store, userId: number, { limit, cursor }: PageRequest): Page<Token> {
  const size = limit ?? limits.page.standard
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(decodeCursor(cursor, ['integer'])[0])
  const rows = store.all(
    `SELECT ${columns} FROM personal_tokens WHERE user_id = @userId AND revoked_at IS NULL AND id < @before ORDER BY id DESC LIMIT @size`,
    { userId, before, size: size + 1 },
  )
  const items = rows.slice(0, size).map(tokenOf)
  const last = items.at(-1)
  return { items, nextCursor: rows.length > size && last ? encodeCursor([last.id]) : null }
}

/** Revokes one token: one's own, or anybody's for an administrator. Returns whose it was. Throws `not_found`. */
export function revokeToken(store: Store, actor: Actor, tokenId: number, now: string): number {
  const row = store.get('SELECT user_id FROM personal_tokens WHERE id = @tokenId AND revoked_at IS NULL', { tokenId })
  const userId = row?.user_id
  if (typeof userId !== 'number' || (userId !== actor.userId && !actor.admin)) {
    throw fail('not_found', 'There is no such token. GET /api/v1/tokens finds ids.')
  }
  store.run('UPDATE personal_tokens SET revoked_at = @now WHERE id = @tokenId', { tokenId, now })
  return userId
}

/** Revokes all tokens of a user, but for the one that is kept. */
export function revokeTokens(store: Store, userId: number, keepId: number | null, now: string): void {
  store.run(
    'UPDATE personal_tokens SET revoked_at = @now WHERE user_id = @userId AND revoked_at IS NULL AND id IS NOT @keepId',
    { userId, keepId, now },
  )
}

function tokenOf(row: Readonly<Record<string, SqlValue>>): Token {
  return {
    id: Number(row.id),
    name: String(row.name),
    hint: String(row.hint),
    scope: row.scope as Role,
    campaignId: row.campaign_id as number | null,
    writeMode: row.write_mode as WriteMode,
    admin: row.admin === 1,
    createdAt: String(row.created_at),
    expiresAt: row.expires_at as string | null,
    lastUsedAt: row.last_used_at as string | null,
  }
}
