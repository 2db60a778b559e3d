import { catalogue } from '../../src/catalogue.ts'
import { limits } from '../../src/kernel/limits.ts'
import { type AnyOperation, routeOf } from '../../src/kernel/operation.ts'
import { commonWord } from '../../test/support/grown-world.ts'
import { threadsCpuMs } from './cpu.ts'
import { type GrownInstallation, makeGrown } from './grown.ts'
import { type Program, startOn } from './installation.ts'
import { load, median, type Target } from './load.ts'
import type { Measure } from './measures.ts'
import type { Running } from './programs.ts'
import { searchGrowth } from './search-growth.ts'

/** What everything is compared with comes first. */
export const sizes = [1000, 100, 10_000, 50_000] as const
/** For a look while one works. */
export const fewSizes = [1000, 10_000] as const
const rounds = 5
const requests = 6
const warming = 4
/** Of so many pages of 200 a list is walked for a late one: 20,000 rows, of a list that has as many. */
const mostPages = 100
/** What took longer than this in the warming, in milliseconds of processor time, is known well enough after one round. */
const slow = 25
/** A difference that the machine makes by itself, in milliseconds: nothing grows by less. */
const noise = 0.1

const aims = { 10000: 2, 50000: 1.5 } as const

/** A read as somebody asks for it, by one door. */
interface Read {
  readonly operation: AnyOperation
  readonly who: 'dm' | 'player'
  readonly door: 'REST' | 'MCP'
  readonly page: 'first' | 'late'
  readonly input: (installation: GrownInstallation) => Readonly<Record<string, unknown>>
  /** Said behind the name of the operation. */
  readonly variant: string
}

interface Grown {
  readonly installation: GrownInstallation
  readonly server: Running
}

export interface GrowthLine {
  readonly name: string
  /** Milliseconds of processor time by how many rows of each kind there are; what could not be asked for is not there. */
  readonly costs: ReadonlyMap<number, number>
}

/**
 * What every read of the catalogue costs in a campaign with 1,000 of everything, and with 100, 10,000 and 50,000: in processor
 * time of the whole server, the median of a few rounds in turns.
 */
export async function growthMeasures(program: Program, of: readonly number[] = sizes): Promise<readonly Measure[]> {
  const started = performance.now()
  const installations = await makeGrown(of)
  const servers: Grown[] = []
  try {
    console.log(`  grown to ${of.join(', ')} of each kind in ${seconds(started)} s`)
    for (const installation of installations.of)
      servers.push({ installation, server: await startOn(program, installation) })
    const lines: GrowthLine[] = []
    const cursors = lateCursors()
    for (const read of await reads(servers)) {
      const costs = await costsOf(servers, read, cursors).catch((error: Error) => error)
      if (costs instanceof Error) console.log(`  ${nameOf(read)} was not measured: ${costs.message}`)
      else lines.push({ name: nameOf(read), costs })
    }
    console.log(growthTable(lines))
    const found = await searchGrowth(servers)
    console.log(`  measured in ${seconds(started)} s, the growing included`)
    return [...summary(lines), ...found, ...lines.flatMap(measuresOf)]
  } finally {
    for (const { server } of servers) await server.stop()
    installations.remove()
  }
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0)
}

/** The same operation asked for otherwise: behind its name, and what its input has besides. */
const variants: Readonly<Record<string, readonly (readonly [string, () => Readonly<Record<string, unknown>>])[]>> = {
  list_recent_changes: [['with nothing new', () => ({ since: new Date().toISOString() })]],
  list_npcs: [
    ['of a label that all bear', () => ({ tag: 'Grown' })],
    ['with a word that all hold', () => ({ query: commonWord })],
    ['of one name', () => ({ query: '000040' })],
  ],
}

