import { createHash } from 'node:crypto'
import { createReadStream, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Target, type TargetName, targets } from '../../build.config.ts'
import { projectRoot } from '../lib/node-runner.mjs'
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

const releaseFolder = path.join(projectRoot, 'dist', 'release')
const hashFile = 'SHA256SUMS'

/** Makes everything that one machine type is installed with. Returns a line for each that could not be made. */
export async function makeInstallers(name: TargetName, folder: string, version: string): Promise<readonly string[]> {
  const target: Target = targets[name]
  mkdirSync(releaseFolder, { recursive: true })
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

/** Empties the release folder: it holds the files of one run. */
export function clearRelease(): void {
  rmSync(releaseFolder, { recursive: true, force: true })
}

/** Writes SHA256SUMS about everything in the release folder, as `sha256sum --check` reads it, and says what is there. */
export async function writeHashes(): Promise<void> {
  const names = readdirSync(releaseFolder).sort()
  const lines: string[] = []
  for (const name of names) {
    const file = path.join(releaseFolder, name)
    const hash = createHash('sha256')
    await pipeline(createReadStream(file), hash)
    lines.push(`${hash.digest('hex')}  ${name}\n`)
    console.log(`${path.relative(projectRoot, file)}: ${(statSync(file).size / 2 ** 20).toFixed(1)} MiB`)
  }
  writeFileSync(path.join(releaseFolder, hashFile), lines.join(''))
}
