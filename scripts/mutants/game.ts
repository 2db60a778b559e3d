import type { Mutant } from './edits.ts'

const dice = 'src/domain/dice/entity.ts'
const rolls = ['test/domain/dice.test.ts']
const sheets = ['test/domain/characters.test.ts']
const purses = ['test/unit/treasury.test.ts']

/** Who sees what fell, whose a sheet is, and that nothing is spent twice. */
export const game: readonly Mutant[] = [
  {
    without: 'the seal of a roll: the player sees what only the Dungeon Master may',
    file: dice,
    edits: [["allOf(where('visibility', 'dm'), self('userId'))", "self('userId')"]],
    tests: rolls,
  },
  {
    without: 'the two between whom a roll is',
    file: dice,
    edits: [["allOf(where('visibility', 'dm'), self('userId'))", "where('visibility', 'dm')"]],
    tests: rolls,
  },
  {
    without: 'the secrecy of a request',
    file: dice,
    edits: [
      [
        "anyOf(dungeonMasters, where('secret', false), self('characterId'))",
        "anyOf(dungeonMasters, where('status', 'open', 'answered'))",
      ],
    ],
    tests: rolls,
  },
  {
    without: 'the number that is not told',
    file: 'src/domain/dice/check-operations.ts',
    edits: [['difficultyShown: showDifficulty ?? false', 'difficultyShown: true']],
    tests: rolls,
  },
  {
    without: 'the seal of what comes of a secret request',
    file: 'src/domain/dice/check-operations.ts',
    edits: [["request.secret ? 'secret' : 'party'", "'party'"]],
    tests: rolls,
  },
  {
    without: 'the one time that a request is answered',
    file: 'src/domain/dice/check-operations.ts',
    edits: [["if (row.status === 'open') return row", "if (row.status !== 'cancelled') return row"]],
    tests: rolls,
  },
  {
    without: 'whose a character is that nobody plays',
    file: 'src/domain/sheets.ts',
    edits: [["if (row.ownerUserId !== null || context.viewer.role === 'dm') return row", 'if (row.id > 0) return row']],
    tests: sheets,
  },
  {
    without: 'the subject of a new thing: a strange player fills another’s bag',
    file: 'src/domain/inventory/operations.ts',
    edits: [["    subject: 'characterId',\n", '']],
    tests: sheets,
  },
  {
    without: 'the notes that are the player’s',
    file: 'src/domain/character/entity.ts',
    edits: [["allOf(anyOf(dungeonMasters, self('ownerUserId')), agreedBy('ownerUserId'))", 'everyone']],
    tests: sheets,
  },
  {
    without: 'whose notes on a character an outside AI reads',
    file: 'src/domain/character/entity.ts',
    edits: [[", agreedBy('ownerUserId')", '']],
    tests: ['test/secrecy/consent-table.test.ts'],
  },
  {
    without: 'the bottom of the purse',
    file: 'src/domain/coins.ts',
    edits: [['if (has + count < 0)', 'if (has + count < -1_000)']],
    tests: purses,
  },
  {
    without: 'the end of a stack',
    file: 'src/domain/inventory/rules.ts',
    edits: [[' || goes > quantity)', ')']],
    tests: purses,
  },
]
