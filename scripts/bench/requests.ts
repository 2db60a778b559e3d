import path from 'node:path'
import { type Installation, type Program, startOn } from './installation.ts'
import { load, median, type Target } from './load.ts'
import type { Measure } from './measures.ts'
import { cpuMs, ownFile, type Running, startAndFind } from './programs.ts'

const connections = 8
const roundMs = 1500
const rounds = 7

/** GET of one entity, against a bare route that reads the same row; in turns, since the machine's other work varies. */
export async function getMeasures(program: Program, installation: Installation): Promise<readonly Measure[]> {
  const { dataDir, noteId, npcId } = installation
  const server = await startOn(program, installation)
  const bareArgs = [ownFile('bare-server.ts'), path.join(dataDir, 'talekeeper.db'), 'notes']
  const bare = await startAndFind(process.execPath, bareArgs, /^(\d+)$/m)
  try {
    const bearers = installation.tokens
    const ours = { ...targetOn(server, `/api/v1/notes/${noteId}`, installation), bearers }
    const other = { ...targetOn(server, `/api/v1/npcs/${npcId}`, installation), bearers }
    const theirs: Target = { host: '127.0.0.1', port: Number(bare.found), path: `/rows/${noteId}`, headers: {} }
    for (const target of [ours, other, theirs]) await load(target, connections, roundMs)
    const counted: { readonly ours: Rate; readonly other: Rate; readonly theirs: Rate }[] = []
    for (let round = 0; round < rounds; round += 1) {
      counted.push({
        ours: await rateOf(server, ours),
        theirs: await rateOf(bare, theirs),
        other: await rateOf(server, other),
      })
    }
    const perSecond = (which: 'ours' | 'other' | 'theirs'): number =>
      median(counted.map((each) => each[which].requestsPerSecond))
    const cpu = (which: 'ours' | 'other' | 'theirs'): number | null => {
      const known = counted.map((each) => each[which].cpuPerRequest).filter((each) => each !== null)
      return known.length === 0 ? null : median(known)
    }
    const told = (which: 'ours' | 'other' | 'theirs'): string => `${perSecond(which).toFixed(0)}/s`
    const [cpuOurs, cpuTheirs] = [cpu('ours'), cpu('theirs')]
    return [
      {
        name: 'GET of one note, of what a bare route serves',
        value: median(counted.map((each) => each.ours.requestsPerSecond / each.theirs.requestsPerSecond)),
        unit: '',
        budget: { least: 0.5 },
        detail: `${told('ours')} and ${told('theirs')}, median of ${rounds} rounds in turns, ${connections} connections`,
      },
      {
        name: '  the same by processor time',
        value: cpuOurs === null || cpuTheirs === null ? null : cpuTheirs / cpuOurs,
        unit: '',
        detail: `${micros(cpuOurs)} and ${micros(cpuTheirs)} a request`,
      },
      {
        name: '  GET of an NPC with its quests and mentions',
        value: perSecond('other'),
        unit: '/s',
        detail: `${micros(cpu('other'))} a request, five statements`,
      },
    ]
  } finally {
    await bare.stop()
    await server.stop()
  }
}

interface Rate {
  readonly requestsPerSecond: number
  /** In milliseconds. */
  readonly cpuPerRequest: number | null
}

async function rateOf({ child }: Running, target: Target): Promise<Rate> {
  const before = cpuMs(child)
  const { requestsPerSecond, latencies } = await load(target, connections, roundMs)
  const after = cpuMs(child)
  const cpuPerRequest = before === undefined || after === undefined ? null : (after - before) / latencies.length
  return { requestsPerSecond, cpuPerRequest }
}

function micros(milliseconds: number | null): string {
  return milliseconds === null ? 'unknown' : `${(milliseconds * 1000).toFixed(0)} µs`
}

export function targetOn(server: Running, target: string, { tokens }: Installation, token = 0): Target {
  const { hostname, port } = new URL(server.found)
  return { host: hostname, port: Number(port), path: target, headers: { authorization: `Bearer ${tokens[token]}` } }
}

const calls: Readonly<Record<string, (installation: Installation) => object>> = {
  get_npc: ({ npcId }) => ({ npcId }),
  list_npcs: ({ campaignId }) => ({ campaignId }),
  search_campaign: ({ campaignId }) => ({ campaignId, query: 'orchard', entityTypes: ['npc', 'location'] }),
}

/** Processor time of MCP requests, of the whole process and by the real door. */
export async function mcpMeasures(program: Program, installation: Installation): Promise<readonly Measure[]> {
  const server = await startOn(program, installation)
  let token = 0
  const perRequest = async (method: string, params: object, count: number): Promise<number | null> => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const target = targetOn(server, '/mcp', installation, token)
    token += 1
    const request: Target = { ...target, headers: { ...target.headers, ...headers }, body }
    await load(request, 1, { requests: Math.ceil(count / 4) })
    const before = cpuMs(server.child)
    await load(request, 1, { requests: count })
    const after = cpuMs(server.child)
    return before === undefined || after === undefined ? null : (after - before) / count
  }
  try {
    // A server that has just started compiles its hot paths first, for whichever tool comes first.
    await perRequest('tools/call', { name: 'get_npc', arguments: { npcId: installation.npcId } }, 900)
    const measures: Measure[] = []
    for (const [name, input] of Object.entries(calls)) {
      const value = await perRequest('tools/call', { name, arguments: input(installation) }, 900)
      measures.push({
        name: `MCP call of ${name}`,
        value,
        unit: 'ms',
        budget: { most: 1 },
        detail: 'processor time, 900 calls',
      })
    }
    const listed = await perRequest('tools/list', {}, 300)
    measures.push({
      name: 'MCP tools/list',
      value: listed,
      unit: 'ms',
      budget: { most: 3 },
      detail: 'processor time, 300 calls',
    })
    return measures
  } finally {
    await server.stop()
  }
}
