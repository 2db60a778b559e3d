import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  declaredIn,
  type Form,
  type Line,
  lineText,
  matrixText,
  pngFile,
  runMatrix,
  wholeState,
} from '../support/matrix.ts'
import { expectedCells } from '../support/matrix-model.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { buildWorld, callerNames, type TestWorld } from '../support/world.ts'

// Who gets what from every operation, by both doors (SPEC 5). The golden list is what was reviewed; the model beside it is
// worked out from the access word alone, so that the list cannot bless a hole. `role-matrix.notes.md` explains the cells
// that surprise. UPDATE_GOLDEN=1 writes the list anew.

const goldenFile = path.join(import.meta.dirname, 'role-matrix.golden.tsv')
let server: TestServer
let world: TestWorld
let lines: readonly Line[]
let before: string
let after: string

beforeAll(async () => {
  server = await startServer()
  world = await buildWorld(server)
  const { path: kept } = await server.app.archive.scheduled.runNow()
  const archive = new Uint8Array(readFileSync(kept))
  const zip = { name: 'backup.zip', bytes: archive }
  const form = (fields: Form['fields'], file: Form['file']) => async () => ({ fields, file })
  before = wholeState(world)
  lines = await runMatrix(world, {
    form: {
      create_attachment: form({ kind: 'portrait' }, pngFile),
      inspect_backup: form({}, zip),
      restore_backup: form({}, zip),
    },
    texts: {
      backup: async () => path.basename(kept),
      ticket: async () => {
        const { body } = await world.callers.admin.post('/api/v1/backup/links')
        return body.path.slice('/api/v1/downloads/'.length)
      },
    },
  })
  after = wholeState(world)
  console.log(
    `role matrix: ${lines.length * callerNames.length} cases (${lines.length} lines, ${callerNames.length} callers)`,
  )
}, 120_000)
afterAll(() => server.stop())

function golden(): readonly string[] {
  return readFileSync(goldenFile, 'utf8').trim().split('\n')
}

test('every call gets the status of the golden list', () => {
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(goldenFile, matrixText(lines))
  const [head, ...known] = golden()
  const measured = lines.map(lineText)
  const missing = measured.filter((line) => !known.some((each) => keyOf(each) === keyOf(line)))
  expect(missing, `not in role-matrix.golden.tsv; when they are right, add\n${missing.join('\n')}\n`).toEqual([])
  expect(head).toBe(matrixText([]).trim())
  expect(measured).toEqual(known)
})

test('every call gets the status that its access word asks for', () => {
  const wrong = lines.flatMap((line) => {
    const expected = expectedCells(line)
    return line.cells.flatMap((cell, index) =>
      cell === expected[index]
        ? []
        : [`${line.name} ${line.door} ${callerNames[index]}: ${cell}, not ${expected[index]}`],
    )
  })
  expect(wrong).toEqual([])
})

test('no call left anything behind for the next', () => {
  expect(after).toBe(before)
})

test('every route of the server is in the matrix or is none of an operation', () => {
  // Without a credential of ours, or with their own rules: health, documents, pages, MCP itself, OAuth and its aliases.
  const other = new Set([
    '/healthz',
    '/readyz',
    '/api/openapi.json',
    '/api/docs',
    '/api/docs/start.js',
    '/api/docs/:file',
    '/mcp',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/mcp',
    '/.well-known/openid-configuration',
    '/oauth/authorize',
    '/oauth/register',
    '/oauth/revoke',
    '/oauth/style.css',
    '/oauth/token',
    '/oauth/*',
    '/authorize',
    '/register',
    '/token',
    '*',
  ])
  const inMatrix = new Set(
    declaredIn(world).map(({ declared }) => {
      const [method, route] = declared.route.split(' ') as [string, string]
      return `${method} /api/v1${route.replaceAll(/\{(\w+)\}/g, ':$1')}`
    }),
  )
  const routes = routesOf(server.app.server.printRoutes({ commonPrefix: false }))
  expect(routes.length).toBeGreaterThan(100)
  expect(routes.filter((route) => !inMatrix.has(route) && !other.has(route.replace(/^\w+ /, '')))).toEqual([])
})

test('every operation is an MCP tool of its name unless it says why not', async () => {
  const { body } = await world.callers.dm.mcp('tools/list')
  const tools = body.result.tools.map(({ name }: { readonly name: string }) => name)
  const operations = [...server.app.system().operations.values()].filter(({ mcp }) => mcp === undefined)
  expect(tools).toEqual(operations.map(({ name }) => name))
})

function keyOf(line: string): string {
  return line.split('\t', 2).join('\t')
}

/** Method and path of every route of fastify's tree; what it adds itself (HEAD) follows from GET. */
function routesOf(tree: string): readonly string[] {
  const above: string[] = []
  return tree
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const match = /^([│ ]*)[├└]── (\S+)(?: \(([^)]*)\))?/.exec(line)
      if (match === null) throw new Error(`not a line of the route tree: ${line}`)
      const [, indent = '', part = '', methods = ''] = match
      const depth = indent.length / 4
      above.length = depth
      above.push(part)
      return methods
        .split(', ')
        .filter((method) => method !== '' && method !== 'HEAD')
        .map((method) => `${method} ${above.join('')}`)
    })
}
