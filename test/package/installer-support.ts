import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Target, type TargetName, targets } from '../../build.config.ts'
import type { InstallerParts } from '../../scripts/package/installers.ts'

const modules = path.resolve(import.meta.dirname, '../../node_modules')

/** Small files of the right kind in the places of the large ones: what an installer does is the same with them. */
const standIns: Readonly<Record<Target['os'], string>> = {
  linux: 'argon2/prebuilds/linux-x64/argon2.glibc.node',
  win32: 'argon2/prebuilds/win32-x64/argon2.glibc.node',
  darwin: 'argon2/prebuilds/darwin-arm64/argon2.armv8.glibc.node',
}

export interface StandIn extends InstallerParts {
  /** A folder for whatever a test needs. */
  readonly scratch: string
  remove(): void
}

/** A folder like that of `npm run package` for one machine type, and folders for what is made from it. */
export function standIn(name: TargetName, version: string): StandIn {
  const root = mkdtempSync(path.join(tmpdir(), 'talekeeper-installers-'))
  const target: Target = targets[name]
  const [folder, releaseFolder, workFolder, scratch] = ['program', 'release', 'work', 'scratch'].map((each) => {
    mkdirSync(path.join(root, each))
    return path.join(root, each)
  }) as [string, string, string, string]
  const executable = path.join(modules, standIns[target.os])
  const place = (file: string, content?: string): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    if (content === undefined) cpSync(executable, path.join(folder, file))
    else writeFileSync(path.join(folder, file), content)
  }
  place(target.executable)
  chmodSync(path.join(folder, target.executable), 0o755)
  if (target.consoleTwin !== undefined) place(target.consoleTwin)
  if (target.trayHelper !== undefined) place(`traybin/${target.trayHelper}`)
  place('natives/node_modules/sharp/package.json', '{"name":"sharp"}')
  place('natives/node_modules/@img/colour/index.cjs', '// < & >')
  place('LICENSES', 'Talekeeper\n')
  return {
    name,
    target,
    version,
    folder,
    releaseFolder,
    workFolder,
    scratch,
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** Whether a program is here; says once what is left out without it. */
export function has(program: string, leftOut: string): boolean {
  const found = spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined
  if (!found) console.log(`${program} is not installed: ${leftOut} is left out.`)
  return found
}

/** Runs a program; its output, or an Error with all that it wrote. */
export function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', env })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}
