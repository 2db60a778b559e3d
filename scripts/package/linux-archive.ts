import { chmodSync, cpSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { create } from 'tar'
import type { InstallerParts } from './installers.ts'
import { filledIn } from './template.ts'

/** talekeeper-<version>-linux-<cpu>.tar.gz: the folder as it is, to be unpacked anywhere. */
export async function makeLinuxArchive({
  name,
  version,
  folder,
  releaseFolder,
  workFolder,
}: InstallerParts): Promise<null> {
  const root = `talekeeper-${version}`
  cpSync(folder, path.join(workFolder, root), { recursive: true })
  writeFileSync(path.join(workFolder, root, 'README.txt'), filledIn('linux/README.txt', { VERSION: version }))
  await writeArchive(path.join(releaseFolder, `talekeeper-${version}-${name}.tar.gz`), workFolder, [root])
  return null
}

/** Writes a .tar.gz that names no user of this machine. */
export async function writeArchive(file: string, folder: string, entries: readonly string[]): Promise<void> {
  await create({ file, cwd: folder, gzip: { level: 9 }, portable: true }, [...entries])
  chmodSync(file, 0o644)
}
