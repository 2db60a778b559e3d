import * as z from 'zod'
import { signIn as signInRow } from '../domain/sign-in/entity.ts'
import { chosenPassword, chosenUsername, givenPassword, insertUser, refuseTaken } from '../domain/user/rules.ts'
import { fail } from '../kernel/errors.ts'
import { instant, userId } from '../kernel/fields.ts'
import { recordChange } from '../kernel/recorded-change.ts'
import { type AnyTransfer, defineTransfer, type TransferContext } from '../kernel/transfer.ts'
import { roles } from '../kernel/viewer.ts'
import { userNamed, usersLike } from '../storage/user-names.ts'
import { checkPassword, type IdentityServices, rememberDevice, stillSame } from './services.ts'
import { beginSession, findSession, type NewSession, sessionActor } from './sessions.ts'
import { createTokenWithPassword } from './token-transfers.ts'
import { findAccount, givenUsername, hasUsers } from './users.ts'

// What cookies come of, and what happens while nobody is known: these are no operations. What they change they change as
// operations do, in a change set of the server's history (kernel/recorded-change.ts).

const signedIn = z.object({ id: userId(), username: z.string(), admin: z.boolean() })
const signedInAnswer = z.object({ user: signedIn })
const inviteCode = () => z.string().min(1).max(100)

/** What a browser needs before and while somebody signs in. */
export function signInTransfers(services: IdentityServices): readonly AnyTransfer[] {
  return [
    status(services),
    setUp(services),
    signIn(services),
    signOut(services),
    register(services),
    previewInvite(services),
    createTokenWithPassword(services),
  ]
}

const status = ({ store, setUp, version }: IdentityServices) =>
  defineTransfer({
    name: 'get_auth_status',
    title: 'Who is signed in',
    description: 'The version, whether the server waits for its first user, and who the caller is.',
    access: 'public',
    effect: 'read',
    route: 'GET /auth/status',
    input: z.strictObject({}),
    output: z.object({
      version: z.string(),
      setUpNeeded: z.boolean(),
      setUpOpen: z.boolean(),
      user: signedIn.nullable(),
    }),
    example: () => ({}),
    async handle(context) {
      const { actor } = context
      return {
        version,
        setUpNeeded: !hasUsers(store()),
        setUpOpen: setUp.isOpen(store(), context),
        user: actor && { id: actor.userId, username: actor.username, admin: actor.admin },
      }
    },
  })

const setUp = (services: IdentityServices) =>
  defineTransfer({
    name: 'set_up',
    title: 'Set up the server',
    description: 'Creates the first user, a server administrator, and signs them in.',
    access: 'public',
    effect: 'write',
    route: 'POST /auth/setup',
    creates: true,
    input: z.strictObject({
      username: chosenUsername(),
      password: chosenPassword(),
      code: z.string().max(100).optional(),
    }),
    output: signedInAnswer,
    example: (world) => ({ username: 'marta', password: 'a good long one', code: world.text('set_up_code') }),
    async handle(context, { username, password, code }) {
      const { limits, passwords, setUp: door, store } = services
      const attempt = await limits.setUp(context.address)
      door.require(store(), context, code)
      await attempt.forgive()
      const passwordHash = await passwords.hash(password)
      const session = services.system().transaction((unit) => {
        // Again: two people may have opened the page.
        door.require(store(), context, code)
        return recordChange(unit, { operation: 'set_up', effect: 'write', by: 0 }, (recording) => {
          const id = insertUser(recording.context, { username, passwordHash, admin: true })
          return beginSession(recording, { id, username, admin: true }, context.userAgent)
        })
      })
      context.session.set(session.secret)
      rememberDevice(services, context, session.actor.userId)
      return answerOf(session)
    },
  })

const signIn = (services: IdentityServices) =>
  defineTransfer({
    name: 'sign_in',
    title: 'Sign in',
    description: 'Begins a session: the answer sets its cookie.',
    access: 'public',
    effect: 'write',
    route: 'POST /auth/login',
    input: z.strictObject({ username: givenUsername(), password: givenPassword() }),
    output: signedInAnswer,
    example: (world) => ({ username: world.text('username'), password: world.text('password') }),
    handle: async (context, given) => answerOf(await signInWith(services, context, given)),
  })

