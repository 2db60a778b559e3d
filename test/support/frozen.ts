import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Migration } from '../../src/storage/schema.ts'

const project = path.join(import.meta.dirname, '../..')

/** Where a filled database of a frozen version lies, from the project's folder. */
export function fixtureOf(version: number): string {
  return `test/fixtures/schema-${version}.db`
}

/** The pins of the migrations, from the project's folder. */
export const migrationPins = 'test/pins/migrations.tsv'

export function pinOf({ number, name, checksum }: Migration, isFrozen: boolean): string {
  return [number, name, checksum, isFrozen ? 'frozen' : 'follows from the declarations'].join('\t')
}

/** The lines of the frozen migrations. Only scripts/freeze-migrations.ts writes them. */
export function readFrozenPins(): readonly string[] {
  const lines = readFileSync(path.join(project, migrationPins), 'utf8').split('\n')
  return lines.filter((line) => line.endsWith('\tfrozen'))
}
