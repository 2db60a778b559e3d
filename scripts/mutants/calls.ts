import type { Mutant } from './edits.ts'

// Whose something is, what is kept of a call that is anonymous, and what is got ready before a transaction.

const authorise = 'src/kernel/authorise.ts'
const groupCommit = 'src/storage/group-commit.ts'
const groupTests = 'test/storage/group-commit.test.ts'
const execute = 'src/kernel/execute.ts'
const admission = 'src/kernel/admission.ts'
const callContext = 'src/kernel/call-context.ts'

const ownership = ['test/storage/ownership.test.ts']
const anonymous = ['test/http/anonymous.test.ts']
const prepared = ['test/storage/prepare.test.ts']

const paths: readonly Mutant[] = [
  {
    without: 'the path by which an item is its character’s: a strange player edits it',
    file: 'src/kernel/ownership.ts',
    edits: [
      ["typeof found === 'number' ? found : userAlong(way, found, rowOf)", "typeof found === 'number' ? found : null"],
    ],
    tests: ownership,
  },
  {
    without: 'the trash in a path of ownership',
    file: 'src/storage/unit.ts',
    edits: [
      [
        '    return row === null ? null : { entity, row }',
        '    return row?.deletedAt !== null ? null : { entity, row }',
      ],
    ],
    tests: ownership,
  },
  {
    without: 'the difference between who owns a thing and who plays it',
    file: authorise,
    edits: [['isTheirs(controllerOf, false)', 'isTheirs(controllerOf, true)']],
    tests: ownership,
  },
  {
    without: 'whose turn it is',
    file: authorise,
    edits: [['isTheirs(actingControllerOf, false)', 'isTheirs(controllerOf, true)']],
    tests: ownership,
  },
  {
    without: 'the subject of a call whose path names nothing that is owned',
    file: admission,
    edits: [['  return [...ofPath, ...named]', '  return ofPath']],
    tests: ownership,
  },
  {
    without: 'every row but the first of a subject',
    file: admission,
    edits: [['  return [...ofPath, ...named]', '  return [...ofPath, ...named.slice(0, 1)]']],
    tests: ownership,
  },
  {
    without: 'the campaign of a subject',
    file: admission,
    edits: [['(campaignId) => (campaignId === viewer.campaignId ? viewer : null)', '() => viewer']],
    tests: ownership,
  },
  {
    without: 'the path in the SQL of one’s own',
    file: 'src/storage/visibility-sql.ts',
    edits: [["owned.isOwn === null ? '0' :", "owned.isOwn !== null ? '1' :"]],
    tests: ['test/storage/kernel-visibility.test.ts'],
  },
  {
    without: 'the refusal of paths of ownership that come back to themselves',
    file: 'src/kernel/ownership.ts',
    edits: [['    if (trail.some((step) =>', '    if (way === undefined && trail.some((step) =>']],
    tests: ownership,
  },
]

