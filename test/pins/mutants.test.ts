import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { mutate } from '../../scripts/mutants/edits.ts'
import { mutants } from '../../scripts/mutants/list.ts'

// `npm run test:mutants` takes minutes and is run seldom; that its list still fits the sources shows at once.

const project = path.join(import.meta.dirname, '../..')

test.each(mutants)('the mutant without $without fits its source and its tests', ({ file, edits, tests }) => {
  expect(mutate(readFileSync(path.join(project, file), 'utf8'), edits)).not.toHaveProperty('problem')
  expect(tests.filter((each) => !existsSync(path.join(project, each)))).toEqual([])
})

test('no two mutants have one name', () => {
  const names = mutants.map(({ without }) => without)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})
