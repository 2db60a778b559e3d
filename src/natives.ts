import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { installDir, isPackaged, readAsset } from './assets.ts'

/** Asset with what the build put beside the executable: SHA-256 and size of every file, by the group that loads them. */
const HASH_LIST = 'natives.json'

type HashList = Readonly<Record<string, Readonly<Record<string, { readonly size: number; readonly sha256: string }>>>>

let hashList: HashList | undefined
const verified = new Set<string>()

/**
 * Holds one group of native files ('better-sqlite3', 'argon2', 'sharp' or 'traybin') against the hashes in the
 * executable. The bundle calls it before it loads a native package, so each is read at most once and only when used;
 * whoever starts the tray helper calls it for 'traybin'. Outside the executable there is nothing to check.
 * @throws Error when a file is missing or differs: the group must not be loaded then.
 */
export function verifyNative(group: string): void {
  if (!isPackaged() || verified.has(group)) return
  const files = readHashList()[group]
  if (files === undefined) throw new Error(`The executable knows no native files of the name ${group}.`)
  for (const [name, expected] of Object.entries(files)) {
    const content = readInstalled(name)
    if (content?.length !== expected.size || hash('sha256', content) !== expected.sha256) throw damaged(name)
  }
  verified.add(group)
}

/**
 * A quick look at start: every native file is there and has its size (about a millisecond). The
 * hashes are checked by verifyNative.
 * @throws Error naming the first file that is missing or differs.
 */
export function verifyNatives(): void {
  if (!isPackaged()) return
  for (const [name, expected] of Object.values(readHashList()).flatMap(Object.entries)) {
    if (statSync(path.join(installDir(), name), { throwIfNoEntry: false })?.size !== expected.size) throw damaged(name)
  }
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

function damaged(name: string): Error {
  return new Error(
    `${path.join(installDir(), name)} is missing or not the file that belongs to this version. Install Talekeeper again.`,
  )
}
