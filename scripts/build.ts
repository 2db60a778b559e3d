// npm run build: the program and the web client, from the sources into build/.
//
//   node scripts/n.mjs scripts/build.ts [--to-stderr]
//
// --to-stderr keeps standard output free: `npm start -- mcp-stdio` speaks a protocol there.
//
// 1. note what the sources are like now (a change during the build makes it outdated, not current)
// 2. bundle into a folder of its own, so that a build that fails leaves the last good one
// 3. add the page, pictures, Swagger UI, licenses, compressed twins and the list of assets
// 4. put it in the place of the old build folder
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { programBundles } from '../build.config.ts'
import { entities } from '../src/catalogue.ts'
import { createRegistry } from '../src/storage/registry.ts'
import { migrationsOf } from '../src/storage/schema.ts'
import { addStaticFiles, assetNames, compressStaticFiles, writeManifest, writePage } from './lib/build-folder.ts'
import { STAMP_FILE, sourceStamp } from './lib/build-state.mjs'
import { escapeWideText, programOptions, webOptions } from './lib/bundles.ts'
import { licensesText } from './lib/licenses.ts'
import { projectRoot } from './lib/node-runner.mjs'
import { operationFacts } from './lib/operation-facts.ts'

const say = process.argv.includes('--to-stderr') ? console.error : console.log
const buildFolder = path.join(projectRoot, 'build')
const workFolder = path.join(projectRoot, `.build-${process.pid}`)

try {
  const started = performance.now()
  await buildInto(workFolder)
  replaceFolder(workFolder, buildFolder)
  say(`${sizes(buildFolder)}\nbuilt in ${((performance.now() - started) / 1000).toFixed(1)} s`)
} catch (error) {
  // esbuild has printed its own errors, with the lines they are about.
  if (!(error instanceof Error && 'errors' in error)) console.error(error)
  process.exitCode = 1
} finally {
  rmSync(workFolder, { recursive: true, force: true })
}

async function buildInto(outputFolder: string): Promise<void> {
  const stamp = sourceStamp()
  mkdirSync(outputFolder, { recursive: true })
  const settings = { outputFolder, development: false }
  const [main, worker, vendor, protocol, bridge, client] = await Promise.all([
    build(programOptions('main', settings, { TALEKEEPER_CHECKSUMS: JSON.stringify(migrationChecksums()) })),
    build(programOptions('worker', settings)),
    build(programOptions('vendor', settings)),
    build(programOptions('protocol', settings)),
    build(programOptions('bridge', settings)),
    build(webOptions(settings, operationFacts())),
  ])
  for (const { output } of Object.values(programBundles)) escapeWideText(path.join(outputFolder, output))
  writePage(client.metafile, outputFolder)
  await addStaticFiles(outputFolder)
  writeFileSync(
    path.join(outputFolder, 'LICENSES'),
    licensesText([main, worker, vendor, protocol, bridge, client].map(({ metafile }) => metafile)),
  )
  await compressStaticFiles(outputFolder)
  writeManifest(outputFolder)
  writeFileSync(path.join(outputFolder, STAMP_FILE), stamp)
}

/** What each migration of these sources is known by (storage/schema.ts). */
function migrationChecksums(): readonly string[] {
  return migrationsOf(createRegistry(entities)).map(({ checksum }) => checksum)
}

/** Two builds may run at once (a test run and a start, say): the last one wins, and none sees half of the other. */
function replaceFolder(from: string, to: string): void {
  const old = `${from}-old`
  for (let attempt = 0; ; attempt++) {
    try {
      renameSync(to, old)
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) throw error
    }
    try {
      renameSync(from, to)
      break
    } catch (error) {
      if (attempt === 5 || !(isErrno(error, 'ENOTEMPTY') || isErrno(error, 'EEXIST'))) throw error
      rmSync(old, { recursive: true, force: true })
    }
  }
  rmSync(old, { recursive: true, force: true })
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function sizes(folder: string): string {
  const names = assetNames(folder)
  const rows = [
    ['talekeeper.cjs', ['talekeeper.cjs']],
    ['worker.cjs', ['worker.cjs']],
    ['vendor.cjs', ['vendor.cjs']],
    ['protocol.cjs', ['protocol.cjs']],
    ['bridge.cjs', ['assistant/bridge.cjs']],
    ['web (scripts)', names.filter((name) => /^web\/.*\.js$/.test(name))],
    ['web (styles)', names.filter((name) => /^web\/.*\.css$/.test(name))],
    ['scripts, brotli', names.filter((name) => /^web\/.*\.js\.br$/.test(name))],
    ['styles, brotli', names.filter((name) => /^web\/.*\.css\.br$/.test(name))],
    ['web (all)', names.filter((name) => name.startsWith('web/'))],
    ['docs', names.filter((name) => name.startsWith('docs/'))],
  ] as const
  return rows
    .map(([title, files]) => {
      const bytes = files.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0)
      return `${title.padEnd(16)}${(bytes / 1024).toFixed(1).padStart(9)} KiB in ${files.length} files`
    })
    .join('\n')
}
