import type { LiveInstallation } from '../archive/ports.ts'
import type { MaintenanceLock } from '../kernel/maintenance-lock.ts'

export interface LiveInstallationParts {
  readonly lock: MaintenanceLock
  /** Ends all that reads the database, and closes it. */
  close(): Promise<void>
  open(): void
  readonly log: { error(facts: object, message: string): void }
  /** Told when the process has to end because no database may be opened any more. */
  readonly onLost: ((error: unknown) => void) | undefined
}

/** What a restore replaces, as it is used: whoever calls meanwhile waits. */
export function createLiveInstallation({ lock, close, open, log, onLost }: LiveInstallationParts): LiveInstallation {
  return {
    async suspend() {
      await lock.acquireExclusive()
      try {
        await close()
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
    lost(error) {
      log.error(
        { err: error },
        'The installation could neither be brought forward nor back. Start the program again: it settles this at its start.',
      )
      onLost?.(error)
    },
  }
}
