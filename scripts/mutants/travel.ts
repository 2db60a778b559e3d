// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of sources, in which placeholders stand.

import type { Mutant } from './edits.ts'

const travel = 'src/kernel/travel.ts'
const exporting = 'src/transfer/exported-row.ts'
const reading = 'src/transfer/import-read.ts'
const leaving = ['test/secrecy/exports.test.ts']
const home = ['test/domain/import.test.ts', 'test/domain/travel.test.ts']
const files = ['test/http/campaign-files.test.ts']

/** What leaves with a campaign, and what comes in with one. */
export const travelling: readonly Mutant[] = [
  {
    without: 'the eyes of a player on what is shown to the world',
    file: travel,
    edits: [
      ["profile === 'publish' || entity.forAi !== null ? 'viewer' : 'dm'", "entity.forAi !== null ? 'viewer' : 'dm'"],
    ],
    tests: leaving,
  },
  {
    without: 'the privacy of what members wrote, in what is handed on',
    file: travel,
    edits: [
      ["profile === 'publish' || entity.forAi !== null ? 'viewer' : 'dm'", "profile === 'publish' ? 'viewer' : 'dm'"],
    ],
    tests: leaving,
  },
  {
    without: 'the difference between the tale and its people',
    file: travel,
    edits: [["if (circle === 'people' || (profile", 'if (circle === null || (profile']],
    tests: leaving,
  },
  {
    without: 'the secret fields left out for whom they are not',
    file: exporting,
    edits: [
      ['if (!mayRead(store, entity, key, row, eyes)) {', 'if (!mayRead(store, entity, key, row, eyes) && false) {'],
    ],
    tests: leaving,
  },
  {
    without: 'the wiping of pictures that go to others',
    file: 'src/transfer/exports.ts',
    edits: [["profile === 'backup' ? await stage", 'profile.length > 0 ? await stage']],
    tests: files,
  },
  {
    without: 'the right that an export asks for',
    file: 'src/transfer/travel-transfers.ts',
    edits: [
      [
        "const operation = system.operations.get('export_campaign')",
        "const operation = system.operations.get('get_campaign')",
      ],
    ],
    tests: files,
  },
  {
    without: 'the end of an import that failed half-way',
    file: 'src/transfer/imports.ts',
    edits: [['if (arrival !== null) await takeBack(arrival.campaignId)', '']],
    tests: ['test/domain/import-stopped.test.ts'],
  },
  {
    without: 'the check that an id in a document names something',
    file: reading,
    edits: [['if (place === undefined) throw', 'if (place === undefined && id < 0) throw']],
    tests: home,
  },
  {
    without: 'the check for circles in a document',
    file: reading,
    edits: [['for (const { key, parents } of trees) refuseCircle(name, key, parents)', '']],
    tests: home,
  },
  {
    without: 'the depth of a document',
    file: 'src/transfer/json-values.ts',
    edits: [
      ['if (open.length + nesting.length > limits.depth)', 'if (open.length + nesting.length > limits.depth * 1e6)'],
    ],
    tests: ['test/unit/travel.test.ts'],
  },
  {
    without: 'the bound on a token of one campaign',
    file: 'src/domain/campaign/travel-operations.ts',
    edits: [
      [
        "if (credential.campaignId !== null) throw fail('forbidden'",
        "if (credential.campaignId === 0) throw fail('forbidden'",
      ],
    ],
    tests: ['test/http/tokens.test.ts'],
  },
]
