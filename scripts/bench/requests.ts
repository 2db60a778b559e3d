import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Compared, compare } from './compare.ts'
import { type Installation, type Program, startOn } from './installation.ts'
import type { Target } from './load.ts'
import type { Measure } from './measures.ts'
import { ownFile, type Running, startAndFind } from './programs.ts'

const connections = 8

export function targetOn(server: Running, target: string, { tokens }: Installation, token = 0): Target {
  const { hostname, port } = new URL(server.found)
  return { host: hostname, port: Number(port), path: target, headers: { authorization: `Bearer ${tokens[token]}` } }
}

/** Runs a program that does the least there is to be done, on a copy of the database. */
async function startFloor(file: string, { root, dataDir }: Installation, ...more: readonly string[]): Promise<Running> {
  const database = path.join(root, 'floor.db')
  // A log of writes that lies beside it is of an earlier copy.
  for (const ending of ['', '-wal', '-shm']) rmSync(`${database}${ending}`, { force: true })
  copyFileSync(path.join(dataDir, 'talekeeper.db'), database)
  return startAndFind(process.execPath, [ownFile(file), database, ...more], /^(\d+)$/m)
}

const json = { 'content-type': 'application/json' }

/** Requests of the REST interface against bare routes with the same statements. */
export async function getMeasures(program: Program, installation: Installation): Promise<readonly Measure[]> {
  const { campaignId, noteId, npcId, tokens: bearers } = installation
  const floor = await startFloor('bare-server.ts', installation)
  const server = await startOn(program, installation)
  const of = (address: string, body?: object): Target => {
    const target = { ...targetOn(server, `/api/v1${address}`, installation), bearers }
    return body === undefined
      ? target
      : { ...target, headers: { ...target.headers, ...json }, body: JSON.stringify(body) }
  }
  const bare = (address: string, body?: object): Target => {
    const target = { host: '127.0.0.1', port: Number(floor.found), path: address, headers: body ? json : {}, bearers }
    return body === undefined ? target : { ...target, body: JSON.stringify(body) }
  }
  const quest = { title: 'A new quest' }
  const compared: readonly Omit<Compared, 'connections'>[] = [
    { name: 'GET of a note', ours: of(`/notes/${noteId}`), floor: bare(`/notes/${noteId}`), most: 1.6 },
    { name: 'GET of an NPC', ours: of(`/npcs/${npcId}`), floor: bare(`/npcs/${npcId}`), most: 2 },
    {
      name: 'a list of 50 brief rows',
      ours: of(`/campaigns/${campaignId}/npcs`),
      floor: bare(`/campaigns/${campaignId}/npcs`),
      most: 3,
    },
    {
      name: 'a new quest',
      ours: of(`/campaigns/${campaignId}/quests`, quest),
      floor: bare(`/campaigns/${campaignId}/quests`, quest),
      most: 2.5,
    },
  ]
  try {
    return await compare(
      server,
      floor,
      compared.map((each) => ({ ...each, connections })),
    )
  } finally {
    await floor.stop()
    await server.stop()
  }
}

const mcpConnections = 10
/** MCP calls a second at 10 connections, of what the floor answers. */
const leastPace = 2000 / 2400

/** MCP requests against a server of the protocol's own SDK. */
export async function mcpMeasures(program: Program, installation: Installation): Promise<readonly Measure[]> {
  const { root, npcId, campaignId, tokens: bearers } = installation
  const server = await startOn(program, installation)
  const toolsFile = path.join(root, 'tools.json')
  writeFileSync(toolsFile, JSON.stringify(await listTools(server, installation)))
  const floor = await startFloor('bare-mcp-server.ts', installation, toolsFile)
  const headers = { ...json, accept: 'application/json, text/event-stream' }
  const post = (method: string, params: object): Pick<Compared, 'ours' | 'floor'> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    return {
      ours: { ...targetOn(server, '/mcp', installation), headers, bearers, body },
      floor: { host: '127.0.0.1', port: Number(floor.found), path: '/mcp', headers, body },
    }
  }
  const call = (name: string, input: object) => post('tools/call', { name, arguments: input })
  const getNpc = call('get_npc', { npcId })
  try {
    const measures = await compare(server, floor, [
      { name: 'MCP get_npc', ...getNpc, connections: 1, most: 1.2, mostMs: 0.35 },
      { name: 'MCP tools/list', ...post('tools/list', {}), connections: 1, most: 1.2, mostMs: 0.3 },
      { name: 'MCP get_npc, several at once', ...getNpc, connections: mcpConnections, most: 1.2, leastPace },
    ])
    const others: Measure[] = []
    for (const [name, input] of [
      ['list_npcs', { campaignId }],
      ['search_campaign', { campaignId, query: 'orchard', entityTypes: ['npc', 'location'] }],
    ] as const) {
      const [ratio, ...rest] = await compare(server, floor, [
        { name: `MCP ${name}`, ...call(name, input), floor: getNpc.floor, connections: 1, most: 1, mostMs: 1 },
      ])
      // What lists and searches has no floor here that does the same.
      others.push(...rest.filter(({ name: line }) => line !== ratio?.name))
    }
    return [...measures, ...others]
  } finally {
    await floor.stop()
    await server.stop()
  }
}

async function listTools(server: Running, installation: Installation): Promise<unknown> {
  const { headers } = targetOn(server, '/mcp', installation)
  const answer = await fetch(`${server.found}/mcp`, {
    method: 'POST',
    headers: { ...headers, ...json, accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  const { result } = (await answer.json()) as { readonly result: { readonly tools: unknown } }
  return result.tools
}
