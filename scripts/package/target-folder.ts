import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Target, type TargetName, targets } from '../../build.config.ts'
import { assetNames } from '../lib/build-folder.ts'
import { projectRoot } from '../lib/node-runner.mjs'
import { makeExecutable } from './executable.ts'
import { copyNativeFiles } from './native-files.ts'

/**
 * Makes dist/<name>/ anew from the build folder: the executable, natives/, traybin/ and LICENSES. Returns the folder.
 * @throws Error when something is missing, or the executable does not start by itself where it is for this machine.
 */
export async function makeFolder(name: TargetName, version: string): Promise<string> {
  const target: Target = targets[name]
  const buildFolder = path.join(projectRoot, 'build')
  const folder = path.join(projectRoot, 'dist', name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const workFolder = mkdtempSync(path.join(tmpdir(), 'talekeeper-package-'))
  try {
    cpSync(path.join(buildFolder, 'LICENSES'), path.join(folder, 'LICENSES'))
    const hashes = await copyNativeFiles(target, folder, workFolder)
    const assets = Object.fromEntries(assetNames(buildFolder).map((asset) => [asset, path.join(buildFolder, asset)]))
    assets['natives.json'] = path.join(workFolder, 'natives.json')
    writeFileSync(assets['natives.json'], JSON.stringify(hashes))
    // The list of the build folder, and the hashes that only an executable has.
    const manifest = path.join(workFolder, 'assets.json')
    writeFileSync(manifest, JSON.stringify(Object.keys(assets).sort()))
    // Stack traces of the executable name this file by its path here, which should not be somebody's home folder.
    const mainFile = path.join(workFolder, 'talekeeper.cjs')
    cpSync(path.join(buildFolder, 'talekeeper.cjs'), mainFile)
    const executable = await makeExecutable({
      target,
      version,
      mainFile,
      assets: { ...assets, 'assets.json': manifest },
      folder,
      workFolder,
    })
    if (target.os === process.platform && target.cpu === process.arch) checkExecutable(executable, version)
    console.log(`${path.relative(projectRoot, executable)}: ${(statSync(executable).size / 2 ** 20).toFixed(1)} MiB`)
  } finally {
    rmSync(workFolder, { recursive: true, force: true })
  }
  return folder
}

/** @throws Error when the executable does not start by itself or is of another version. */
function checkExecutable(executable: string, version: string): void {
  const home = mkdtempSync(path.join(tmpdir(), 'talekeeper-home-'))
  try {
    const answer = execFileSync(executable, ['version'], {
      cwd: path.parse(home).root,
      env: { HOME: home, USERPROFILE: home, PATH: '' },
      encoding: 'utf8',
      timeout: 30_000,
    })
    if (!answer.includes(version)) throw new Error(`The executable says "${answer.trim()}" instead of ${version}.`)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
