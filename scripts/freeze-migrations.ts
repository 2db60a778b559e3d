// Turns the migrations that still follow from the declarations into text, as it is done ahead of a release: from then on
// they never change, and what is declared next belongs to the next one.
//
//   node scripts/n.mjs scripts/freeze-migrations.ts           those that are not frozen yet
//   node scripts/n.mjs scripts/freeze-migrations.ts --again   all of them anew: only while no version was released
//
// 1. write the text and the checksum into each migration's own file
// 2. pin number, name and checksum; no UPDATE_PINS changes these lines again
// 3. fill a database of each of these versions with the sample world, for the test of upgrades
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { entities } from '../src/catalogue.ts'
import { migrationSources } from '../src/storage/migrations/all.ts'
import { migrate } from '../src/storage/migrations.ts'
import { createRegistry } from '../src/storage/registry.ts'
import { type Migration, migrationsOf } from '../src/storage/schema.ts'
import { fixtureOf, migrationPins, pinOf, readFrozenPins } from '../test/support/frozen.ts'
import { startServer } from '../test/support/server.ts'
import { buildWorld } from '../test/support/world-build.ts'
import { projectRoot } from './lib/node-runner.mjs'

const again = process.argv.includes('--again')
const folder = path.join(projectRoot, 'src/storage/migrations')
const registry = createRegistry(entities)
const sources = migrationSources.map((source) => (again ? { ...source, frozen: null } : source))
const migrations = migrationsOf(registry, sources)
const fresh = migrations.filter((_, index) => sources[index]?.frozen === null)

for (const { number, derived, checksum } of fresh) writeText(number, derived, checksum)
if (fresh.length > 0) {
  pin(migrations)
  await fill(fresh)
}
console.log(fresh.length === 0 ? 'Every migration is frozen.' : `Frozen: ${fresh.map(({ name }) => name).join(', ')}.`)

function writeText(number: number, derived: string, checksum: string): void {
  const [file] = globSync(`${String(number).padStart(4, '0')}-*.ts`, { cwd: folder })
  if (file === undefined) throw new Error(`there is no file of migration ${number}`)
  if (/[`\\]|\$\{/.test(derived)) throw new Error(`the SQL of migration ${number} does not fit between backticks`)
  const target = path.join(folder, file)
  const source = readFileSync(target, 'utf8')
  const end = source.lastIndexOf('\n  frozen: ')
  if (end < 0) throw new Error(`${file} has no member "frozen"`)
  const text = `\n  frozen: {\n    derived: \`\n${derived}\n\`,\n    checksum: '${checksum}',\n  },\n}\n`
  writeFileSync(target, source.slice(0, end) + text)
}

function pin(all: readonly Migration[]): void {
  const kept = again ? [] : readFrozenPins()
  const added = all.filter(({ number }) => number > kept.length)
  const lines = [...kept, ...added.map((migration) => pinOf(migration, true))]
  writeFileSync(path.join(projectRoot, migrationPins), `${lines.join('\n')}\n`)
}

/** Each version gets what of the world it has tables and columns for. */
async function fill(versions: readonly Migration[]): Promise<void> {
  const server = await startServer()
  await buildWorld(server)
  const world = server.app.store()
  world.connection.pragma('wal_checkpoint(TRUNCATE)')
  for (const { number } of versions) {
    const file = path.join(projectRoot, fixtureOf(number))
    mkdirSync(path.dirname(file), { recursive: true })
    rmSync(file, { force: true })
    const db = new Database(file)
    // Small pages: most tables hold a few rows.
    db.pragma('page_size = 512')
    db.pragma('journal_mode = DELETE')
    db.pragma('foreign_keys = OFF')
    migrate(db, migrations.slice(0, number), server.clock().toISOString())
    db.prepare('ATTACH ? AS world').run(world.path)
    db.transaction(() => {
      for (const table of tablesOf(db)) copyRows(db, table)
    })()
    db.exec('DETACH world; VACUUM')
    db.close()
  }
  await server.stop()
}

/** Tables that are written themselves; those of the search follow by triggers. */
function tablesOf(db: Database.Database): readonly string[] {
  const sql = `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search_text%' AND name NOT LIKE 'sqlite_%' AND name <> 'migrations'`
  return db.prepare(sql).pluck().all() as string[]
}

function copyRows(db: Database.Database, table: string): void {
  const columnsIn = (schema: string): readonly string[] =>
    db.prepare('SELECT name FROM pragma_table_info(?, ?)').pluck().all(table, schema) as string[]
  const known = new Set(columnsIn('world'))
  const columns = columnsIn('main').filter((column) => known.has(column))
  if (columns.length > 0)
    db.exec(`INSERT INTO main.${table} (${columns.join(', ')}) SELECT ${columns.join(', ')} FROM world.${table}`)
}
