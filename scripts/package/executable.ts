import { chmodSync, copyFileSync, linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import pkgSea from '@yao-pkg/pkg/lib-es5/sea.js'
import { nodeVersion, product, type Target } from '../../build.config.ts'
import { programOptions } from '../lib/node-runner.mjs'
import { signAdHoc } from './mach-o.ts'
import { packageFolder } from './registry-packages.ts'
import { withResources, withSubsystem } from './windows-executable.ts'

export interface ExecutableParts {
  readonly target: Target
  readonly version: string
  readonly mainFile: string
  /** Name in the executable -> absolute path of the file. */
  readonly assets: Readonly<Record<string, string>>
  /** Folder of the executable. */
  readonly folder: string
  /** A folder for what lies in between. */
  readonly workFolder: string
}

/**
 * Makes one executable: Node for that machine type with the main bundle and the assets inside. pkg's own function is
 * called, because its command line takes neither assets and the code cache nor a Node that is already there.
 * @returns its path
 * @throws Error when Node for that machine type is missing or of another version.
 */
export async function makeExecutable(parts: ExecutableParts): Promise<string> {
  const { target, mainFile, assets, folder, workFolder } = parts
  if (process.version !== `v${nodeVersion}`) {
    // The layout of what is put into the executable differs between versions, and the running Node makes it.
    throw new Error(`This runs on Node ${process.version}; executables are made with ${nodeVersion}. Run "npm ci".`)
  }
  const output = path.join(folder, target.executable)
  await placeNode(parts)
  const seaConfig = {
    assets: { ...assets },
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    // A fifth of the start-up time. The cache is made by the Node it is for, so it needs that machine type.
    useCodeCache: target.os === process.platform && target.cpu === process.arch,
    execArgv: programOptions,
    // Without this, NODE_OPTIONS=--require=... would run foreign code inside the executable.
    execArgvExtension: 'none',
  }
  await withHome(workFolder, () =>
    pkgSea.default(mainFile, {
      seaConfig,
      signature: false,
      targets: [{ platform: target.pkgPlatform, arch: target.pkgArch, nodeRange: `node${nodeVersion}`, output }],
    }),
  )
  if (target.os === 'darwin') writeFileSync(output, signAdHoc(readFileSync(output), product.identifier))
  if (target.os === 'win32') await finishForWindows(parts, output)
  chmodSync(output, 0o755)
  return output
}

/** After the content was put in: that rearranges the resources, and finds its way only in those of the original. */
async function finishForWindows({ target, folder, version }: ExecutableParts, output: string): Promise<void> {
  const executable = await withResources(readFileSync(output), version)
  writeFileSync(output, withSubsystem(executable, 'gui'))
  if (target.consoleTwin !== undefined) {
    writeFileSync(path.join(folder, target.consoleTwin), withSubsystem(executable, 'console'), { mode: 0o755 })
  }
}

/**
 * Puts Node where pkg keeps what it has downloaded, so that it downloads nothing: the archive, which may be empty then,
 * the binary, and beside each a mark that it is whole.
 */
async function placeNode({ target, workFolder }: ExecutableParts): Promise<void> {
  const nodePackage = await packageFolder(target.nodePackage, workFolder)
  const installed: { version: string } = JSON.parse(readFileSync(path.join(nodePackage, 'package.json'), 'utf8'))
  if (installed.version !== nodeVersion) {
    throw new Error(`${target.nodePackage} is ${installed.version}, but build.config.ts says ${nodeVersion}.`)
  }
  const folder = path.join(workFolder, '.pkg-cache', 'sea')
  const name = `node-v${nodeVersion}-${target.os === 'win32' ? 'win' : target.os}-${target.cpu}`
  const archive = path.join(folder, `${name}.${target.os === 'win32' ? 'zip' : 'tar.gz'}`)
  const binary = target.os === 'win32' ? path.join(folder, `${name}.exe`) : path.join(folder, name, 'bin', 'node')
  mkdirSync(path.dirname(binary), { recursive: true })
  for (const file of [archive, `${archive}.ok`, `${binary}.ok`]) writeFileSync(file, '')
  const source = path.join(nodePackage, target.nodeBinary)
  linkOrCopy(source, binary)
}

/** pkg looks below the home folder; it copies the binary before it changes it. */
async function withHome<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const { HOME, USERPROFILE } = process.env
  Object.assign(process.env, { HOME: folder, USERPROFILE: folder })
  try {
    return await work()
  } finally {
    for (const [name, value] of Object.entries({ HOME, USERPROFILE })) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    // On another disk.
    copyFileSync(from, to)
  }
}
