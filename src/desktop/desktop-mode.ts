import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Archive } from '../archive/archive.ts'
import { Failure } from '../kernel/errors.ts'
import type { Settings } from '../kernel/settings.ts'
import type { Autostart } from './autostart.ts'
import type { SystemActions } from './system-actions.ts'
import { startTray, type Tray, type TrayParts } from './tray.ts'
import type { TrayState } from './tray-menu.ts'

/** What the desktop gets of the server. */
export interface DesktopPorts
  extends Pick<TrayParts, 'platform' | 'helperFile' | 'icon' | 'clock' | 'log' | 'againMs'> {
  readonly version: string
  readonly system: SystemActions
  readonly autostart: Autostart | null
  readonly logDir: string | null
  /** Where this machine reaches the server, without a slash at the end. */
  address(): string
  /** The first page: that of the set-up, with its code, as long as it is to be done. */
  home(): string
  /** Where other devices reach it; null where they do not. */
  lanAddress(): string | null
  people(): number
  readonly archive: Pick<Archive, 'status' | 'watch' | 'scheduled'>
  readonly settings: Settings
  /** Ends the program in good order. */
  quit(): void
}

/** The pages that entries of the tray lead to. */
const pages = { phones: '/admin/appliance', notices: '/admin/backups', connect: '/account/connect' } as const

const progressEveryMs = 500

/** The program as it sits in the tray of a desktop. Returns how to take it out of there. */
export function startDesktop(ports: DesktopPorts): { stop(): Promise<void> } {
  const { archive, settings, system, autostart, logDir } = ports
  let isStopping = false
  let work: TrayState['work'] = null
  let tray: Tray | undefined
  let waiting: NodeJS.Timeout | undefined

  const unwatchWork = archive.watch((current) => {
    const was = work
    work = current && { done: current.done, total: current.total }
    // At once when it begins and ends; in between it moves faster than anybody looks.
    if (was === null || work === null) tray?.refresh()
    else
      waiting ??= setTimeout(() => {
        waiting = undefined
        tray?.refresh()
      }, progressEveryMs).unref()
  })
  const unwatchSettings = settings.watch(() => tray?.refresh())

  const state = async (): Promise<TrayState> => {
    const { backup } = await archive.status()
    const lan = settings.states().lan
    return {
      platform: ports.platform,
      version: ports.version,
      address: ports.address(),
      lanAddress: ports.lanAddress(),
      people: ports.people(),
      lastBackupAt: backup.cadence.lastSuccessAt,
      work,
      notices: backup.alerts.map(({ message }) => message),
      lan: lan.value,
      lanIsGiven: lan.source === 'environment',
      startAtLogin: (await autostart?.isOn()) ?? null,
      logDir,
      isStopping,
    }
  }

  const backUp = async (): Promise<void> => {
    try {
      const made = await archive.scheduled.runNow(undefined, 'by-hand')
      await system.notify('Kept safe', `${path.basename(made.path)} was made and read back.`)
      await system.reveal(made.path)
    } catch (error) {
      const why = error instanceof Failure ? error.message : 'The log says why.'
      await system.notify('The backup was not made', why)
      throw error
    }
  }

  const openPage = (page: string) => (): Promise<void> => system.open(`${ports.address()}${page}`)
  tray = startTray({
    platform: ports.platform,
    helperFile: ports.helperFile,
    icon: ports.icon,
    clock: ports.clock,
    log: ports.log,
    ...(ports.againMs === undefined ? {} : { againMs: ports.againMs }),
    state,
    actions: {
      open: () => system.open(ports.home()),
      phones: openPage(pages.phones),
      notices: openPage(pages.notices),
      backUp,
      async backupFolder() {
        const folder = settings.get().backupDir
        // It is made with the first backup; until then its place is shown.
        await system.open(existsSync(folder) ? folder : path.dirname(folder))
      },
      connect: openPage(pages.connect),
      async copyAddress() {
        const address = ports.lanAddress()
        if (address === null) return
        if (await system.copy(`${address}/`)) await system.notify('Copied', `${address}/`)
        // No program here keeps a clipboard: the page shows it.
        else await openPage(pages.phones)()
      },
      async startAtLogin() {
        await autostart?.set(!(await autostart.isOn()))
      },
      lan: () => void settings.change({ lan: !settings.get().lan }),
      async logs() {
        if (logDir !== null) await system.open(logDir)
      },
      quit: ports.quit,
    },
  })
  return {
    async stop() {
      isStopping = true
      unwatchWork()
      unwatchSettings()
      clearTimeout(waiting)
      await tray.stop()
    },
  }
}
