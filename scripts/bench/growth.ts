import { catalogue } from '../../src/catalogue.ts'
import { limits } from '../../src/kernel/limits.ts'
import { type AnyOperation, routeOf } from '../../src/kernel/operation.ts'
import { commonWord } from '../../test/support/grown-world.ts'
import { threadsCpuMs } from './cpu.ts'
import { type GrownInstallation, makeGrown } from './grown.ts'
import {
  compared,
  floorName,
  type GrowthLine,
  growthSummary,
  growthTable,
  isAbove,
  isDecided,
  measuresOf,
} from './growth-table.ts'
import { type Program, startOn } from './installation.ts'
import { load, median, type Target } from './load.ts'
import type { Measure } from './measures.ts'
import type { Running } from './programs.ts'
import { searchGrowth } from './search-growth.ts'

/** What everything is compared with comes first. */
export const sizes = [compared, 100, 10_000, 50_000] as const
/** For a look while one works. */
export const fewSizes = [compared, 10_000] as const
/** A read is asked for in turns at each size, until its verdict is the same whichever two rounds are compared. */
const rounds = { least: 2, most: 9 } as const
/** Of so many requests, as many as make up the time, in milliseconds of processor time: what is collected meanwhile, and when, is to weigh little. */
const round = { least: 5, most: 40, milliseconds: 15 } as const
/** Ahead of the rounds: the first requests fill the caches. */
const warming = 5
/** Of so many pages of 200 a list is walked for a late one: 20,000 rows, of a list that has as many. */
const mostPages = 100
/** No answer costs less, in milliseconds: where the system says so, it has not yet counted what a thread used. */
const leastCost = 0.05
/**
 * What answers with the whole campaign, which the part "transfer" measures, and searches: what these cost follows from how
 * much holds the word, so that they have lines of their own (search-growth.ts).
 */
const elsewhere = ['export_campaign', 'search_campaign']
/** Lists, and what is drawn of all of a campaign: these may not grow. Of other reads, in milliseconds, whatever they gather. */
const isBounded = ({ name, input }: AnyOperation): boolean => 'cursor' in input.shape || /^list_|_graph$/.test(name)
const mostOfOthers = 15
/** What takes longer than this, in milliseconds of processor time, is asked for once a round. */
const slow = 25

/** A read as somebody asks for it, by one door. */
interface Read {
  readonly operation: AnyOperation
  readonly who: 'dm' | 'player'
  readonly door: 'REST' | 'MCP'
  readonly page: 'first' | 'late'
  readonly input: (installation: GrownInstallation) => Readonly<Record<string, unknown>>
  /** Said behind the name of the operation. */
  readonly variant: string
  readonly mostMs?: number
}

interface Grown {
  readonly installation: GrownInstallation
  readonly server: Running
}

/**
 * What every read of the catalogue costs in a campaign with 1,000 of everything, and with 100, 10,000 and 50,000: in processor
 * time of the whole server, the median of a few rounds in turns.
 */
export async function growthMeasures(
  program: Program,
  of: readonly number[] = sizes,
  only: readonly string[] | null = null,
): Promise<readonly Measure[]> {
  const started = performance.now()
  const installations = await makeGrown(of)
  const servers: Grown[] = []
  try {
    console.log(`  grown to ${of.join(', ')} of each kind in ${seconds(started)} s`)
    for (const installation of installations.of)
      servers.push({ installation, server: await startOn(program, installation) })
    const held: string[] = []
    await heldBy(servers, 'the start', [])
    const watch = (name: string) => heldBy(servers, name, held)
    const asked = await reads(servers, only, watch)
    const cursors = await lateCursors(servers, asked)
    console.log(`  ${asked.length} reads, each answered once, and late pages found, after ${seconds(started)} s`)
    const lines: GrowthLine[] = [{ name: floorName, ...(await costsIn(servers.map(floorOf))) }]
    await watch('late pages')
    const lineOf = async (read: Read): Promise<GrowthLine | null> => {
      const found = await costsIn(targetsOf(servers, read, cursors)).catch((error: Error) => error)
      await watch(nameOf(read))
      if (found instanceof Error) console.log(`  ${nameOf(read)} was not measured: ${found.message}`)
      if (found instanceof Error || found.costs.size < 2) return null
      return { name: nameOf(read), ...found, ...(read.mostMs === undefined ? {} : { mostMs: read.mostMs }) }
    }
    const above: Read[] = []
    for (const read of asked) {
      const line = await lineOf(read)
      if (line !== null && isAbove(line)) above.push(read)
      else if (line !== null) lines.push(line)
    }
    // A few seconds in which the machine was busy fall on all rounds of one read: what stands above is asked again when all is done.
    for (const read of above) {
      const line = await lineOf(read)
      console.log(`  ${nameOf(read)} stood above what is allowed and was measured again`)
      if (line !== null) lines.push(line)
    }
    if (held.length > 0) console.log(`  held the main thread for more than ${longestHold} ms:\n${held.join('\n')}`)
    console.log(growthTable(lines, of))
    console.log(`  measured in ${seconds(started)} s, the growing included`)
    const found = await searchGrowth(servers)
    console.log(`  and searches, after ${seconds(started)} s`)
    return [...growthSummary(lines), ...found, ...lines.flatMap(measuresOf)]
  } finally {
    for (const { server } of servers) await server.stop()
    installations.remove()
  }
}

