import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { wanted } from './installed.ts'

const lock: {
  packages: Record<string, { readonly integrity?: string; readonly resolved?: string; readonly link?: boolean }>
} = JSON.parse(readFileSync(new URL('package-lock.json', import.meta.url), 'utf8'))
const locked = Object.entries(lock.packages).filter(([path]) => path !== '')

it('the clients are exact versions', () => {
  for (const version of Object.values(wanted)) expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
})

it('their lock file holds a hash for every package, and no address of a registry', () => {
  expect(locked.length).toBeGreaterThan(100)
  expect(locked.filter(([, { integrity }]) => integrity === undefined)).toEqual([])
  expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
})
