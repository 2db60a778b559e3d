import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database, { type Database as Connection } from 'better-sqlite3'
import { type Archive, createArchive } from '../../src/archive/archive.ts'
import type { ArchiveParts, RestoreFacts, SuspendedInstallation } from '../../src/archive/ports.ts'
import type { ScheduleSettings } from '../../src/archive/schedule.ts'
import { type ArchiveTasks, archiveTasks } from '../../src/archive/tasks.ts'
import { createFiles, type Files } from '../../src/storage/files.ts'
import { migrate } from '../../src/storage/migrations.ts'
import type { Migration } from '../../src/storage/schema.ts'
import type { Workers } from '../../src/storage/workers.ts'

// A small installation: every table that a restore treats, a full-text index with its triggers, a self-made store.

const first = `
CREATE TABLE users (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, username TEXT NOT NULL COLLATE NOCASE UNIQUE, password_hash TEXT NOT NULL DEFAULT '', admin INTEGER NOT NULL DEFAULT 1, disabled_at TEXT, updated_at TEXT NOT NULL DEFAULT '2026-11-01') STRICT;
CREATE TABLE campaigns (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, deleted_at TEXT) STRICT;
CREATE TABLE sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE, hash TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE personal_tokens (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users(id), hash TEXT NOT NULL UNIQUE, revoked_at TEXT) STRICT;
CREATE TABLE attachments (id INTEGER PRIMARY KEY AUTOINCREMENT, campaign_id INTEGER NOT NULL REFERENCES campaigns(id), file_key TEXT NOT NULL, byte_size INTEGER NOT NULL, sha256 TEXT NOT NULL, missing INTEGER NOT NULL DEFAULT 0 CHECK (missing IN (0, 1))) STRICT;
CREATE INDEX attachments_campaign ON attachments(campaign_id);
CREATE VIRTUAL TABLE search_text USING fts5(name, content='campaigns', content_rowid='id');
CREATE TRIGGER campaigns_insert AFTER INSERT ON campaigns BEGIN INSERT INTO search_text(rowid, name) VALUES (new.id, new.name); END;`

const second = `
ALTER TABLE campaigns ADD COLUMN ai_policy TEXT NOT NULL DEFAULT 'member_consent';
CREATE TABLE oauth_clients (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
CREATE TABLE oauth_grants (id INTEGER PRIMARY KEY, client_id INTEGER NOT NULL REFERENCES oauth_clients(id), user_id INTEGER NOT NULL REFERENCES users(id)) STRICT;
CREATE TABLE oauth_codes (id INTEGER PRIMARY KEY, grant_id INTEGER NOT NULL REFERENCES oauth_grants(id), hash TEXT NOT NULL) STRICT;
CREATE TABLE oauth_tokens (id INTEGER PRIMARY KEY, grant_id INTEGER NOT NULL REFERENCES oauth_grants(id), hash TEXT NOT NULL) STRICT;
CREATE TABLE invites (id INTEGER PRIMARY KEY, code_hash TEXT NOT NULL UNIQUE, revoked_at TEXT) STRICT;
CREATE TABLE session_shares (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, revoked_at TEXT) STRICT;
CREATE TABLE audit (id INTEGER PRIMARY KEY AUTOINCREMENT, facts TEXT NOT NULL) STRICT;`

export const migrations: readonly Migration[] = [first, second].map((sql, index) => ({
  number: index + 1,
  name: `step ${index + 1}`,
  sql,
  checksum: createHash('sha256').update(sql).digest('hex'),
}))

export const startTime = new Date('2026-11-21T09:30:00Z')

export interface Upload {
  readonly fileKey: string
  readonly bytes: Buffer
  readonly sha256: string
}

export function uploadOf(bytes: Buffer, extension = 'png'): Upload {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { fileKey: `${sha256.slice(0, 2)}/${sha256}.${extension}`, bytes, sha256 }
}

/** Stores a file as the server does, without its row. */
export function storeUpload(dataDir: string, upload: Upload): void {
  const file = path.join(dataDir, 'uploads', upload.fileKey)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, upload.bytes)
}

