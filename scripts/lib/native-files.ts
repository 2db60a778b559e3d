import { hash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { natives, nativesIgnored, type Target } from '../../build.config.ts'
import { projectRoot } from './node-runner.mjs'

/** Size and SHA-256 of every file beside the executable, by the group that loads it: what src/natives.ts reads. */
export type NativeHashes = Record<string, Record<string, { size: number; sha256: string }>>

/**
 * Copies the native packages and the tray helper for one machine type to `folder`, and answers their hashes.
 * @throws Error when a file is not installed: npm has skipped what belongs to another machine type.
 */
export function copyNativeFiles(target: Target, folder: string): NativeHashes {
  const hashes: NativeHashes = {}
  for (const [group, packages] of Object.entries(natives)) {
    for (const [pattern, files] of Object.entries(packages)) {
      const name = forTarget(pattern, target)
      for (const file of files) {
        copy(
          path.join(installedPackage(name, group), forTarget(file, target)),
          path.join(folder, 'natives', 'node_modules', name, forTarget(file, target)),
        )
      }
    }
    hashes[group] = hashFiles(
      folder,
      Object.keys(packages).map((name) => `natives/node_modules/${forTarget(name, target)}/**/*`),
    )
  }
  if (copyTrayHelper(target, folder)) hashes.traybin = hashFiles(folder, ['traybin/*'])
  return hashes
}

/** Puts the tray helper where systray2 looks for it: in traybin/ beside the program. Answers whether there is one. */
export function copyTrayHelper(target: Target, folder: string): boolean {
  if (target.trayHelper === undefined) return false
  const helper = path.join(folder, 'traybin', target.trayHelper)
  copy(path.join(projectRoot, 'node_modules', 'systray2', 'traybin', target.trayHelper), helper)
  // The package has it without the right to execute.
  chmodSync(helper, 0o755)
  return true
}

/** npm puts a package of which two versions are needed below the one that asks for it. */
function installedPackage(name: string, neededBy: string): string {
  const modules = path.join(projectRoot, 'node_modules')
  const nested = path.join(modules, neededBy, 'node_modules', name)
  return existsSync(nested) ? nested : path.join(modules, name)
}

function copy(from: string, to: string): void {
  if (!existsSync(from)) throw new Error(`${path.relative(projectRoot, from)} is not installed.`)
  mkdirSync(path.dirname(to), { recursive: true })
  cpSync(from, to, { recursive: true, dereference: true, filter: (file) => !nativesIgnored.test(file) })
}

function hashFiles(folder: string, patterns: readonly string[]): NativeHashes[string] {
  const hashes: NativeHashes[string] = {}
  const entries = globSync(patterns, { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const file of entries.map((entry) => path.join(entry.parentPath, entry.name)).sort()) {
    const content = readFileSync(file)
    hashes[path.relative(folder, file).replaceAll(path.sep, '/')] = {
      size: content.length,
      sha256: hash('sha256', content),
    }
  }
  return hashes
}

function forTarget(pattern: string, target: Target): string {
  return pattern.replaceAll('{os}', target.os).replaceAll('{cpu}', target.cpu)
}
