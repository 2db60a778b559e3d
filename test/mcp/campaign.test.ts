import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findChromium, launchChromium } from '../browser/chromium.ts'
import { walkLimitMs } from '../support/long.ts'
import { playing, type Seat } from '../support/played.ts'
import type { Person, TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { type Connected, clients } from './clients.ts'
import { playEvening } from './evening.ts'
import { browsersOf } from './evening-table.ts'
import { playTale } from './tale.ts'

// A campaign from session zero to its third recap, played by real MCP clients: the assistant of a Dungeon Master, two players
// and somebody who watches; and one evening of another table, with browsers beside the assistants. TALEKEEPER_TRANSCRIPT names
// a file for what was said, to be read.

let world: TestWorld
let base: string
const open: Connected[] = []
const played = playing()
beforeAll(async () => {
  world = await startWorld()
  base = await world.server.app.listen()
})
afterAll(async () => {
  for (const client of open) await client.close()
  await world.server.stop()
  const { TALEKEEPER_TRANSCRIPT: file } = process.env
  if (file) writeFileSync(file, played.transcript())
})

async function seat(who: string, person: Person, which: number): Promise<Seat> {
  const scope = person === 'dm' ? 'dm' : person === 'viewer' ? 'viewer' : 'player'
  const { authorization = '' } = world.token(person, { scope }).headers
  const client = await (clients[which] as (typeof clients)[number]).connect(`${base}/mcp`, { authorization })
  open.push(client)
  return played.seat(who, client)
}

test('a campaign is played from session zero to its third recap', { timeout: walkLimitMs }, async () => {
  await playTale({
    world,
    dm: await seat('the assistant', 'dm', 2),
    wren: await seat('Wren', 'player', 0),
    oda: await seat('Oda', 'otherPlayer', 2),
    guest: await seat('the guest', 'viewer', 1),
  })
  console.info(`${played.lines.length} calls, ${played.tools().size} tools, ${played.bytes()} bytes`)
  expect(played.tools().size).toBeGreaterThanOrEqual(120)
})

test('an evening is played over MCP and in browsers at once, and most of the tools have been used', {
  timeout: walkLimitMs,
}, async () => {
  const document = JSON.parse(readFileSync('assets/packs/starter.json', 'utf8'))
  await world.as('admin', 'install_rule_pack', { document })
  const chromium = findChromium()
  const browser = chromium === null ? null : await launchChromium(chromium)
  const before = played.lines.length
  try {
    await playEvening({
      world,
      dm: await seat('the assistant', 'dm', 2),
      ash: await seat('Ash', 'player', 0),
      bo: await seat('Bo', 'otherPlayer', 2),
      cass: await seat('Cass', 'outsider', 1),
      browsers: browser === null ? null : browsersOf(browser, world, base),
    })
  } finally {
    await browser?.close()
  }
  console.info(`${played.lines.length - before} calls; ${played.tools().size} tools in both`)
  expect(played.tools().size).toBeGreaterThanOrEqual(220)
})
