/** What can be chosen in the tray; a line is null. */
export const trayLayout = [
  'open',
  'phones',
  'notices',
  'status',
  null,
  'backUp',
  'lastBackup',
  'backupFolder',
  null,
  'connect',
  'copyAddress',
  null,
  'startAtLogin',
  'lan',
  'logs',
  null,
  'quit',
] as const

export type TrayEntry = Exclude<(typeof trayLayout)[number], null>

export interface TrayState {
  readonly platform: NodeJS.Platform
  readonly version: string
  /** Where this machine reaches the server. */
  readonly address: string
  /** Where other devices do; null where they do not. */
  readonly lanAddress: string | null
  /** How many have the app open. */
  readonly people: number
  readonly lastBackupAt: string | null
  /** The work on a backup that runs now; bytes, 0 in total where nobody can tell. */
  readonly work: { readonly done: number; readonly total: number } | null
  /** What whoever keeps the server has to know. */
  readonly notices: readonly string[]
  readonly lan: boolean
  /** The environment says whether phones may come in. */
  readonly lanIsGiven: boolean
  /** Null where it cannot be switched here. */
  readonly startAtLogin: boolean | null
  readonly logDir: string | null
  readonly isStopping: boolean
}

export interface TrayWords {
  readonly title: string
  readonly enabled: boolean
  /** Null for what is no switch. */
  readonly checked: boolean | null
  readonly hidden: boolean
}

/** The menu as it has to be in this state. */
export function trayMenu(state: TrayState, now: Date): Readonly<Record<TrayEntry, TrayWords>> {
  const entry = (title: string, more: Partial<TrayWords> = {}): TrayWords => ({
    title,
    enabled: !state.isStopping,
    checked: null,
    hidden: false,
    ...more,
  })
  const { notices, work, startAtLogin, lan, lanIsGiven, lanAddress, logDir } = state
  const [first = '', ...others] = notices
  return {
    open: entry('Open Talekeeper'),
    phones: entry('Show players’ QR'),
    notices: entry(others.length === 0 ? cut(first, 60) : `${notices.length} things to see to`, {
      hidden: notices.length === 0,
    }),
    // Panels on Linux show no tooltip.
    status: entry(statusOf(state), { enabled: false, hidden: state.platform !== 'linux' }),
    backUp: entry(work === null ? 'Back up now' : `Backing up${percentOf(work)}`, {
      enabled: work === null && !state.isStopping,
    }),
    lastBackup: entry(lastBackup(state, now), { enabled: false }),
    backupFolder: entry('Open backup folder'),
    connect: entry('Connect an AI…'),
    copyAddress: entry('Copy LAN address', { enabled: lanAddress !== null && !state.isStopping }),
    startAtLogin: entry('Start at login', { checked: startAtLogin ?? false, hidden: startAtLogin === null }),
    lan: entry('Allow phones on this network', { checked: lan, enabled: !lanIsGiven && !state.isStopping }),
    logs: entry('View logs', { hidden: logDir === null }),
    quit: entry('Quit'),
  }
}

/** Windows cuts a tooltip behind 127 characters. */
const mostTooltip = 127

/** The picture of a state, and what stands beside it when the pointer rests there. */
export function trayPicture(state: TrayState): {
  readonly drawing: 'ok' | 'warning' | 'stopped'
  readonly tooltip: string
} {
  const { version, notices, isStopping } = state
  const lines = [`Talekeeper ${version}`, statusOf(state), ...notices.slice(0, 1)]
  return {
    drawing: isStopping ? 'stopped' : notices.length > 0 ? 'warning' : 'ok',
    tooltip: cut(lines.join('\n'), mostTooltip),
  }
}

function statusOf({ address, lanAddress, people, isStopping }: TrayState): string {
  if (isStopping) return 'Closing'
  const place = (lanAddress ?? address).replace(/^https?:\/\//, '')
  const online = people === 0 ? 'nobody' : people === 1 ? 'one person' : `${people} people`
  return `${place}, ${online} online`
}

function lastBackup({ lastBackupAt }: TrayState, now: Date): string {
  return lastBackupAt === null ? 'No backup yet' : `Last backup: ${ago(lastBackupAt, now)}`
}

function percentOf({ done, total }: NonNullable<TrayState['work']>): string {
  return total > 0 ? `: ${Math.min(100, Math.floor((done / total) * 100))} %` : '…'
}

/** `just now`, `5 min ago`, `3 h ago`, `9 days ago`. */
function ago(iso: string, now: Date): string {
  const minutes = Math.floor((now.getTime() - Date.parse(iso)) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${hours} h ago`
  return `${Math.floor(hours / 24)} days ago`
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}
