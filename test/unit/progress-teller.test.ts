import { expect, test } from 'vitest'
import { progressTeller } from '../../src/cli/campaign.ts'

const written = (isTTY: boolean): string => {
  const pieces: string[] = []
  const out = { isTTY, write: (more: string | Uint8Array) => pieces.push(String(more)) > 0 }
  const { tell, end } = progressTeller(out)
  tell({ phase: 'reading', done: 10, total: 40 })
  tell({ phase: 'reading', done: 20, total: 40 })
  tell({ phase: 'writing', done: 40, total: 40 })
  tell({ phase: 'exporting', done: 3 * 1024 * 1024, total: 0 })
  end()
  return pieces.join('')
}

test('how far a command is: one line on a terminal, each step once elsewhere', () => {
  expect(written(true).split('\r')).toEqual([
    '',
    'Reading the file: 25 %\u001b[K',
    'Reading the file: 50 %\u001b[K',
    'Bringing it in: 100 %\u001b[K',
    'Writing the file: 3.0 MB\u001b[K',
    '\u001b[K',
  ])
  expect(written(false)).toBe('Reading the file …\nBringing it in …\nWriting the file …\n')
})
