// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of sources, in which placeholders stand.

import { models } from './ai.ts'
import { calls } from './calls.ts'
import { combat } from './combat.ts'
import type { Mutant } from './edits.ts'
import { game } from './game.ts'
import { identity } from './identity.ts'
import { mapMutants } from './maps.ts'
import { fields, links } from './reading.ts'
import { rulebooks } from './rules.ts'
import { schedule } from './schedule.ts'
import { search } from './search.ts'
import { storage } from './storage.ts'
import { table } from './table.ts'
import { travelling } from './travel.ts'
import { viewers } from './viewer.ts'
import { web } from './web.ts'

const matrix = ['test/http/role-matrix.test.ts']
const canaries = ['test/secrecy/canaries.test.ts']
const counts = ['test/secrecy/counts.test.ts']
const withheld = ['test/secrecy/withheld.test.ts']
const liveEvents = ['test/secrecy/live.test.ts', 'test/storage/live.test.ts']
const journal = ['test/storage/journal.test.ts']
const store = ['test/storage/store.test.ts']
const references = ['test/storage/references.test.ts']

const authorise = 'src/kernel/authorise.ts'
const execute = 'src/kernel/execute.ts'
const admission = 'src/kernel/admission.ts'

const access: readonly Mutant[] = [
  {
    without: 'the floor of a role',
    file: authorise,
    edits: [['if (!atLeast(role, least)) throw', 'if (role === null) throw']],
    tests: matrix,
  },
  {
    without: 'the author’s own right',
    file: authorise,
    edits: [["if (!isTheirs(ownerOf, false)) throw fail('forbidden', 'Only its author may do this.')", '']],
    tests: matrix,
  },
  {
    without: 'the DM’s floor of what somebody owns',
    file: authorise,
    edits: [["    if (!theirs && !atLeast(role, 'dm')) throw fail('forbidden', refusal)\n", '']],
    tests: matrix,
  },
  {
    without: 'the server administrator’s right',
    file: authorise,
    edits: [["  if (access === 'admin' && !actor.admin) throw", '  if (false) throw']],
    tests: matrix,
  },
  {
    without: 'the session’s right',
    file: authorise,
    edits: [
      ["  if (kind === 'session' || (kind === 'token' && actor.admin)) return 'direct'", "  if (kind) return 'direct'"],
    ],
    tests: matrix,
  },
  {
    without: 'the write mode of a token',
    file: authorise,
    edits: [["  if (mode === 'direct' || operation.effect === 'read') return", '  if (mode) return']],
    tests: matrix,
  },
  {
    without: 'the scope of a token as a cap',
    file: 'src/kernel/viewer.ts',
    edits: [['role: seat && capRole(seat.role, credential.scope),', 'role: seat && seat.role,']],
    tests: matrix,
  },
  {
    without: 'the campaign of a token',
    file: admission,
    edits: [['  if (bound !== null && bound !== campaignId) return null', '  if (bound === 0) return null']],
    tests: matrix,
  },
  {
    without: 'membership',
    file: admission,
    edits: [
      [
        '  const role = unit.roleOf(actor.userId, campaignId)',
        "  const role = unit.roleOf(actor.userId, campaignId) ?? 'viewer'",
      ],
    ],
    tests: matrix,
  },
  {
    without: 'the decisions that are a human’s',
    file: authorise,
    edits: [["  if (page !== null) throw fail('human_needed'", "  if (page === '') throw fail('human_needed'"]],
    tests: ['test/http/tokens-human.test.ts'],
  },
  {
    without: 'the refusal of writes in an archived campaign',
    file: admission,
    edits: [["campaign.status === 'archived' && ", "campaign.status === 'nothing' && "]],
    tests: ['test/http/proposals.test.ts', 'test/http/review-at-once.test.ts'],
  },
  {
    without: 'the same origin of a cookie’s writes',
    file: 'src/http/caller.ts',
    edits: [['  if (!authentication.isSameOrigin(facts))', '  if (facts === null)']],
    tests: ['test/http/identity-door.test.ts'],
  },
]

