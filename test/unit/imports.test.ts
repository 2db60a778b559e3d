import { globSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

// Who may import whom. A part is a folder of src/, or a file that lies directly in it.

interface Rule {
  /** Parts that it may use at run time; its own is always allowed. */
  readonly parts: readonly string[]
  /** Parts that it may take types from besides. */
  readonly types?: readonly string[]
  /** Packages; `node:*` stands for all of Node's own. */
  readonly packages: readonly string[]
}

const everything = ['*', 'node:*']
const service: Rule = { parts: ['kernel', 'storage', 'domain'], packages: everything }

const table: Readonly<Record<string, Rule>> = {
  kernel: { parts: [], packages: ['zod'] },
  rules: { parts: [], packages: [] },
  combat: { parts: ['rules'], packages: [] },
  domain: { parts: ['combat', 'kernel', 'rules'], packages: ['zod'] },
  'catalogue.ts': { parts: ['kernel', 'domain'], packages: [] },
  storage: { parts: ['kernel'], packages: ['better-sqlite3', 'sharp', 'zod', 'node:*'] },
  identity: service,
  oauth: service,
  archive: service,
  // A campaign comes home in a zip, which is read as carefully as a backup.
  transfer: { ...service, parts: [...service.parts, 'archive'] },
  ai: service,
  live: service,
  http: { parts: ['kernel'], types: ['mcp'], packages: everything },
  mcp: { parts: ['kernel'], packages: everything },
  network: { parts: ['kernel'], packages: everything },
  'bridge.ts': { parts: ['mcp'], packages: [] },
  desktop: { parts: ['kernel'], types: ['archive'], packages: everything },
  web: {
    parts: [],
    types: ['catalogue.ts', 'domain', 'kernel'],
    packages: [
      ...['preact', '@preact/signals', 'wouter-preact', 'marked', 'dompurify', 'qr'],
      ...['@codemirror/commands', '@codemirror/state', '@codemirror/view', 'style-mod'],
    ],
  },
  'assets.ts': { parts: [], packages: ['node:*'] },
  'natives.ts': { parts: ['assets.ts'], packages: ['node:*'] },
  'config.ts': { parts: ['assets.ts', 'desktop', 'kernel', 'mcp', 'server'], packages: ['ipaddr.js', 'zod', 'node:*'] },
  'self-test.ts': {
    parts: ['assets.ts', 'catalogue.ts', 'identity', 'natives.ts', 'storage'],
    packages: ['better-sqlite3', 'node:*'],
  },
  'worker.ts': { parts: ['archive', 'storage', 'transfer', 'kernel', 'catalogue.ts'], packages: ['node:*'] },
  server: { parts: ['kernel', 'storage', 'archive'], packages: ['zod', 'node:*'] },
  cli: {
    parts: [
      'kernel',
      'domain',
      'catalogue.ts',
      'storage',
      'identity',
      'oauth',
      'archive',
      'desktop',
      'mcp',
      'assets.ts',
      'config.ts',
      'natives.ts',
    ],
    packages: everything,
  },
  'app.ts': {
    parts: [
      'server',
      'kernel',
      'domain',
      'catalogue.ts',
      'storage',
      'identity',
      'oauth',
      'archive',
      'transfer',
      'ai',
      'live',
      'http',
      'mcp',
      'network',
      'desktop',
      'assets.ts',
      'config.ts',
    ],
    types: ['app-options.ts', 'worker.ts'],
    packages: everything,
  },
  'app-options.ts': {
    parts: [],
    types: [
      ...['ai', 'archive', 'config.ts', 'desktop', 'identity', 'kernel', 'live', 'network', 'oauth', 'server'],
      ...['storage', 'transfer'],
    ],
    packages: everything,
  },
  'main.ts': {
    parts: [
      'app.ts',
      'app-options.ts',
      'cli',
      'config.ts',
      'desktop',
      'http',
      'mcp',
      'kernel',
      'server',
      'assets.ts',
      'natives.ts',
      'self-test.ts',
      'storage',
    ],
    packages: everything,
  },
}

/** Packages that only one place may load: what wraps them is what the rest uses. */
const keptIn: Readonly<Record<string, string>> = {
  sharp: 'storage/images',
  argon2: 'identity/passwords.ts',
  'node-cron': 'archive/',
  yauzl: 'archive/',
  jose: 'oauth/',
}

/** Pure files that the web client runs: none of them pulls zod into the browser. */
const pure = new Set([
  'kernel/dice.ts',
  'kernel/dice-odds.ts',
  'kernel/dice-parse.ts',
  'kernel/excerpt.ts',
  ...globSync('rules/**/*.ts', { cwd: path.join(import.meta.dirname, '../../src') }).map((file) =>
    file.replaceAll(path.sep, '/'),
  ),
  'kernel/limits.ts',
  'kernel/mentions.ts',
  'kernel/world-calendar.ts',
  'kernel/zoned-time.ts',
])

interface Import {
  readonly from: string
  /** A file below src/, or the name of a package. */
  readonly to: string
  readonly kind: 'file' | 'package'
  readonly typeOnly: boolean
  /** Fetched when it is first needed: no part of loading the file that asks for it. */
  readonly later: boolean
}

const root = path.join(import.meta.dirname, '../../src')
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll(path.sep, '/'))
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
  .sort()
const imports = files.flatMap(importsOf)