const anonymity: readonly Mutant[] = [
  {
    without: 'the anonymity of a change set',
    file: execute,
    edits: [['  return operation.anonymous\n', '  return operation.anonymous === false\n']],
    tests: anonymous,
  },
  {
    without: 'the seal on what the idempotency key of an anonymous call remembers',
    file: execute,
    edits: [['  return anonymous ? unit.seal(scope) : scope', '  return anonymous ? scope : scope']],
    tests: anonymous,
  },
  {
    without: 'the caller in the idempotency key of an anonymous call',
    file: execute,
    edits: [['unit.seal(scope) : scope', 'unit.seal(name + idempotencyKey) : scope']],
    tests: anonymous,
  },
  {
    without: 'the namelessness of who an anonymous handler acts for',
    file: callContext,
    edits: [['operation.anonymous ? nobody(call.actor) : call.actor', 'call.actor']],
    tests: anonymous,
  },
  {
    without: 'the silence of the log about an anonymous call’s address',
    file: 'src/http/server.ts',
    edits: [['return anonymous ? facts : {', 'return false ? facts : {']],
    tests: anonymous,
  },
  {
    without: 'the silence of the log about an anonymous call over MCP',
    file: 'src/mcp/calls.ts',
    edits: [['  if (operation.anonymous) caller.onAnonymous()\n', '']],
    tests: anonymous,
  },
  {
    without: 'the silence of times of last use about an anonymous call',
    file: 'src/http/caller.ts',
    edits: [['whenUsed: request.anonymous ? nothing : undefined', 'whenUsed: undefined']],
    tests: anonymous,
  },
  {
    without: 'the silence of times of last use about an anonymous call over MCP',
    file: 'src/http/mcp-route.ts',
    edits: [['if (!request.anonymous) uses.get(request)?.()', 'uses.get(request)?.()']],
    tests: anonymous,
  },
  {
    without: 'the refusal to make by name what is to be anonymous',
    file: 'src/storage/change-set.ts',
    edits: [
      [
        "if (actor !== null && change.entity.journal === 'anonymous' &&",
        "if (actor === null && change.entity.journal === 'full' &&",
      ],
    ],
    tests: anonymous,
  },
]

const preparation: readonly Mutant[] = [
  {
    without: 'the departure of a caller while a call is got ready',
    file: callContext,
    edits: [['    signal.throwIfAborted()\n    return prepared', '    return prepared']],
    tests: prepared,
  },
  {
    without: 'the authorisation after a call was got ready',
    file: execute,
    edits: [
      ['  const admission = admit(unit, operation, input, call)\n  return withIdempotency', '  return withIdempotency'],
      [
        'return system.transactionSoon((unit) => runWrite(system, unit, operation, input, call, prepared))',
        'return system.transactionSoon((unit) => runWrite(system, unit, operation, input, call, prepared, before))',
      ],
      [
        '  asked: KnownCall,\n  prepared: unknown,\n): Outcome {',
        '  asked: KnownCall,\n  prepared: unknown,\n  admission: Admission,\n): Outcome {',
      ],
    ],
    tests: prepared,
  },
  {
    without: 'the version of a proposal that was got ready',
    file: 'src/domain/proposal/operations.ts',
    edits: [['      for (const each of proposals) asItWasRead(context, each)\n', '']],
    tests: prepared,
  },
  {
    without: 'the role in which somebody entered a campaign',
    file: execute,
    edits: [['role: role && capRole(role, actor.credential.scope) }', "role: role && 'dm' }"]],
    tests: ['test/storage/entering.test.ts'],
  },
  {
    without: 'the write that stands although nobody could be told of it',
    file: 'src/storage/system.ts',
    edits: [['      parts.onUnannounced(error)', '      throw error']],
    tests: ['test/storage/live.test.ts'],
  },
  {
    without: 'the undoing of one write alone of those that share a transaction',
    file: groupCommit,
    edits: [
      [
        'group.length === 1 ? whole(written, work) : present.savepoint(() => whole(written, work))',
        'whole(written, work)',
      ],
    ],
    tests: [groupTests],
  },
  {
    without: 'the wait for the commit that writes share',
    file: groupCommit,
    edits: [
      [
        '            done.push({ resolve, reject, written, value })',
        '            resolve(value)\n            done.push({ resolve, reject, written, value })',
      ],
    ],
    tests: [groupTests],
  },
  {
    without: 'the end of writes that share a transaction which the disk ended',
    file: groupCommit,
    edits: [
      [
        'if (group.length === 1 || !present.connection.inTransaction) throw error',
        'if (group.length === 1) throw error',
      ],
    ],
    tests: [groupTests],
  },
  {
    without: 'the bound of the time that writes share a transaction',
    file: groupCommit,
    edits: [['if (begun > 0 && performance.now() > until) break', '']],
    tests: [groupTests],
  },
]

export const calls: readonly Mutant[] = [...paths, ...anonymity, ...preparation]