/** In milliseconds: what works longer in one go is named. */
const longestHold = 20

/** Notes which servers were held by what was asked of them since it was last asked. */
async function heldBy(servers: readonly Grown[], name: string, held: string[]): Promise<void> {
  for (const { installation, server } of servers) {
    const delay = await server.loopDelay()
    if (delay !== null && delay.work > longestHold)
      held.push(
        `    ${delay.work.toFixed(0)} ms at ${installation.rows}: ${name} (collecting garbage: ${delay.collected.toFixed(0)} ms)`,
      )
  }
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0)
}

/** The same operation asked for otherwise: behind its name, and what its input has besides. */
const variants: Readonly<
  Record<string, readonly (readonly [string, () => Readonly<Record<string, unknown>>, number?])[]>
> = {
  list_recent_changes: [['with nothing new', () => ({ since: new Date().toISOString() })]],
  list_npcs: [
    ['of a label that all bear', () => ({ tag: 'Grown' })],
    ['with a word that all hold', () => ({ query: commonWord }), 15],
    ['of one name', () => ({ query: '000040' })],
  ],
}

/** Every read of the catalogue that has a route, by whom it lets in; lists also further down, and by the door of AI clients. */
async function reads(
  servers: readonly Grown[],
  only: readonly string[] | null,
  watch: (name: string) => Promise<void>,
): Promise<readonly Read[]> {
  const operations = Object.values(catalogue) as unknown as readonly AnyOperation[]
  const found: Read[] = []
  for (const operation of operations) {
    if (operation.effect !== 'read' || routeOf(operation.route).method !== 'GET') continue
    if (elsewhere.includes(operation.name)) continue
    if (only?.some((part) => operation.name.includes(part)) === false) continue
    for (const who of ['dm', 'player'] as const) {
      const input = (on: GrownInstallation) => operation.example(on.world) as Readonly<Record<string, unknown>>
      const bound = isBounded(operation) ? {} : { mostMs: mostOfOthers }
      const read: Read = { operation, who, door: 'REST', page: 'first', input, variant: '', ...bound }
      // Each server is asked as often as the others, so that all of them are as warm; and one after another, so that none
      // has to share the processors with them.
      const answers: boolean[] = []
      for (const grown of servers) answers.push(await isAnswered(grown, read))
      await watch(`${nameOf(read)}, for the first time`)
      if (answers.includes(false)) continue
      found.push(read)
      for (const [variant, more, mostMs] of variants[operation.name] ?? []) {
        const asked = {
          ...read,
          variant: ` ${variant}`,
          input: (on: GrownInstallation) => ({ ...input(on), ...more() }),
        }
        found.push(mostMs === undefined ? asked : { ...asked, mostMs })
      }
      if (!('cursor' in operation.input.shape)) continue
      found.push({ ...read, page: 'late' })
      if (operation.mcp === undefined) found.push({ ...read, door: 'MCP' })
    }
  }
  return found
}

async function isAnswered(grown: Grown, read: Read): Promise<boolean> {
  const response = await get(targetOf(grown, read, {}), 0)
  const answer = await response.text()
  return response.ok && (response.headers.get('content-type') ?? '').includes('json') && answer.length > 0
}

