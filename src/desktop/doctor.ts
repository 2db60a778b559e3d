import {
  type Check,
  databaseFile,
  type ExaminedSettings,
  type Finding,
  folder,
  freePort,
  freeSpace,
  trayHelper,
} from './doctor-checks.ts'
import { wasLocked } from './folder-lock.ts'
import { type Claim, claimDataDir } from './instance.ts'

export interface Examination {
  /** False when something is broken. */
  readonly ok: boolean
  readonly version: string
  readonly system: string
  readonly checks: readonly Check[]
}

export interface DoctorParts {
  readonly version: string
  readonly platform: NodeJS.Platform
  readonly arch: string
  /** Throws with a sentence for each value that cannot be used. */
  readSettings(): ExaminedSettings
  /** What lies beside the executable; no groups where the sources run. */
  readonly files: {
    readonly groups: readonly string[]
    /** Throws when a file of the group is missing or not the one that was made for this version. */
    verify(group: string): void
    /** The program that shows the tray icon, where one belongs to the executable. */
    readonly trayHelper: string | null
  }
  /** Each loads one part and does one thing with it. Resolves to a sentence about that, or rejects. */
  readonly tries: Readonly<Record<string, () => Promise<string>>>
  /** What shows that a server has worked in a folder. */
  readonly tracesOfUse: (dataDir: string) => readonly string[]
  /** Opens a database without changing it. Returns a sentence; throws when it cannot be used. */
  examineDatabase(file: string): string
}

/** The group of the tray helper among the files beside the executable. */
const trayGroup = 'traybin'

/**
 * `talekeeper doctor`: looks at everything that Talekeeper stands on and says in words what is broken. Nothing is
 * changed; what is written to try a folder out is removed. Never throws: what goes wrong is a finding.
 */
export async function examine(parts: DoctorParts): Promise<Examination> {
  const { version, platform, arch, files, tries } = parts
  const checks: Check[] = []
  const look = async (name: string, find: () => Finding | Promise<Finding>): Promise<void> => {
    checks.push({ name, ...(await finding(find)) })
  }
  for (const group of files.groups.filter((each) => each !== trayGroup)) {
    await look(`files of ${group}`, () => verified(parts, group))
  }
  for (const [name, attempt] of Object.entries(tries)) await look(name, attempt)
  const settings = attemptTo(() => parts.readSettings())
  await look('tray helper', () => {
    if (files.groups.includes(trayGroup)) files.verify(trayGroup)
    return trayHelper(files.trayHelper, { platform, arch, hasScreen: settings.value?.hasScreen ?? false })
  })
  if (settings.value === null) checks.push({ name: 'settings', verdict: 'broken', message: settings.error })
  else await examineInstallation(parts, settings.value, look)
  return {
    ok: !checks.some(({ verdict }) => verdict === 'broken'),
    version,
    system: `${platform} ${arch}`,
    checks,
  }
}

/** The examination for people: a line for each check, and a last one that sums up. */
export function examinationText({ version, system, checks }: Examination): string {
  const width = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.map(({ name, verdict, message }) => {
    const margin = `\n${' '.repeat(width + 11)}`
    return `${verdict.padEnd(8)} ${name.padEnd(width)}  ${message.replaceAll('\n', margin)}`
  })
  const broken = checks.filter(({ verdict }) => verdict === 'broken').map(({ name }) => name)
  const sum = broken.length === 0 ? 'Nothing is broken.' : `Broken: ${broken.join(', ')}.`
  return [`Talekeeper ${version} on ${system}`, '', ...lines, '', sum].join('\n')
}

type Look = (name: string, find: () => Finding | Promise<Finding>) => Promise<void>

/** Everything that needs the settings: the data folder and what is in it, the disk, the port. */
async function examineInstallation(parts: DoctorParts, settings: ExaminedSettings, look: Look): Promise<void> {
  const { dataDir, backup } = settings
  let claim: Claim | null = null
  await look('settings', () => {
    const { problems } = settings.settings.file
    return problems.length === 0 ? 'They can all be used.' : { verdict: 'warning', message: problems.join('\n') }
  })
  try {
    await look('data folder', async () => {
      const found = folder(dataDir, 'It is made at the first start.')
      // The claim keeps a server from starting while its port and its database are looked at.
      // In a folder that nobody has locked yet it would leave the lock's file behind.
      if (typeof found === 'string' && wasLocked(dataDir)) claim = await claimDataDir(dataDir, { work: 'doctor' })
      return found
    })
    const running = runningAddress(claim)
    await look('database', () => databaseFile(dataDir, running, parts))
    await look('disk', () => freeSpace(dataDir, backup.minFreeBytes))
    await look('port', () => (running === null ? freePort(settings) : `Talekeeper is running, at ${running}/`))
    await look('backup folder', () => folder(backup.dir, 'It is made with the first backup.'))
  } finally {
    release(claim)
  }
}

function runningAddress(claim: Claim | null): string | null {
  return claim?.kind === 'running' ? claim.running.address : null
}

function release(claim: Claim | null): void {
  if (claim?.kind === 'mine') claim.instance.release()
}

function verified({ files }: DoctorParts, group: string): Finding {
  files.verify(group)
  return 'As they were made for this version.'
}

async function finding(find: () => Finding | Promise<Finding>): Promise<Omit<Check, 'name'>> {
  try {
    const found = await find()
    return typeof found === 'string' ? { verdict: 'ok', message: found } : found
  } catch (error) {
    return { verdict: 'broken', message: messageOf(error) }
  }
}

function attemptTo<T>(get: () => T): { readonly value: T } | { readonly value: null; readonly error: string } {
  try {
    return { value: get() }
  } catch (error) {
    return { value: null, error: messageOf(error) }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
