import { bulks, type Installation, makeInstallation, type Program, startOn } from './installation.ts'
import { load, median, type Target } from './load.ts'
import type { Measure } from './measures.ts'
import { cpuMs, type Running } from './programs.ts'
import { targetOn } from './requests.ts'

const rounds = 5
const requests = 150

interface Asked {
  readonly name: string
  /** What a request of it is in an installation. */
  target(server: Running, installation: Installation): Target
}

function asPlayer(target: Target, { playerToken }: Installation): Target {
  return { ...target, headers: { ...target.headers, authorization: `Bearer ${playerToken}` } }
}

const asked: readonly Asked[] = [
  { name: 'a page of NPCs', target: (server, on) => npcsOf(server, on) },
  {
    name: 'a page of NPCs for a player, of whom nine of ten are hidden',
    target: (server, on) => asPlayer(npcsOf(server, on), on),
  },
  { name: 'a page of NPCs of one tag', target: (server, on) => npcsOf(server, on, '?tag=Orchard') },
  {
    name: 'a new quest',
    target(server, on) {
      const target = targetOn(server, `/api/v1/campaigns/${on.campaignId}/quests`, on)
      const headers = { ...target.headers, 'content-type': 'application/json' }
      return { ...target, headers, body: JSON.stringify({ title: 'A new quest' }) }
    },
  },
]

function npcsOf(server: Running, on: Installation, query = ''): Target {
  return targetOn(server, `/api/v1/campaigns/${on.campaignId}/npcs${query}`, on)
}

/**
 * What the same request costs where there are 20,000 NPCs and 1,200 quests, against 500 and ten; in processor time, in turns,
 * since the machine's other work varies.
 */
export async function growthMeasures(program: Program, many: Installation): Promise<readonly Measure[]> {
  const few = await makeInstallation(program, bulks.few)
  const [small, large] = [await startOn(program, few), await startOn(program, many)]
  try {
    const measures: Measure[] = []
    for (const { name, target } of asked) {
      const [one, other] = [target(small, few), target(large, many)]
      for (const each of [one, other]) await load(each, 1, { requests })
      const costs: { readonly few: number; readonly many: number }[] = []
      for (let round = 0; round < rounds; round += 1) {
        const cost = { few: await cpuOf(small, one), many: await cpuOf(large, other) }
        if (cost.few !== null && cost.many !== null) costs.push({ few: cost.few, many: cost.many })
      }
      const told = (which: 'few' | 'many'): string =>
        costs.length === 0 ? 'unknown' : `${(median(costs.map((each) => each[which])) * 1000).toFixed(0)} µs`
      measures.push({
        name: `${name}, of what it costs where there are few`,
        value: costs.length === 0 ? null : median(costs.map((each) => each.many / each.few)),
        unit: '',
        budget: { most: 2 },
        detail: `${told('many')} and ${told('few')} a request, median of ${rounds} rounds in turns`,
      })
    }
    return measures
  } finally {
    await small.stop()
    await large.stop()
    few.remove()
  }
}

/** Processor time of one request, in milliseconds. */
async function cpuOf({ child }: Running, target: Target): Promise<number | null> {
  const before = cpuMs(child)
  await load(target, 1, { requests })
  const after = cpuMs(child)
  return before === undefined || after === undefined ? null : (after - before) / requests
}
