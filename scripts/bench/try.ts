import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { load, median, percentile } from './load.ts'
import { addressPattern, cpuMs, ownFile, residentMiB, startAndFind } from './programs.ts'

const dir = mkdtempSync(path.join(tmpdir(), 'bench-'))
const server = await startAndFind(
  process.execPath,
  [...(process.env.PROF ? ['--cpu-prof', '--cpu-prof-dir=/tmp/tk-prof'] : []), 'src/main.ts', 'serve'],
  addressPattern,
  { DATA_DIR: dir, PORT: '0', LOG_LEVEL: process.env.LL ?? 'info' },
)
const address = server.found
const post = async (p: string, body: unknown, token?: string) =>
  (
    await fetch(address + p, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: address,
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: JSON.stringify(body),
    })
  ).json() as any
const me = { username: 'ellen', password: 'a lantern in the orchard' }
await post('/api/v1/auth/setup', me)
const { token } = await post('/api/v1/auth/token', { ...me, tokenName: 't', scope: 'dm' })
const c = await post('/api/v1/campaigns', { name: 'x' }, token)
const loc = await post(`/api/v1/campaigns/${c.id}/locations`, { name: 'The mill' }, token)
const n = await post(
  `/api/v1/campaigns/${c.id}/npcs`,
  { name: 'Marta', body: 'She keeps the ledger. '.repeat(20), locationId: loc.id, tags: ['a', 'b'] },
  token,
)
const note = await post(
  `/api/v1/campaigns/${c.id}/notes`,
  { body: 'She keeps the ledger. '.repeat(20), visibility: 'party' },
  token,
)
const bare = await startAndFind(
  process.execPath,
  [
    ...(process.env.PROFB ? ['--cpu-prof', '--cpu-prof-dir=/tmp/tk-prof'] : []),
    ownFile('bare-server.ts'),
    path.join(dir, 'talekeeper.db'),
    'notes',
  ],
  /^(\d+)$/m,
)
const ours = {
  host: '127.0.0.1',
  port: Number(new URL(address).port),
  path: `/api/v1/${process.env.NPC ? `npcs/${n.id}` : `notes/${note.id}`}`,
  headers: { authorization: `Bearer ${token}` },
}
const theirs = { host: '127.0.0.1', port: Number(bare.found), path: `/rows/${note.id}`, headers: {} }
await load(ours, 8, 1500)
await load(theirs, 8, 1500)
const rs = []
for (let i = 0; i < 4; i++) {
  const d0 = cpuMs(bare.child)!
  const b = await load(theirs, 8, 1500)
  const bcpu = (cpuMs(bare.child)! - d0) / b.latencies.length
  const c0 = cpuMs(server.child)!
  const a = await load(ours, 8, 1500)
  const cpu = (cpuMs(server.child)! - c0) / a.latencies.length
  rs.push(a.requestsPerSecond / b.requestsPerSecond)
  console.log(
    a.requestsPerSecond | 0,
    b.requestsPerSecond | 0,
    rs.at(-1)!.toFixed(3),
    cpu.toFixed(4),
    bcpu.toFixed(4),
    (bcpu / cpu).toFixed(3),
  )
}
console.log(median(rs), residentMiB(server.child))
const mcp = (body: object) => ({
  host: '127.0.0.1',
  port: ours.port,
  path: '/mcp',
  headers: { ...ours.headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify(body),
})
if (process.env.MCP)
  for (const [name, body] of Object.entries({
    call: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_npc', arguments: { npcId: n.id } } },
    list: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  })) {
    try {
      await load(mcp(body), 4, 1000)
      const c0 = cpuMs(server.child)!
      const a = await load(mcp(body), 4, 2000)
      console.log(name, a.requestsPerSecond | 0, ((cpuMs(server.child)! - c0) / a.latencies.length).toFixed(3))
    } catch (e) {
      console.log(name, String(e).slice(0, 300))
    }
  }
await bare.stop()
await server.stop()
rmSync(dir, { recursive: true, force: true })
