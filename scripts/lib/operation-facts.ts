import { readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { allOperations, entities } from '../../src/catalogue.ts'
import type { OperationFacts } from '../../src/web/api/dependencies.ts'
import { projectRoot } from './node-runner.mjs'

/** What each operation reads and writes, recorded by test/pins/operation-reads.test.ts. */
export const OPERATION_READS = 'test/pins/operation-reads.tsv'

/**
 * What the web client knows of each operation: its route, as the catalogue declares it, and the entity types it reads and
 * writes, as they were recorded. One that was not recorded yet reads and writes everything: too much is fetched, and
 * nothing old is shown.
 */
export function operationFacts(): Readonly<Record<string, OperationFacts>> {
  const recorded = new Map(
    readFileSync(path.join(projectRoot, OPERATION_READS), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => {
        const [name = '', reads = '', writes = ''] = line.split('\t')
        return [name, { reads: namesOf(reads), writes: namesOf(writes) }]
      }),
  )
  return Object.fromEntries(
    [...allOperations].map(([name, { route, input, effect }]) => {
      const { reads, writes } = recorded.get(name) ?? { reads: '*', writes: '*' }
      const limits = effect === 'write' ? limitsOf(input) : ''
      return [name, limits === '' ? [route, reads, writes] : [route, reads, writes, limits]]
    }),
  )
}

/** How many characters each text of an input may have; those of rows by their path: `rows.text 2000`. */
function limitsOf({ shape }: z.ZodObject): string {
  const limits = Object.entries(shape).flatMap(([name, schema]) => {
    const whole = bare(schema as z.ZodType)
    const row = whole instanceof z.ZodArray ? bare(whole.element as z.ZodType) : null
    return row instanceof z.ZodObject
      ? Object.entries(row.shape).flatMap(([part, each]) => limitOf(`${name}.${part}`, each as z.ZodType))
      : limitOf(name, whole)
  })
  return limits.join(' ')
}

function limitOf(path: string, schema: z.ZodType): readonly string[] {
  const text = bare(schema)
  return text instanceof z.ZodString && text.maxLength !== null ? [`${path} ${text.maxLength}`] : []
}

/** A schema without what says that it may be absent or null. */
function bare(schema: z.ZodType): z.ZodType {
  const { innerType } = schema._zod.def as { readonly innerType?: z.ZodType }
  return innerType === undefined ? schema : bare(innerType)
}

/** Names between spaces; a group stands for the entities that are of it. */
function namesOf(recorded: string): string {
  if (recorded === '-') return ''
  const names = recorded.split(',').flatMap((name) => groups[name]?.() ?? [name])
  return names.includes('*') ? '*' : [...new Set(names)].join(' ')
}

const groups: Readonly<Record<string, () => readonly string[]>> = {
  // What search and mentions look into.
  searchable: () =>
    entities
      .filter(({ fields }) => Object.values(fields).some(({ marks }) => marks.search !== undefined))
      .map(({ name }) => name),
  // What a link to any kind of thing can name.
  titled: () => entities.filter(({ title }) => title !== null).map(({ name }) => name),
}