function importsOf(from: string): readonly Import[] {
  const source = readFileSync(path.join(root, from), 'utf8')
  const statements = [
    ...Array.from(
      source.matchAll(/^(?:import|export)\s+(type\s+)?(?:[\w*{][^'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gm),
      ([, type, to = '']) => ({ to, typeOnly: type !== undefined, later: false }),
    ),
    ...Array.from(source.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g), ([, to = '']) => ({
      to,
      typeOnly: false,
      later: true,
    })),
  ]
  return statements.flatMap(({ to, ...how }): Import[] => {
    if (!to.startsWith('.')) return [{ from, to, kind: 'package', ...how }]
    const file = path.posix.normalize(path.posix.join(path.posix.dirname(from), to))
    return /\.tsx?$/.test(file) ? [{ from, to: file, kind: 'file', ...how }] : []
  })
}

function partOf(file: string): string {
  return file.split('/')[0] as string
}

function packageOf(name: string): string {
  return name.startsWith('@') ? name.split('/').slice(0, 2).join('/') : (name.split('/')[0] as string)
}

function isAllowed({ from, to, kind, typeOnly }: Import): boolean {
  const rule = table[partOf(from)]
  if (rule === undefined) return false
  if (kind === 'package') {
    if (to.startsWith('node:')) return rule.packages.includes('node:*')
    const keeper = keptIn[packageOf(to)]
    if (keeper !== undefined && !typeOnly && !from.startsWith(keeper)) return false
    return rule.packages.includes('*') || rule.packages.includes(packageOf(to)) || (typeOnly && packageOf(to) === 'zod')
  }
  const [mine, theirs] = [partOf(from), partOf(to)]
  if (mine === 'domain' && theirs === 'domain') return isAllowedInDomain(from, to)
  if (mine === theirs || rule.parts.includes(theirs)) return true
  if (mine === 'web' && pure.has(to)) return true
  return typeOnly && (rule.types?.includes(theirs) ?? false)
}

/** One's own resource, what lies above all resources, and of other resources what they are: entity.ts. */
function isAllowedInDomain(from: string, to: string): boolean {
  const [, mine] = from.split('/')
  const [, theirs, file] = to.split('/')
  return file === undefined || mine === theirs || file === 'entity.ts'
}

test('every part imports only what its place in the table lets it', () => {
  expect(files.length).toBeGreaterThan(150)
  expect(imports.length).toBeGreaterThan(800)
  const wrong = imports
    .filter((each) => !isAllowed(each))
    .map(({ from, to, typeOnly }) => `${from} -> ${to}${typeOnly ? ' (types)' : ''}`)
  expect(wrong).toEqual([])
})

test('every part has a place in the table', () => {
  expect([...new Set(files.map(partOf))].filter((part) => table[part] === undefined)).toEqual([])
})

test('what one package is kept in is where it is', () => {
  for (const [name, keeper] of Object.entries(keptIn)) {
    const users = imports.filter(({ to, kind, typeOnly }) => kind === 'package' && packageOf(to) === name && !typeOnly)
    expect(
      users.map(({ from }) => from).filter((from) => !from.startsWith(keeper)),
      name,
    ).toEqual([])
    expect(users.length, name).toBeGreaterThan(0)
  }
})

test('the web client runs nothing of the server but pure files, and they import nothing else', () => {
  const run = imports.filter(
    ({ from, to, kind, typeOnly }) => partOf(from) === 'web' && kind === 'file' && !typeOnly && partOf(to) !== 'web',
  )
  expect(run.map(({ to }) => to).filter((to) => !pure.has(to))).toEqual([])
  expect(
    imports
      .filter(({ from, to, typeOnly }) => pure.has(from) && !typeOnly && !pure.has(to))
      .map(({ from, to }) => `${from} -> ${to}`),
  ).toEqual([])
})

test('there is no circle of imports, those of types included', () => {
  const next = new Map<string, string[]>()
  for (const { from, to, kind, later } of imports) {
    if (kind === 'file' && !later) next.set(from, [...(next.get(from) ?? []), to])
  }
  expect(circleIn(next)).toEqual([])
})

function circleIn(next: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>()
  const walk = (file: string, way: readonly string[]): readonly string[] => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file]
    if (done.has(file)) return []
    for (const to of next.get(file) ?? []) {
      const circle = walk(to, [...way, file])
      if (circle.length > 0) return circle
    }
    done.add(file)
    return []
  }
  for (const file of next.keys()) {
    const circle = walk(file, [])
    if (circle.length > 0) return circle
  }
  return []
}

test('a circle would be found', () => {
  const next = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['d', ['b']],
  ])
  expect(circleIn(next)).toEqual(['b', 'd', 'b'])
})

test('only config.ts reads the environment', () => {
  const readers = files.filter((file) =>
    /process\s*(\.|\?\.|\[['"])\s*env\b/.test(readFileSync(path.join(root, file), 'utf8')),
  )
  // The bridge is a program of its own.
  expect(readers).toEqual(['bridge.ts', 'config.ts'])
})

describe('files', () => {
  const project = path.join(root, '..')
  const sources = globSync('{src,test,scripts}/**/*.{ts,tsx,mjs}', {
    cwd: project,
    // A frozen migration is the text of a whole schema.
    exclude: ['**/node_modules', '**/fixtures', 'src/storage/migrations/*'],
  })

  test('are of at most 450 lines', () => {
    expect(sources.length).toBeGreaterThan(200)
    const long = sources
      .map((file) => ({ file, lines: readFileSync(path.join(project, file), 'utf8').split('\n').length - 1 }))
      .filter(({ lines }) => lines > 450)
    expect(long).toEqual([])
  })

  test('have names in kebab-case and no default exports', () => {
    expect(sources.filter((file) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(path.basename(file)))).toEqual([])
    const exporting = sources.filter((file) =>
      /^export default\b/m.test(readFileSync(path.join(project, file), 'utf8')),
    )
    expect(exporting).toEqual([])
  })
})
