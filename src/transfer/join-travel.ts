import type { Travel } from '../kernel/context.ts'
import type { System } from '../kernel/system.ts'
import type { AnyTransfer } from '../kernel/transfer.ts'
import type { Files } from '../storage/files.ts'
import type { Images } from '../storage/images.ts'
import type { Store } from '../storage/store.ts'
import type { Workers } from '../storage/workers.ts'
import { type CampaignCommand, campaignCommand, createCampaignCommands } from './campaign-commands.ts'
import type { Downloads } from './downloads.ts'
import { createExports } from './exports.ts'
import type { ImportTasks } from './import-task.ts'
import { createImports } from './imports.ts'
import { createTravel } from './travel.ts'
import { exportDownload, travelTransfers } from './travel-transfers.ts'

export interface TravelSettings {
  system(): System
  store(): Store
  readonly images: Images
  readonly files: Files
  readonly tempDir: string
  readonly version: string
  readonly clock: () => Date
  readonly workers: Pick<Workers<ImportTasks>, 'runTask'>
  readonly downloads: Pick<Downloads, 'issue'>
  readonly samplePicture?: ((name: string) => Uint8Array | undefined) | undefined
}

/** Campaigns that leave and come home: what operations use of it, and its routes. */
export interface JoinedTravel {
  readonly travel: Travel
  readonly transfers: readonly AnyTransfer[]
  /** What the command line asks for. */
  readonly commands: { readonly command: typeof campaignCommand; run(command: CampaignCommand): Promise<unknown> }
  /** Takes back what was not brought in whole. */
  sweep(): Promise<void>
  /** Ends what is being sent: the database is about to be replaced. */
  endAll(): void
}

export function joinTravel(settings: TravelSettings): JoinedTravel {
  const { system, workers, downloads } = settings
  const exports = createExports(settings)
  const imports = createImports({
    ...settings,
    read: (payload, options) => workers.runTask('import.read', payload, options),
  })
  const travel = createTravel({
    ...settings,
    exports,
    imports,
    link: (request, actor) => downloads.issue(exportDownload({ system, exports }, request, actor, 'mcp')),
  })
  return {
    travel,
    transfers: travelTransfers({ ...settings, exports, imports }),
    commands: { command: campaignCommand, run: createCampaignCommands({ ...settings, exports, imports }) },
    sweep: () => imports.sweep(),
    endAll: () => exports.endAll(),
  }
}
