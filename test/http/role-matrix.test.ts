import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { toolsets } from '../../src/kernel/operation.ts'
import { measureCost } from '../support/cost.ts'
import { walkLimitMs } from '../support/long.ts'
import {
  type Declared,
  declaredIn,
  type Line,
  lineText,
  type MatrixOptions,
  pngFile,
  runLine,
  wholeState,
} from '../support/matrix.ts'
import { expectedCells } from '../support/matrix-model.ts'
import { shareWorld } from '../support/shared-world.ts'
import { callerNames, type TestWorld } from '../support/world.ts'

// Who gets what from every operation, by both doors (SPEC 5). The golden list is what was reviewed; the model beside it is
// worked out from the access word alone, so that the list cannot bless a hole. `role-matrix.notes.md` explains the cells
// that surprise. UPDATE_GOLDEN=1 writes the list anew.

const goldenFile = path.join(import.meta.dirname, 'role-matrix.golden.tsv')

const shared = shareWorld({
  layer: { name: 'with-a-kept-backup', add: async ({ server }) => void (await server.app.archive.scheduled.runNow()) },
})
const cost = measureCost('role matrix', () => shared.world.server.app.system().operations.size)

/** What is sent in another form than JSON, and texts that only one call can use. */
function optionsOn({ server, callers }: TestWorld): MatrixOptions {
  const folder = path.join(server.dataDir, 'backups')
  const kept = readdirSync(folder).find((name) => name.endsWith('.zip'))
  if (kept === undefined) throw new Error('there is no kept backup')
  const zip = { name: 'backup.zip', bytes: new Uint8Array(readFileSync(path.join(folder, kept))) }
  const ferry = { format: 'talekeeper-campaign', version: 1, campaign: { name: 'The Ferry' }, rows: {} }
  const document = { name: 'ferry.json', bytes: new Uint8Array(Buffer.from(JSON.stringify(ferry))) }
  return {
    form: {
      create_attachment: async () => ({ fields: { kind: 'portrait' }, file: pngFile }),
      inspect_backup: async () => ({ fields: {}, file: zip }),
      restore_backup: async () => ({ fields: {}, file: zip }),
      import_campaign: async () => ({ fields: {}, file: document }),
      inspect_import: async () => ({ fields: {}, file: document }),
    },
    texts: {
      backup: async () => kept,
      async ticket() {
        const { body } = await callers.admin.post('/api/v1/backup/links')
        return body.path.slice('/api/v1/downloads/'.length)
      },
    },
  }
}

/** The lines that were reviewed, by operation and door, in their order. */
function golden(): ReadonlyMap<string, string> {
  const [, ...lines] = readFileSync(goldenFile, 'utf8').trim().split('\n')
  return new Map(lines.map((line) => [line.split('\t', 2).join(' '), line]))
}

const keyOf = ({ declared, door }: Pick<Line, 'declared' | 'door'>): string => `${declared.name} ${door}`
const groupOf = (declared: Declared): string => ('toolset' in declared ? declared.toolset : 'beside the toolsets')
const measured = new Map<string, string>()

test.each([...toolsets, 'server', 'beside the toolsets'])(
  '%s: every call gets the status of the golden list, which is the one that its access word asks for',
  { timeout: walkLimitMs },
  shared.owned(async (world, group) => {
    const options = optionsOn(world)
    const before = wholeState(world)
    const lines: Line[] = []
    for (const each of declaredIn(world)) {
      if (groupOf(each.declared) === group) lines.push(await runLine(world, each, options))
    }
    cost.add(lines.length * callerNames.length)
    expect(wholeState(world), 'what calls left behind').toBe(before)
    expect(lines.flatMap(offences)).toEqual([])
    for (const line of lines) measured.set(keyOf(line), lineText(line))
    if (process.env.UPDATE_GOLDEN === '1') return
    const reviewed = golden()
    const missing = lines.filter((line) => !reviewed.has(keyOf(line))).map(lineText)
    expect(missing, `not in role-matrix.golden.tsv; when they are right, add\n${missing.join('\n')}\n`).toEqual([])
    expect(lines.map(lineText)).toEqual(lines.map((line) => reviewed.get(keyOf(line))))
  }),
)

/** The cells of a line that are not what the model says. */
function offences(line: Line): readonly string[] {
  const expected = expectedCells(line)
  return line.cells.flatMap((cell, index) =>
    cell === expected[index] ? [] : [`${keyOf(line)} ${callerNames[index]}: ${cell}, not ${expected[index]}`],
  )
}

test('the golden list holds every operation, in the order of the catalogue', () => {
  const keys = declaredIn(shared.world).map(keyOf)
  const reviewed = golden()
  const head = ['operation', 'door', ...callerNames].join('\t')
  if (process.env.UPDATE_GOLDEN === '1') {
    const lines = keys.map((key) => measured.get(key) ?? reviewed.get(key))
    writeFileSync(goldenFile, `${[head, ...lines].join('\n')}\n`)
  }
  expect([...golden().keys()]).toEqual(keys)
  // None of them is of a group that no test above walks.
  expect(keys.filter((key) => !measured.has(key))).toEqual([])
  expect(readFileSync(goldenFile, 'utf8').split('\n')[0]).toBe(head)
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
    // The address of a member's calendar is its own credential (test/http/calendar-feed.test.ts).
    '/ics/:feed',
    '/mcp/',
    '/',
    '/*',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/mcp',
    '/.well-known/openid-configuration',
    '/hello',
    '/oauth/authorize',
    '/share/style.css',
    '/share/:token',
    '/share/:token/faces/:place',
    '/display/style.css',
    '/display/screen.js',
    '/display/:code',
    '/display/:code/map',
    '/display/:code/events',
    '/oauth/register',
    '/oauth/revoke',
    '/oauth/style.css',
    '/oauth/token',
    '/oauth/*',
    // Behind it stands a table of the operations (src/http/operation-table.ts).
    '/api/v1/*',
    '/authorize',
    '/register',
    '/token',
  ])
  const inMatrix = new Set(
    declaredIn(shared.world).map(({ declared }) => {
      const [method, route] = declared.route.split(' ') as [string, string]
      return `${method} /api/v1${route.replaceAll(/\{(\w+)\}/g, ':$1')}`
    }),
  )
  const routes = routesOf(shared.world.server.app.server.printRoutes({ commonPrefix: false }))
  expect(routes.length).toBeGreaterThan(60)
  expect(routes.filter((route) => !inMatrix.has(route) && !other.has(route.replace(/^\w+ /, '')))).toEqual([])
})

test('every operation is an MCP tool of its name unless it says why not', async () => {
  const { body } = await shared.world.callers.dm.mcp('tools/list')
  const tools = body.result.tools.map(({ name }: { readonly name: string }) => name)
  const operations = [...shared.world.server.app.system().operations.values()].filter(({ mcp }) => mcp === undefined)
  expect(tools).toEqual(operations.map(({ name }) => name))
})

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