export function insertAttachment(db: Connection, upload: Upload): number {
  const sql = 'INSERT INTO attachments (campaign_id, file_key, byte_size, sha256) VALUES (1, ?, ?, ?)'
  return Number(db.prepare(sql).run(upload.fileKey, upload.bytes.length, upload.sha256).lastInsertRowid)
}

export interface InstallContent {
  readonly name: string
  readonly uploads: readonly Upload[]
  /** The AI keyfile; null leaves it out. */
  readonly key: Buffer | null
  /** How many of the migrations are applied. */
  readonly schema?: number
}

export function openLive(dataDir: string): Connection {
  const db = new Database(path.join(dataDir, 'talekeeper.db'))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.pragma('foreign_keys = ON')
  return db
}

/** Fills a data folder. */
export function fillInstall(dataDir: string, content: InstallContent): void {
  mkdirSync(path.join(dataDir, 'uploads'), { recursive: true })
  if (content.key !== null) writeFileSync(path.join(dataDir, 'ai-config.key'), content.key, { mode: 0o600 })
  const db = openLive(dataDir)
  migrate(db, migrations.slice(0, content.schema ?? migrations.length), startTime.toISOString())
  db.exec(`INSERT INTO users (key, username) VALUES ('key of ada', 'ada'), ('key of ben', 'ben')`)
  db.prepare('INSERT INTO campaigns (name) VALUES (?)').run(content.name)
  db.exec(`INSERT INTO sessions (user_id, hash) VALUES (1, 's1');
    INSERT INTO personal_tokens (user_id, hash) VALUES (1, 't1'), (2, 't2');`)
  if ((content.schema ?? 2) >= 2) {
    db.exec(`INSERT INTO oauth_clients (name) VALUES ('claude');
      INSERT INTO oauth_grants (client_id, user_id) VALUES (1, 1);
      INSERT INTO oauth_codes (grant_id, hash) VALUES (1, 'c1');
      INSERT INTO oauth_tokens (grant_id, hash) VALUES (1, 'o1'), (1, 'o2');
      INSERT INTO invites (code_hash) VALUES ('i1'), ('i2');
      INSERT INTO session_shares (hash) VALUES ('h1');`)
  }
  for (const upload of content.uploads) {
    storeUpload(dataDir, upload)
    insertAttachment(db, upload)
  }
  db.close()
}

export const old: InstallContent = {
  name: 'old',
  uploads: [uploadOf(Buffer.from('old one')), uploadOf(Buffer.from('old two')), uploadOf(Buffer.from('in both'))],
  key: Buffer.alloc(32, 1),
}

export const fresh: InstallContent = {
  name: 'new',
  uploads: [
    uploadOf(Buffer.from('new one')),
    uploadOf(Buffer.from('in both')),
    uploadOf(Buffer.alloc(300_000, 'new three'), 'webp'),
  ],
  key: Buffer.alloc(32, 2),
}

/**
 * What a data folder holds: the campaign's name, the uploads on disk and the keyfile. Throws when the database and the
 * uploads do not fit one another, hence for every mixture of two installations.
 */
export function contentOf(dataDir: string): { name: string; uploads: readonly string[]; key: string | null } {
  const db = openLive(dataDir)
  try {
    const problems = db.pragma('integrity_check', { simple: true })
    if (problems !== 'ok') throw new Error(String(problems))
    const name = db.prepare('SELECT name FROM campaigns').pluck().get() as string
    const named = db
      .prepare('SELECT file_key FROM attachments WHERE missing = 0 ORDER BY file_key')
      .pluck()
      .all() as string[]
    const stored = uploadsOn(dataDir)
    if (JSON.stringify(named) !== JSON.stringify(stored)) throw new Error(`rows ${named}, files ${stored}`)
    const found = namesIn(dataDir).includes('ai-config.key')
    return {
      name,
      uploads: stored,
      key: found ? readFileSync(path.join(dataDir, 'ai-config.key')).toString('hex') : null,
    }
  } finally {
    db.close()
  }
}

export function expectedContent({ name, uploads, key }: InstallContent): ReturnType<typeof contentOf> {
  return { name, uploads: uploads.map((each) => each.fileKey).sort(), key: key === null ? null : key.toString('hex') }
}

export function uploadsOn(dataDir: string): readonly string[] {
  const root = path.join(dataDir, 'uploads')
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => path.relative(root, path.join(item.parentPath, item.name)).replaceAll(path.sep, '/'))
    .sort()
}

