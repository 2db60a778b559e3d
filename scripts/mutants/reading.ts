// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of sources, in which placeholders stand.

import type { Mutant } from './edits.ts'

const audience = ['test/storage/field-audience.test.ts']
const linkTests = ['test/storage/links.test.ts']

/** Who may read a field. */
export const fields: readonly Mutant[] = [
  {
    without: 'the audience of a field in answers',
    file: 'src/storage/row-source.ts',
    edits: [['if (raw[flag] === 1) clear(raw, row, read)', 'if (raw[flag] !== undefined) clear(raw, row, read)']],
    tests: audience,
  },
  {
    without: 'the proof that reading has cleared a member, in the net',
    file: 'src/kernel/projection.ts',
    edits: [
      [
        "  if (audience === 'cleared') return source[cleared]",
        "  if (audience === 'cleared') return true || source[cleared]",
      ],
    ],
    tests: audience,
  },
  {
    without: 'the look for members that are not declared, in what is answered as it is',
    file: 'src/kernel/projection.ts',
    edits: [['      if (member === undefined) return false\n', '      if (member === undefined) continue\n']],
    tests: ['test/unit/kernel-projection.test.ts'],
  },
  {
    without: 'the look for members of others, in what is answered as it is',
    file: 'src/kernel/projection.ts',
    edits: [['      if (audience !== undefined && !mayReceive(audience, key, source, viewer)) return false\n', '']],
    tests: ['test/unit/kernel-projection.test.ts'],
  },
  {
    without: 'the look into what a member holds, in what is answered as it is',
    file: 'src/kernel/projection.ts',
    edits: [['      if (inner !== asIs && !inner.isWhole(source[key], viewer)) return false\n', '']],
    tests: ['test/unit/kernel-projection.test.ts'],
  },
  {
    without: 'the audience of a field in filters',
    file: 'src/storage/query.ts',
    edits: [['parts.push(column.readable, ...testSql(', 'parts.push(...testSql(']],
    tests: audience,
  },
  {
    without: 'the audience of a field in orders',
    file: 'src/storage/query.ts',
    edits: [['return { sql: sorted, direction,', 'return { sql: stored, direction,']],
    tests: audience,
  },
  {
    without: 'the audience of a field in groups',
    file: 'src/storage/aggregates.ts',
    edits: [['{ sql: group.readable, bindings: {} }', "{ sql: '1', bindings: {} }"]],
    tests: audience,
  },
  {
    without: 'the place of the Dungeon Master’s texts in the search index',
    file: 'src/storage/search.ts',
    edits: [["field.marks.readableBy === 'dm' ? 'secret' : field.marks.search", 'field.marks.search']],
    tests: audience,
  },
  {
    without: 'the refusal to search what neither all nor the Dungeon Master read',
    file: 'src/kernel/audience.ts',
    edits: [
      ['    if (search !== undefined)\n      dmAtMost(', "    if (search === 'nothing' as string)\n      dmAtMost("],
    ],
    tests: audience,
  },
  {
    without: 'the audience of a field in earlier versions and live events',
    file: 'src/storage/row-image.ts',
    edits: [['    if (!mayRead(store, entity, key, judged, viewer)) continue\n', '']],
    tests: audience,
  },
  {
    without: 'the audience of a field in the names of what changed',
    file: 'src/storage/journal.ts',
    edits: [['return fields.filter((key) => mayRead(store, entity, key, now, viewer))', 'return [...fields]']],
    tests: audience,
  },
]

/** What a link names, and who sees it. */
export const links: readonly Mutant[] = [
  {
    without: 'the hiding of what a link names',
    file: 'src/storage/row-source.ts',
    edits: [['        const isSeen = name !== null\n', '        const isSeen = name !== undefined\n']],
    tests: linkTests,
  },
  {
    without: 'the hiding of what a link names in filters',
    file: 'src/storage/query.ts',
    edits: [
      [
        "if (typeof test !== 'object') return [`${stored} = ${bind(test)}`, seen]",
        "if (typeof test !== 'object') return [`${stored} = ${bind(test)}`]",
      ],
    ],
    tests: linkTests,
  },
  {
    without: 'the sight that the writer of a link needs of its target',
    file: 'src/storage/writer.ts',
    edits: [['if (!isSeen(store, linked, viewer, id)) throw badLink(idKey,', 'if (id < 0) throw badLink(idKey,']],
    tests: linkTests,
  },
  {
    without: 'both halves of a link',
    file: 'src/storage/writer.ts',
    edits: [
      [
        "    throw fail('validation_failed', `Give both",
        "    if (path !== '') return\n    throw fail('validation_failed', `Give both",
      ],
    ],
    tests: linkTests,
  },
  {
    without: 'a link as a whole in the journal',
    file: 'src/storage/change-set.ts',
    edits: [['differs(key) || (link !== undefined && ', 'differs(key) || (link === null && ']],
    tests: linkTests,
  },
  {
    without: 'the sight of its target where a link decides who sees a row',
    file: 'src/storage/visibility-sql.ts',
    edits: [
      [
        'const there = exists(target, inner, column(predicate.id), seen)',
        "const there = exists(target, inner, column(predicate.id), seen === '0' ? '0' : '1')",
      ],
    ],
    tests: [...linkTests, 'test/storage/field-audience-twin.test.ts'],
  },
]
