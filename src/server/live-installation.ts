import type { ArchiveLog, LiveInstallation } from '../archive/ports.ts'
import type { MaintenanceLock } from '../kernel/maintenance-lock.ts'
import type { CurrentStore } from './current-store.ts'

interface Parts {
  readonly lock: MaintenanceLock
  readonly current: CurrentStore
  readonly log: ArchiveLog
  /** Ends what remembers rows of the database, and the open streams. */
  closeOthers(): void
  readonly onLost: ((error: unknown) => void) | undefined
}

/** The running installation, as what replaces its database takes hold of it. */
export function liveInstallation({ lock, current, log, closeOthers, onLost }: Parts): LiveInstallation {
  return {
    async suspend() {
      await lock.acquireExclusive()
      try {
        closeOthers()
        current.close()
      } catch (error) {
        lock.releaseExclusive()
        throw error
      }
      return {
        reopen() {
          current.open()
          lock.releaseExclusive()
        },
      }
    },
    lost(error) {
      log.error(
        { err: error },
        'The installation could neither be brought forward nor back. Start the program again: it settles this at its start.',
      )
      onLost?.(error)
    },
  }
}
