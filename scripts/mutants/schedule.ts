// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of sources, in which placeholders stand.

import type { Mutant } from './edits.ts'

const feed = 'src/transfer/calendar-feed.ts'
const rules = 'src/domain/game-night/rules.ts'
const feeds = ['test/http/calendar-feed.test.ts']
const nights = ['test/domain/game-nights.test.ts']

/** When a night is, whose an answer is, and who reads a calendar. */
export const schedule: readonly Mutant[] = [
  {
    without: 'the proof in the address of a calendar',
    file: feed,
    edits: [
      ['proof.length === expected.length && timingSafeEqual(', 'proof.length === expected.length || timingSafeEqual('],
    ],
    tests: feeds,
  },
  {
    without: 'the version in the address of a calendar',
    file: feed,
    edits: [['.update(`${id}:${version}`)', '.update(`${id}:${version * 0}`)']],
    tests: feeds,
  },
  {
    without: 'the end of a calendar with its owner’s account',
    file: feed,
    edits: [[' || owner.disabledAt !== null)', ')']],
    tests: feeds,
  },
  {
    without: 'the bound on how often a calendar is answered',
    file: feed,
    edits: [['const answersPerMinute = 30', 'const answersPerMinute = 30_000']],
    tests: feeds,
  },
  {
    without: 'the number that rises when a night changes',
    file: 'src/transfer/calendar-text.ts',
    edits: [['sequence: revision - 1,', 'sequence: 0 * revision,']],
    tests: feeds,
  },
  {
    without: 'the days that are only asked about, kept out of calendars',
    file: 'src/domain/calendar-feed/nights.ts',
    edits: [['where: { tentative: false, startsAt:', 'where: { startsAt:']],
    tests: feeds,
  },
  {
    without: 'the end of calendars’ addresses at a restore',
    file: 'src/archive/rights.ts',
    edits: [['  endCalendarAddresses(live, staged, people)\n', '']],
    tests: ['test/archive/restore-rights.test.ts'],
  },
  {
    without: 'the time that an answer was given for',
    file: rules,
    edits: [['return forStartsAt === night.startsAt', 'return forStartsAt !== null || night.startsAt !== null']],
    tests: nights,
  },
  {
    without: 'the refusal of an hour that clocks skip',
    file: rules,
    edits: [['const [first, second] = meaning.shown', 'const [first = meaning.taken, second] = meaning.shown']],
    tests: nights,
  },
  {
    without: 'the refusal of an hour that clocks show twice',
    file: rules,
    edits: [['  if (second !== undefined)\n', '  if (second === first)\n']],
    tests: nights,
  },
]
