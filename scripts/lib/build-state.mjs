// Tells whether the build folder still matches the sources. Plain JavaScript: `npm start` asks before it has a Node
// that reads TypeScript.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { projectRoot } from './node-runner.mjs'

/** What a build reads, relative to the project. A folder stands for all that is in it. */
const BUILD_INPUTS = [
  'src',
  'test/pins/operation-reads.tsv',
  'assets',
  'scripts/build.ts',
  'scripts/lib',
  'scripts/licenses',
  'build.config.ts',
  'package-lock.json',
]

/** Name of the stamp in the build folder. It is written last, so a build that was cut short counts as none. */
export const STAMP_FILE = '.stamp'

/**
 * A hash of name, size and modification time of every build input. Contents are not read: this takes milliseconds.
 * @returns {string}
 */
export function sourceStamp() {
  const hash = createHash('sha256')
  for (const input of BUILD_INPUTS) addToStamp(hash, path.join(projectRoot, input))
  return hash.digest('hex')
}

/** True when the build folder is complete and was made from the sources as they are now. */
export function isBuildCurrent() {
  const stampFile = path.join(projectRoot, 'build', STAMP_FILE)
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === sourceStamp()
}

/**
 * @param {import('node:crypto').Hash} hash
 * @param {string} file
 */
function addToStamp(hash, file) {
  const info = statSync(file, { throwIfNoEntry: false })
  if (info === undefined) return
  if (info.isDirectory()) {
    for (const name of readdirSync(file).sort()) addToStamp(hash, path.join(file, name))
  } else {
    hash.update(`${path.relative(projectRoot, file)}\0${info.size}\0${info.mtimeMs}\n`)
  }
}
