import { hash } from 'node:crypto'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { binaryFinder, natives, nativesIgnored, type Target } from '../../build.config.ts'
import { copyTrayHelper } from '../lib/tray-helper.ts'
import { packageFolder } from './registry-packages.ts'

/** Size and SHA-256 of every file beside the executable, by the group that loads it: what src/natives.ts reads. */
export type NativeHashes = Record<string, Record<string, { size: number; sha256: string }>>

/**
 * Copies the native packages and the tray helper for one machine type to `folder`, and answers their hashes.
 * @throws Error when a package has no such file or cannot be had.
 */
export async function copyNativeFiles(target: Target, folder: string, workFolder: string): Promise<NativeHashes> {
  const hashes: NativeHashes = {}
  for (const [group, packages] of Object.entries(natives)) {
    if (isAbsent(target, group)) continue
    const present = Object.entries<readonly string[]>(packages).filter(([pattern]) => !isAbsent(target, pattern))
    for (const [pattern, files] of present) {
      const name = forTarget(pattern, target)
      const source = await packageFolder(name, workFolder, group)
      for (const file of files.map((each) => forTarget(each, target))) {
        copy(path.join(source, file), path.join(folder, 'natives', 'node_modules', name, file))
      }
    }
    const names = present.map(([pattern]) => forTarget(pattern, target))
    if (group === binaryFinder.group) names.push(placeBinaryFinder(folder))
    hashes[group] = hashFiles(
      folder,
      names.map((name) => `natives/node_modules/${name}/**/*`),
    )
  }
  if (copyTrayHelper(target, folder)) hashes.traybin = hashFiles(folder, ['traybin/*'])
  return hashes
}

/** Writes the package that answers the group's one binary, and returns its name. */
function placeBinaryFinder(folder: string): string {
  const modules = path.join(folder, 'natives', 'node_modules')
  const [binary, ...others] = globSync('**/*.node', { cwd: path.join(modules, binaryFinder.group) })
  if (binary === undefined || others.length > 0) throw new Error(`${binaryFinder.group} has not one binary.`)
  const place = path.join(modules, binaryFinder.package)
  mkdirSync(place)
  writeFileSync(
    path.join(place, 'index.js'),
    `'use strict'\nmodule.exports = (folder) => require(\`\${folder}/${binary.replaceAll(path.sep, '/')}\`)\n`,
  )
  return binaryFinder.package
}

function isAbsent({ absent }: Target, name: string): boolean {
  return absent !== undefined && Object.hasOwn(absent, name)
}

function copy(from: string, to: string): void {
  if (!existsSync(from)) throw new Error(`${from} is missing: build.config.ts names a file that the package has not.`)
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
