import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, test } from 'vitest'

// The clients of others are many packages, so they have a package.json of their own beside this file and are not
// installed by the project's npm ci. The tests of them then skip, except where all has to be judged.

const folder = import.meta.dirname
const modules = path.join(folder, 'node_modules')

/** Name -> exact version, as this folder's package.json asks for it. */
export const wanted: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(path.join(folder, 'package.json'), 'utf8'),
).dependencies

function manifestOf(name: string): {
  readonly version: string
  readonly bin?: string | Readonly<Record<string, string>>
} {
  return JSON.parse(readFileSync(path.join(modules, name, 'package.json'), 'utf8'))
}

/** What is missing, in a sentence; null where everything is installed in its version. */
export function whatIsMissing(): string | null {
  const missing = Object.entries(wanted).filter(
    ([name, version]) => !existsSync(path.join(modules, name, 'package.json')) || manifestOf(name).version !== version,
  )
  if (missing.length === 0) return null
  return `Not installed: ${missing.map(([name, version]) => `${name} ${version}`).join(', ')}. Run "npm ci --prefix test/clients".`
}

/** Tests that need the clients. Without them they skip and say so in one line; in CI that is a failure. */
export function describeClients(name: string, work: () => void): void {
  const missing = whatIsMissing()
  if (missing === null) {
    describe(name, work)
    return
  }
  const inCi = !['', '0', 'false'].includes(process.env.CI ?? '')
  if (inCi) {
    test(name, () => {
      throw new Error(missing)
    })
    return
  }
  console.info(`${name}: skipped. ${missing}`)
  describe.skip(name, work)
}

/** The JavaScript file behind a command of a client. */
export function commandFile(name: string, command: string): string {
  const { bin } = manifestOf(name)
  const file = typeof bin === 'string' ? bin : bin?.[command]
  if (file === undefined) throw new Error(`${name} installs no command ${command}`)
  return path.join(modules, name, file)
}

/** The main module of a client. What it exports is said by who loads it: its types are not there when it is not. */
export async function load<T>(name: string, file: string): Promise<T> {
  return (await import(pathToFileURL(path.join(modules, name, file)).href)) as T
}