/** Begins a session for whoever knows the password, and sets its cookie. Throws `unauthenticated`, `rate_limited`. */
export async function signInWith(
  services: IdentityServices,
  context: TransferContext,
  given: { readonly username: string; readonly password: string },
): Promise<NewSession> {
  const account = await checkPassword(services, given, context)
  const { session: cookie, userAgent } = context
  const session = services.system().transaction((unit) =>
    recordChange(unit, { operation: 'sign_in', effect: 'write', by: account.id }, (recording) => {
      const store = services.store()
      const begun = beginSession(recording, stillSame(store, account), userAgent)
      // Whoever was signed in here is not any more.
      const earlier = cookie.secret === null ? null : findSession(store, cookie.secret)
      if (earlier) recording.as(earlier.userId).write(signInRow).remove(earlier.id)
      return begun
    }),
  )
  cookie.set(session.secret)
  rememberDevice(services, context, account.id)
  return session
}

const signOut = (services: IdentityServices) =>
  defineTransfer({
    name: 'sign_out',
    title: 'Sign out',
    description: 'Ends the session of the cookie and takes the cookie away. Signed out already is fine.',
    access: 'public',
    effect: 'write',
    route: 'POST /auth/logout',
    input: z.strictObject({}),
    output: z.object({ signedOut: z.literal(true) }),
    example: () => ({}),
    async handle({ session: cookie }) {
      services.system().transaction((unit) => {
        const store = services.store()
        const session = cookie.secret === null ? null : findSession(store, cookie.secret)
        const account = session && findAccount(store, session.userId)
        if (!session || !account) return
        const change = { operation: 'sign_out', effect: 'write', by: sessionActor(session.id, account) } as const
        recordChange(unit, change, ({ context }) => context.write(signInRow).remove(session.id))
      })
      cookie.clear()
      return { signedOut: true }
    },
  })

/** A user, their session and their membership are one transaction: an invite that fails leaves nothing of them. */
const register = (services: IdentityServices) =>
  defineTransfer({
    name: 'register',
    title: 'Register with an invite',
    description: 'Creates a user, joins the campaign of the invite and signs in. Never makes administrators.',
    access: 'public',
    effect: 'write',
    route: 'POST /auth/register',
    creates: true,
    input: z.strictObject({ invite: inviteCode(), username: chosenUsername(), password: chosenPassword() }),
    output: signedInAnswer.extend({ campaignId: z.int() }),
    example: (world) => ({ invite: world.text('invite'), username: 'newcomer', password: 'a good long one' }),
    async handle(context, { invite, username, password }) {
      const { limits, passwords, store } = services
      await limits.call('register', context.address)
      // Before anything slow; both are asked again.
      requireInvite(services, invite)
      const users = {
        named: (name: string) => userNamed(store(), name),
        alike: (name: string) => usersLike(store(), name),
      }
      refuseTaken(users, username, null)
      const passwordHash = await passwords.hash(password)
      const { session, campaignId } = services.system().transaction((unit) => {
        const begun = recordChange(unit, { operation: 'register', effect: 'write', by: 0 }, (recording) => {
          const id = insertUser(recording.context, { username, passwordHash, admin: false })
          return beginSession(recording, { id, username, admin: false }, context.userAgent)
        })
        return { session: begun, campaignId: services.acceptInvite(unit, begun.actor, invite) }
      })
      context.session.set(session.secret)
      rememberDevice(services, context, session.actor.userId)
      return { ...answerOf(session), campaignId }
    },
  })

const previewInvite = (services: IdentityServices) =>
  defineTransfer({
    name: 'preview_invite',
    title: 'What an invite opens',
    description: 'The campaign and role that an invite leads to, for whoever has its code.',
    access: 'public',
    effect: 'read',
    route: 'GET /invites/preview',
    input: z.strictObject({ code: inviteCode() }),
    output: z.object({ campaignName: z.string(), role: z.enum(roles), expiresAt: instant() }),
    example: (world) => ({ code: world.text('invite') }),
    async handle(context, { code }) {
      await services.limits.call('preview', context.address)
      const { campaignName, role, expiresAt } = requireInvite(services, code)
      return { campaignName, role, expiresAt }
    },
  })

function requireInvite({ previewInvite: preview }: IdentityServices, code: string) {
  const found = preview(code)
  if (found === null) throw fail('not_found', 'This invite does not work any more. Ask for a new one.')
  return found
}

function answerOf({ actor }: NewSession): { readonly user: z.output<typeof signedIn> } {
  return { user: { id: actor.userId, username: actor.username, admin: actor.admin } }
}