/** Every read of the catalogue that has a route, by whom it lets in; lists also further down, and by the door of AI clients. */
async function reads([first]: readonly Grown[]): Promise<readonly Read[]> {
  const operations = Object.values(catalogue) as unknown as readonly AnyOperation[]
  const found: Read[] = []
  for (const operation of operations) {
    if (operation.effect !== 'read' || routeOf(operation.route).method !== 'GET' || first === undefined) continue
    for (const who of ['dm', 'player'] as const) {
      const input = (on: GrownInstallation) => operation.example(on.world) as Readonly<Record<string, unknown>>
      const read: Read = { operation, who, door: 'REST', page: 'first', input, variant: '' }
      if (!(await isAnswered(first, read))) continue
      found.push(read)
      for (const [variant, more] of variants[operation.name] ?? [])
        found.push({ ...read, variant: ` ${variant}`, input: (on) => ({ ...input(on), ...more() }) })
      if (!('cursor' in operation.input.shape)) continue
      found.push({ ...read, page: 'late' })
      if (operation.mcp === undefined) found.push({ ...read, door: 'MCP' })
    }
  }
  return found
}

async function isAnswered({ installation, server }: Grown, read: Read): Promise<boolean> {
  const { host, port, path, headers } = targetOf({ installation, server }, read, {})
  const response = await fetch(`http://${host}:${port}${path}`, {
    headers: { ...headers, authorization: `Bearer ${installation.tokens[read.who][0]}` },
  })
  const answer = await response.text()
  return response.ok && (response.headers.get('content-type') ?? '').includes('json') && answer.length > 0
}

function nameOf({ operation, who, door, page, variant }: Read): string {
  const asked = door === 'MCP' ? 'over MCP' : page === 'late' ? 'a late page' : ''
  return [operation.name + variant, who, asked].filter((part) => part !== '').join(', ')
}

function targetOf(
  { installation, server }: Grown,
  { operation, who, door, input }: Read,
  more: Readonly<Record<string, unknown>>,
): Target {
  const { hostname, port } = new URL(server.found)
  const at = { host: hostname, port: Number(port), bearers: installation.tokens[who] }
  const asked = { ...input(installation), ...more }
  if (door === 'MCP') {
    const params = { name: operation.name, arguments: asked }
    return {
      ...at,
      path: '/mcp',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    }
  }
  const { path, placeholders } = routeOf(operation.route)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(asked[key])))
  const query = Object.entries(asked)
    .filter(([key]) => !placeholders.includes(key))
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`)
  return { ...at, path: `/api/v1${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`, headers: {} }
}

async function costsOf(
  servers: readonly Grown[],
  read: Read,
  cursors: ReturnType<typeof lateCursors>,
): Promise<ReadonlyMap<number, number>> {
  const targets: { readonly grown: Grown; readonly target: Target }[] = []
  for (const grown of servers) {
    const cursor = read.page === 'late' ? await cursors(grown, read) : undefined
    // A list of one page has no late one.
    if (cursor === null) continue
    targets.push({ grown, target: targetOf(grown, read, cursor === undefined ? {} : { cursor }) })
  }
  const found = new Map<number, number[]>()
  // Nothing to compare.
  if (targets.length < 2) return new Map()
  const known = new Set<number>()
  for (const { grown, target } of targets) {
    const warm = await cpuOf(grown.server, target, warming)
    if (warm === null || warm < slow) continue
    known.add(grown.installation.rows)
    found.set(grown.installation.rows, [warm])
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { grown, target } of targets) {
      const { rows } = grown.installation
      if (known.has(rows)) continue
      const cost = await cpuOf(grown.server, target)
      if (cost !== null) found.set(rows, [...(found.get(rows) ?? []), cost])
    }
  }
  return new Map(Array.from(found, ([rows, costs]) => [rows, median(costs)]))
}

export async function cpuOf({ child }: Running, target: Target, count = requests): Promise<number | null> {
  const before = threadsCpuMs(child)
  await load(target, 1, { requests: count })
  const after = threadsCpuMs(child)
  return before === null || after === null ? null : (after - before) / count
}

/** The cursors of pages at nine tenths of lists, each looked for once. */
function lateCursors() {
  const known = new Map<string, Promise<string | null>>()
  return (grown: Grown, read: Read): Promise<string | null> => {
    const key = `${read.operation.name} ${read.who} ${grown.installation.rows}`
    const found = known.get(key) ?? lateCursor(grown, read)
    known.set(key, found)
    return found
  }
}

/** The cursor of a page at nine tenths of a list; null where it has one page only. */
async function lateCursor(grown: Grown, read: Read): Promise<string | null> {
  const cursors: string[] = []
  const { tokens } = grown.installation
  for (let cursor: string | null = ''; cursor !== null && cursors.length < mostPages; ) {
    const more: Readonly<Record<string, unknown>> = cursor === '' ? {} : { cursor }
    const asked: Read = { ...read, door: 'REST' }
    const { host, port, path } = targetOf(grown, asked, { limit: limits.page.most, ...more })
    const authorization = `Bearer ${tokens[read.who][cursors.length % tokens[read.who].length]}`
    const response = await fetch(`http://${host}:${port}${path}`, { headers: { authorization } })
    if (!response.ok) throw new Error(`${read.operation.name} was answered with ${response.status}`)
    const page = (await response.json()) as { readonly nextCursor: string | null }
    cursor = page.nextCursor
    if (cursor !== null) cursors.push(cursor)
  }
  return cursors[Math.floor((cursors.length - 1) * 0.9)] ?? null
}

