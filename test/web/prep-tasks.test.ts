import { expect, test } from 'vitest'
import { tasksIn, withTask } from '../../src/web/pages/home/prep-tasks.ts'

const prep = 'Marta waits.\n\n- [ ] Print the ledger page\n- [x] Give the Cellarer a voice\n- no task\n  * [X] set in  '

test('the lines of a preparation that can be ticked', () => {
  expect(tasksIn(prep)).toEqual([
    { line: 2, text: 'Print the ledger page', done: false },
    { line: 3, text: 'Give the Cellarer a voice', done: true },
    { line: 5, text: 'set in', done: true },
  ])
  expect(tasksIn('- [ ]\n[ ] none')).toEqual([])
})

test('a tick changes its own line and nothing else', () => {
  expect(withTask(prep, 2, true)).toBe(prep.replace('[ ] Print', '[x] Print'))
  expect(withTask(prep, 3, false)).toBe(prep.replace('[x] Give', '[ ] Give'))
  expect(withTask(prep, 0, true)).toBe(prep)
})
