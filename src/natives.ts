import { hash } from 'node:crypto'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { installDir, isPackaged, readAsset } from './assets.ts'

/** Asset with what the build put beside the executable: SHA-256 and size of every file, by the group that loads them. */
const HASH_LIST = 'natives.json'
/** Group of the program that shows the tray icon. */
const TRAY_GROUP = 'traybin'

type HashList = Readonly<Record<string, Readonly<Record<string, { readonly size: number; readonly sha256: string }>>>>

/** A file that came with the program is missing or another one. Its message says in words what to do. */
export class DamagedInstallation extends Error {}

let hashList: HashList | undefined
const verified = new Set<string>()

/**
 * Holds one group of native files ('better-sqlite3', 'argon2', 'sharp' or 'traybin') against the hashes in the
 * executable. The bundle calls it before it loads a native package, so each is read at most once and only when used;
 * whoever starts the tray helper calls it for 'traybin'. Outside the executable there is nothing to check.
 * @throws DamagedInstallation when a file is missing or differs: the group must not be loaded then.
 */
export function verifyNative(group: string): void {
  if (!isPackaged() || verified.has(group)) return
  const files = readHashList()[group]
  if (files === undefined) throw new Error(`There is no ${group} for this machine type.`)
  for (const [name, expected] of Object.entries(files)) {
    const content = readInstalled(name)
    if (content?.length !== expected.size || hash('sha256', content) !== expected.sha256) throw damaged(name)
  }
  verified.add(group)
}

/**
 * A quick look at start: every file that Talekeeper cannot do without is there and has its size (about a millisecond).
 * The hashes are checked by verifyNative, and so is the tray helper: without it everything else works.
 * @throws DamagedInstallation naming the first file that is missing or differs.
 */
export function verifyNatives(): void {
  if (!isPackaged()) return
  for (const [group, files] of Object.entries(readHashList())) {
    if (group === TRAY_GROUP) continue
    for (const [name, { size }] of Object.entries(files)) {
      if (statSync(path.join(installDir(), name), { throwIfNoEntry: false })?.size !== size) throw damaged(name)
    }
  }
}

/** Names of the groups that this executable has; none outside it. */
export function nativeGroups(): readonly string[] {
  return isPackaged() ? Object.keys(readHashList()) : []
}

/** The program that shows the tray icon, absolute; null where there is none for this machine type. Verify it before use. */
export function trayHelperFile(): string | null {
  const names = isPackaged()
    ? Object.keys(readHashList()[TRAY_GROUP] ?? {})
    : globSync('build/traybin/*', { cwd: installDir() })
  return names[0] === undefined ? null : path.join(installDir(), names[0])
}

function readHashList(): HashList {
  if (hashList === undefined) {
    const content = readAsset(HASH_LIST)
    if (content === undefined) throw new Error('The executable does not hold the hashes of its native files.')
    hashList = JSON.parse(content.toString()) as HashList
  }
  return hashList
}

function readInstalled(name: string): Buffer | undefined {
  try {
    return readFileSync(path.join(installDir(), name))
  } catch {
    return undefined
  }
}

function damaged(name: string): DamagedInstallation {
  const file = path.join(installDir(), name)
  return new DamagedInstallation(
    existsSync(file)
      ? `${file} is not the file that belongs to this version. Install Talekeeper again.`
      : `${file} is missing. Install Talekeeper again; if it goes missing once more, look into the quarantine of your antivirus program.`,
  )
}
