import * as z from 'zod'
import { fail } from '../kernel/errors.ts'
import { idOf, instant, userId } from '../kernel/fields.ts'
import { pageInput, pageOf } from '../kernel/paging.ts'
import { type AnyTransfer, defineTransfer } from '../kernel/transfer.ts'
import { roles, writeModes } from '../kernel/viewer.ts'
import { type Facts, recordServerChange } from './audit.ts'
import { givenPassword } from './passwords.ts'
import { defineServerChange } from './server-change.ts'
import { checkPassword, type IdentityServices, stillSame } from './services.ts'
import { sessionActor } from './sessions.ts'
import { listTokens, minterOf, mintToken, revokeToken, type Token, tokenRequest } from './tokens.ts'
import { getUser, givenUsername } from './users.ts'

const granted = {
  id: z.int(),
  name: z.string(),
  scope: z.enum(roles),
  campaignId: z.int().nullable(),
  writeMode: z.enum(writeModes),
  admin: z.boolean(),
  createdAt: instant(),
  expiresAt: instant().nullable(),
}
const listed = z.object({ ...granted, hint: z.string(), lastUsedAt: instant().nullable() })
/** The answer of every way to make a token: the only time its value is shown. */
const minted = z.object({ token: z.string(), ...granted })
const tokenId = () => idOf('token')

/** Personal access tokens: SPEC 2.5, 4.3 and 5. */
export function tokenTransfers(services: IdentityServices): readonly AnyTransfer[] {
  return [createWithPassword(services), list(services), createOwn(services), createForUser(services), revoke(services)]
}

const createWithPassword = (services: IdentityServices) =>
  defineTransfer({
    name: 'create_token_with_password',
    title: 'Create a token with a password',
    description: 'A personal token without a browser. Its value is shown once.',
    access: 'public',
    effect: 'write',
    route: 'POST /auth/token',
    creates: true,
    input: z.strictObject({ username: givenUsername(), password: givenPassword(), ...tokenRequest }),
    output: minted,
    example: (world) => ({
      username: world.text('username'),
      password: world.text('password'),
      tokenName: 'script',
      scope: 'player' as const,
    }),
    async handle(context, { username, password, ...request }) {
      await services.limits.call('token', context.address)
      const account = await checkPassword(services, { username, password }, context)
      const store = services.store()
      const now = services.clock().toISOString()
      return store.transaction(() => {
        const user = stillSame(store, account)
        // Whoever knows the password could sign in: the token has all that a session would have.
        const { token, value } = mintToken(store, minterOf(store, sessionActor(0, user)), user, request, now)
        const credential = { kind: 'token', id: token.id, clientId: null, toolsets: null, ...reachOf(token) } as const
        const actor = { userId: user.id, username: user.username, admin: token.admin, credential }
        const facts = factsOf(token, user.id)
        const operation = 'create_token_with_password'
        recordServerChange(store, { operation, effect: 'write', actor, at: now, reason: context.reason, facts })
        return answerOf(token, value)
      })
    },
  })

const list = (services: IdentityServices) =>
  defineTransfer({
    name: 'list_tokens',
    title: 'List my tokens',
    description: "The caller's personal tokens that were not revoked, without their values.",
    access: 'session',
    effect: 'read',
    route: 'GET /tokens',
    input: z.strictObject(pageInput),
    output: pageOf(listed),
    example: () => ({}),
    async handle({ actor }, page) {
      if (actor === null) throw fail('unauthenticated')
      return listTokens(services.store(), actor.userId, page)
    },
  })

const createOwn = (services: IdentityServices) =>
  defineServerChange(services, {
    name: 'create_token',
    title: 'Create a token',
    description: 'A personal token for oneself, never stronger than what makes it. Its value is shown once.',
    access: 'session',
    effect: 'write',
    route: 'POST /tokens',
    creates: true,
    secretAnswer: true,
    input: z.strictObject(tokenRequest),
    output: minted,
    example: () => ({ tokenName: 'laptop', scope: 'player' as const }),
    run({ store, now, actor }, request) {
      const { token, value } = mintToken(store, minterOf(store, actor), getUser(store, actor.userId), request, now)
      return { answer: answerOf(token, value), facts: factsOf(token, actor.userId) }
    },
  })

const createForUser = (services: IdentityServices) =>
  defineServerChange(services, {
    name: 'create_user_token',
    title: 'Create a token for a user',
    description: 'A personal token that acts as another user (SPEC 5.3). Its value is shown once.',
    access: 'admin',
    effect: 'write',
    route: 'POST /users/{userId}/tokens',
    creates: true,
    secretAnswer: true,
    input: z.strictObject({ userId: userId(), ...tokenRequest }),
    output: minted,
    example: (world) => ({ userId: world.id('user'), tokenName: 'script', scope: 'player' as const }),
    run({ store, now, actor }, { userId: ownerId, ...request }) {
      const owner = getUser(store, ownerId)
      if (owner.disabled) throw fail('invalid_state', `${owner.username} is disabled. Enable them first.`)
      const { token, value } = mintToken(store, minterOf(store, actor), owner, request, now)
      return { answer: answerOf(token, value), facts: factsOf(token, owner.id) }
    },
  })

const revoke = (services: IdentityServices) =>
  defineServerChange(services, {
    name: 'revoke_token',
    title: 'Revoke a token',
    description: "Ends one of the caller's tokens at once; an administrator may end anybody's.",
    access: 'session',
    effect: 'destroy',
    route: 'DELETE /tokens/{tokenId}',
    input: z.strictObject({ tokenId: tokenId() }),
    output: z.object({ revoked: z.object({ tokenId: z.int() }) }),
    example: (world) => ({ tokenId: world.id('token') }),
    run({ store, now, actor }, { tokenId: id }) {
      const ownerId = revokeToken(store, actor, id, now)
      return {
        answer: { revoked: { tokenId: id } },
        facts: { tokenId: id, userId: ownerId },
        ended: { userId: ownerId, only: { kind: 'token', id } },
      }
    },
  })

function reachOf({ scope, campaignId, writeMode }: Token) {
  return { scope, campaignId, writeMode }
}

function answerOf(token: Token, value: string): z.output<typeof minted> {
  const { id, name, createdAt, expiresAt, admin } = token
  return { token: value, id, name, ...reachOf(token), admin, createdAt, expiresAt }
}

function factsOf(token: Token, ownerId: number): Facts {
  const { id, admin, expiresAt } = token
  return { tokenId: id, userId: ownerId, ...reachOf(token), admin, expiresAt }
}
