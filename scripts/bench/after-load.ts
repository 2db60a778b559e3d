import { setTimeout as delay } from 'node:timers/promises'
import { type Installation, type Program, startOn } from './installation.ts'
import { load, type Target } from './load.ts'
import { loopMeasure, type Measure } from './measures.ts'
import { residentMiB } from './programs.ts'
import { targetOn } from './requests.ts'

const minute = 60_000
const restMs = 30_000

/** What the program still holds when a minute of all that it can answer is over. */
export async function afterLoadMeasures(program: Program, on: Installation): Promise<readonly Measure[]> {
  const server = await startOn(program, on)
  try {
    const { campaignId, npcId, noteId, questId, tokens: bearers } = on
    const json = { 'content-type': 'application/json' }
    const of = (address: string, body?: object): Target => {
      const target = { ...targetOn(server, address, on), bearers }
      return body === undefined
        ? target
        : { ...target, headers: { ...target.headers, ...json }, body: JSON.stringify(body) }
    }
    const call = (name: string, input: object): Target => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }
      return of('/mcp', body)
    }
    const mixed = [
      of(`/api/v1/npcs/${npcId}`),
      of(`/api/v1/notes/${noteId}`),
      of(`/api/v1/quests/${questId}`),
      of(`/api/v1/campaigns/${campaignId}/npcs`),
      of(`/api/v1/campaigns/${campaignId}/npcs?view=full&limit=100`),
      of(`/api/v1/campaigns/${campaignId}/quests`, { title: 'A new quest', body: 'The orchard. '.repeat(400) }),
      call('list_npcs', { campaignId }),
      call('search_campaign', { campaignId, query: 'orchard' }),
    ]
    const before = residentMiB(server.child)
    await server.loopDelay()
    const loads = await Promise.all(mixed.map((target) => load(target, 1, minute)))
    const delayed = await server.loopDelay()
    const most = residentMiB(server.child)
    await delay(restMs)
    const requests = loads.reduce((sum, { latencies }) => sum + latencies.length, 0)
    return [
      {
        name: 'memory after a minute of full load and 30 s of rest',
        value: residentMiB(server.child) ?? null,
        unit: 'MiB',
        budget: { most: 220 },
        detail: `${requests} requests of ${mixed.length} kinds; ${before?.toFixed(0)} MiB before, ${most?.toFixed(0)} at their end`,
      },
      loopMeasure('a minute of full load', delayed),
    ]
  } finally {
    await server.stop()
  }
}
