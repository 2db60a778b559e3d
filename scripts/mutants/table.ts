// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of sources, in which placeholders stand.

import type { Mutant } from './edits.ts'

const page = 'src/transfer/recap-page.ts'
const notices = 'src/storage/notices.ts'
const safety = 'src/domain/safety/operations.ts'
const rules = ['test/domain/table.test.ts']
const shared = ['test/http/shared-recap.test.ts']
const anonymous = ['test/http/anonymous.test.ts']

/** What nobody learns of a signal, who is told of what, and what a shared address opens. */
export const table: readonly Mutant[] = [
  {
    without: 'the anonymity of a safety signal',
    file: safety,
    edits: [['    anonymous: true,\n', '']],
    tests: anonymous,
  },
  {
    without: 'the end of a signal’s notices with it',
    file: notices,
    edits: [["if (kind === 'purge' && campaignId !== null)", "if (kind === 'purge' && campaignId === 0)"]],
    tests: rules,
  },
  {
    without: 'one signal at a time: two of them tell that there were two',
    file: safety,
    edits: [['if (standing === null) context.write', 'if (standing === null || kind) context.write']],
    tests: rules,
  },
  {
    without: 'silence towards whoever did it',
    file: notices,
    edits: [['(!own && (userId === by || userId === alsoBy))', 'false']],
    tests: rules,
  },
  {
    without: 'that a notice is of what is seen',
    file: 'src/domain/notification/entity.ts',
    edits: [["allOf(self('userId'), withLinked('entityType', 'entityId'))", "self('userId')"]],
    tests: rules,
  },
  {
    without: 'the yes of its own that lets an AI read a wish',
    file: 'src/domain/support-preference/entity.ts',
    edits: [["  agreedOn: 'aiUseAllowed',\n", '']],
    tests: rules,
  },
  {
    without: 'the policy of the table over a wish',
    file: 'src/storage/visibility-sql.ts',
    edits: [['`${column(predicate.on)} = 1 AND ${allowedSql(campaign)}`', '`${column(predicate.on)} = 1`']],
    tests: rules,
  },
  {
    without: 'that a person lets an AI read their wish',
    file: 'src/domain/support-preference/operations.ts',
    edits: [['(aiUseAllowed ? `/campaigns/${campaignId}/charter` : null)', 'null']],
    tests: rules,
  },
  {
    without: 'the version that somebody read',
    file: 'src/domain/charter/operations.ts',
    edits: [['if (row.revision !== revision)', 'if (row.revision < revision)']],
    tests: rules,
  },
  {
    without: 'the end of a shared recap',
    file: 'src/domain/session-share/rules.ts',
    edits: [['share.revokedAt === null && share.expiresAt > now', 'share.revokedAt === null']],
    tests: shared,
  },
  {
    without: 'the revoking of a shared recap',
    file: 'src/domain/session-share/rules.ts',
    edits: [['share.revokedAt === null && share.expiresAt > now', 'share.expiresAt > now']],
    tests: shared,
  },
  {
    without: 'the eyes of a player on a shared page',
    file: page,
    edits: [["personIn(campaignId, 'player')", "personIn(campaignId, 'dm')"]],
    tests: shared,
  },
  {
    without: 'the trash of a campaign whose recap is shared',
    file: page,
    edits: [[' || home.deletedAt !== null', '']],
    tests: shared,
  },
  {
    without: 'the bound on how often a shared page is answered',
    file: page,
    edits: [['const answersPerMinute = 60', 'const answersPerMinute = 60_000']],
    tests: shared,
  },
  {
    without: 'the escaping of what was typed into a recap',
    file: 'src/transfer/recap-html.ts',
    edits: [["return text.replaceAll(/[&<>\"']/g, (char) => entities[char] ?? '')", 'return text']],
    tests: shared,
  },
]
