import { createHash } from 'node:crypto'
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { icons, product } from '../../build.config.ts'
import { programPng } from '../lib/icons.ts'
import { projectRoot } from '../lib/node-runner.mjs'
import type { InstallerParts } from './installers.ts'
import { filledIn } from './template.ts'
import { runTool, whyMissing } from './tools.ts'

/** Debian's words for the processors. */
const architectures = { x64: 'amd64', arm64: 'arm64' } as const

/** talekeeper_<version>_<architecture>.deb, by dpkg-deb (Debian Policy 4.6.2). */
export async function makeDebianPackage(parts: InstallerParts): Promise<string | null> {
  const { target, version, folder, releaseFolder, workFolder } = parts
  const missing = whyMissing('dpkg-deb', 'the Debian package')
  if (missing !== null) return missing
  const root = path.join(workFolder, 'root')
  const debianVersion = version.replace('-', '~')
  const architecture = architectures[target.cpu]

  placeProgram(folder, path.join(root, 'usr/lib/talekeeper'))
  mkdirSync(path.join(root, 'usr/bin'), { recursive: true })
  symlinkSync('../lib/talekeeper/talekeeper', path.join(root, 'usr/bin/talekeeper'))
  await placeDesktopEntry(root)
  const put = (file: string, content: string | Uint8Array): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), content, { mode: 0o644 })
  }
  put('usr/lib/systemd/system/talekeeper.service', systemUnit())
  put('usr/lib/systemd/user/talekeeper.service', filledIn('debian/user.service'))
  put('etc/default/talekeeper', filledIn('debian/default'))
  put('usr/share/man/man1/talekeeper.1.gz', packed(filledIn('debian/talekeeper.1', { VERSION: version, DATE: day() })))
  put('usr/share/doc/talekeeper/copyright', filledIn('debian/copyright', { LICENSE: licenseText() }))
  put('usr/share/doc/talekeeper/changelog.gz', packed(changelog(debianVersion)))
  put('usr/share/doc/talekeeper/LICENSES.gz', packed(readFileSync(path.join(folder, 'LICENSES'))))
  put('usr/share/lintian/overrides/talekeeper', filledIn('debian/lintian-overrides'))

  const files = globSync('**/*', { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort()
  put('DEBIAN/conffiles', filledIn('debian/conffiles'))
  put(
    'DEBIAN/md5sums',
    md5sums(
      root,
      files.filter((file) => !file.startsWith('etc/')),
    ),
  )
  const kibibytes = files.reduce((sum, file) => sum + Math.ceil(statSync(path.join(root, file)).size / 1024), 0)
  put(
    'DEBIAN/control',
    filledIn('debian/control', {
      VERSION: debianVersion,
      ARCHITECTURE: architecture,
      MAINTAINER: product.maintainer,
      SIZE: String(kibibytes),
      RECOMMENDS: target.trayHelper === undefined ? 'xdg-utils' : 'libayatana-appindicator3-1, xdg-utils',
    }),
  )
  for (const script of ['postinst', 'prerm', 'postrm']) {
    put(`DEBIAN/${script}`, filledIn(`debian/${script}`))
    chmodSync(path.join(root, 'DEBIAN', script), 0o755)
  }
  setFolderModes(root)
  const file = path.join(releaseFolder, `talekeeper_${debianVersion}_${architecture}.deb`)
  runTool('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', root, file])
  return null
}

/** Everything but the licenses, which Debian wants among the documents. Only programs are executable. */
function placeProgram(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const entry of globSync('**/*', { cwd: from, withFileTypes: true })) {
    const file = path.relative(from, path.join(entry.parentPath, entry.name))
    if (!entry.isFile() || file === 'LICENSES') continue
    mkdirSync(path.dirname(path.join(to, file)), { recursive: true })
    cpSync(path.join(from, file), path.join(to, file))
    chmodSync(path.join(to, file), file === 'talekeeper' || file.startsWith('traybin') ? 0o755 : 0o644)
  }
}

async function placeDesktopEntry(root: string): Promise<void> {
  const share = path.join(root, 'usr/share')
  const themed = path.join(share, 'icons/hicolor')
  mkdirSync(path.join(share, 'applications'), { recursive: true })
  writeFileSync(path.join(share, 'applications/talekeeper.desktop'), filledIn('debian/talekeeper.desktop'), {
    mode: 0o644,
  })
  for (const size of icons.program.linuxSizes) {
    const folder = path.join(themed, `${size}x${size}`, 'apps')
    mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, 'talekeeper.png'), await programPng(size), { mode: 0o644 })
  }
  const scalable = path.join(themed, 'scalable/apps')
  mkdirSync(scalable, { recursive: true })
  cpSync(path.join(projectRoot, icons.folder, 'talekeeper.svg'), path.join(scalable, 'talekeeper.svg'))
  chmodSync(path.join(scalable, 'talekeeper.svg'), 0o644)
}

/** Its system call filter is written with the very sign that marks what is filled in elsewhere. */
function systemUnit(): string {
  return readFileSync(path.join(projectRoot, 'installer/debian/system.service'), 'utf8')
}

function licenseText(): string {
  const text = readFileSync(path.join(projectRoot, 'LICENSE'), 'utf8')
  const [, terms = ''] = text.split(/^Copyright .*$/m)
  return terms
    .trim()
    .split('\n')
    .map((line) => (line === '' ? ' .' : ` ${line}`))
    .join('\n')
}

function changelog(version: string): string {
  const date = new Date().toUTCString().replace('GMT', '+0000')
  return `talekeeper (${version}) unstable; urgency=medium\n\n  * Release ${version}.\n\n -- ${product.maintainer}  ${date}\n`
}

function md5sums(root: string, files: readonly string[]): string {
  return files
    .map(
      (file) =>
        `${createHash('md5')
          .update(readFileSync(path.join(root, file)))
          .digest('hex')}  ${file}\n`,
    )
    .join('')
}

/** Without the name and time that gzip would note. */
function packed(content: string | Uint8Array): Uint8Array {
  return gzipSync(content, { level: 9 })
}

function day(): string {
  return new Date().toISOString().slice(0, 10)
}

/** Whatever the umask of whoever packages is. */
function setFolderModes(root: string): void {
  chmodSync(root, 0o755)
  for (const entry of globSync('**/*', { cwd: root, withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(path.join(entry.parentPath, entry.name), 0o755)
  }
}
