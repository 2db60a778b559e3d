import { createHash } from 'node:crypto'
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { product, type Target } from '../../build.config.ts'
import { programIcns } from '../lib/icons.ts'
import type { InstallerParts } from './installers.ts'
import { writeArchive } from './linux-archive.ts'
import { readMachO, signAdHoc } from './mach-o.ts'
import { filledIn } from './template.ts'
import { numericVersion } from './windows-executable.ts'

/** talekeeper-<version>-darwin-<cpu>.tar.gz: the application, its login item and what to do with them. */
export async function makeMacArchive(parts: InstallerParts): Promise<null> {
  const { name, target, version, releaseFolder, workFolder } = parts
  const oldestSystem = await makeApplication(parts, path.join(workFolder, `${product.name}.app`))
  const values = { ...marks(target, version), OLDEST_SYSTEM: oldestSystem, ROSETTA: rosetta(target) }
  writeFileSync(path.join(workFolder, 'README.txt'), filledIn('macos/README.txt', values))
  writeFileSync(path.join(workFolder, `${product.identifier}.plist`), filledIn('macos/login-item.plist', values))
  await writeArchive(path.join(releaseFolder, `talekeeper-${version}-${name}.tar.gz`), workFolder, [
    `${product.name}.app`,
    `${product.identifier}.plist`,
    'README.txt',
  ])
  return null
}

/**
 * Makes the application and seals it: its executable's signature vouches for Info.plist and for a list of hashes of all
 * other files. Without the seal macOS calls a downloaded application damaged, and offers no way to open it.
 * @returns the oldest macOS that runs it
 */
async function makeApplication({ target, version, folder }: InstallerParts, application: string): Promise<string> {
  const contents = path.join(application, 'Contents')
  const resources = path.join(contents, 'Resources')
  mkdirSync(path.join(contents, 'MacOS'), { recursive: true })
  cpSync(folder, resources, { recursive: true })
  const executable = path.join(contents, 'MacOS', target.executable)
  // What lies beside the executable must be signed code each, so everything else is a resource.
  renameSync(path.join(resources, target.executable), executable)
  writeFileSync(path.join(resources, 'talekeeper.icns'), await programIcns())

  const code = readFileSync(executable)
  const { oldestSystem } = readMachO(code)
  const infoPlist = filledIn('macos/Info.plist', { ...marks(target, version), OLDEST_SYSTEM: oldestSystem })
  writeFileSync(path.join(contents, 'Info.plist'), infoPlist)
  writeFileSync(path.join(contents, 'PkgInfo'), 'APPL????')
  const codeResources = codeResourcesOf(contents)
  mkdirSync(path.join(contents, '_CodeSignature'))
  writeFileSync(path.join(contents, '_CodeSignature', 'CodeResources'), codeResources)
  const seal = { infoPlist: Buffer.from(infoPlist), codeResources: Buffer.from(codeResources) }
  writeFileSync(executable, signAdHoc(code, product.identifier, seal))
  chmodSync(executable, 0o755)
  return oldestSystem
}

function marks({ cpu, executable }: Target, version: string): Readonly<Record<string, string>> {
  return {
    NAME: product.name,
    EXECUTABLE: executable,
    IDENTIFIER: product.identifier,
    VERSION: numericVersion(version).split('.').slice(0, 3).join('.'),
    ARCHITECTURE: cpu === 'x64' ? 'x86_64' : cpu,
    COPYRIGHT: product.copyright,
  }
}

function rosetta({ cpu }: Target): string {
  return cpu === 'arm64'
    ? '\nIts icon in the menu bar needs Rosetta (softwareupdate --install-rosetta). Without it everything else works.\n'
    : ''
}

/**
 * The list of hashes, a property list: `files` with SHA-1 for old systems, `files2` with SHA-256, and the rules that
 * say which files must be in it. Rules and order are those of Apple's codesign.
 */
function codeResourcesOf(contents: string): string {
  const files = globSync('Resources/**/*', { cwd: contents, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(contents, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .sort()
  const digest = (file: string, algorithm: 'sha1' | 'sha256'): string =>
    createHash(algorithm)
      .update(readFileSync(path.join(contents, file)))
      .digest('base64')
  const data = (value: string): string => `<data>${value}</data>`
  const entries = (make: (file: string) => string): string =>
    files.map((file) => `<key>${escaped(file)}</key>\n${make(file)}`).join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
<key>files</key>
<dict>
${entries((file) => data(digest(file, 'sha1')))}
</dict>
<key>files2</key>
<dict>
${entries((file) => `<dict><key>hash2</key>${data(digest(file, 'sha256'))}</dict>`)}
</dict>
<key>rules</key>
<dict>
${rules(oldRules)}
</dict>
<key>rules2</key>
<dict>
${rules(newRules)}
</dict>
</dict>
</plist>
`
}

interface Rule {
  readonly weight: number
  readonly kind?: 'omit' | 'nested' | 'optional'
}

const oldRules: Readonly<Record<string, Rule | true>> = {
  '^Resources/': true,
  '^Resources/.*\\.lproj/': { kind: 'optional', weight: 1000 },
  '^Resources/.*\\.lproj/locversion.plist$': { kind: 'omit', weight: 1100 },
  '^Resources/Base\\.lproj/': { weight: 1010 },
  '^version.plist$': true,
}

const newRules: Readonly<Record<string, Rule | true>> = {
  '.*\\.dSYM($|/)': { weight: 11 },
  '^(.*/)?\\.DS_Store$': { kind: 'omit', weight: 2000 },
  '^(Frameworks|SharedFrameworks|PlugIns|Plug-ins|XPCServices|Helpers|MacOS|Library/(Automator|Spotlight|LoginItems))/':
    {
      kind: 'nested',
      weight: 10,
    },
  '^.*': true,
  '^Info\\.plist$': { kind: 'omit', weight: 20 },
  '^PkgInfo$': { kind: 'omit', weight: 20 },
  '^Resources/': { weight: 20 },
  '^Resources/.*\\.lproj/': { kind: 'optional', weight: 1000 },
  '^Resources/.*\\.lproj/locversion.plist$': { kind: 'omit', weight: 1100 },
  '^Resources/Base\\.lproj/': { weight: 1010 },
  '^[^/]+$': { kind: 'nested', weight: 10 },
  '^embedded\\.provisionprofile$': { weight: 20 },
  '^version\\.plist$': { weight: 20 },
}

function rules(table: Readonly<Record<string, Rule | true>>): string {
  return Object.entries(table)
    .map(([pattern, rule]) => `<key>${escaped(pattern)}</key>\n${rule === true ? '<true/>' : ruleText(rule)}`)
    .join('\n')
}

function ruleText({ kind, weight }: Rule): string {
  const mark = kind === undefined ? '' : `<key>${kind}</key><true/>`
  return `<dict>${mark}<key>weight</key><real>${weight}</real></dict>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
