// npm run dev: builds again when a source changes. A change of the program restarts the server; a change of the web
// client only needs a reload of the page. The page itself (index.html), the routes of the operations and the copied
// pictures are read once.
//
//   npm run dev                 the server ("serve")
//   npm run dev -- desktop      another command
//
// The server runs with TALEKEEPER_DEV=1: everything else is production.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { type BuildOptions, type BuildResult, context, type Plugin } from 'esbuild'
import { programBundles, web } from '../build.config.ts'
import { addStaticFiles, writeManifest, writePage } from './lib/build-folder.ts'
import { STAMP_FILE } from './lib/build-state.mjs'
import { programOptions, webOptions } from './lib/bundles.ts'
import { projectRoot } from './lib/node-runner.mjs'
import { operationFacts } from './lib/operation-facts.ts'

/** A save touches several files at once; the server restarts once for all of them. */
const RESTART_DELAY_MS = 150

const outputFolder = path.join(projectRoot, 'build')
const args = process.argv.slice(2)
let server: ChildProcess | undefined
let restartTimer: NodeJS.Timeout | undefined
const waitingFor = new Set(['main', 'worker', 'vendor', 'protocol', 'bridge', 'web'])

// What dev writes is not what a build writes: the next start must not take it for one.
rmSync(path.join(outputFolder, STAMP_FILE), { force: true })
mkdirSync(path.join(outputFolder, 'web'), { recursive: true })
await addStaticFiles(outputFolder)

const settings = { outputFolder, development: true }
const contexts = await Promise.all([
  context(withPlugin(programOptions('main', settings), afterBuild('main', scheduleRestart))),
  context(withPlugin(programOptions('worker', settings), afterBuild('worker', scheduleRestart))),
  context(withPlugin(programOptions('vendor', settings), afterBuild('vendor', scheduleRestart))),
  context(withPlugin(programOptions('protocol', settings), afterBuild('protocol', scheduleRestart))),
  context(withPlugin(programOptions('bridge', settings), afterBuild('bridge', scheduleRestart))),
  context(withPlugin(webOptions(settings, operationFacts()), afterBuild('web', replaceWebClient))),
])
await Promise.all(contexts.map((item) => item.watch()))

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    clearTimeout(restartTimer)
    await Promise.all([stopServer(), ...contexts.map((item) => item.dispose())])
  })
}

function withPlugin(options: BuildOptions, plugin: Plugin): BuildOptions {
  return { ...options, plugins: [...(options.plugins ?? []), plugin] }
}

/** Calls `react` after each build without errors. esbuild prints the errors of the others. */
function afterBuild(name: string, react: (result: BuildResult) => void): Plugin {
  return {
    name: 'after-build',
    setup(build) {
      build.onEnd((result) => {
        if (result.errors.length > 0) return
        react(result)
        if (waitingFor.delete(name) && waitingFor.size === 0) scheduleRestart()
      })
    },
  }
}

/** Writes the page with the new names, and drops the files of the build before. */
function replaceWebClient({ metafile }: BuildResult): void {
  if (metafile === undefined) return
  writePage(metafile, outputFolder)
  const current = new Set(Object.keys(metafile.outputs).map((file) => path.resolve(projectRoot, file)))
  const folder = path.join(outputFolder, 'web', web.hashedFolder)
  for (const name of readdirSync(folder)) {
    if (!current.has(path.join(folder, name))) rmSync(path.join(folder, name))
  }
  writeManifest(outputFolder)
  console.log('web client built')
}

function scheduleRestart(): void {
  if (waitingFor.size > 0) return
  clearTimeout(restartTimer)
  restartTimer = setTimeout(restartServer, RESTART_DELAY_MS)
}

async function restartServer(): Promise<void> {
  await stopServer()
  writeManifest(outputFolder)
  const file = path.join(outputFolder, programBundles.main.output)
  const child = spawn(process.execPath, ['--enable-source-maps', file, ...(args.length > 0 ? args : ['serve'])], {
    stdio: 'inherit',
    env: { ...process.env, TALEKEEPER_DEV: '1' },
  })
  child.once('exit', (code) => {
    if (server === child) console.log(`server ended with code ${code}; waiting for a change`)
  })
  server = child
}

/** Asks the server to end, and waits until it has: the next one needs its port and its data folder. */
async function stopServer(): Promise<void> {
  const child = server
  server = undefined
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  child.kill('SIGTERM')
  await ended
}
