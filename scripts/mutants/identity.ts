// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of sources, in which placeholders stand.

import type { Mutant } from './edits.ts'

const credentials = ['test/http/identity-credentials.test.ts']
const users = ['test/http/identity-users.test.ts']
const signIn = ['test/http/identity-sign-in.test.ts']
const endings = ['test/unit/identity-endings.test.ts']

const execute = 'src/kernel/execute.ts'
const userRules = 'src/domain/user/rules.ts'
const userOperations = 'src/domain/user/operations.ts'

/** What is done with users, tokens and connected apps. */
export const identity: readonly Mutant[] = [
  {
    without: 'the second look at the credential',
    file: execute,
    edits: [['  const call = { ...asked, actor: unit.recheck(asked.actor) }', '  const call = asked']],
    tests: credentials,
  },
  {
    without: 'the passwords behind an idempotency key',
    file: execute,
    edits: [[' || isSame === false) throw', ') throw']],
    tests: signIn,
  },
  {
    without: 'the line between a password and what is hashed of an input',
    file: 'src/kernel/passwords.ts',
    edits: [['schemaMarks.get(schema)?.secret === true', 'schemaMarks.get(schema)?.entity === schema']],
    tests: users,
  },
  {
    without: 'the ending of a session with its user',
    file: userRules,
    edits: [
      ["    if (!isKept('session', id)) context.write(signIn).remove(id)", "    if (id === 0) isKept('session', id)"],
    ],
    tests: users,
  },
  {
    without: 'the ending of apps with their user',
    file: userRules,
    edits: [
      [
        "    context.write(oauthGrant).update(id, { endedAt, endedReason: 'credentials_ended' })",
        '    if (id === 0) return',
      ],
    ],
    tests: users,
  },
  {
    without: 'the one administrator that a server needs',
    file: userOperations,
    edits: [['      if (administers(before) && !administers(after)) requireAdministrator(context)\n', '']],
    tests: users,
  },
  {
    without: 'the password that was there when another was set',
    file: userOperations,
    edits: [
      ["if (passwordHash !== prepared.proven) throw fail('unauthenticated', 'The name or the password is wrong.')", ''],
    ],
    tests: signIn,
  },
  {
    without: 'the streams of who was demoted',
    file: 'src/identity/endings.ts',
    edits: [['before.admin === true && after.admin === false', 'before.admin !== before.admin']],
    tests: endings,
  },
  {
    without: 'the streams of what ended',
    file: 'src/app.ts',
    edits: [['      for (const { userId, only } of endingsOf(changes)) hub.endUser(userId, only)\n', '']],
    tests: ['test/http/streams.test.ts'],
  },
  {
    without: 'the mark that keeps a password hash in the storage',
    file: 'src/domain/user/entity.ts',
    edits: [['passwordHash: required(z.string(), { internal: true })', 'passwordHash: required(z.string())']],
    tests: ['test/http/identity-journal.test.ts'],
  },
]
