import { isPackaged, readAsset } from '../assets.ts'
import type { Config } from '../config.ts'
import { createAutostart } from '../desktop/autostart.ts'
import type { Computer } from '../desktop/computer-transfers.ts'
import { type DesktopPorts, startDesktop } from '../desktop/desktop-mode.ts'
import { type SystemActions, systemActions } from '../desktop/system-actions.ts'
import { trayHelperFile, verifyNative } from '../natives.ts'
import { explain } from './explain.ts'
import { createLogFiles, type LogFiles } from './log-files.ts'

/** Null where the folder of the log cannot be used: standard output takes its lines then. */
export function logFilesIn({ logDir }: Config, onLoss: (reason: string) => void): LogFiles | null {
  try {
    return createLogFiles({ folder: logDir, clock: () => new Date(), onLoss })
  } catch (error) {
    onLoss(explain(error))
    return null
  }
}

/** The machine at which somebody started the program. */
export function computerOf(config: Config, logFiles: LogFiles | null): Computer & { readonly system: SystemActions } {
  const { platform } = process
  return {
    system: systemActions(platform),
    logDir: logFiles === null ? null : config.logDir,
    autostart: createAutostart({
      platform,
      executable: isPackaged() ? process.execPath : null,
      dataDir: config.dataDirIsGiven ? config.dataDir : null,
      configHome: config.configHome,
      home: config.home,
    }),
  }
}

type Shown = Omit<DesktopPorts, 'platform' | 'clock' | 'helperFile' | 'icon'>

/** Shows the program in the tray, where there is a screen and something to show it with. Null where there is not. */
export function showInTray({ hasScreen }: Config, ports: Shown): { stop(): Promise<void> } | null {
  const helper = trayHelperFile()
  if (helper === null || !hasScreen) {
    const why = 'There is no icon in the tray: there is no screen, or no program to show it on this machine type.'
    ports.log.info({}, why)
    return null
  }
  return startDesktop({
    ...ports,
    platform: process.platform,
    clock: () => new Date(),
    icon: trayIcon,
    helperFile() {
      verifyNative('traybin')
      return helper
    },
  })
}

/** Panels of Windows are dark unless told otherwise, macOS draws in its own colour, and those of Linux are of every colour. */
function trayIcon(drawing: string): Buffer {
  const suffix = { win32: '-light.ico', darwin: '-dark.png' }[process.platform as string] ?? '-outlined.png'
  const icon = readAsset(`tray/${drawing}${suffix}`)
  if (icon === undefined) throw new Error(`The program lacks its icon for the tray: ${drawing}${suffix}.`)
  return icon
}
