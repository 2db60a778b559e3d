import type { LiveInstallation } from '../archive/ports.ts'
import type { MaintenanceLock } from '../kernel/maintenance-lock.ts'

export interface LiveInstallationParts {
  readonly lock: MaintenanceLock
  /** Ends all that reads the database, and closes it. */
  close(): void
  open(): void
  /** No database may be opened any more. */
  onLost(error: unknown): void
}

/** What a restore replaces, as it is used: whoever calls meanwhile waits. */
export function createLiveInstallation({ lock, close, open, onLost }: LiveInstallationParts): LiveInstallation {
  return {
    async suspend() {
      await lock.acquireExclusive()
      try {
        close()
      } catch (error) {
        lock.releaseExclusive()
        throw error
      }
      return {
        reopen() {
          open()
          lock.releaseExclusive()
        },
      }
    },
    lost: onLost,
  }
}
