import type { LiveInstallation } from './ports.ts'

/**
 * A data folder without a server, for the command line. Nothing has to be stopped; a server that uses the folder all
 * the same is noticed before anything is replaced, since its database is open.
 */
export const offlineInstallation: LiveInstallation = {
  hold: async () => ({ reopen() {} }),
  lost() {},
}
