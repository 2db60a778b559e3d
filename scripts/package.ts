// npm run package: the executable with its native files, in dist/<machine type>/.
//
//   node scripts/n.mjs scripts/package.ts [linux-x64]
//
// 1. build
// 2. copy the native packages and the tray helper, and note their hashes
// 3. make the executable, with the web client, the worker and those hashes inside
// 4. start it where nothing of this machine helps it: no home, no PATH, another folder
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Target, type TargetName, targets } from '../build.config.ts'
import { assetNames } from './lib/build-folder.ts'
import { makeExecutable } from './lib/executable.ts'
import { copyNativeFiles } from './lib/native-files.ts'
import { projectRoot, runNode } from './lib/node-runner.mjs'

const buildFolder = path.join(projectRoot, 'build')

const names = process.argv.slice(2)
process.exitCode = await packageTargets(names.length > 0 ? names : ['linux-x64'])

async function packageTargets(wanted: readonly string[]): Promise<number> {
  const unknown = wanted.filter((name) => !Object.hasOwn(targets, name))
  if (unknown.length > 0) {
    console.error(`No such machine type: ${unknown.join(', ')}. There is: ${Object.keys(targets).join(', ')}.`)
    return 1
  }
  const buildCode = await runNode(process.execPath, [path.join(projectRoot, 'scripts', 'build.ts')])
  if (buildCode !== 0) return buildCode
  for (const name of wanted) await packageTarget(name as TargetName)
  return 0
}

async function packageTarget(name: TargetName): Promise<void> {
  const target: Target = targets[name]
  const folder = path.join(projectRoot, 'dist', name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  cpSync(path.join(buildFolder, 'LICENSES'), path.join(folder, 'LICENSES'))
  const hashes = copyNativeFiles(target, folder)

  const executable = path.join(folder, target.executable)
  const workFolder = mkdtempSync(path.join(tmpdir(), 'talekeeper-package-'))
  try {
    const assets = Object.fromEntries(assetNames(buildFolder).map((asset) => [asset, path.join(buildFolder, asset)]))
    assets['natives.json'] = path.join(workFolder, 'natives.json')
    writeFileSync(assets['natives.json'], JSON.stringify(hashes))
    // The list of the build folder, and the hashes that only an executable has.
    const manifest = path.join(workFolder, 'assets.json')
    writeFileSync(manifest, JSON.stringify(Object.keys(assets).sort()))
    // Stack traces of the executable name this file by its path here, which should not be somebody's home folder.
    const mainFile = path.join(workFolder, 'talekeeper.cjs')
    cpSync(path.join(buildFolder, 'talekeeper.cjs'), mainFile)
    await makeExecutable(target, mainFile, { ...assets, 'assets.json': manifest }, executable)
  } finally {
    rmSync(workFolder, { recursive: true, force: true })
  }

  if (target.os === process.platform && target.cpu === process.arch) checkExecutable(executable)
  console.log(`${path.relative(projectRoot, executable)}: ${(statSync(executable).size / 2 ** 20).toFixed(1)} MiB`)
}

/** @throws Error when the executable does not start by itself or is of another version than package.json. */
function checkExecutable(executable: string): void {
  const home = mkdtempSync(path.join(tmpdir(), 'talekeeper-home-'))
  try {
    const answer = execFileSync(executable, ['version'], {
      cwd: path.parse(home).root,
      env: { HOME: home, USERPROFILE: home, PATH: '' },
      encoding: 'utf8',
      timeout: 30_000,
    })
    const { version }: { version: string } = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8'))
    if (!answer.includes(version)) throw new Error(`The executable says "${answer.trim()}" instead of ${version}.`)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
