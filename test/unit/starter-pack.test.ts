import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { averageOf, boundsOf, isDice, termsOf } from '../../src/domain/dice-text.ts'
import { packDocument, packHead, readEntry } from '../../src/domain/rule-pack/format.ts'
import { creatureBlock } from '../../src/domain/stat-block.ts'
import type { KeptEntry } from '../../src/kernel/rule-shelf.ts'

// The rule pack that comes with the program, and the schema beside it.

const folder = path.join(import.meta.dirname, '../../assets/packs')
const { entries: given, ...head } = JSON.parse(readFileSync(path.join(folder, 'starter.json'), 'utf8'))
const entries: readonly KeptEntry[] = given.map((each: unknown, index: number) => readEntry(each, `entries[${index}]`))
const ofKind = (...kinds: string[]) => entries.filter(({ kind }) => kinds.includes(kind))
const creatures = ofKind('creature').map(({ name, statblock }) => ({ name, block: creatureBlock.parse(statblock) }))

/** The statement that the SRD 5.1 asks for, word for word. */
const srdStatement =
  'This work includes material taken from the System Reference Document 5.1 ("SRD 5.1") by Wizards of the Coast LLC and available at https://dnd.wizards.com/resources/systems-reference-document. The SRD 5.1 is licensed under the Creative Commons Attribution 4.0 International License available at https://creativecommons.org/licenses/by/4.0/legalcode.'

describe('the starter pack', () => {
  test('says what it is, whose, and under which licence', () => {
    expect(packHead.parse(head).licence.name).toContain('Creative Commons Attribution 4.0')
    expect(head.attribution).toContain(srdStatement)
    expect(head.attribution).toContain('adapted')
  })

  test('has what a first evening needs, for three systems, each under a key of its own', () => {
    expect(creatures.length).toBeGreaterThanOrEqual(60)
    expect(ofKind('spell', 'item').length).toBeGreaterThanOrEqual(80)
    for (const system of ['dnd5e', 'pathfinder2e', 'generic']) {
      const own = entries.filter((each) => each.system === system)
      expect(own.filter(({ kind }) => kind === 'condition').length, system).toBeGreaterThanOrEqual(6)
      expect(own.filter(({ kind }) => kind === 'creature').length, system).toBeGreaterThanOrEqual(5)
    }
    expect(new Set(entries.map(({ key }) => key)).size).toBe(entries.length)
  })

  test('has words for every entry, and none twice', () => {
    expect(entries.filter(({ body }) => (body ?? '').length < 20).map(({ name }) => name)).toEqual([])
    const words = ofKind('creature', 'spell', 'item').map(({ body }) => body)
    expect(new Set(words).size).toBe(words.length)
  })

  test('has creatures that can be fought: hit points that are their dice, and something to do', () => {
    for (const { name, block } of creatures) {
      const { value, dice } = block.hitPoints ?? { value: 0 }
      expect(value, name).toBeGreaterThan(0)
      if (dice !== undefined) expect(averageOf(dice), name).toBe(value)
      expect(block.armourClass?.value, name).toBeGreaterThan(0)
      const acts = block.actions ?? []
      expect(acts.length, name).toBeGreaterThan(0)
      expect(
        acts.some(({ attack, damage, save }) => attack !== undefined && damage !== undefined && (save || true)),
        name,
      ).toBe(true)
    }
  })

  test('has well-formed dice wherever something looks like dice', () => {
    const wrong = Array.from(
      JSON.stringify(given).matchAll(/"(?:dice|heals|twoHanded)":\s*"([^"]*)"/g),
      ([, dice = '']) => dice,
    )
    expect(wrong.length).toBeGreaterThan(100)
    expect(wrong.filter((dice) => !isDice(dice))).toEqual([])
  })

  test('keeps clear of names that are another’s', () => {
    const reserved =
      /beholder|mind flayer|displacer|githyanki|githzerai|umber hulk|yuan-ti|carrion crawler|golarion|absalom/i
    expect(entries.filter(({ name, body }) => reserved.test(`${name} ${body}`))).toEqual([])
  })
})

test('the schema beside it is that of the declarations; UPDATE_PINS=1 writes it', () => {
  const file = path.join(folder, 'rule-pack.schema.json')
  const schema = z.toJSONSchema(packDocument, { io: 'input', unrepresentable: 'any' })
  const text = `${JSON.stringify({ title: 'Talekeeper rule pack', ...schema }, null, 1)}\n`
  if (process.env.UPDATE_PINS === '1') writeFileSync(file, text)
  expect(readFileSync(file, 'utf8')).toBe(text)
})

describe('sums of dice', () => {
  test('are read with their bounds, and anything else is none', () => {
    expect(termsOf('2d6+3')).toEqual([
      { sign: 1, count: 2, sides: 6 },
      { sign: 1, count: 3, sides: null },
    ])
    expect([averageOf('4d8+4'), averageOf('2d6-2'), averageOf('d4')]).toEqual([22, 5, 2])
    expect(boundsOf('1d6-1d4')).toEqual({ least: -3, most: 5 })
    const none = ['', 'd', '1d', '2d6+', 'd7½', '101d6', '1d1001', '0d6', '2d6 3', '1e3', '--1', '60d6+60d6']
    expect(none.filter(isDice)).toEqual([])
  })
})