function ratio({ costs }: GrowthLine, size: number): number | null {
  const [base, grown] = [costs.get(1000), costs.get(size)]
  if (base === undefined || grown === undefined) return null
  return Math.abs(grown - base) < noise ? 1 : grown / base
}

function summary(lines: readonly GrowthLine[]): readonly Measure[] {
  return Object.entries(aims).map(([size, most]) => {
    const known = lines.flatMap((line) => {
      const value = ratio(line, Number(size))
      return value === null ? [] : [{ name: line.name, value }]
    })
    const worst = known.toSorted((a, b) => b.value - a.value)
    const above = worst.filter(({ value }) => value > most)
    return {
      name: `the read that grows most, at ${size} of each kind against 1,000`,
      value: worst[0]?.value ?? null,
      unit: '',
      budget: { most },
      detail: `${known.length} reads, ${above.length} above; ${worst[0]?.name ?? ''}`,
    }
  })
}

/** What is kept of a run: each cost at the largest size of a whole run, to be compared with the next. */
function measuresOf({ name, costs }: GrowthLine): readonly Measure[] {
  const value = costs.get(50_000)
  const told = Array.from(costs, ([size, cost]) => `${size}: ${cost.toFixed(2)}`).join(', ')
  return value === undefined ? [] : [{ name: `growth: ${name}`, value, unit: 'ms', detail: told, quiet: true }]
}

function growthTable(lines: readonly GrowthLine[]): string {
  const inOrder = sizes.toSorted((a, b) => a - b)
  const number = (value: number | undefined | null, digits = 2): string =>
    value === undefined || value === null ? '-' : value.toFixed(digits)
  const rows = lines
    .filter(({ costs }) => costs.size > 1)
    .map((line) => {
      const over = Object.entries(aims).some(([size, most]) => (ratio(line, Number(size)) ?? 0) > most)
      const costs = inOrder.map((size) => number(line.costs.get(size)))
      return [...costs, number(ratio(line, 10_000)), number(ratio(line, 50_000)), over ? 'OVER' : '', line.name]
    })
  const head = [
    ...inOrder.map(String),
    '10,000/1,000',
    '50,000/1,000',
    '',
    'ms of processor time a request, of each kind',
  ]
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)))
  return [head, ...rows]
    .map((row) => row.map((cell, at) => (at < row.length - 1 ? cell.padStart(widths[at] ?? 0) : cell)).join('  '))
    .join('\n')
}