export function namesIn(folder: string): readonly string[] {
  return readdirSync(folder).sort()
}

export const quietLog = { info() {}, warn() {}, error() {} }

/** The tasks on this thread, on the given files: faults reach them, and the process may be killed inside them. */
export function inlineWorkers(files: Files): Workers<ArchiveTasks> {
  const table = archiveTasks(files)
  return {
    async runTask(name, payload, options = {}) {
      const signal = options.signal ?? new AbortController().signal
      const context = { signal, progress: options.onProgress ?? (() => {}) }
      return (await table[name](payload as never, context)) as never
    },
    async close() {},
  }
}

export const scheduleOff: ScheduleSettings = {
  enabled: false,
  directory: '',
  intervalHours: 24,
  keepCount: 14,
  keepDays: 30,
  maxTotalBytes: null,
  minFreeBytes: 0,
  protectLastGood: true,
  keyPassphrase: null,
}

export interface ServerOptions {
  readonly files?: Files
  readonly workers?: Workers<ArchiveTasks>
  readonly schedule?: Partial<ScheduleSettings>
  readonly checkpoint?: (step: string) => void
  readonly known?: readonly Migration[]
  readonly clock?: () => Date
  /** Fails the opening of the database that often, as a damaged one would. */
  readonly failReopen?: number
  readonly log?: ArchiveParts['log']
}

/** A server on a data folder: its database is open, and a restore stops and reopens it. */
export function startServer(dataDir: string, options: ServerOptions = {}) {
  const files = options.files ?? createFiles()
  const tempDir = path.join(path.dirname(dataDir), 'tmp')
  mkdirSync(tempDir, { recursive: true })
  let db = openLive(dataDir)
  let failures = options.failReopen ?? 0
  const events: string[] = []
  const audits: RestoreFacts[] = []
  const suspended: SuspendedInstallation = {
    reopen() {
      if (failures > 0) {
        failures -= 1
        throw new Error('the database cannot be opened')
      }
      db = openLive(dataDir)
      events.push('reopen')
    },
  }
  const directory = options.schedule?.directory ?? path.join(dataDir, 'backups')
  const archive = createArchive({
    dataDir,
    tempDir,
    files,
    workers: options.workers ?? inlineWorkers(files),
    clock: options.clock ?? (() => startTime),
    log: options.log ?? quietLog,
    appVersion: '0.1.0',
    migrations: options.known ?? migrations,
    live: {
      async suspend() {
        events.push('suspend')
        db.pragma('wal_checkpoint(TRUNCATE)')
        db.close()
        return suspended
      },
      lost: () => events.push('lost'),
    },
    auditRestore(target, facts) {
      audits.push(facts)
      target.prepare('INSERT INTO audit (facts) VALUES (?)').run(JSON.stringify(facts))
    },
    schedule: () => ({ ...scheduleOff, ...options.schedule, directory }),
    ...(options.checkpoint ? { checkpoint: options.checkpoint } : {}),
  })
  return {
    archive,
    dataDir,
    tempDir,
    directory,
    events,
    audits,
    get db() {
      return db
    },
    stop() {
      if (!db.open) return
      db.pragma('wal_checkpoint(TRUNCATE)')
      db.close()
    },
  }
}

/** The archive of a data folder without a server. */
export function offlineArchive(dataDir: string, parts: Partial<ArchiveParts> = {}): Archive {
  const files = parts.files ?? createFiles()
  return createArchive({
    dataDir,
    tempDir: path.join(path.dirname(dataDir), 'tmp'),
    files,
    workers: inlineWorkers(files),
    clock: () => startTime,
    log: quietLog,
    appVersion: '0.1.0',
    migrations,
    // Nothing has to be stopped: no server uses the folder.
    live: { suspend: async () => ({ reopen() {} }), lost() {} },
    auditRestore() {},
    schedule: () => ({ ...scheduleOff, directory: path.join(dataDir, 'backups') }),
    ...parts,
  })
}

/** The code of the failure that a promise rejects with, or what it resolved to. */
export async function codeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return { resolved: await work }
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
}

export const passphrase = 'correct horse battery'
