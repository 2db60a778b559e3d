// What the doctor tries: each native part is loaded and does one thing.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { listAssets, loadVendor, startWorker } from './assets.ts'
import { entities } from './catalogue.ts'
import { type Argon2id, nodeArgon2, packagedArgon2 } from './identity/passwords.ts'
import { nativeGroups } from './natives.ts'
import { createFiles } from './storage/files.ts'
import { createImages } from './storage/images.ts'
import { appliedMigrations, pendingMigrations } from './storage/migrations.ts'
import { createRegistry } from './storage/registry.ts'
import { migrationsOf } from './storage/schema.ts'

/** Name of what is tried -> loads it and does one thing. Resolves to a sentence, or rejects. */
export const selfTests: Readonly<Record<string, () => Promise<string>>> = {
  'web app': async () => {
    if (!listAssets('web/').includes('web/index.html')) throw new Error('The pages of the web app are missing.')
    return 'Its pages are there.'
  },
  sqlite: async () => {
    const memory = new Database(':memory:')
    try {
      memory.exec(`CREATE VIRTUAL TABLE words USING fts5(word, tokenize = 'trigram')`)
      memory.prepare('INSERT INTO words VALUES (?)').run('lantern')
      const found = memory
        .prepare('SELECT word, sqlite_version() AS version FROM words WHERE words MATCH ?')
        .get('ante')
      const { word, version } = found as { readonly word: string; readonly version: string }
      if (word !== 'lantern') throw new Error('SQLite does not find what it was given.')
      return `SQLite ${version} keeps and finds text.`
    } finally {
      memory.close()
    }
  },
  argon2: async () => {
    const argon2 = await packagedArgon2().catch(async (error: unknown) => {
      // The executables for some machine types have none: the program then takes Node's, with the same results.
      if (nativeGroups().length === 0 || nativeGroups().includes('argon2')) throw error
      return nodeArgon2()
    })
    if ((await derive(argon2)) !== (await derive(await nodeArgon2()))) throw new Error('argon2 gives wrong results.')
    return 'Passwords are hashed and recognised.'
  },
  sharp: async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'talekeeper-doctor-'))
    try {
      const folders = { uploads: path.join(folder, 'uploads'), cache: path.join(folder, 'cache') }
      const images = createImages(createFiles(), folders)
      const kept = await images.keep(onePixel)
      const thumbnail = readFileSync((await images.find(kept, 'thumb')).path)
      if (thumbnail.toString('latin1', 8, 12) !== 'WEBP') throw new Error('sharp makes no thumbnails.')
      return 'Images are read and made smaller.'
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  worker: async () => {
    const thread = startWorker()
    await new Promise<void>((resolve, reject) => {
      thread.once('online', resolve)
      thread.once('error', reject)
    })
    await thread.terminate()
    return 'Long work runs on a thread of its own.'
  },
  'AI clients': async () => {
    const { clients } = (await loadVendor()) as { readonly clients?: object }
    if (clients === undefined) throw new Error('What speaks with AI providers is missing.')
    return 'What speaks with AI providers can be loaded. None was asked.'
  },
}

/**
 * Opens a database that no program has open, reading only. Returns a sentence.
 * @throws Error when it is damaged, or made by a newer version.
 */
export function examineDatabase(file: string): string {
  const [log, index] = [`${file}-wal`, `${file}-shm`]
  const hadLog = existsSync(log)
  const connection = new Database(file, { readonly: true, fileMustExist: true, timeout: 1000 })
  try {
    const check = String(connection.pragma('quick_check(1)', { simple: true }))
    if (check !== 'ok') throw new Error(`${file} is damaged (${check}). Restore a backup.`)
    const applied = appliedMigrations(connection)
    const pending = pendingMigrations(applied, migrationsOf(createRegistry(entities)))
    const migrated = pending.length === 0 ? '' : ' The next start brings it up to date, after a copy of it was made.'
    return `It is sound and has schema ${applied.length}.${migrated}`
  } catch (error) {
    const { code } = error as { readonly code?: unknown }
    if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
      throw new Error(`${file} is damaged. Restore a backup.`, { cause: error })
    throw error
  } finally {
    connection.close()
    // A reader makes an empty log where there was none, and leaves it.
    if (!hadLog) for (const made of [log, index]) rmSync(made, { force: true })
  }
}

async function derive(argon2: Argon2id): Promise<string> {
  const [password, salt] = [Buffer.from('a lantern in winter'), Buffer.from('sixteen bytes ok')]
  return Buffer.from(await argon2({ password, salt, memoryKib: 256, passes: 2, lanes: 1, bytes: 32 })).toString('hex')
}

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
