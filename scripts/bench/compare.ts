import { load, median, type Target } from './load.ts'
import { loopMeasure, type Measure } from './measures.ts'
import { cpuMs, type Running } from './programs.ts'

const roundMs = 1500
/** More of them where the median of the least stands above what is allowed: a few seconds in which the machine was busy weigh less then. */
const rounds = { least: 5, most: 15 } as const
/** So many requests, or as many as fit into the time: what runs often is compiled by then. */
const warming = { requests: 10_000, milliseconds: 8000 } as const

/** One request, of us and of a program that does the least there is to be done. */
export interface Compared {
  readonly name: string
  readonly ours: Target
  readonly floor: Target
  readonly connections: number
  /** How many times the floor's processor time. */
  readonly most: number
  /** Milliseconds of processor time in any case. */
  readonly mostMs?: number
  /** How many requests a second, of what the floor answers. */
  readonly leastPace?: number
}

/**
 * Processor time of a request, from the operating system and as a ratio in one run: the two take turns, since the machine's
 * other work varies.
 */
export async function compare(
  server: Running,
  floor: Running,
  compared: readonly Compared[],
): Promise<readonly Measure[]> {
  const measures: Measure[] = []
  for (const each of compared) measures.push(...(await compareOne(server, floor, each)))
  return measures
}

async function compareOne(server: Running, floor: Running, compared: Compared): Promise<readonly Measure[]> {
  const { name, connections, most, mostMs, leastPace } = compared
  const bytes = { ours: await warm(compared.ours, connections), floor: await warm(compared.floor, connections) }
  await server.loopDelay()
  const counted: { readonly ours: Rate; readonly floor: Rate }[] = []
  const ratioOf = (): number => median(counted.map(({ ours, floor }) => ours.cpuPerRequest / floor.cpuPerRequest))
  while (counted.length < rounds.least || (ratioOf() > most && counted.length < rounds.most)) {
    const ours = await rateOf(server, compared.ours, connections)
    counted.push({ ours, floor: await rateOf(floor, compared.floor, connections) })
  }
  const delay = await server.loopDelay()
  const cost = (which: 'ours' | 'floor'): number => median(counted.map((each) => each[which].cpuPerRequest))
  const told = (which: 'ours' | 'floor'): string => {
    const perSecond = median(counted.map((each) => each[which].requestsPerSecond))
    return `${(cost(which) * 1000).toFixed(0)} µs (${perSecond.toFixed(0)}/s)`
  }
  const ratio: Measure = {
    name: `${name}, of the floor's processor time`,
    value: ratioOf(),
    unit: '',
    budget: { most },
    detail: `${told('ours')} and ${told('floor')}, ${bytes.ours} and ${bytes.floor} bytes, median of ${counted.length} rounds in turns, ${connections} connections`,
  }
  const absolute: readonly Measure[] =
    mostMs === undefined
      ? []
      : [
          {
            name: `${name}, processor time`,
            value: cost('ours'),
            unit: 'ms',
            budget: { most: mostMs },
            detail: `${cost('floor').toFixed(2)} ms of the floor`,
          },
        ]
  const pace: readonly Measure[] =
    leastPace === undefined
      ? []
      : [
          {
            name: `${name}, a second, of what the floor answers`,
            value: median(counted.map(({ ours, floor }) => ours.requestsPerSecond / floor.requestsPerSecond)),
            unit: '',
            budget: { least: leastPace },
            detail: `${told('ours')} and ${told('floor')}`,
          },
        ]
  return [ratio, ...absolute, ...pace, loopMeasure(name, delay)]
}

/** The bytes of an answer. */
async function warm(target: Target, connections: number): Promise<number> {
  const ended = performance.now() + warming.milliseconds
  let count = 0
  for (;;) {
    const { latencies, bytes } = await load(target, connections, { requests: 500 })
    count += latencies.length
    if (count >= warming.requests || performance.now() > ended) return bytes
  }
}

export interface Rate {
  readonly requestsPerSecond: number
  /** In milliseconds; not a number where the system does not tell. */
  readonly cpuPerRequest: number
}

export async function rateOf({ child }: Running, target: Target, connections: number): Promise<Rate> {
  const before = cpuMs(child) ?? Number.NaN
  const { requestsPerSecond, latencies } = await load(target, connections, roundMs)
  return { requestsPerSecond, cpuPerRequest: ((cpuMs(child) ?? Number.NaN) - before) / latencies.length }
}
