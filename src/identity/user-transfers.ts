import * as z from 'zod'
import { instant, userId } from '../kernel/fields.ts'
import { pageInput, pageOf } from '../kernel/paging.ts'
import { type AnyTransfer, defineTransfer } from '../kernel/transfer.ts'
import { chosenPassword } from './passwords.ts'
import { defineServerChange } from './server-change.ts'
import { endCredentials, type IdentityServices } from './services.ts'
import {
  chosenUsername,
  getUser,
  insertUser,
  listUsers,
  refuseTaken,
  renameUser,
  setAdmin,
  setDisabled,
  setPasswordHash,
} from './users.ts'

const userOutput = z.object({
  id: userId(),
  username: z.string(),
  admin: z.boolean(),
  disabled: z.boolean(),
  createdAt: instant(),
})

/** The users of this server, for its administrators. */
export function userTransfers(services: IdentityServices): readonly AnyTransfer[] {
  return [list(services), create(services), update(services)]
}

const list = (services: IdentityServices) =>
  defineTransfer({
    name: 'list_users',
    title: 'List users',
    description: 'All users of this server.',
    access: 'admin',
    effect: 'read',
    route: 'GET /users',
    input: z.strictObject(pageInput),
    output: pageOf(userOutput),
    example: () => ({}),
    handle: async (_, page) => listUsers(services.store(), page),
  })

const create = (services: IdentityServices) =>
  defineServerChange(services, {
    name: 'create_user',
    title: 'Create a user',
    description: 'A user who can sign in at once and is a member of nothing yet.',
    access: 'admin',
    effect: 'write',
    route: 'POST /users',
    creates: true,
    input: z.strictObject({ username: chosenUsername(), password: chosenPassword(), admin: z.boolean().optional() }),
    output: userOutput,
    example: () => ({ username: 'newcomer', password: 'a good long one' }),
    async prepare(_, { username, password }) {
      refuseTaken(services.store(), username, null)
      return { passwordHash: await services.passwords.hash(password) }
    },
    run({ store, now, prepared: { passwordHash } }, { username, admin = false }) {
      const user = insertUser(store, { username, passwordHash, admin }, now)
      return { answer: user, facts: { userId: user.id, admin } }
    },
  })

const update = (services: IdentityServices) =>
  defineServerChange(services, {
    name: 'update_user',
    title: 'Change a user',
    description:
      'Rename, disable or enable, make or unmake an administrator, set a password. Disabling, a new password and a lost role end all their sessions, tokens and connected apps at once.',
    access: 'admin',
    effect: 'write',
    route: 'PATCH /users/{userId}',
    input: z.strictObject({
      userId: userId(),
      username: chosenUsername().optional(),
      disabled: z.boolean().optional(),
      admin: z.boolean().optional(),
      password: chosenPassword().optional(),
    }),
    output: userOutput,
    example: (world) => ({ userId: world.id('user'), disabled: false }),
    async prepare(_, { userId: id, password }) {
      getUser(services.store(), id)
      return { passwordHash: password === undefined ? null : await services.passwords.hash(password) }
    },
    run({ store, now, prepared: { passwordHash } }, { userId: id, username, disabled, admin }) {
      const before = getUser(store, id)
      const fields: string[] = []
      if (username !== undefined && username !== before.username) {
        renameUser(store, id, username, now)
        fields.push('username')
      }
      // Enabling comes before, disabling after the right: a disabled administrator does not count as one.
      if (disabled === false && before.disabled) {
        setDisabled(store, id, false, now)
        fields.push('disabled')
      }
      if (admin !== undefined && admin !== before.admin) {
        setAdmin(store, id, admin, now)
        fields.push('admin')
      }
      if (disabled === true && !before.disabled) {
        setDisabled(store, id, true, now)
        fields.push('disabled')
      }
      if (passwordHash !== null) {
        setPasswordHash(store, id, passwordHash, now)
        fields.push('password')
      }
      const after = getUser(store, id)
      const ends = (after.disabled && !before.disabled) || (before.admin && !after.admin) || passwordHash !== null
      if (ends) endCredentials(services, store, id, now)
      return {
        answer: after,
        facts: { userId: id, fields, admin: after.admin, disabled: after.disabled },
        ended: ends ? { userId: id } : undefined,
      }
    },
  })
