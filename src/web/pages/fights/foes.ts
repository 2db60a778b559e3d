import { systemOf } from '../../../rules/systems.ts'
import type { Output } from '../../api/contract.ts'
import { number } from '../../kit/format.ts'
import type { Fight, Fighter } from './words.ts'

// What the page of a fight that is being planned says of it, from what the rules of the campaign count.

export type Rated = Output<'get_encounter_difficulty'>

/** Those of one name against the party: numbers behind a name do not count. */
export interface FoeGroup {
  readonly name: string
  readonly members: readonly [Fighter, ...Fighter[]]
}

const plainName = (name: string): string => name.replace(/ \d+$/, '')

export function groupsOf({ combatants }: Pick<Fight, 'combatants'>): readonly FoeGroup[] {
  const groups = new Map<string, [Fighter, ...Fighter[]]>()
  for (const one of combatants) {
    if (one.kind === 'character' || one.ally) continue
    const name = plainName(one.name)
    const known = groups.get(name)
    if (known === undefined) groups.set(name, [one])
    else known.push(one)
  }
  return Array.from(groups, ([name, members]) => ({ name, members }))
}

export interface Stretch {
  readonly word: string
  readonly from: number
  readonly to: number
}

/**
 * The line on which a fight lies: what is nothing, each tier, and what is beyond. Some games say where a tier begins and some
 * what it may cost, which shows in what they say of no foes at all.
 */
export function stretchesOf(ruleSystem: string | null, { party, bounds }: Rated): readonly Stretch[] {
  const last = bounds.at(-1)
  if (last === undefined) return []
  const begins = systemOf(ruleSystem).difficulty(party, [])?.tier === 'trivial'
  const end = Math.round(last.experience * 1.25)
  const at = bounds.map(({ experience }) => experience)
  if (begins)
    return [
      { word: 'Slight', from: 0, to: at[0] ?? 0 },
      ...bounds.map(({ name }, index) => ({ word: name, from: at[index] ?? 0, to: at[index + 1] ?? end })),
    ]
  return [
    ...bounds.map(({ name }, index) => ({ word: name, from: at[index - 1] ?? 0, to: at[index] ?? 0 })),
    { word: 'Beyond', from: last.experience, to: end },
  ].filter(({ from, to }) => to > from)
}

/** What one foe more or fewer would make of it: `One wolf more and it is deadly, 1,200.` */
export function whatIf(ruleSystem: string | null, { party, foes, tier }: Rated): readonly [string, string][] {
  const rules = systemOf(ruleSystem)
  const most = foes.toSorted((one, other) => other.count - one.count)[0]
  if (most === undefined || party.length === 0) return []
  const withCount = (by: 1 | -1) =>
    foes.map(({ experienceEach, ...foe }) => ({
      ...foe,
      count: foe.count + (foe.name === most.name ? by : 0),
      ...(experienceEach === null ? {} : { experience: experienceEach }),
    }))
  return ([1, -1] as const).flatMap((by): [string, string][] => {
    const after = withCount(by).filter(({ count }) => count > 0)
    const rated = after.length === 0 ? null : rules.difficulty(party, after)
    if (rated === null || rated === undefined) return []
    const still = rated.tier === tier ? 'still ' : ''
    return [
      [
        `One ${most.name} ${by === 1 ? 'more' : 'fewer'}`,
        `and it is ${still}${rated.says.toLowerCase()}, ${number(rated.weighed)}.`,
      ],
    ]
  })
}

const words = [
  'rimefall',
  'ember',
  'salt',
  'lantern',
  'thorn',
  'heron',
  'orchard',
  'bell',
  'moth',
  'frost',
  'cellar',
  'ferry',
]
const counts = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/** Two words to draw by. */
export function drawingWord(): string {
  const any = (list: readonly string[]): string => list[Math.floor(Math.random() * list.length)] ?? ''
  return `${any(words)} ${any(counts)}`
}
