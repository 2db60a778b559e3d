// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of sources, in which placeholders stand.

import type { Mutant } from './edits.ts'

// What reaches an outside AI, which toolsets are open, what is approved, and which revision somebody is shown.

const viewer = 'src/kernel/viewer.ts'
const visibilitySql = 'src/storage/visibility-sql.ts'
const proposing = 'src/kernel/proposing.ts'

const table = ['test/secrecy/consent-table.test.ts']
const toolsets = ['test/secrecy/toolsets.test.ts']
const asRead = ['test/http/proposals-as-read.test.ts']
const revisions = ['test/http/public-revisions.test.ts']
const invitations = ['test/http/invitations.test.ts']
const twin = ['test/storage/kernel-visibility.test.ts']

const outsideAi: readonly Mutant[] = [
  {
    without: 'consent asked over REST with an OAuth token',
    file: viewer,
    edits: [
      [
        "return door === 'mcp' || door === 'seat' || credential.kind === 'oauth'",
        "return door === 'mcp' || door === 'seat' || credential.kind === 'system'",
      ],
    ],
    tests: table,
  },
  {
    without: 'consent asked over MCP',
    file: viewer,
    edits: [["return door === 'mcp' || door === 'seat' ||", "return door === 'seat' ||"]],
    tests: table,
  },
  {
    without: 'the difference between a person and an outside AI',
    file: viewer,
    edits: [["return door === 'mcp' || door === 'seat' ||", "return door !== 'system' ||"]],
    tests: table,
  },
  {
    without: 'consent in what is read',
    file: visibilitySql,
    edits: [['agreed.deleted_at IS NULL AND agreed.ai_consent = 1', 'agreed.deleted_at IS NULL']],
    tests: table,
  },
  {
    without: 'the policy in what is read',
    file: visibilitySql,
    edits: [["policed.ai_content_policy = 'member_consent'", 'policed.ai_content_policy IS NOT NULL']],
    tests: table,
  },
  {
    without: 'what no consent covers: whispers leave with the consent of who sent them',
    file: visibilitySql,
    edits: [["const covered = never === '0' ? '' : `NOT ${never} AND `", "const covered = ''"]],
    tests: table,
  },
  {
    without: 'consent in live events',
    file: 'src/kernel/visibility.ts',
    edits: [
      [
        'if (viewer.ai === null || author === null || author === viewer.userId) return true',
        'if (author !== undefined) return true',
      ],
    ],
    tests: table,
  },
  {
    without: 'consent in the reasons of the history',
    file: 'src/storage/audit-records.ts',
    edits: [['return ai === null || author === userId ||', 'return ai !== undefined || author === userId ||']],
    tests: table,
  },
  {
    without: 'the consent of the AI’s own person to material for a recap',
    file: 'src/domain/session/recap.ts',
    edits: [['    ai === null\n      ? ungated', '    ai !== undefined\n      ? ungated']],
    tests: table,
  },
  {
    without: 'the number of what was withheld',
    file: 'src/storage/withheld-rows.ts',
    edits: [['return Math.min(counted, mostWithheld)', 'return Math.min(counted, 0)']],
    tests: table,
  },
  {
    without: 'the door behind an idempotency key',
    file: 'src/kernel/execute.ts',
    edits: [['${actor.credential.id}:${door}:${name}', '${actor.credential.id}:${name}']],
    tests: table,
  },
]

