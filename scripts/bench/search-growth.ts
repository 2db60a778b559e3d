import { commonWord, rareWord } from '../../test/support/grown-world.ts'
import { mainThreadCpuMs, threadsCpuMs } from './cpu.ts'
import type { GrownInstallation } from './grown.ts'
import { compared } from './growth-table.ts'
import { load, median, type Target } from './load.ts'
import type { Measure } from './measures.ts'
import type { Running } from './programs.ts'

interface Grown {
  readonly installation: GrownInstallation
  readonly server: Running
}

const rounds = 5
const requests = 20
/** Ahead of the rounds: a search runs on a thread of its own, whose code is compiled as it is used. */
const warming = 60
/** A word that nothing holds, nor nearly: titles are gone through for what was meant. */
const missingWord = 'zephyrquist'
/** The number in the titles of the fortieth copies: as many of them as there are kinds, whatever the size. */
const sameWord = '000040'
/** Searches that are looked at one by one, each of a whole page. */
const single = 40

interface Cost {
  /** Milliseconds of processor time of the main thread, and of all others. */
  readonly main: number
  readonly beside: number
}

/** What a search costs on the main thread and beside it, of a word that everything holds and of a rare one, alone and beside a large campaign. */
export async function searchGrowth(servers: readonly Grown[]): Promise<readonly Measure[]> {
  const measures: Measure[] = []
  for (const who of ['dm', 'player'] as const) {
    for (const [word, what, most] of [
      [commonWord, 'a word that all hold', 15],
      [rareWord, 'a rare word', 2],
      [missingWord, 'a word that nothing holds', 2],
    ] as const) {
      const costs = await inTurns(servers, (grown) => searchIn(grown, who, 'campaign', word))
      const { rows, cost } = largest(costs)
      const told = costs
        .map((each) => `${each.rows}: ${each.cost.beside.toFixed(2)} + ${each.cost.main.toFixed(2)}`)
        .join(', ')
      const name = `search of ${what}, ${who}, ${rows} of each kind`
      measures.push(
        { name: `${name}: beside the main thread`, value: cost.beside, unit: 'ms', budget: { most }, detail: told },
        { name: `${name}: on the main thread`, value: cost.main, unit: 'ms', budget: { most: 2 }, detail: told },
      )
    }
  }
  measures.push(await longestHold(servers), ...(await sameMatches(servers)))
  const costs = await inTurns(servers, (grown) => searchIn(grown, 'dm', 'campaign bound', commonWord))
  const small = costs.find(({ rows }) => rows === Math.min(...costs.map((each) => each.rows)))
  const { rows, cost } = largest(costs)
  measures.push({
    name: `search in a campaign of 20 beside one of ${rows}, of what it costs beside one of ${small?.rows}`,
    value: small === undefined ? null : (cost.beside + cost.main) / (small.cost.beside + small.cost.main),
    unit: '',
    budget: { most: 1.25 },
    detail: costs.map((each) => `${each.rows}: ${(each.cost.beside + each.cost.main).toFixed(2)} ms`).join(', '),
  })
  return measures
}

/** A search that finds the same at every size: what it costs at each, of what it costs at 1,000. */
async function sameMatches(servers: readonly Grown[]): Promise<readonly Measure[]> {
  const costs = await inTurns(servers, (grown) => searchIn(grown, 'dm', 'campaign', sameWord))
  const whole = ({ cost }: Sized): number => cost.beside + cost.main
  const base = costs.find(({ rows }) => rows === compared)
  const detail = costs.map((each) => `${each.rows}: ${whole(each).toFixed(2)} ms`).join(', ')
  return costs
    .filter(({ rows }) => base !== undefined && rows > compared)
    .map((each) => ({
      name: `search with as many matches, at ${each.rows} of each kind against ${compared}`,
      value: base === undefined ? null : whole(each) / whole(base),
      unit: 'times',
      budget: { most: 2 },
      detail,
    }))
}

interface Sized {
  readonly rows: number
  readonly cost: Cost
}

function largest(costs: readonly Sized[]): Sized {
  const [last] = costs.toSorted((a, b) => b.rows - a.rows)
  if (last === undefined) throw new Error('nothing was measured')
  return last
}

async function inTurns(servers: readonly Grown[], of: (grown: Grown) => Target): Promise<readonly Sized[]> {
  for (const grown of servers) await load(of(grown), 1, { requests: warming })
  const found = servers.map(() => [] as Cost[])
  for (let round = 0; round < rounds; round += 1)
    for (const [index, grown] of servers.entries()) found[index]?.push(await costOf(grown, of(grown)))
  return servers.map(({ installation: { rows } }, index) => {
    const costs = found[index] ?? []
    return {
      rows,
      cost: { main: median(costs.map(({ main }) => main)), beside: median(costs.map(({ beside }) => beside)) },
    }
  })
}

async function costOf({ server: { child } }: Grown, target: Target): Promise<Cost> {
  const before = { all: threadsCpuMs(child) ?? Number.NaN, main: mainThreadCpuMs(child) ?? Number.NaN }
  await load(target, 1, { requests })
  const main = ((mainThreadCpuMs(child) ?? Number.NaN) - before.main) / requests
  return { main, beside: ((threadsCpuMs(child) ?? Number.NaN) - before.all) / requests - main }
}

/**
 * The most that one search holds the main thread, with all that goes with it: reading the request, who asks, the plan, and 200
 * hits as JSON. It is processor time, so that it holds on a busy machine; now and then the collector of garbage falls into it.
 */
async function longestHold(servers: readonly Grown[]): Promise<Measure> {
  const grown = servers.toSorted((a, b) => b.installation.rows - a.installation.rows)[0]
  if (grown === undefined) throw new Error('nothing was measured')
  const target = searchIn(grown, 'dm', 'campaign', `${commonWord}&limit=200`)
  await load(target, 1, { requests })
  const holds: number[] = []
  for (let each = 0; each < single; each += 1) {
    const before = mainThreadCpuMs(grown.server.child) ?? Number.NaN
    await load(target, 1, { requests: 1 })
    holds.push((mainThreadCpuMs(grown.server.child) ?? Number.NaN) - before)
  }
  const inOrder = holds.toSorted((a, b) => a - b)
  const at = (share: number): number => inOrder[Math.floor((inOrder.length - 1) * share)] ?? Number.NaN
  return {
    name: 'main thread of one search with a page of 200, 9 of 10 below',
    value: at(0.9),
    unit: 'ms',
    budget: { most: 2 },
    detail: `${single} searches, half below ${at(0.5).toFixed(2)}, the longest ${at(1).toFixed(2)} ms`,
  }
}

function searchIn({ installation, server }: Grown, who: 'dm' | 'player', campaign: string, word: string): Target {
  const { hostname, port } = new URL(server.found)
  const [entity = '', variant] = campaign.split(' ')
  const id = installation.world.id(entity, variant)
  const path = `/api/v1/campaigns/${id}/search?query=${word}`
  return { host: hostname, port: Number(port), path, headers: {}, bearers: installation.tokens[who] }
}
