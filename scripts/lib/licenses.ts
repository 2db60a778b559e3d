// The file LICENSES: what Talekeeper is distributed with, and under which terms.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Metafile } from 'esbuild'
import { docs, natives, type Target, targets, web } from '../../build.config.ts'
import { projectRoot } from './node-runner.mjs'

interface Component {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly texts: readonly string[]
}

/** Text that stands in for a license file where a package only names its license in the lock file. */
const NO_TEXT = 'The package has no license file of its own.'

/** Terms that ask for more than their text. */
const NOTES: Readonly<Record<string, string>> = {
  sharp: `The folder natives/node_modules/@img holds libvips and what it is built with, as one shared library. libvips, glib,
pango, librsvg and others in it, named further up, are used under the terms of the GNU Lesser General Public License,
version 3; its text and that of the GNU General Public License are at the end of this file. They are unchanged builds of
the project "sharp-libvips" of the sharp maintainers, which publishes the sources and how they were built. You may
replace them: Talekeeper loads only what it was packaged with, so put your build in the place of the installed one in
Talekeeper's own source and make the executable again with "npm run package".`,
}

/** Files of scripts/licenses: what is in a program that comes with a package, and texts that the notes name. */
const LICENSE_TEXTS = ['tray-helper.txt', 'unicode.txt', 'LGPL-3.0.txt', 'GPL-3.0.txt']

/** The whole text, from the packages whose code is in the bundles and those that lie beside the executable. */
export function licensesText(metafiles: readonly Metafile[]): string {
  const components = packageNames(metafiles).map(readComponent)
  const own = readFileSync(path.join(projectRoot, 'LICENSE'), 'utf8').trim()
  const parts = [
    `Talekeeper\n\n${own}`,
    'Talekeeper is made with the software below.',
    components.map((item) => `${item.name} ${item.version} (${item.license})`).join('\n'),
    ...components.map((item) => [`${item.name} ${item.version} (${item.license})`, ...item.texts].join('\n\n')),
    ...fontLicenses(),
    ...LICENSE_TEXTS.map((file) => readFileSync(path.join(projectRoot, 'scripts', 'licenses', file), 'utf8').trim()),
  ]
  return `${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

/** This machine's type. */
const here: Target =
  Object.values<Target>(targets).find(({ os, cpu }) => os === process.platform && cpu === process.arch) ??
  targets['linux-x64']

function packageNames(metafiles: readonly Metafile[]): readonly string[] {
  const names = new Set<string>([docs.package, 'systray2', here.nodePackage])
  for (const input of metafiles.flatMap((metafile) => Object.keys(metafile.inputs))) {
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]
    if (name !== undefined) names.add(name)
  }
  for (const packages of Object.values(natives)) {
    for (const name of Object.keys(packages)) {
      // Named for one machine type; what they hold is the same for each, and one of them is installed here.
      if (here.absent?.[name] === undefined) names.add(name.replaceAll('{os}', here.os).replaceAll('{cpu}', here.cpu))
    }
  }
  return [...names].sort()
}

function readComponent(name: string): Component {
  const folder = path.join(projectRoot, 'node_modules', name)
  const lock = lockEntry(name)
  const files = existsSync(folder)
    ? readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice|.*\.license\.txt$)/i.test(file))
    : []
  const texts = files.sort().map((file) => readFileSync(path.join(folder, file), 'utf8').trim())
  // They hold libraries of others, which are named there.
  if (name.startsWith('@img/sharp-')) texts.push(readFileSync(path.join(folder, 'README.md'), 'utf8').trim())
  const note = NOTES[name]
  return {
    name: name === here.nodePackage ? 'Node.js' : name,
    version: lock.version,
    license: lock.license ?? 'see below',
    texts: [...(note === undefined ? [] : [note]), ...(texts.length > 0 ? texts : [NO_TEXT])],
  }
}

interface LockEntry {
  readonly version: string
  readonly license?: string
}

function lockEntry(name: string): LockEntry {
  const lock: { packages: Record<string, LockEntry> } = JSON.parse(
    readFileSync(path.join(projectRoot, 'package-lock.json'), 'utf8'),
  )
  const entry = lock.packages[`node_modules/${name}`]
  if (entry === undefined) throw new Error(`${name} is in the build but not in package-lock.json.`)
  return entry
}

function fontLicenses(): readonly string[] {
  const file = path.join(projectRoot, web.fontLicense)
  return existsSync(file) ? [`Fonts\n\n${readFileSync(file, 'utf8').trim()}`] : []
}
