// Packages of other machine types. npm installs only what is for this one; the lock file names all of them with their
// hashes.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { extract } from 'tar'
import { projectRoot } from '../lib/node-runner.mjs'

interface LockedPackage {
  readonly version: string
  readonly integrity?: string
}

/** Where fetched packages are kept from one run to the next. Each is checked again before it is used. */
const cacheFolder = path.join(projectRoot, 'node_modules', '.cache', 'packages')

/** Parts of Node's packages that an executable does not need: headers and manual pages. */
const unneeded = /^package\/(include|share)\//

/**
 * Folder of a package in the version of the lock file: the installed one, else one that is fetched by its name and exact
 * version, held against the lock file's hash, and unpacked below `workFolder`.
 * @param neededBy package that asks for it: npm puts one of which two versions are needed below the one that asks
 * @throws Error when the lock file does not name it, it cannot be fetched, or it is not what the lock file names.
 */
export async function packageFolder(name: string, workFolder: string, neededBy?: string): Promise<string> {
  const modules = path.join(projectRoot, 'node_modules')
  if (neededBy !== undefined) {
    const nested = path.join(modules, neededBy, 'node_modules', name)
    if (existsSync(nested)) return nested
  }
  const locked = lockedPackage(name)
  const installed = path.join(modules, name)
  if (existsSync(installed)) {
    const { version }: { version: string } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'))
    if (version !== locked.version)
      throw new Error(`${name} is installed as ${version}, but package-lock.json says ${locked.version}. Run "npm ci".`)
    return installed
  }
  const folder = path.join(workFolder, 'packages', name)
  if (existsSync(folder)) return folder
  const archive = fetchedArchive(name, locked)
  mkdirSync(folder, { recursive: true })
  await extract({ file: archive, cwd: folder, strip: 1, filter: (entry) => !unneeded.test(entry) })
  return folder
}

function lockedPackage(name: string): LockedPackage {
  const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
    readFileSync(path.join(projectRoot, 'package-lock.json'), 'utf8'),
  )
  const entry = lock.packages[`node_modules/${name}`]
  if (entry === undefined) throw new Error(`${name} is needed, but package-lock.json does not name it.`)
  return entry
}

function fetchedArchive(name: string, { version, integrity }: LockedPackage): string {
  const archive = path.join(cacheFolder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
  if (existsSync(archive) && hasIntegrity(archive, integrity)) return archive
  mkdirSync(cacheFolder, { recursive: true })
  const incoming = path.join(cacheFolder, `incoming-${process.pid}`)
  mkdirSync(incoming, { recursive: true })
  try {
    console.log(`fetching ${name} ${version}`)
    npm(['pack', `${name}@${version}`, '--silent', '--ignore-scripts', '--pack-destination', incoming])
    const [file] = readdirSync(incoming)
    if (file === undefined) throw new Error(`npm did not fetch ${name} ${version}.`)
    const fetched = path.join(incoming, file)
    if (!hasIntegrity(fetched, integrity)) {
      throw new Error(
        `The registry's ${name} ${version} is not the package that package-lock.json names: its hash differs. Nothing was built from it.`,
      )
    }
    renameSync(fetched, archive)
  } finally {
    rmSync(incoming, { recursive: true, force: true })
  }
  return archive
}

/** Whether a file has the hash of a lock file's entry (Subresource Integrity; npm writes SHA-512). */
export function hasIntegrity(file: string, integrity: string | undefined): boolean {
  const expected = /^sha512-([A-Za-z0-9+/]{86}==)$/.exec(integrity ?? '')?.[1]
  return expected !== undefined && createHash('sha512').update(readFileSync(file)).digest('base64') === expected
}

/** Runs the npm that runs this script, else the one on PATH. */
function npm(args: readonly string[]): void {
  const own = process.env.npm_execpath
  const isScript = own !== undefined && /npm-cli\.c?js$/.test(own)
  execFileSync(isScript ? process.execPath : 'npm', isScript ? [own, ...args] : args, {
    cwd: projectRoot,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: !isScript && process.platform === 'win32',
  })
}
