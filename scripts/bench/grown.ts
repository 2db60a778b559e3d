import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import type { World } from '../../src/kernel/operation.ts'
import { hashSecret } from '../../src/storage/secrets.ts'
import { growWorld } from '../../test/support/grown-world.ts'
import { startServer } from '../../test/support/server.ts'
import type { Person, WorldRecord } from '../../test/support/world.ts'
import { buildWorld } from '../../test/support/world-build.ts'
import type { Installation } from './installation.ts'

/** An installation with the sample table, grown to so many rows of each kind. */
export interface GrownInstallation extends Pick<Installation, 'root' | 'dataDir'> {
  readonly rows: number
  /** What examples of operations are made of. */
  readonly world: World
  /** Tokens of a person, to take turns: with one, so many calls a minute may be made and no more. */
  readonly tokens: Readonly<Record<'dm' | 'player', readonly string[]>>
}

export interface GrownInstallations {
  readonly of: readonly GrownInstallation[]
  remove(): void
}

const tokensOfEach = 40

/** The table is made once, through operations; each size is a copy of its file, grown by SQL. */
export async function makeGrown(sizes: readonly number[]): Promise<GrownInstallations> {
  const root = mkdtempSync(path.join(tmpdir(), 'talekeeper-bench-grown-'))
  const remove = (): void => rmSync(root, { recursive: true, force: true })
  try {
    const table = path.join(root, 'table')
    mkdirSync(table)
    const server = await startServer({ dataDir: table })
    const record = await buildWorld(server)
    await server.stop()
    return { of: sizes.map((rows) => grow(root, table, record, rows)), remove }
  } catch (error) {
    remove()
    throw error
  }
}

function grow(parent: string, table: string, record: WorldRecord, rows: number): GrownInstallation {
  const root = path.join(parent, String(rows))
  const dataDir = path.join(root, 'data')
  mkdirSync(path.join(root, 'tmp'), { recursive: true })
  cpSync(table, dataDir, { recursive: true })
  const db = new Database(path.join(dataDir, 'talekeeper.db'))
  // Nobody needs it after a power cut.
  db.pragma('synchronous = OFF')
  db.pragma('journal_mode = OFF')
  db.pragma('cache_size = -200000')
  growWorld(db, record, rows)
  const tokens = { dm: addTokens(db, record, 'dm'), player: addTokens(db, record, 'player') }
  db.pragma('journal_mode = WAL')
  db.close()
  return { root, dataDir, rows, world: worldOf(record), tokens }
}

function addTokens(db: Database.Database, { credentials }: WorldRecord, person: Person & ('dm' | 'player')) {
  const first = credentials[person].mcp.authorization?.replace('Bearer ', '') ?? ''
  const more = Array.from({ length: tokensOfEach - 1 }, () => `tkp_${randomBytes(32).toString('base64url')}`)
  const add = db.prepare(
    `INSERT INTO personal_tokens (user_id, created_at, updated_at, hash, hint, name, scope, write_mode, admin)
     SELECT user_id, created_at, updated_at, ?, 'tkp_', name, scope, write_mode, admin FROM personal_tokens WHERE hash = ?`,
  )
  db.transaction(() => {
    for (const token of more) add.run(hashSecret(token), hashSecret(first))
  })()
  return [first, ...more]
}

function worldOf({ ids, texts }: WorldRecord): World {
  return {
    id(entity, variant) {
      const key = variant === undefined ? entity : `${entity} ${variant}`
      const id = ids[key]
      if (id === undefined) throw new Error(`the sample table has no "${key}"`)
      return id
    },
    text: (what) => texts[what] ?? '',
  }
}
