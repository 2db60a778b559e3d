import * as z from 'zod'
import { fail, invalid } from '../kernel/errors.ts'
import { instant, userId } from '../kernel/fields.ts'
import { type AnyTransfer, defineTransfer, type TransferContext } from '../kernel/transfer.ts'
import { roles } from '../kernel/viewer.ts'
import { recordServerChange } from './audit.ts'
import { chosenPassword, givenPassword } from './passwords.ts'
import { defineServerChange } from './server-change.ts'
import { checkPassword, countingFailures, endCredentials, type IdentityServices, stillSame } from './services.ts'
import { beginSession, endSession, type NewSession } from './sessions.ts'
import {
  chosenUsername,
  findAccount,
  finishUser,
  givenUsername,
  hasUsers,
  insertUnfinishedUser,
  insertUser,
  refuseTaken,
  removeUnfinishedUser,
  setPasswordHash,
  type User,
} from './users.ts'

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
    changePassword(services),
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
      const { limits, passwords, setUp: door, clock } = services
      const attempt = await limits.setUp(context.address)
      door.require(services.store(), context, code)
      await attempt.forgive()
      const passwordHash = await passwords.hash(password)
      const store = services.store()
      const now = clock().toISOString()
      const session = store.transaction(() => {
        // Again: two people may have opened the page.
        door.require(store, context, code)
        const user = insertUser(store, { username, passwordHash, admin: true }, now)
        const begun = beginSession(store, user, context.userAgent, now)
        recordServerChange(store, {
          operation: 'set_up',
          effect: 'write',
          actor: begun.actor,
          at: now,
          reason: null,
          facts: { userId: user.id },
        })
        return begun
      })
      context.session.set(session.secret)
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
  const store = services.store()
  const now = services.clock().toISOString()
  const { session, earlier } = store.transaction(() => {
    const user = stillSame(store, account)
    // Whoever was signed in here is not any more.
    const earlier = context.session.secret === null ? null : endSession(store, context.session.secret)
    const session = beginSession(store, user, context.userAgent, now)
    recordServerChange(store, {
      operation: 'sign_in',
      effect: 'write',
      actor: session.actor,
      at: now,
      reason: null,
      facts: { userId: user.id, sessionId: session.actor.credential.id },
    })
    return { session, earlier }
  })
  if (earlier) services.onCredentialsEnded?.(earlier.userId, { kind: 'session', id: earlier.id })
  context.session.set(session.secret)
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
    async handle(context) {
      const { secret } = context.session
      const store = services.store()
      const at = services.clock().toISOString()
      const ended = store.transaction(() => {
        const session = secret === null ? null : endSession(store, secret)
        const { actor } = context
        if (session && actor?.credential.kind === 'session') {
          const facts = { sessionId: session.id }
          recordServerChange(store, { operation: 'sign_out', effect: 'write', actor, at, reason: null, facts })
        }
        return session
      })
      if (ended) services.onCredentialsEnded?.(ended.userId, { kind: 'session', id: ended.id })
      context.session.clear()
      return { signedOut: true }
    },
  })

/**
 * Joining runs through the pipeline, in a transaction of its own. So that a bad invite leaves no user behind and a
 * crash no usable one:
 *
 * 1. look at the invite and the name, before anything slow
 * 2. hash the password
 * 3. keep the name with a user who is disabled and has no password
 * 4. accept the invite as that user; when it fails, take the user away again
 * 5. give the user the password, enable them, and begin their session
 */
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
      const { limits, passwords, clock, acceptInvite } = services
      await limits.call('register', context.address)
      requireInvite(services, invite)
      refuseTaken(services.store(), username, null)
      const passwordHash = await passwords.hash(password)
      const store = services.store()
      const session = store.transaction(() => {
        const now = clock().toISOString()
        return beginSession(store, insertUnfinishedUser(store, username, now), context.userAgent, now)
      })
      const { userId } = session.actor
      const campaignId = await acceptInvite(session.actor, invite).catch((error: unknown) => {
        removeUnfinishedUser(services.store(), userId)
        throw error
      })
      const present = services.store()
      const at = clock().toISOString()
      present.transaction(() => {
        finishUser(present, userId, passwordHash, at)
        const { actor } = session
        recordServerChange(present, {
          operation: 'register',
          effect: 'write',
          actor,
          at,
          reason: null,
          facts: { userId },
        })
      })
      context.session.set(session.secret)
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

const changePassword = (services: IdentityServices) =>
  defineServerChange(services, {
    name: 'change_my_password',
    title: 'Change my password',
    description: 'Ends all other sessions, and all tokens and connected apps of the caller.',
    access: 'session',
    effect: 'write',
    route: 'PUT /me/password',
    input: z.strictObject({ currentPassword: givenPassword(), newPassword: chosenPassword() }),
    output: z.object({ changed: z.literal(true) }),
    example: (world) => ({ currentPassword: world.text('password'), newPassword: 'another good long one' }),
    async prepare({ context, actor }, { currentPassword, newPassword }) {
      const { limits, passwords, store } = services
      const account = findAccount(store(), actor.userId)
      if (account === null) throw fail('unauthenticated')
      const attempt = await limits.password(account.username, context.address)
      const right = await countingFailures(attempt, () => passwords.verify(account.passwordHash, currentPassword))
      if (!right) {
        throw invalid('currentPassword', 'not right', 'The current password is not right.')
      }
      return { account, passwordHash: await passwords.hash(newPassword) }
    },
    run({ store, now, actor, prepared: { account, passwordHash } }) {
      const user = stillSame(store, account)
      setPasswordHash(store, user.id, passwordHash, now)
      endCredentials(services, store, user.id, now, actor.credential)
      return { answer: { changed: true }, facts: { userId: user.id }, ended: { userId: user.id } }
    },
  })

function requireInvite({ previewInvite: preview }: IdentityServices, code: string) {
  const found = preview(code)
  if (found === null) throw fail('not_found', 'This invite does not work any more. Ask for a new one.')
  return found
}

function answerOf({ actor }: NewSession): { readonly user: Pick<User, 'id' | 'username' | 'admin'> } {
  return { user: { id: actor.userId, username: actor.username, admin: actor.admin } }
}
