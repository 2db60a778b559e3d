import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import sea from 'node:sea'
import { fileURLToPath } from 'node:url'
import { compileFunction } from 'node:vm'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** Asset that holds the names of all others, sorted. */
const MANIFEST = 'assets.json'

/** True when this is the packed executable, false when Node runs the bundle or the sources. */
export function isPackaged(): boolean {
  return sea.isSea()
}

/**
 * Where natives/ and traybin/ are: beside the packed executable, in an application of macOS among its resources (what
 * lies beside its executable must be code). Else the project's folder, with node_modules/.
 */
export function installDir(): string {
  if (!isPackaged()) return path.dirname(ownFolder())
  const folder = path.dirname(process.execPath)
  const isApplication = process.platform === 'darwin' && path.basename(folder) === 'MacOS'
  return isApplication ? path.join(path.dirname(folder), 'Resources') : folder
}

/**
 * A file that was made by the build, such as 'web/index.html', 'docs/swagger-ui.css' or 'LICENSES'.
 * Answers undefined for a name that the build did not make, hence for every path that leads out of it.
 */
export function readAsset(name: string): Buffer | undefined {
  if (!readManifest().names.has(name)) return undefined
  if (isPackaged()) return Buffer.from(sea.getAsset(name))
  return readFileSync(path.join(buildDir(), name))
}

/** Names of the assets that start with `prefix`, sorted: listAssets('web/') for instance. */
export function listAssets(prefix: string): readonly string[] {
  return [...readManifest().names].filter((name) => name.startsWith(prefix))
}

/** The style sheet of the web app, for pages that need no script; undefined where it was not built. */
export function readStyleSheet(): Buffer | undefined {
  return readAsset(listAssets('web/').find((name) => /\/main-\w+\.css$/.test(name)) ?? '')
}

/** Starts src/worker.ts on a thread of its own: from the sources, from the bundle, or from inside the executable. */
export function startWorker(options: WorkerOptions = {}): Worker {
  if (isPackaged()) {
    const source = readAsset('worker.cjs')
    if (source === undefined) throw new Error('The executable does not hold its worker.')
    return new Worker(source.toString('latin1'), { ...options, eval: true })
  }
  return new Worker(runsFromSources() ? new URL('./worker.ts', import.meta.url) : path.join(buildDir(), 'worker.cjs'), {
    ...options,
  })
}

/** Loads src/ai/vendor.ts, the client libraries of AI providers. */
export function loadVendor(): Promise<unknown> {
  return loadPart('vendor.cjs', './ai/vendor.ts')
}

/** Loads src/mcp/protocol.ts, the library of the Model Context Protocol. */
export function loadProtocol(): Promise<unknown> {
  return loadPart('protocol.cjs', './mcp/protocol.ts')
}

/**
 * Loads what is a file of its own in the build: from the sources, from beside the bundle, or from inside the executable. Who
 * never needs it waits for none of it and has none of it in memory.
 */
async function loadPart(name: string, source: string): Promise<unknown> {
  if (isPackaged()) return loadAsset(name)
  if (runsFromSources()) return import(new URL(source, import.meta.url).href)
  return createRequire(import.meta.url)(path.join(buildDir(), name))
}

function loadAsset(name: string): unknown {
  const source = readAsset(name)
  if (source === undefined) throw new Error(`The executable does not hold ${name}.`)
  const module = { exports: {} }
  const parameters = ['exports', 'require', 'module', '__filename', '__dirname']
  const run = compileFunction(source.toString('latin1'), parameters, { filename: name })
  run(module.exports, createRequire(process.execPath), module, process.execPath, path.dirname(process.execPath))
  return module.exports
}

interface Manifest {
  /** Modification time of the file; 0 in the executable, where it cannot change. */
  readonly modified: number
  readonly names: ReadonlySet<string>
}

let manifest: Manifest | undefined

/** The list of assets, read again when a build has replaced it: `npm run dev` does so under a running server. */
function readManifest(): Manifest {
  if (isPackaged()) {
    manifest ??= { modified: 0, names: parseNames(sea.getAsset(MANIFEST, 'utf8')) }
    return manifest
  }
  const file = path.join(buildDir(), MANIFEST)
  const info = statSync(file, { throwIfNoEntry: false })
  if (info === undefined) return { modified: 0, names: new Set() }
  if (manifest?.modified !== info.mtimeMs) {
    manifest = { modified: info.mtimeMs, names: parseNames(readFileSync(file, 'utf8')) }
  }
  return manifest
}

function parseNames(json: string): ReadonlySet<string> {
  return new Set(JSON.parse(json) as string[])
}

function buildDir(): string {
  return runsFromSources() ? path.join(path.dirname(ownFolder()), 'build') : ownFolder()
}

/** src/ when the sources run, build/ when the bundle runs. */
function ownFolder(): string {
  return path.dirname(fileURLToPath(import.meta.url))
}

function runsFromSources(): boolean {
  return import.meta.url.endsWith('.ts')
}
