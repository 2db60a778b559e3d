import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { RowOf } from '../../kernel/entity.ts'
import { fail } from '../../kernel/errors.ts'
import { instant } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { user } from './entity.ts'
import {
  chosenPassword,
  chosenUsername,
  endCredentials,
  givenPassword,
  insertUser,
  passwordInstant,
  refuseTaken,
} from './rules.ts'

type Row = RowOf<typeof user>

const userOutput = z.object({
  id: user.id,
  username: z.string(),
  admin: z.boolean(),
  disabled: z.boolean(),
  createdAt: instant(),
})

function told({
  id,
  username,
  admin,
  disabledAt,
  createdAt,
}: Pick<Row, 'id' | 'username' | 'admin' | 'disabledAt' | 'createdAt'>) {
  return { id, username, admin, disabled: disabledAt !== null, createdAt }
}

const mcp = { none: 'Users are managed by an administrator in the web app; a password is told to no language model.' }

/** The users of this server, for its administrators, and one's own password. */
export const userOperations = {
  list_users: defineOperation({
    name: 'list_users',
    title: 'List users',
    description: 'All users of this server.',
    toolset: 'server',
    access: 'admin',
    effect: 'read',
    route: 'GET /users',
    mcp,
    input: z.strictObject(pageInput),
    output: pageOf(userOutput),
    example: () => ({}),
    handle(context, page) {
      const { items, nextCursor } = context.read(user).page(page)
      return { items: items.map(told), nextCursor }
    },
  }),
  create_user: defineOperation({
    name: 'create_user',
    title: 'Create a user',
    description: 'A user who can sign in at once and is a member of nothing yet.',
    toolset: 'server',
    access: 'admin',
    effect: 'write',
    route: 'POST /users',
    mcp,
    creates: true,
    input: z.strictObject({ username: chosenUsername(), password: chosenPassword(), admin: z.boolean().optional() }),
    output: userOutput,
    example: () => ({ username: 'newcomer', password: 'a good long one' }),
    prepare: async ({ services }, { password }) => ({ passwordHash: await services.passwords.hash(password) }),
    handle(context, { username, admin = false }) {
      const { passwordHash } = context.prepared
      const id = insertUser(context, { username, passwordHash, admin })
      return told(context.read(user).get(id))
    },
  }),
  update_user: defineOperation({
    name: 'update_user',
    title: 'Change a user',
    description:
      'Rename, disable or enable, make or unmake an administrator, set a password. Disabling, a new password and a lost role end all their sessions, tokens and connected apps at once.',
    toolset: 'server',
    access: 'admin',
    effect: 'write',
    route: 'PATCH /users/{userId}',
    mcp,
    input: z.strictObject({
      userId: user.id,
      username: chosenUsername().optional(),
      disabled: z.boolean().optional(),
      admin: z.boolean().optional(),
      password: chosenPassword().optional(),
    }),
    output: userOutput,
    example: (world) => ({ userId: world.id('user'), disabled: false }),
    async prepare({ read, services }, { userId, password }) {
      read(user).get(userId)
      return { passwordHash: password === undefined ? undefined : await services.passwords.hash(password) }
    },
    handle(context, { userId, username, disabled, admin }) {
      const { passwordHash } = context.prepared
      const before = context.unfiltered(user).get(userId)
      if (username !== undefined) refuseTaken(context.users, username, userId)
      context.write(user).update(userId, {
        username,
        admin,
        disabledAt: disabled === undefined ? undefined : disabled ? (before.disabledAt ?? context.now) : null,
        passwordHash,
        passwordSetAt: passwordHash && passwordInstant(context.now, before.passwordSetAt),
      })
      const after = context.unfiltered(user).get(userId)
      if (administers(before) && !administers(after)) requireAdministrator(context)
      const isShutOut = before.disabledAt === null && after.disabledAt !== null
      if (isShutOut || (before.admin && !after.admin) || passwordHash !== undefined)
        endCredentials(context, userId, null)
      return told(after)
    },
  }),
  change_my_password: defineOperation({
    name: 'change_my_password',
    title: 'Change my password',
    description: 'Ends all other sessions, and all tokens and connected apps of the caller.',
    toolset: 'server',
    access: 'session',
    effect: 'write',
    route: 'PUT /me/password',
    mcp,
    input: z.strictObject({ currentPassword: givenPassword(), newPassword: chosenPassword() }),
    output: z.object({ changed: z.literal(true) }),
    example: (world) => ({ currentPassword: world.text('password'), newPassword: 'another good long one' }),
    async prepare({ actor, address, services }, { currentPassword, newPassword }) {
      const { passwords } = services
      const proven = await passwords.prove(actor.userId, currentPassword, address)
      if (proven === null) {
        throw fail('validation_failed', 'The current password is not right.', {
          details: [{ path: 'currentPassword', message: 'not right' }],
        })
      }
      return { proven, passwordHash: await passwords.hash(newPassword) }
    },
    handle(context) {
      const { actor, now, prepared } = context
      const { id, passwordHash, passwordSetAt } = context.unfiltered(user).get(actor.userId)
      // Somebody else gave them another one while this one was checked.
      if (passwordHash !== prepared.proven) throw fail('unauthenticated', 'The name or the password is wrong.')
      context
        .write(user)
        .update(id, { passwordHash: prepared.passwordHash, passwordSetAt: passwordInstant(now, passwordSetAt) })
      endCredentials(context, id, actor.credential)
      return { changed: true as const }
    },
  }),
}

function administers({ admin, disabledAt }: Row): boolean {
  return admin && disabledAt === null
}

/** Throws `last_admin` where nobody is left who administers the server and can sign in. */
function requireAdministrator(context: Context): void {
  if (context.unfiltered(user).count({ admin: true, disabledAt: null }) === 0) throw fail('last_admin')
}
