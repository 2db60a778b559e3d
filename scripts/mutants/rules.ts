import type { Mutant } from './edits.ts'

const packs = ['test/http/rule-packs.test.ts']
const rules = ['test/domain/rules.test.ts']
const tables = ['test/domain/random-tables.test.ts']

/** Guards of rule packs, of what a campaign writes itself, and of tables that lead to each other. */
export const rulebooks: readonly Mutant[] = [
  {
    without: 'the bound on one entry of a pack',
    file: 'src/transfer/json-stream.ts',
    edits: [
      ['      if (at - start > bounds.partBytes) throw tooLarge(place)\n      if (byte', '      if (byte'],
      ['    pass(place)\n    if (at - start > bounds.partBytes) throw tooLarge(place)\n', '    pass(place)\n'],
    ],
    tests: ['test/unit/json-stream.test.ts'],
  },
  {
    without: 'the bound on how deep a pack goes',
    file: 'src/transfer/json-stream.ts',
    edits: [['if (closing.length > bounds.depth)', 'if (closing.length < 0)']],
    tests: ['test/unit/json-stream.test.ts'],
  },
  {
    without: 'the refusal of two entries with one key',
    file: 'src/transfer/rule-pack-read.ts',
    edits: [['if (keys.has(entry.key))', 'if (keys.has(place))']],
    tests: packs,
  },
  {
    without: 'the bound on the bytes of a pack',
    file: 'src/http/transfer-context.ts',
    edits: [['  if (byteSize > mostBytes)\n', '  if (byteSize < 0)\n']],
    tests: packs,
  },
  {
    without: 'who sees what a campaign wrote, in a search over rules',
    file: 'src/storage/rule-search.ts',
    edits: [['h.deleted_at IS NULL AND $' + '{seen}', 'h.deleted_at IS NULL']],
    tests: rules,
  },
  {
    without: 'the packs that a campaign chose',
    file: 'src/domain/rule-pack/operations.ts',
    edits: [['  if (chosen === undefined) return campaigns\n', '  if (chosen === undefined) return null\n']],
    tests: rules,
  },
  {
    without: 'the refusal to remove a pack that a campaign reads',
    file: 'src/domain/rule-pack/operations.ts',
    edits: [['if (campaigns > 0)', 'if (campaigns > 1000)']],
    tests: rules,
  },
  {
    without: 'the circle of tables',
    file: 'src/domain/random-table/operations.ts',
    edits: [['  if (circle !== null)\n', '  if (circle?.length === 0)\n']],
    tests: tables,
  },
  {
    without: 'the most lines that one roll draws',
    file: 'src/domain/random-table/rules.ts',
    edits: [['if (steps.length >= mostDraws || depth >= mostDepth)', 'if (depth >= mostDepth)']],
    tests: tables,
  },
]