/** One GET, with the token whose turn it is. */
function get({ host, port, path, headers, bearers = [] }: Target, turn: number): Promise<Response> {
  const authorization = `Bearer ${bearers[turn % bearers.length]}`
  return fetch(`http://${host}:${port}${path}`, { headers: { ...headers, authorization } })
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

/** What is asked of a server of one size. */
interface Asked {
  readonly rows: number
  readonly server: Running
  readonly target: Target
}

/** What an answer costs that reads nothing: no read can be cheaper. */
function floorOf({ installation: { rows }, server }: Grown): Asked {
  const { hostname, port } = new URL(server.found)
  return { rows, server, target: { host: hostname, port: Number(port), path: '/healthz', headers: {} } }
}

function targetsOf(servers: readonly Grown[], read: Read, cursors: Cursors): readonly Asked[] {
  return servers.flatMap((grown) => {
    const cursor = read.page === 'late' ? cursors(grown, read) : undefined
    // A list of one page has no late one.
    if (cursor === null) return []
    const target = targetOf(grown, read, cursor === undefined ? {} : { cursor })
    return [{ rows: grown.installation.rows, server: grown.server, target }]
  })
}

async function costsIn(asked: readonly Asked[]): Promise<Omit<GrowthLine, 'name'>> {
  const found = new Map<number, number[]>()
  const bytes = new Map<number, number>()
  // Nothing to compare.
  if (asked.length < 2) return { costs: new Map(), bytes }
  const often = new Map<number, number>()
  for (const { rows, server, target } of asked) {
    const warm = await costOf(server, target, warming)
    bytes.set(rows, warm.bytes)
    often.set(rows, requestsOf(warm.cpuMs))
  }
  for (let turn = 0; turn < rounds.most; turn += 1) {
    const open = asked.filter(({ rows }) => turn < rounds.least || !isDecided({ found, bytes }, rows))
    // What is compared with is asked for again beside whatever is.
    const wanted = open.length === 0 ? [] : asked.filter((each) => each.rows === compared || open.includes(each))
    if (wanted.length === 0) break
    for (const { rows, server, target } of wanted) {
      const { cpuMs } = await costOf(server, target, often.get(rows) ?? round.least)
      if (cpuMs !== null && cpuMs >= leastCost) found.set(rows, [...(found.get(rows) ?? []), cpuMs])
    }
  }
  return { costs: new Map(Array.from(found, ([rows, costs]) => [rows, median(costs)])), bytes }
}

function requestsOf(cpuMs: number | null): number {
  if (cpuMs !== null && cpuMs > slow) return 1
  return Math.min(round.most, Math.max(round.least, Math.ceil(round.milliseconds / Math.max(cpuMs ?? 0, leastCost))))
}

/** Of one request, and how long its answer is. */
async function costOf({ child }: Running, target: Target, count: number) {
  const before = threadsCpuMs(child)
  const { bytes } = await load(target, 1, { requests: count })
  const after = threadsCpuMs(child)
  return { cpuMs: before === null || after === null ? null : (after - before) / count, bytes }
}

type Cursors = (grown: Grown, read: Read) => string | null

/** The cursors of pages at nine tenths of lists, each looked for once. */
async function lateCursors(servers: readonly Grown[], asked: readonly Read[]): Promise<Cursors> {
  const known = new Map<string, string | null>()
  const keyOf = (grown: Grown, read: Read): string => `${read.operation.name} ${read.who} ${grown.installation.rows}`
  for (const grown of servers)
    for (const read of asked) if (read.page === 'late') known.set(keyOf(grown, read), await lateCursor(grown, read))
  return (grown, read) => known.get(keyOf(grown, read)) ?? null
}

/** The cursor of a page at nine tenths of a list; null where it has one page only. */
async function lateCursor(grown: Grown, read: Read): Promise<string | null> {
  const cursors: string[] = []
  for (let cursor: string | null = ''; cursor !== null && cursors.length < mostPages; ) {
    const more: Readonly<Record<string, unknown>> = cursor === '' ? {} : { cursor }
    const response = await get(targetOf(grown, read, { limit: limits.page.most, ...more }), cursors.length)
    if (!response.ok) throw new Error(`${read.operation.name} was answered with ${response.status}`)
    const page = (await response.json()) as { readonly nextCursor: string | null }
    cursor = page.nextCursor
    if (cursor !== null) cursors.push(cursor)
  }
  return cursors[Math.floor((cursors.length - 1) * 0.9)] ?? null
}
