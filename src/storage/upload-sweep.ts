import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { dataPaths } from './data-folder.ts'
import { type Files, moveDurably } from './files.ts'
import type { Store } from './store.ts'

const rowsAtOnce = 2000
const dayMs = 24 * 3600 * 1000
/** How long a file stays after its last row went. */
const settledMs = dayMs
/** How long a file that was put aside can be brought back by hand. */
const keptMs = 30 * dayMs

export interface SweepParts {
  readonly files: Files
  readonly paths: Pick<ReturnType<typeof dataPaths>, 'uploads' | 'swept'>
  store(): Store
  readonly clock: () => Date
  /** While a backup or restore runs, no uploaded file may go: its snapshot may name it. */
  mayDelete(): boolean
  /** Runs the work while no call is inside the pipeline. */
  exclusively(work: () => Promise<void>): Promise<void>
}

/**
 * Puts the files of purged attachments aside, and deletes what was put aside long ago:
 * 1. of what a trigger noted when a row went, take what no row names any more since a day; the trash counts as naming
 * 2. move nothing while the folder and the database do not fit: the database may be the wrong one
 * 3. move each to `swept/<day>/`; delete what only an import brought that did not come about
 * 4. delete the days that are older than 30 days
 * A file that no row ever named is left alone: nobody can say whose it is.
 * Throws where they do not fit.
 */
export async function sweepUploads(parts: SweepParts): Promise<void> {
  await deleteOld(parts)
  const retired = noteRetired(parts)
  if (retired.length === 0 || !parts.mayDelete()) return
  await requireFit(parts)
  for (const key of retired) await putAside(parts, key)
}

/** Stands for the instant at which a file was found to be of no row: an import brought it, and may not come about. */
const brought = '0'

/** Before an import keeps a file that is not there yet: unless it comes about, the file goes again. */
export function noteBrought(store: Store, fileKey: string): void {
  store.run('INSERT OR REPLACE INTO retired_files (file_key, noticed_at) VALUES (@fileKey, @brought)', {
    fileKey,
    brought,
  })
}

/** Takes rows of attachments away, as `remove` does it, and remembers which files only an import had brought. */
export function keepingNotes(store: Store, campaignId: number, remove: () => void): void {
  const noted = store.all(
    `SELECT file_key FROM retired_files WHERE noticed_at = @brought
     AND file_key IN (SELECT file_key FROM attachments WHERE campaign_id = @campaignId)`,
    { brought, campaignId },
  )
  remove()
  for (const { file_key: fileKey } of noted) noteBrought(store, String(fileKey))
}

/** 1. Returns the file keys. */
function noteRetired({ store, clock }: SweepParts): readonly string[] {
  const now = clock()
  const present = store()
  const noted = { now: now.toISOString(), before: new Date(now.getTime() - settledMs).toISOString() }
  // Between its row's end and this the same image may have been uploaded again.
  present.run(
    `DELETE FROM retired_files WHERE file_key IN
     (SELECT file_key FROM attachments JOIN campaigns ON campaigns.id = campaign_id WHERE importing = 0)`,
  )
  present.run('UPDATE retired_files SET noticed_at = @now WHERE noticed_at IS NULL', { now: noted.now })
  return present
    .all('SELECT file_key FROM retired_files WHERE noticed_at <= @before ORDER BY file_key', { before: noted.before })
    .map((row) => String(row.file_key))
}

/** 2. */
async function requireFit({ files, paths, store }: SweepParts): Promise<void> {
  const named = new Set<string>()
  for (let after = 0, size = rowsAtOnce; size === rowsAtOnce; ) {
    const rows = store().all(
      'SELECT id, file_key FROM attachments WHERE missing = 0 AND id > @after ORDER BY id LIMIT @size',
      { after, size },
    )
    for (const row of rows) named.add(String(row.file_key))
    after = Number(rows.at(-1)?.id)
    size = rows.length
    await setImmediate()
  }
  const retired = new Set(
    store()
      .all('SELECT file_key FROM retired_files')
      .map((row) => String(row.file_key)),
  )
  let [present, unknown] = [0, 0]
  for (const { name: folder } of await files.list(paths.uploads)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue
    for (const { name } of await files.list(path.join(paths.uploads, folder))) {
      if (named.has(`${folder}/${name}`)) present += 1
      else if (!retired.has(`${folder}/${name}`)) unknown += 1
    }
  }
  const absent = named.size - present
  if (absent > unknown || unknown > present) {
    throw new Error(
      `the uploads and the database do not fit (${present} images are there, ${absent} are missing, ${unknown} files are of no image)`,
    )
  }
}

/** 3. */
async function putAside(
  { files, paths, store, clock, mayDelete, exclusively }: SweepParts,
  key: string,
): Promise<void> {
  // The same picture may be uploaded again right now: its row comes after its file. So no call runs while it goes.
  await exclusively(async () => {
    const isNamed = store().get('SELECT 1 AS known FROM attachments WHERE file_key = @key', { key }) !== undefined
    if (isNamed || !mayDelete()) return
    const file = path.join(paths.uploads, key)
    const known = store().get('SELECT noticed_at FROM retired_files WHERE file_key = @key', { key })
    if (known?.noticed_at === brought) await files.remove(file)
    else if ((await files.stat(file)) !== undefined) {
      const target = path.join(paths.swept, clock().toISOString().slice(0, 10), key)
      await files.makeDir(path.dirname(target))
      await moveDurably(files, file, target)
    }
    store().run('DELETE FROM retired_files WHERE file_key = @key', { key })
  })
}

/** 4. By the folder's name and by when something came into it: a clock that was wrong once must not be enough. */
async function deleteOld({ files, paths, clock }: SweepParts): Promise<void> {
  const before = clock().getTime() - keptMs
  for (const { name, kind } of await files.list(paths.swept)) {
    if (kind !== 'directory' || !/^\d{4}-\d{2}-\d{2}$/.test(name)) continue
    const folder = path.join(paths.swept, name)
    const facts = await files.stat(folder)
    if (Date.parse(name) < before && facts !== undefined && facts.modifiedAt < before) await files.removeTree(folder)
  }
}
