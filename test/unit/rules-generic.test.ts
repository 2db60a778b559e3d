import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { families, systemOf } from '../../src/rules/systems.ts'
import { hit, lifeWith, sheetWith } from '../support/sheets.ts'

const any = systemOf('Blades in the Dark')

test('a sheet rolls what it names, with its own dice and what is added by hand', () => {
  const sheet = sheetWith({
    checks: [{ key: 'prowl', name: 'Prowl', expression: '3d6kh1' }],
    bonuses: { 'own.prowl': 1 },
  })
  const [check] = any.checks(sheet, [])
  if (check === undefined) throw new Error('no check')
  expect(any.checkThrow(check, 'advantage', -2).expression).toBe('3d6kh1+1-2')
})

test('hit points count where somebody counts them: down at nought, up with healing, and nobody rolls', () => {
  const sheet = sheetWith({ hpMax: 8 })
  const down = any.life.damage(lifeWith(3, 8, { hpTemp: 1 }), hit(9), sheet).life
  expect([down.hp, down.state]).toEqual([0, 'stable'])
  expect(any.life.recovery(down)).toBeNull()
  expect(any.life.heal(down, 2, sheet).life).toMatchObject({ hp: 2, state: 'up' })
  expect(any.life.damage(lifeWith(0, 0), hit(9), sheetWith()).life.state).toBe('up')
})

test('a rest fills what says that it comes back, and nothing else', () => {
  const counter = (key: string, recharge: 'long' | 'none') => ({ key, name: key, max: 3, left: 1, recharge })
  const body = {
    sheet: sheetWith(),
    life: lifeWith(2, 8),
    slots: [],
    resources: [counter('stress', 'long'), counter('coin', 'none')],
    spent: [],
  }
  expect(any.rest('long', body).resources.map(({ left }) => left)).toEqual([3, 1])
})

test('it measures no difficulty', () => {
  expect(any.difficulty([1], [{ name: 'a', rating: 1, count: 1 }])).toBeNull()
})

test('every variant of every game is found again by its title and its id', () => {
  for (const variant of families.flatMap(({ variants }) => variants)) {
    expect(systemOf(variant.title).id).toBe(variant.id)
    expect(systemOf(variant.id).id).toBe(variant.id)
  }
})

test('no number of a rule is written anywhere but in an adapter', () => {
  const root = path.join(import.meta.dirname, '../../src')
  const suspects = [
    /\bd20\b/i,
    /- 10\) ?\/ ?2/,
    /\b(355_?000|6_?500|14_?000)\b/,
    /death saves?\b|deathSave/i,
    /proficiencyBonus =/,
    /\bspeed\w* ?[=:] ?(25|30)\b/i,
  ]
  // Dice are dice in any game: the tray has one with twenty sides. Confusables are letters by their numbers. The sample campaign
  // is a table's own sheets and dice, as somebody wrote them down.
  const tray = /^(kernel\/(dice|confusables)|web\/pages\/dice\/|domain\/campaign\/sample\/)/
  const found = globSync('**/*.{ts,tsx}', { cwd: root })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => !file.startsWith('rules/') && !tray.test(file))
    .flatMap((file) => {
      const lines = readFileSync(path.join(root, file), 'utf8').split('\n')
      return lines.filter((line) => suspects.some((each) => each.test(line))).map((line) => `${file}: ${line.trim()}`)
    })
  expect(found).toEqual([])
})
