import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { averageOf, termsOf } from '../../src/domain/dice-text.ts'
import { readEntry } from '../../src/domain/rule-pack/format.ts'
import { type CreatureBlock, creatureBlock } from '../../src/domain/stat-block.ts'
import { modifierOf, proficiencyFor } from '../../src/rules/dnd5e/statistics.ts'
import { experienceByChallenge, skills } from '../../src/rules/dnd5e/tables.ts'

// Whether the numbers of the starter pack go together, by the rules that they were made by: a digit that was mistyped does not
// agree with its neighbours.

const file = path.join(import.meta.dirname, '../../assets/packs/starter.json')
const { entries: given } = JSON.parse(readFileSync(file, 'utf8'))
const entries = given.map((each: unknown, index: number) =>
  readEntry(each, `entries[${index}]`),
) as readonly ReturnType<typeof readEntry>[]

interface Creature {
  readonly name: string
  readonly block: CreatureBlock
  readonly proficiency: number
  modifier(ability: string): number
}

const creatures: readonly Creature[] = entries
  .filter(({ kind, system }) => kind === 'creature' && system === 'dnd5e')
  .map(({ name, statblock }) => {
    const block = creatureBlock.parse(statblock)
    const modifier = (ability: string) => modifierOf(block.abilities?.[ability] ?? Number.NaN)
    return { name, block, proficiency: proficiencyFor(block.rating ?? Number.NaN), modifier }
  })

/** All that is wrong, so that one run names it all. */
const wrongWith = (judge: (creature: Creature) => readonly string[]): readonly string[] =>
  creatures.flatMap((creature) => judge(creature).map((fault) => `${creature.name}: ${fault}`))

const unless = (right: boolean, fault: string): readonly string[] => (right ? [] : [fault])

/** What is added to the dice of a sum. */
const bonusOf = (dice: string): number =>
  (termsOf(dice) ?? []).reduce((sum, { sign, count, sides }) => sum + (sides === null ? sign * count : 0), 0)

describe('the numbers of the starter pack', () => {
  test('are there for every creature of the fifth edition', () => {
    expect(creatures).toHaveLength(47)
    expect(creatures.filter(({ block }) => Object.keys(block.abilities ?? {}).length !== 6)).toEqual([])
  })

  test('hit points: dice of its size, its Constitution for each of them, and their average', () => {
    const sides = { tiny: 4, small: 6, medium: 8, large: 10, huge: 12, gargantuan: 20 }
    expect(
      wrongWith(({ block: { size = 'medium', hitPoints = { value: 0 } }, modifier }) => {
        const { value, dice = '' } = hitPoints
        const [die] = termsOf(dice) ?? []
        return [
          ...unless(averageOf(dice) === value, `${dice} is not ${value}`),
          ...unless(die?.sides === sides[size], `${dice} of somebody ${size}`),
          ...unless(bonusOf(dice) === (die?.count ?? 0) * modifier('con'), `${dice} and Constitution`),
        ]
      }),
    ).toEqual([])
  })

  test('experience is that of the challenge', () => {
    const known = (rating: number) => (rating === 0 ? 10 : experienceByChallenge.get(rating))
    expect(
      wrongWith(({ block: { rating = -1, experience } }) =>
        unless(known(rating) === experience, `${experience} at ${rating}`),
      ),
    ).toEqual([])
  })

  test('initiative, passive perception, saves and skills are ability and proficiency', () => {
    expect(
      wrongWith(({ block, modifier, proficiency }) => {
        const { initiative, passivePerception, skills: own = {}, saves = {} } = block
        const noticed = 10 + (own.perception ?? modifier('wis'))
        return [
          ...unless(initiative === modifier('dex'), `initiative ${initiative}`),
          ...unless(passivePerception === noticed, `passive perception ${passivePerception}, not ${noticed}`),
          ...Object.entries(saves).flatMap(([key, value]) =>
            unless(value === modifier(key) + proficiency, `save ${key} ${value}`),
          ),
          ...Object.entries(own).flatMap(([key, value]) => {
            const ability = skills.find((each) => each.key === key)?.ability ?? ''
            const added = value - modifier(ability)
            return unless(added === proficiency || added === 2 * proficiency, `${key} ${value}`)
          }),
        ]
      }),
    ).toEqual([])
  })

  test('attacks and saves against it are ability and proficiency', () => {
    // As printed: its bite has no proficiency, and what is not done with a limb adds no ability to the damage.
    const printed = [
      'Ghoul: to hit with Bite, 2',
      'Gelatinous cube: damage of Pseudopod',
      'Specter: damage of Life drain',
    ]
    expect(
      wrongWith(({ block, modifier, proficiency }) =>
        (block.actions ?? []).flatMap(({ name, attack, damage, save }) => {
          const limbs = [modifier('str'), modifier('dex')]
          const any = Object.keys(block.abilities ?? {}).map(modifier)
          const [first] = damage ?? []
          return [
            ...unless(
              attack === undefined || limbs.includes(attack.bonus - proficiency),
              `to hit with ${name}, ${attack?.bonus}`,
            ),
            ...unless(
              attack === undefined || first === undefined || limbs.includes(bonusOf(first.dice)),
              `damage of ${name}`,
            ),
            ...unless(
              save === undefined || any.includes(save.dc - 8 - proficiency),
              `save against ${name}, ${save?.dc}`,
            ),
          ]
        }),
      ).toSorted(),
    ).toEqual(printed.toSorted())
  })

  test('armour class is that of what is worn, as the pack itself has it', () => {
    const worn = new Map(
      entries.flatMap(({ kind, name, statblock }) => {
        const armour = kind === 'item' ? (statblock as { readonly armour?: Armour }).armour : undefined
        return armour === undefined ? [] : [[name.toLowerCase().replace(/ armour$/, ''), armour] as const]
      }),
    )
    interface Armour {
      readonly base: number
      readonly dexterityAtMost?: number
    }
    const judged: string[] = []
    expect(
      wrongWith(({ name, block: { armourClass }, modifier }) => {
        const parts = armourClass?.from?.split(', ') ?? []
        const armour = worn.get(parts[0] ?? '')
        if (armour === undefined) return []
        judged.push(name)
        const { base, dexterityAtMost = 10 } = armour
        const dexterity = dexterityAtMost === 0 ? 0 : Math.min(modifier('dex'), dexterityAtMost)
        const sum = base + dexterity + (parts.includes('shield') ? 2 : 0)
        return unless(armourClass?.value === sum, `${armourClass?.value} in ${armourClass?.from} is not ${sum}`)
      }),
    ).toEqual([])
    expect(judged.length).toBeGreaterThanOrEqual(12)
  })
})