const marks: readonly Mutant[] = [
  {
    without: 'the readableBy mark of an NPC’s secret',
    file: 'src/domain/npc/entity.ts',
    edits: [
      [
        "dmSecret: nullable(prose(), { readableBy: 'dm', search: 'body' })",
        "dmSecret: nullable(prose(), { search: 'body' })",
      ],
    ],
    tests: canaries,
  },
  {
    without: 'the readableBy mark of a session’s preparation',
    file: 'src/domain/session/entity.ts',
    edits: [
      ["prep: nullable(prose(), { readableBy: 'dm', search: 'body' })", "prep: nullable(prose(), { search: 'body' })"],
    ],
    tests: canaries,
  },
  {
    without: 'the readableBy mark of a member’s consent',
    file: 'src/domain/member/entity.ts',
    edits: [["readableBy: 'owner', decision: true, since: 2 }", 'decision: true, since: 2 }']],
    tests: ['test/secrecy/counts.test.ts', 'test/domain/consent.test.ts'],
  },
  {
    without: 'the internal mark of an invite’s hash',
    file: 'src/domain/invite/entity.ts',
    edits: [
      [
        'codeHash: required(z.string(), { ...notCarried, internal: true, lookup: true })',
        'codeHash: required(z.string(), { ...notCarried, lookup: true })',
      ],
    ],
    tests: [...canaries, ...journal],
  },
]

const visibility: readonly Mutant[] = [
  {
    without: 'the predicate of quests',
    file: 'src/domain/quest/entity.ts',
    edits: [
      ['import { unlessHidden }', 'import { everyone }'],
      ['  visible: unlessHidden,', '  visible: everyone,'],
    ],
    tests: canaries,
  },
  {
    without: 'the parent of objectives',
    file: 'src/domain/objective/entity.ts',
    edits: [["allOf(withParent('questId', 'quest'), unlessHidden)", 'allOf(unlessHidden)']],
    tests: canaries,
  },
  {
    without: 'the privacy of notes',
    file: 'src/domain/note/entity.ts',
    edits: [["    allOf(dungeonMasters, where('visibility', 'dm')),", '    dungeonMasters,']],
    tests: canaries,
  },
  {
    without: 'the discovery of places',
    file: 'src/domain/location/entity.ts',
    edits: [
      [
        "allOf(where('hidden', false), where('discovery', 'rumoured', 'discovered', 'explored'))",
        "allOf(where('hidden', false))",
      ],
    ],
    tests: canaries,
  },
  {
    without: 'visibility in the search index',
    file: 'src/storage/search.ts',
    edits: [["const seen = visibleSql(store.registry, entity, 't', audience)", "const seen = '(1 OR @viewer)'"]],
    tests: canaries,
  },
  {
    without: 'the public columns of a player’s search',
    file: 'src/storage/search.ts',
    edits: [["dm ? '{title body secret}' : '{title body}'", "dm ? '{title body secret}' : '{title body secret}'"]],
    tests: counts,
  },
  {
    without: 'the hiding of what a reference names',
    file: 'src/storage/titles.ts',
    edits: [
      [
        "    visibleSql(registry, entity, 'target', audience),\n  )\n  return test",
        "    `(1 OR ${visibleSql(registry, entity, 'target', audience)})`,\n  )\n  return test",
      ],
    ],
    tests: references,
  },
  {
    without: 'visibility where a path names a row',
    file: 'src/storage/unit.ts',
    edits: [
      [
        'viewer !== null && seesRow(store, entity, row, viewer)',
        'viewer !== null && (seesRow(store, entity, row, viewer) || true)',
      ],
    ],
    tests: ['test/http/role-matrix.test.ts', 'test/http/errors-hidden.test.ts', 'test/secrecy/writes.test.ts'],
  },
  {
    without: 'visibility in live events',
    file: 'src/live/hub.ts',
    edits: [['  if (!before && !after) return null', '  if (before === null) return null']],
    tests: liveEvents,
  },
  {
    without: 'the silence of secret changes in live events',
    file: 'src/live/hub.ts',
    edits: [
      ['  if (before && after && !isNoticedBy(', '  if (before && after && viewer.role === null && !isNoticedBy('],
    ],
    tests: liveEvents,
  },
  {
    without: 'the end of a stream with its member’s role',
    file: 'src/live/hub.ts',
    edits: [["  if ([actor, looksAs].some((each) => isOwnRole(each, change))) return 'end'", '']],
    tests: liveEvents,
  },
]

