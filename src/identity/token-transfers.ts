import * as z from 'zod'
import { mintedToken, minterOf, mintToken, tokenRequest } from '../domain/token/rules.ts'
import { givenPassword } from '../domain/user/rules.ts'
import { recordChange } from '../kernel/recorded-change.ts'
import { type AnyTransfer, defineTransfer } from '../kernel/transfer.ts'
import type { Actor } from '../kernel/viewer.ts'
import { checkPassword, type IdentityServices, stillSame } from './services.ts'
import { sessionActor } from './sessions.ts'
import { givenUsername } from './users.ts'

/** A token by name and password (SPEC 2.5, 5.2). It is no operation: nobody is known when it is called. */
export const createTokenWithPassword = (services: IdentityServices): AnyTransfer =>
  defineTransfer({
    name: 'create_token_with_password',
    title: 'Create a token with a password',
    description: 'A personal token without a browser. Its value is shown once.',
    access: 'public',
    effect: 'write',
    route: 'POST /auth/token',
    creates: true,
    input: z.strictObject({ username: givenUsername(), password: givenPassword(), ...tokenRequest }),
    output: mintedToken,
    example: (world) => ({
      username: world.text('username'),
      password: world.text('password'),
      tokenName: 'script',
      scope: 'player' as const,
    }),
    async handle({ address, requestId, reason }, { username, password, ...request }) {
      await services.limits.call('token', address)
      const account = await checkPassword(services, { username, password }, { address, requestId })
      return services.system().transaction((unit) =>
        recordChange(
          unit,
          { operation: 'create_token_with_password', effect: 'write', by: account.id, reason },
          ({ context, attribute }) => {
            const owner = stillSame(services.store(), account)
            // Whoever knows the password could sign in: the token has all that a session would have.
            const minted = mintToken(context, minterOf(context, sessionActor(0, owner)), owner, request)
            const { id, admin, scope, campaignId, writeMode } = minted
            const credential: Actor['credential'] = {
              kind: 'token',
              id,
              scope,
              campaignId,
              writeMode,
              clientId: null,
              toolsets: null,
            }
            attribute({ userId: owner.id, username: owner.username, admin, credential })
            return minted
          },
        ),
      )
    },
  }) as unknown as AnyTransfer
