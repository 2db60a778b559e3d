import type { Archive } from '../archive/archive.ts'
import type { MaintenanceLock } from '../kernel/maintenance-lock.ts'
import { type SweepParts, sweepUploads } from '../storage/upload-sweep.ts'
import type { CurrentStore } from './current-store.ts'

interface Parts extends Pick<SweepParts, 'files' | 'paths' | 'clock'> {
  readonly current: CurrentStore
  readonly archive: Pick<Archive, 'isBusy'>
  readonly lock: MaintenanceLock
}

/** Puts images that nothing names aside, while no backup or restore may need them. */
export function uploadChore({ files, paths, clock, current, archive, lock }: Parts): () => Promise<void> {
  return () =>
    sweepUploads({
      files,
      paths,
      clock,
      store: current.get,
      mayDelete: () => current.isOpen() && !archive.isBusy(),
      async exclusively(work) {
        await lock.acquireExclusive()
        await work().finally(() => lock.releaseExclusive())
      },
    })
}
