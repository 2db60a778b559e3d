import type { Mutant } from './edits.ts'

const properties = ['test/unit/combat-properties.test.ts']
const replays = ['test/domain/encounter-replays.test.ts']
const encounters = ['test/domain/encounters.test.ts']
const characters = ['test/domain/encounter-characters.test.ts']

/** What keeps a fight to its rules, and what of it from whom it is not for. */
export const combat: readonly Mutant[] = [
  {
    without: 'the end of an ended fight',
    file: 'src/combat/decide.ts',
    edits: [["if (fight.status === 'ended' && command.do !== 'reopen')", 'if (false)']],
    tests: properties,
  },
  {
    without: 'the turn that one expects to end',
    file: 'src/combat/turns.ts',
    edits: [['if (expected !== undefined && expected !== turnKey(fight))', 'if (false)']],
    tests: properties,
  },
  {
    without: 'the last round of what lasts some',
    file: 'src/rules/shared.ts',
    edits: [['rounds !== undefined && rounds <= 0', 'rounds !== undefined && rounds <= 1']],
    tests: properties,
  },
  {
    without: 'what was answered to the key of a call before',
    file: 'src/kernel/execute.ts',
    edits: [['if (scope === null || earlier === null) return null', 'if (scope !== call.reason) return null']],
    tests: replays,
  },
  {
    without: 'what has built on an event',
    file: 'src/combat/patch.ts',
    edits: [['if (differs) return { builtOn: now.name }\n', '']],
    tests: characters,
  },
  {
    without: 'the turn of a player who acts',
    file: 'src/combat/acting.ts',
    edits: [["if (by === 'player' && !isOwnTurn", "if (by === 'nobody' && !isOwnTurn"]],
    tests: encounters,
  },
  {
    without: 'the secrecy of events of the hidden',
    file: 'src/domain/encounter/fight.ts',
    edits: [['secret: about.some(({ hidden }) => hidden)', 'secret: false']],
    tests: encounters,
  },
  {
    without: 'the newest that is undone first',
    file: 'src/domain/encounter/fight.ts',
    edits: [['if (first?.step !== step) {', 'if (first === undefined) {']],
    tests: encounters,
  },
  {
    without: 'rewards that are given once',
    file: 'src/domain/encounter/after-operations.ts',
    edits: [['if (row.rewards !== null)', 'if (false)']],
    tests: characters,
  },
]
