import path from 'node:path'
import Database from 'better-sqlite3'
import { threadsCpuMs } from './cpu.ts'
import { type Installation, type Program, startOn } from './installation.ts'
import { load, median, type Target } from './load.ts'
import type { Measure } from './measures.ts'
import type { Running } from './programs.ts'
import { targetOn } from './requests.ts'

const fights = 200
const eventsOfFight = 500
const rounds = 25
const requests = 60
/** Until what is hot is compiled. */
const warmUp = 300

interface Made {
  readonly encounterId: number
  readonly combatantId: number
}

/** What a fight of eight costs where 200 fights of 500 events are kept, in processor time of the whole process. */
export async function fightMeasures(program: Program, on: Installation): Promise<readonly Measure[]> {
  const made = await fightOfEight(program, on)
  keepMany(on, made.encounterId)
  const server = await startOn(program, on)
  try {
    const post = (address: string, body: object): Target => {
      const target = targetOn(server, address, on)
      const headers = { ...target.headers, 'content-type': 'application/json' }
      return { ...target, headers, bearers: on.tokens, body: JSON.stringify(body) }
    }
    const asked: readonly (readonly [string, Target])[] = [
      ['get_encounter', { ...targetOn(server, `/api/v1/encounters/${made.encounterId}`, on), bearers: on.tokens }],
      ['damage_combatant', post(`/api/v1/combatants/${made.combatantId}/damage`, { amount: 1, type: 'fire' })],
      ['next_turn', post(`/api/v1/encounters/${made.encounterId}/next-turn`, {})],
    ]
    const measures: Measure[] = []
    for (const [name, target] of asked) {
      await load(target, 1, { requests: warmUp })
      const costs: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        const before = threadsCpuMs(server.child)
        await load(target, 1, { requests })
        const after = threadsCpuMs(server.child)
        if (before !== null && after !== null) costs.push((after - before) / requests)
      }
      measures.push({
        name: `${name} in a fight of eight`,
        value: costs.length === 0 ? null : median(costs),
        unit: 'ms',
        budget: { most: 2 },
        detail: `processor time, median of ${rounds} rounds (${spread(costs)}); ${fights} fights of ${eventsOfFight} events are kept`,
      })
    }
    return measures
  } finally {
    await server.stop()
  }
}

/** The least and the most, which on a busy machine lie far apart. */
function spread(costs: readonly number[]): string {
  const sorted = costs.toSorted((one, other) => one - other)
  return `${sorted[0]?.toFixed(2)} to ${sorted.at(-1)?.toFixed(2)}`
}

async function ask(server: Running, on: Installation, address: string, body: object): Promise<{ readonly id: number }> {
  const answer = await fetch(new URL(address, server.found), {
    method: 'POST',
    headers: { authorization: `Bearer ${on.tokens[0]}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as { readonly id: number }
}

/** Made through the program itself. */
async function fightOfEight(program: Program, on: Installation): Promise<Made> {
  const server = await startOn(program, on)
  try {
    const post = (address: string, body: object) => ask(server, on, `/api/v1${address}`, body)
    const { id: encounterId } = await post(`/campaigns/${on.campaignId}/encounters`, { name: 'The press-house' })
    const foes = { kind: 'monster', name: 'Hollow Picker', count: 8, hpMax: 100_000, ac: 12 }
    const { id: combatantId } = await post(`/encounters/${encounterId}/combatants`, foes)
    await post(`/encounters/${encounterId}/begin`, {})
    for (let blow = 0; blow < 5; blow += 1) await post(`/combatants/${combatantId}/damage`, { amount: 1 })
    return { encounterId, combatantId }
  } finally {
    await server.stop()
  }
}

/** Copies of it, written straight to the disk, each with as many events as a long fight has. */
function keepMany({ dataDir }: Installation, encounterId: number): void {
  const db = new Database(path.join(dataDir, 'talekeeper.db'))
  const columns = (table: string, ...without: string[]): string =>
    db
      .prepare<[string], { name: string }>('SELECT name FROM pragma_table_info(?)')
      .all(table)
      .map(({ name }) => `"${name}"`)
      .filter((name) => !without.includes(name))
      .join(', ')
  const copy = (table: string, more: string) => {
    const rest = columns(table, '"id"', '"encounter_id"')
    return db.prepare(
      `INSERT INTO ${table} (encounter_id, ${rest}) SELECT @to, ${rest} FROM ${table} WHERE encounter_id = @from ${more}`,
    )
  }
  const ofFight = columns('encounters', '"id"')
  const fight = db.prepare(`INSERT INTO encounters (${ofFight}) SELECT ${ofFight} FROM encounters WHERE id = @from`)
  const combatants = copy('combatants', '')
  const events = copy('encounter_events', 'ORDER BY id LIMIT @left')
  const count = db.prepare<{ to: number }, { count: number }>(
    'SELECT count(*) AS count FROM encounter_events WHERE encounter_id = @to',
  )
  const fill = (to: number): void => {
    for (let left = eventsOfFight; left > 0; left = eventsOfFight - (count.get({ to })?.count ?? left))
      events.run({ from: encounterId, to, left })
  }
  db.transaction(() => {
    fill(encounterId)
    for (let made = 0; made < fights; made += 1) {
      const to = Number(fight.run({ from: encounterId }).lastInsertRowid)
      combatants.run({ from: encounterId, to })
      fill(to)
    }
  })()
  db.close()
}
