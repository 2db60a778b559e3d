import { expect, test } from 'vitest'
import { countOf, modeOf, modifierOf, withDie, withMode, withModifier } from '../../src/web/pages/dice/tray.ts'

test('a die joins those of its kind, or stands behind what there is', () => {
  expect(withDie('', 6)).toBe('1d6')
  expect(withDie('d6 + 3', 6)).toBe('2d6 + 3')
  expect(withDie('2d6', 8)).toBe('2d6 + 1d8')
  expect(withDie('1d100', 10)).toBe('1d100 + 1d10')
  expect([countOf('2d6 + 1d8', 6), countOf('2d6', 8), countOf('1d100', 10)]).toEqual([2, 0, 0])
})

test('the better and the worse of two, and back', () => {
  expect(withMode('1d20 + 9', 'advantage')).toBe('2d20kh1 + 9')
  expect(withMode('2d20kh1 + 9', 'disadvantage')).toBe('2d20kl1 + 9')
  expect(withMode('2d20kl1 + 9', 'plain')).toBe('1d20 + 9')
  expect([modeOf('2d20kh1'), modeOf('1d20'), modeOf('d20adv'), modeOf('2d6')]).toEqual([
    'advantage',
    'plain',
    'advantage',
    null,
  ])
})

test('what is added is counted up and down', () => {
  expect([modifierOf('1d20 + 9'), modifierOf('1d20-2'), modifierOf('1d20')]).toEqual([9, -2, 0])
  expect([withModifier('1d20 + 9', 10), withModifier('1d20', -1), withModifier('1d20 + 1', 0)]).toEqual([
    '1d20 + 10',
    '1d20 - 1',
    '1d20',
  ])
})
