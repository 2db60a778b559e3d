import * as z from 'zod'
import { fail } from '../../kernel/errors.ts'
import { idOf, instant } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { user } from '../user/entity.ts'
import { personalToken } from './entity.ts'
import { mintedToken, minterOf, mintToken, tokenMembers, tokenRequest } from './rules.ts'

const tokenOutput = z.object({ ...tokenMembers, hint: z.string(), lastUsedAt: instant().nullable() })
const tokenId = () => idOf('personal_token')
const mcp = { none: 'A credential is made and ended by a person who is signed in, or by an administrator.' }

/** Personal access tokens: SPEC 2.5, 4.3 and 5. */
export const tokenOperations = {
  list_tokens: defineOperation({
    name: 'list_tokens',
    title: 'List my tokens',
    description: "The caller's personal tokens that were not revoked, without their values.",
    toolset: 'server',
    access: 'session',
    effect: 'read',
    route: 'GET /tokens',
    mcp,
    input: z.strictObject(pageInput),
    output: pageOf(tokenOutput),
    example: () => ({}),
    handle: (context, page) =>
      // Those that have expired are among them.
      context
        .read(personalToken)
        .page({ where: { userId: context.actor.userId, revokedAt: null }, order: [['id', 'desc']], ...page }),
  }),
  create_token: defineOperation({
    name: 'create_token',
    title: 'Create a token',
    description: 'A personal token for oneself, never stronger than what makes it. Its value is shown once.',
    toolset: 'server',
    access: 'session',
    effect: 'write',
    route: 'POST /tokens',
    mcp,
    creates: true,
    secretAnswer: true,
    input: z.strictObject(tokenRequest),
    output: mintedToken,
    example: () => ({ tokenName: 'laptop', scope: 'player' as const }),
    handle(context, request) {
      const { actor } = context
      return mintToken(context, minterOf(context, actor), context.unfiltered(user).get(actor.userId), request)
    },
  }),
  create_user_token: defineOperation({
    name: 'create_user_token',
    title: 'Create a token for a user',
    description: 'A personal token that acts as another user (SPEC 5.3). Its value is shown once.',
    toolset: 'server',
    access: 'admin',
    effect: 'write',
    route: 'POST /users/{userId}/tokens',
    mcp,
    creates: true,
    secretAnswer: true,
    input: z.strictObject({ userId: user.id, ...tokenRequest }),
    output: mintedToken,
    example: (world) => ({ userId: world.id('user'), tokenName: 'script', scope: 'player' as const }),
    handle(context, { userId, ...request }) {
      const owner = context.unfiltered(user).get(userId)
      if (owner.disabledAt !== null) throw fail('invalid_state', `${owner.username} is disabled. Enable them first.`)
      return mintToken(context, minterOf(context, context.actor), owner, request)
    },
  }),
  revoke_token: defineOperation({
    name: 'revoke_token',
    title: 'Revoke a token',
    description: "Ends one of the caller's tokens at once; an administrator may end anybody's.",
    toolset: 'server',
    access: 'session',
    effect: 'destroy',
    route: 'DELETE /tokens/{tokenId}',
    mcp,
    input: z.strictObject({ tokenId: tokenId() }),
    output: z.object({ revoked: z.object({ tokenId: z.int() }) }),
    example: (world) => ({ tokenId: world.id('personal_token') }),
    handle(context, { tokenId: id }) {
      const known = context.read(personalToken).get(id)
      if (known.revokedAt !== null)
        throw fail('not_found', 'There is no such token, or you may not see it. list_tokens finds ids.')
      context.write(personalToken).update(id, { revokedAt: context.now })
      return { revoked: { tokenId: id } }
    },
  }),
}
