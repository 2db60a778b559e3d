import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import path from 'node:path'
import Database from 'better-sqlite3'
import { hashSecret } from '../../src/storage/secrets.ts'
import { type Installation, type Program, startOn } from './installation.ts'
import { load, median, percentile } from './load.ts'
import { loopMeasure, type Measure } from './measures.ts'
import { cpuMs, type Running } from './programs.ts'
import { targetOn } from './requests.ts'

const changes = 40
const warming = 4
/** One person, and one token, has no more streams than that (live/hub.ts). */
const streamsOfToken = 20
const tokensOfPerson = 2

/** What a change costs, and how long it takes until all have heard of it, where so many have the campaign open. */
export async function liveMeasures(program: Program, on: Installation): Promise<readonly Measure[]> {
  const people = addPeople(on, 200 / (streamsOfToken * tokensOfPerson))
  const server = await startOn(program, on)
  try {
    // What runs often is compiled by then.
    for (let round = 0; round < warming; round += 1) await changesOf(server, on, [])
    const alone = await changesOf(server, on, [])
    const measures: Measure[] = []
    for (const count of [50, 200]) {
      const streams = await Promise.all(
        Array.from({ length: count }, (_, number) =>
          listen(server, on, people[Math.floor(number / streamsOfToken)] ?? ''),
        ),
      )
      await changesOf(server, on, streams)
      await server.loopDelay()
      const heard = await changesOf(server, on, streams)
      const delay = await server.loopDelay()
      for (const stream of streams) stream.end()
      measures.push(
        {
          name: `a change until ${count} streams have heard of it, p95`,
          value: percentile(Float64Array.from(heard.milliseconds).sort(), 0.95),
          unit: 'ms',
          budget: { most: 100 },
          detail: `${changes} changes of a name, median ${median(heard.milliseconds).toFixed(0)} ms`,
        },
        {
          name: '  its processor time for each stream',
          value: ((heard.cpu - alone.cpu) / count) * 1000,
          unit: 'µs',
          detail: `${heard.cpu.toFixed(2)} ms a change, ${alone.cpu.toFixed(2)} ms where nobody listens`,
        },
        loopMeasure(`changes with ${count} streams`, delay),
      )
    }
    return measures
  } finally {
    await server.stop()
  }
}

/** More Dungeon Masters of the campaign, written straight to the disk; gives their tokens. */
function addPeople({ dataDir, campaignId }: Installation, count: number): readonly string[] {
  const db = new Database(path.join(dataDir, 'talekeeper.db'))
  const columns = (table: string, ...without: string[]): string =>
    db
      .prepare<[string], { name: string }>('SELECT name FROM pragma_table_info(?)')
      .all(table)
      .map(({ name }) => `"${name}"`)
      .filter((name) => !['"id"', ...without].includes(name))
      .join(', ')
  const copy = (table: string, ...changed: string[]) => {
    const rest = columns(table, ...changed.map((name) => `"${name}"`))
    const given = changed.map((name) => `@${name}`).join(', ')
    return `INSERT INTO ${table} (${changed.join(', ')}, ${rest}) SELECT ${given}, ${rest} FROM ${table}`
  }
  const user = db.prepare(`${copy('users', 'username', 'key')} WHERE username = 'bench'`)
  const seat = db.prepare(`${copy('memberships', 'user_id')} WHERE campaign_id = @campaignId LIMIT 1`)
  const token = db.prepare(`${copy('personal_tokens', 'user_id', 'hash')} WHERE name = 'bench' LIMIT 1`)
  const made: string[] = []
  db.transaction(() => {
    for (let number = 0; number < count; number += 1) {
      const name = `listener${number}`
      const { lastInsertRowid } = user.run({ username: name, key: name })
      seat.run({ user_id: lastInsertRowid, campaignId })
      for (let each = 0; each < tokensOfPerson; each += 1) {
        const value = `tkp_${randomBytes(32).toString('base64url')}`
        token.run({ user_id: lastInsertRowid, hash: hashSecret(value) })
        made.push(value)
      }
    }
  })()
  db.close()
  return made
}

interface Listener {
  /** Settles with the next event that comes. */
  next(): Promise<void>
  end(): void
}

async function listen(server: Running, { campaignId }: Installation, token: string): Promise<Listener> {
  const { host, port } = targetOn(server, '', { tokens: [''] } as never)
  const socket = connect({ host, port })
  const begun = Promise.withResolvers<void>()
  let heard = Promise.withResolvers<void>()
  let text = ''
  socket.on('data', (chunk) => {
    text = (text + chunk.toString('latin1')).slice(-4000)
    if (text.startsWith('HTTP/1.1 200')) begun.resolve()
    else if (text.startsWith('HTTP/1.1')) begun.reject(new Error(`a stream was answered with\n${text}`))
    if (/event: changed/.test(chunk.toString('latin1'))) heard.resolve()
  })
  socket.on('error', (error) => begun.reject(error))
  const lines = [
    `GET /api/v1/campaigns/${campaignId}/events HTTP/1.1`,
    `host: ${host}:${port}`,
    `authorization: Bearer ${token}`,
    'accept: text/event-stream',
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  await begun.promise
  return {
    async next() {
      await heard.promise
      heard = Promise.withResolvers<void>()
    },
    end: () => socket.destroy(),
  }
}

async function changesOf(server: Running, on: Installation, streams: readonly Listener[]) {
  const target = targetOn(server, `/api/v1/npcs/${on.npcId}`, on)
  const milliseconds: number[] = []
  const before = cpuMs(server.child) ?? Number.NaN
  for (let number = 0; number < changes; number += 1) {
    const started = performance.now()
    const all = Promise.all(streams.map((stream) => stream.next()))
    const body = JSON.stringify({ name: `Marta ${number} ${started}` })
    const headers = { ...target.headers, 'content-type': 'application/json' }
    const answer = await fetch(`${server.found}${target.path}`, { method: 'PATCH', headers, body })
    if (!answer.ok) throw new Error(`a change was answered with ${answer.status}: ${await answer.text()}`)
    await all
    milliseconds.push(performance.now() - started)
  }
  return { milliseconds, cpu: ((cpuMs(server.child) ?? Number.NaN) - before) / changes }
}

const signIns = 20

/** Signing in by password: nearly all of it is the hash, which is made beside the main thread. */
export async function signInMeasures(program: Program, on: Installation): Promise<readonly Measure[]> {
  const server = await startOn(program, on)
  try {
    const { host, port } = targetOn(server, '', on)
    const body = JSON.stringify({
      username: 'bench',
      password: 'a lantern in the orchard',
      tokenName: 'bench sign-in',
      scope: 'dm',
    })
    const target = { host, port, path: '/api/v1/auth/token', headers: { 'content-type': 'application/json' }, body }
    await load(target, 1, { requests: 5 })
    await server.loopDelay()
    const { latencies } = await load(target, 1, { requests: signIns })
    const delay = await server.loopDelay()
    return [
      {
        name: 'signing in, p95',
        value: percentile(latencies, 0.95),
        unit: 'ms',
        budget: { most: 500 },
        detail: `${signIns} passwords one after the other, median ${percentile(latencies, 0.5).toFixed(0)} ms`,
      },
      loopMeasure('signing in', delay),
    ]
  } finally {
    await server.stop()
  }
}
