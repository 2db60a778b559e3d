// npm run package: for each machine type the executable with its native files, in dist/<machine type>/, and what people
// install it with, in dist/release/.
//
//   npm run package                                  all five machine types
//   npm run package -- linux-x64 win-x64             some
//   npm run package -- linux-x64 --no-installers     only the folder
//
// 1. build, unless the build is current
// 2. copy the native packages and the tray helper, and note their hashes
// 3. make the executable, with the web client, the worker and those hashes inside
// 4. start it, where it is for this machine, where nothing of this machine helps it: no home, no PATH, another folder
// 5. make the installers, the connector for Claude Desktop, and the list of their hashes
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type TargetName, targets } from '../build.config.ts'
import { projectRoot } from './lib/node-runner.mjs'
import { ensureBuilt } from './lib/tasks.ts'
import { writeConnector } from './package/connector.ts'
import { makeInstallers, writeHashes } from './package/installers.ts'
import { makeFolder } from './package/target-folder.ts'

const { values, positionals } = parseArgs({
  options: { 'no-installers': { type: 'boolean', default: false } },
  allowPositionals: true,
})
process.exitCode = await packageTargets(positionals.length > 0 ? positionals : Object.keys(targets))

async function packageTargets(wanted: readonly string[]): Promise<number> {
  const unknown = wanted.filter((name) => !Object.hasOwn(targets, name))
  if (unknown.length > 0) {
    console.error(`No such machine type: ${unknown.join(', ')}. There is: ${Object.keys(targets).join(', ')}.`)
    return 1
  }
  const buildCode = await ensureBuilt()
  if (buildCode !== 0) return buildCode
  const { version }: { version: string } = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8'))
  const withInstallers = !values['no-installers']
  const releaseFolder = path.join(projectRoot, 'dist', 'release')
  if (withInstallers) {
    // It holds the files of one run.
    rmSync(releaseFolder, { recursive: true, force: true })
    mkdirSync(releaseFolder, { recursive: true })
  }
  const missing: string[] = []
  for (const name of wanted as readonly TargetName[]) {
    const folder = await makeFolder(name, version)
    if (withInstallers) missing.push(...(await makeInstallers(name, folder, version, releaseFolder)))
  }
  if (withInstallers) {
    await writeConnector(releaseFolder, version, process.env.GITHUB_REPOSITORY)
    for (const [file, size] of Object.entries(await writeHashes(releaseFolder))) {
      console.log(`dist/release/${file}: ${(size / 2 ** 20).toFixed(1)} MiB`)
    }
  }
  for (const line of missing) console.error(line)
  return 0
}
