import { createHash } from 'node:crypto'
import { createReadStream, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Target, type TargetName, targets } from '../../build.config.ts'
import { makeDebianPackage } from './debian-package.ts'
import { makeLinuxArchive } from './linux-archive.ts'
import { makeMacArchive } from './mac-application.ts'
import { makeWindowsSetup } from './windows-setup.ts'

/** What each of them is made from. */
export interface InstallerParts {
  readonly name: TargetName
  readonly target: Target
  readonly version: string
  /** The folder with the executable. */
  readonly folder: string
  /** Where the file goes. */
  readonly releaseFolder: string
  /** A folder of its own for what lies in between. */
  readonly workFolder: string
}

/** Makes one file in the release folder; or, without the program that makes it, answers a line about that. */
export type MakeInstaller = (parts: InstallerParts) => Promise<string | null>

const installers: Readonly<Record<Target['os'], readonly MakeInstaller[]>> = {
  linux: [makeLinuxArchive, makeDebianPackage],
  win32: [makeWindowsSetup],
  darwin: [makeMacArchive],
}

/** Makes everything that one machine type is installed with. Returns a line for each that could not be made. */
export async function makeInstallers(
  name: TargetName,
  folder: string,
  version: string,
  releaseFolder: string,
): Promise<readonly string[]> {
  const target: Target = targets[name]
  const missing: string[] = []
  for (const make of installers[target.os]) {
    const workFolder = mkdtempSync(path.join(tmpdir(), 'talekeeper-installer-'))
    try {
      const line = await make({ name, target, version, folder, releaseFolder, workFolder })
      if (line !== null) missing.push(line)
    } finally {
      rmSync(workFolder, { recursive: true, force: true })
    }
  }
  return missing
}

/**
 * Writes SHA256SUMS about everything in a folder, as `sha256sum --check` reads it.
 * @returns name -> size in bytes of what is there
 */
export async function writeHashes(releaseFolder: string): Promise<Readonly<Record<string, number>>> {
  const sizes: Record<string, number> = {}
  const lines: string[] = []
  for (const name of readdirSync(releaseFolder).sort()) {
    const file = path.join(releaseFolder, name)
    const hash = createHash('sha256')
    await pipeline(createReadStream(file), hash)
    lines.push(`${hash.digest('hex')}  ${name}\n`)
    sizes[name] = statSync(file).size
  }
  writeFileSync(path.join(releaseFolder, 'SHA256SUMS'), lines.join(''))
  return sizes
}