const units: readonly Mutant[] = [
  {
    without: 'the transaction',
    file: 'src/storage/store.ts',
    // The savepoint inside would otherwise become the transaction.
    edits: [
      ['      return explained(() => run.immediate(inPlace(work)) as T)', '      return work()'],
      ['      return explained(() => run(work) as T)', '      return work()'],
    ],
    tests: ['test/storage/atomicity.test.ts', ...store],
  },
  {
    without: 'the end of a transaction that went on after a failed change set',
    file: 'src/storage/unit.ts',
    edits: [['  unit.requireWhole()\n', '']],
    tests: ['test/storage/atomicity.test.ts'],
  },
  {
    without: 'the forgetting of what was kept of a table that is written',
    file: 'src/storage/store.ts',
    edits: [['tables.includes(table)', 'false']],
    tests: ['test/storage/store.test.ts'],
  },
  {
    without: 'the end of a rehearsal',
    file: 'src/storage/unit.ts',
    edits: [['        throw rollBack\n', '']],
    tests: store,
  },
  {
    without: 'the care of what is kept between writes for what is rolled back',
    file: 'src/storage/store.ts',
    edits: [['      if (connection.inTransaction && !shared.isOpen()) return make()\n', '']],
    tests: store,
  },
  {
    without: 'the end of the view that reads share, ahead of a transaction',
    file: 'src/storage/store.ts',
    edits: [
      ['      shared.end()\n      return explained(() => run.immediate', '      return explained(() => run.immediate'],
    ],
    tests: store,
  },
  {
    without: 'the end of the view that reads share, ahead of a statement that writes',
    file: 'src/storage/store.ts',
    edits: [['      shared.end()\n      forget(writes)', '      forget(writes)']],
    tests: store,
  },
  {
    without: 'the revision that a change expects',
    file: 'src/storage/writer.ts',
    edits: [
      ['if (expectedRevision !== undefined && revision !== expectedRevision) {', 'if (expectedRevision === 0) {'],
    ],
    tests: ['test/http/errors-stale.test.ts'],
  },
  {
    without: 'the input behind an idempotency key',
    file: execute,
    edits: [['earlier.inputHash !== unit.idempotent.hash(rest) || isSame === false', 'isSame === false']],
    tests: ['test/http/errors-idempotency.test.ts'],
  },
  {
    without: 'the blanking of what is purged',
    file: 'src/storage/trash.ts',
    edits: [["SET before = NULL, after = NULL, fields = '[]' WHERE", 'SET fields = fields WHERE']],
    tests: journal,
  },
  {
    without: 'the refusal to take back a person’s decision',
    file: 'src/storage/reversibility.ts',
    edits: [["  if (decision !== undefined) return `${decision} is a person's decision`\n", '']],
    tests: ['test/unit/reversibility.test.ts', 'test/http/revertible.test.ts'],
  },
  {
    without: 'the refusal to undo what a later change depends on',
    file: 'src/storage/undo.ts',
    edits: [['  if (blocking)\n', '  if (blocking === null)\n']],
    tests: journal,
  },
]

const consent: readonly Mutant[] = [
  {
    without: 'the consent filter',
    file: 'src/domain/session/consent.ts',
    edits: [["policy === 'member_consent' && agreed.has(authorUserId)", "policy === 'member_consent'"]],
    tests: ['test/domain/consent.test.ts', ...withheld],
  },
  {
    without: 'the policy in the consent filter',
    file: 'src/domain/session/consent.ts',
    edits: [["policy === 'member_consent' && agreed.has(authorUserId)", 'agreed.has(authorUserId)']],
    tests: ['test/domain/consent.test.ts', ...withheld],
  },
]

export const mutants: readonly Mutant[] = [
  ...access,
  ...calls,
  ...identity,
  ...marks,
  ...visibility,
  ...fields,
  ...links,
  ...mapMutants,
  ...units,
  ...consent,
  ...schedule,
  ...combat,
  ...game,
  ...storage,
  ...table,
  ...travelling,
  ...models,
  ...viewers,
  ...search,
  ...rulebooks,
  ...web,
]