const closed: readonly Mutant[] = [
  {
    without: 'toolsets in search and in all else that is read',
    file: visibilitySql,
    edits: [
      ['isOpen(registry, entity, audience.toolsets) ? predicateSql', 'isOpen(registry, entity, null) ? predicateSql'],
    ],
    tests: toolsets,
  },
  {
    without: 'toolsets in live events',
    file: 'src/storage/reader.ts',
    edits: [['return isOpen(store.registry, entity, viewer.toolsets) && sees(', 'return sees(']],
    tests: [...toolsets, ...twin],
  },
  {
    without: 'toolsets in the parents of what is seen',
    file: visibilitySql,
    edits: [['isOpen(registry, parent, audience.toolsets)', 'isOpen(registry, parent, null)']],
    tests: twin,
  },
  {
    without: 'toolsets in the name of a kept statement: one app reads with another’s',
    file: visibilitySql,
    edits: [["toolsets === null ? 'all' : JSON.stringify(toolsets.toSorted())", "toolsets === null ? 'all' : ''"]],
    tests: [...toolsets, ...twin],
  },
  {
    without: 'toolsets in undoing',
    file: 'src/storage/journal.ts',
    edits: [['if (viewer.toolsets !== null && !isOpen(', 'if (viewer.toolsets === undefined && !isOpen(']],
    tests: toolsets,
  },
]

const approval: readonly Mutant[] = [
  {
    without: 'the revision in an approval',
    file: 'src/domain/proposal/operations.ts',
    edits: [['  if (row.revision !== revision)', '  if (row.revision < 0 && revision < 0)']],
    tests: asRead,
  },
  {
    without: 'the author’s sight when a proposal is filed',
    file: proposing,
    edits: [["if (unseen !== null) throw fail('forbidden'", "if (unseen === '') throw fail('forbidden'"]],
    tests: asRead,
  },
  {
    without: 'the author’s sight when a proposal is approved',
    file: proposing,
    edits: [
      [
        "      if (unseen !== null)\n        throw fail(\n          'invalid_state'",
        "      if (unseen === '')\n        throw fail(\n          'invalid_state'",
      ],
    ],
    tests: asRead,
  },
  {
    without: 'the eyes by which a proposal of one’s own is hidden',
    file: 'src/domain/proposal/entity.ts',
    edits: [["allOf(dungeonMasters, where('forAuthor', false))", 'dungeonMasters']],
    tests: ['test/http/proposals-of-many.test.ts'],
  },
  {
    without: 'the fields by which a proposal is stale',
    file: proposing,
    edits: [['.some((field) => since.includes(field))', '.some((field) => since.includes(`${field}?`))']],
    tests: [...asRead, 'test/http/proposals.test.ts'],
  },
]

const shownRevision: readonly Mutant[] = [
  {
    without: 'the public revision: a dmSecret moves what a player is shown',
    file: 'src/storage/writer.ts',
    edits: [['hasPublicColumns(entity) && isPublic\n', 'hasPublicColumns(entity)\n']],
    tests: revisions,
  },
  {
    without: 'the public revision in answers',
    file: 'src/storage/row-source.ts',
    edits: [["all === '0' ? shown :", "all === '0' ? whole :"]],
    tests: revisions,
  },
  {
    without: 'the public revision in expectations and events',
    file: 'src/storage/reader.ts',
    edits: [
      [
        'return Number(isWhole ? row.revision : row.publicRevision)',
        'return Number(isWhole ? row.revision : row.revision)',
      ],
    ],
    tests: revisions,
  },
  {
    without: 'the place of file names in the search index',
    file: 'src/domain/attachment/entity.ts',
    edits: [
      [
        "fileName: required(name(200), { search: 'secret', carry: 'own' })",
        "fileName: required(name(200), { search: 'body' })",
      ],
    ],
    tests: revisions,
  },
]

const waiting: readonly Mutant[] = [
  {
    without: 'the question to whom a stranger adds',
    file: 'src/domain/member/operations.ts',
    edits: [['const accepted = context.actor.admin ||', 'const accepted = true ||']],
    tests: invitations,
  },
  {
    without: 'the answer in the campaigns of a person',
    file: 'src/storage/context.ts',
    edits: [['AND m.accepted = @accepted AND', 'AND (m.accepted = @accepted OR @accepted = 1) AND']],
    tests: invitations,
  },
  {
    without: 'the answer in the role of a member',
    file: 'src/storage/unit.ts',
    edits: [['deleted_at IS NULL AND accepted = 1', 'deleted_at IS NULL']],
    tests: invitations,
  },
]

export const viewers: readonly Mutant[] = [...outsideAi, ...closed, ...approval, ...shownRevision, ...waiting]
