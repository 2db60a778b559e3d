// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of sources, in which placeholders stand.

import type { Mutant } from './edits.ts'

const scopes = ['test/storage/scopes.test.ts']
const costs = ['test/storage/costs.test.ts']
const ordering = ['test/domain/ordering.test.ts']
const names = ['test/domain/names.test.ts']
const upgrades = ['test/storage/migrations.test.ts']
const writer = 'src/storage/writer.ts'

/** Guards of how rows are kept: scopes, journal, index, orders, migrations. */
export const storage: readonly Mutant[] = [
  {
    without: 'the person whose row is changed',
    file: writer,
    edits: [
      [
        "return home.key === 'userId' && viewer.admin && seesRow(store, entity, row, viewer)",
        "return home.key === 'userId' && seesRow(store, entity, row, viewer)",
      ],
    ],
    tests: scopes,
  },
  {
    without: 'the person in whole rows of a person',
    file: 'src/storage/columns.ts',
    edits: [
      ["home.key === 'userId' ? '@viewer' : '@campaign'", "home.key === 'userId' ? `${alias}.user_id` : '@campaign'"],
    ],
    tests: scopes,
  },
  {
    without: 'the rule that a person’s row is their own to see',
    file: 'src/kernel/entity.ts',
    edits: [["spec.visible ?? self('userId')", "spec.visible ?? { is: 'everyone' }"]],
    tests: scopes,
  },
  {
    without: 'the role that one has in each campaign',
    file: 'src/storage/context.ts',
    edits: [
      [
        'this.memberships().map(({ campaignId, role }) => this.#viewerIn(campaignId, role))',
        "this.memberships().map(({ campaignId }) => this.#viewerIn(campaignId, 'dm'))",
      ],
    ],
    tests: scopes,
  },
  {
    without: 'the campaign of what a record is shown and undone of',
    file: 'src/storage/journal.ts',
    edits: [
      [
        'WHERE c.change_set_id = @recordId AND +c.campaign_id = @campaign ORDER',
        'WHERE c.change_set_id = @recordId AND @campaign = @campaign ORDER',
      ],
    ],
    tests: scopes,
  },
  {
    without: 'the mark of fields that the journal keeps by name',
    file: 'src/storage/change-set.ts',
    edits: [["return !internal && !derived && journal !== 'name'", 'return !internal && !derived']],
    tests: costs,
  },
  {
    without: 'the thrift of the index',
    file: 'src/storage/change-set.ts',
    edits: [['some((key) => entity.fields[key]?.marks.search ||', 'some((key) => key in entity.fields ||']],
    tests: costs,
  },
  {
    without: 'the key by which a text is ordered',
    file: writer,
    edits: [["typeof value === 'string' ? sortKey(value) : null", "typeof value === 'string' ? sortKey('') : null"]],
    tests: names,
  },
  {
    without: 'the labels of what was changed',
    file: writer,
    edits: [['  bringLabels(store, entity, id, Object.keys(patch))\n', '']],
    tests: names,
  },
  {
    without: 'the row behind which others are put',
    file: 'src/domain/ordering.ts',
    edits: [['after === undefined ? null : placed(places, after, members.after)', 'null']],
    tests: ordering,
  },
  {
    without: 'the room that is made between rows',
    file: 'src/domain/ordering.ts',
    edits: [['    if (step < roomFor(neighbours)) continue\n', '']],
    tests: ordering,
  },
  {
    without: 'one line for each thing that changed',
    file: 'src/storage/recent-changes.ts',
    edits: [['  const earlier = isMoved ? takeLines(store, key) : null\n', '  const earlier = null\n']],
    tests: ['test/storage/recent-changes.test.ts'],
  },
  {
    without: 'the refusal of fields that a filled table cannot take',
    file: 'src/kernel/entity.ts',
    edits: [["    if (presence === 'required')\n", "    if (presence === 'required' && taken.size === 0)\n"]],
    tests: upgrades,
  },
  {
    without: 'the backfill of what rows are ordered by',
    file: 'src/storage/schema.ts',
    edits: [['sort_key(${column.column}) WHERE', "'' || ${column.column} WHERE"]],
    tests: upgrades,
  },
]
