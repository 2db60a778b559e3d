import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { programIco, setUpSidebar } from '../lib/icons.ts'
import { projectRoot } from '../lib/node-runner.mjs'
import type { InstallerParts } from './installers.ts'
import { runTool, whyMissing } from './tools.ts'
import { numericVersion } from './windows-executable.ts'

/** talekeeper-<version>-win-x64-setup.exe, by NSIS. */
export async function makeWindowsSetup(parts: InstallerParts): Promise<string | null> {
  const { name, target, version, folder, releaseFolder, workFolder } = parts
  const missing = whyMissing('makensis', 'the set-up for Windows')
  if (missing !== null) return missing
  const icon = path.join(workFolder, 'talekeeper.ico')
  writeFileSync(icon, await programIco())
  const sidebar = path.join(workFolder, 'sidebar.bmp')
  writeFileSync(sidebar, await setUpSidebar())
  const values = {
    VERSION: version,
    NUMBERS: numericVersion(version),
    SOURCE: folder,
    OUTPUT: path.join(releaseFolder, `talekeeper-${version}-${name}-setup.exe`),
    ICON: icon,
    SIDEBAR: sidebar,
    TRAY: target.trayHelper ?? '',
  }
  runTool('makensis', [
    '-V2',
    ...Object.entries(values).map(([mark, value]) => `-D${mark}=${value}`),
    path.join(projectRoot, 'installer', 'windows', 'setup.nsi'),
  ])
  return null
}
