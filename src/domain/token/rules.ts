import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { RowOf } from '../../kernel/entity.ts'
import { fail } from '../../kernel/errors.ts'
import { idOf, instant, name } from '../../kernel/fields.ts'
import { type Actor, type Role, rank, roles, type WriteMode, writeModes } from '../../kernel/viewer.ts'
import type { user } from '../user/entity.ts'
import { personalToken } from './entity.ts'

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

/** What is told of a token. */
export const tokenMembers = {
  id: z.int(),
  name: z.string(),
  scope: z.enum(roles),
  campaignId: z.int().nullable(),
  writeMode: z.enum(writeModes),
  admin: z.boolean(),
  createdAt: instant(),
  expiresAt: instant().nullable(),
}

/** The answer of every way to make a token: the only time its value is shown. */
export const mintedToken = z.object({ token: z.string(), ...tokenMembers })
export type MintedToken = z.output<typeof mintedToken>

/** What a token may do. */
export interface TokenRights {
  readonly scope: Role
  readonly campaignId: number | null
  readonly writeMode: WriteMode
  readonly admin: boolean
  readonly expiresAt: string | null
}

/** Who makes a token, as far as their own credential reaches. */
export type Minter = TokenRights & { readonly userId: number }

type Owner = Pick<RowOf<typeof user>, 'id' | 'username' | 'admin'>

const dayMs = 24 * 3600 * 1000

/** The maker of tokens that an acting credential is. */
export function minterOf(context: Context, { userId, admin, credential }: Actor): Minter {
  const { kind, id, scope, campaignId, writeMode } = credential
  const own = kind === 'token' ? context.unfiltered(personalToken).find(id) : null
  return { userId, admin, scope, campaignId, writeMode, expiresAt: own?.expiresAt ?? null }
}

/**
 * What is granted for a request: never more than the minter has, and never longer (SPEC 5.4). Server-admin rights come
 * with a token of scope dm that is unbound and writes directly, made by an administrator for one, unless refused.
 * Throws `forbidden` for what exceeds the minter, `validation_failed` for what contradicts itself.
 */
export function rightsFor(
  minter: Minter,
  owner: Pick<Owner, 'admin' | 'username'>,
  request: TokenRequest,
  now: string,
): TokenRights {
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
      throw fail('validation_failed', 'admin: only for a token of scope dm without a campaign that writes directly.', {
        details: [{ path: 'admin', message: 'only with scope dm, without campaignId and with writeMode direct' }],
      })
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

/** Makes a personal token. The value is shown once. Throws as `rightsFor`, and `not_found` for a campaign its owner is not in. */
export function mintToken(context: Context, minter: Minter, owner: Owner, request: TokenRequest): MintedToken {
  const rights = rightsFor(minter, owner, request, context.now)
  const { campaignId } = rights
  if (campaignId !== null && !context.memberships({ of: owner.id }).some((each) => each.campaignId === campaignId)) {
    throw fail('not_found', 'There is no such campaign. list_campaigns finds ids.')
  }
  const { value, hash, hint } = context.secrets.mint('tkp')
  const name = request.tokenName
  const id = context
    .write(personalToken)
    .insert({ userId: owner.id, mintedByUserId: minter.userId, hash, hint, name, ...rights })
  return { token: value, id, name, ...rights, createdAt: context.now }
}
