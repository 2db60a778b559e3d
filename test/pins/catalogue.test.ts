import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations, serverOperations } from '../../src/catalogue.ts'
import { toolsets } from '../../src/kernel/operation.ts'
import { expectPinned } from '../support/pin.ts'
import { startServer, type TestServer } from '../support/server.ts'

// The names that clients and scripts hold on to. None of them changes unseen.

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

test('the catalogue: name, toolset, access, effect, route, and whether it is a tool', () => {
  const lines = [...operations.values()].map(({ name, toolset, access, effect, route, mcp }) =>
    [name, toolset, access, effect, route, ...(mcp ? ['no tool'] : [])].join('\t'),
  )
  expectPinned('catalogue.tsv', lines)
})

test('what is done with the server itself: name, access, effect, route; none of it is a tool', () => {
  const lines = [...serverOperations.values()].map(({ name, access, effect, route }) =>
    [name, access, effect, route].join('\t'),
  )
  expectPinned('server-operations.tsv', lines)
  for (const { name, toolset, mcp } of serverOperations.values()) {
    expect(operations.has(name), name).toBe(false)
    expect(toolset, name).toBe('server')
    expect(mcp?.none, name).toMatch(/\.$/)
  }
})

test('the transfers: name, access, effect, route, and what travels', () => {
  const lines = server.app.transfers.map(({ name, access, effect, route, carries }) =>
    [name, access, effect, route, carries ?? 'json'].join('\t'),
  )
  expectPinned('transfers.tsv', lines)
})

test('names, routes and titles are there once, and say where they belong', () => {
  const all = [...operations.values(), ...serverOperations.values()]
  const transfers = server.app.transfers.filter(({ route }) => !all.some((each) => each.route === route))
  const routes = [...all, ...transfers].map(({ route }) => route.replaceAll(/\{\w+\}/g, '{}'))
  expect(new Set(routes).size).toBe(routes.length)
  for (const { name, title, description, toolset, route, effect, access } of all) {
    expect(access === 'dm+propose' && effect === 'read', name).toBe(false)
    expect(name).toMatch(/^(narrate|[a-z]+(_[a-z]+)+)$/)
    expect(name.length, name).toBeLessThanOrEqual(40)
    expect(title.length * description.length, name).toBeGreaterThan(0)
    expect(description.length, name).toBeLessThanOrEqual(200)
    expect(operations.has(name) ? toolsets : ['server'], name).toContain(toolset)
    expect(route.startsWith('GET ') === (effect === 'read'), name).toBe(true)
    expect(route.startsWith('DELETE ') && effect !== 'destroy' && name !== 'clear_safety_signal', name).toBe(false)
  }
})
