import path from 'node:path'
import type { Files } from './files.ts'
import type { Store } from './store.ts'

/** A file may be younger than its row: it is written first. Nothing younger than this is judged. */
const settledMs = 24 * 3600 * 1000

export interface SweepParts {
  readonly files: Files
  readonly uploads: string
  store(): Store
  clock(): Date
  /** While a backup or restore runs, no uploaded file may go: its snapshot may name it. */
  mayDelete(): boolean
  /** Runs the work while no call is inside the pipeline. */
  exclusively(work: () => Promise<void>): Promise<void>
}

/**
 * Deletes uploaded files that no row names any more, those in the trash counted as named: rows that were purged, and
 * uploads that ended between the file and its row. Returns how many.
 */
export async function sweepUploads({
  files,
  uploads,
  store,
  clock,
  mayDelete,
  exclusively,
}: SweepParts): Promise<number> {
  let deleted = 0
  for (const folder of await files.list(uploads)) {
    if (folder.kind !== 'directory') continue
    for (const { name, kind } of await files.list(path.join(uploads, folder.name))) {
      const file = path.join(uploads, folder.name, name)
      const facts = await files.stat(file)
      if (kind !== 'file' || facts === undefined || clock().getTime() - facts.modifiedAt < settledMs || !mayDelete())
        continue
      const isNamed = (): boolean =>
        store().get('SELECT 1 AS known FROM attachments WHERE file_key = @key', { key: `${folder.name}/${name}` }) !==
        undefined
      if (isNamed()) continue
      // The same picture may be uploaded again right now: its row comes after its file. So no call runs while it goes.
      await exclusively(async () => {
        if (!mayDelete() || isNamed()) return
        await files.remove(file)
        deleted += 1
      })
    }
  }
  return deleted
}
