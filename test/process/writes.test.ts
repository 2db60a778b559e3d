import { readdirSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { callsOn, makeFolders, setUp, startServerProcess } from './server-process.ts'

const rounds = process.env.TALEKEEPER_TEST_LONG === '1' ? 300 : 20
const writers = 4

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** What must hold of every write: the row, its journal and its search text are one, or nothing is there. */
function examine(dataDir: string) {
  const db = new Database(path.join(dataDir, 'talekeeper.db'), { readonly: true })
  try {
    const names = db.prepare('SELECT name FROM npcs').pluck().all() as string[]
    const counted = (sql: string): number => db.prepare(sql).pluck().get() as number
    return {
      integrity: db.pragma('integrity_check', { simple: true }),
      foreignKeys: db.pragma('foreign_key_check'),
      names: new Set(names),
      rows: names.length,
      journalled: counted(`SELECT count(*) FROM changes WHERE entity_type = 'npc' AND kind = 'create'`),
      indexed: counted(`SELECT count(*) FROM search_documents WHERE entity_type = 'npc'`),
      answers: counted('SELECT count(*) FROM idempotency_keys'),
    }
  } finally {
    db.close()
  }
}

test(`no acknowledged write is lost in ${rounds} rounds of kill -9`, { timeout: rounds * 60_000 }, async () => {
  const folders = makeFolders()
  const acknowledged = new Set<string>()
  let unanswered = 0
  try {
    let server = await startServerProcess(folders)
    const token = await setUp(server.address)
    const made = await callsOn(server.address, token)('POST', '/api/v1/campaigns', { name: 'The Orchard in Winter' })
    const target = `/api/v1/campaigns/${made.body.id}/npcs`
    for (let round = 1; round <= rounds; round += 1) {
      let over = false
      const write = async (writer: number): Promise<void> => {
        for (let number = 1; !over; number += 1) {
          const name = `${round}-${writer}-${number}`
          try {
            const response = await fetch(`${server.address}${target}`, {
              method: 'POST',
              headers: {
                authorization: `Bearer ${token}`,
                'content-type': 'application/json',
                'idempotency-key': name,
              },
              body: JSON.stringify({ name, body: 'She keeps the page in her sleeve. '.repeat(20) }),
            })
            if (response.status === 201) acknowledged.add(name)
            else throw new Error(`answered with ${response.status}`)
            await response.text()
          } catch (error) {
            if (!over) throw error
            unanswered += 1
          }
        }
      }
      const before = acknowledged.size
      const writing = Promise.all(Array.from({ length: writers }, (_, index) => write(index + 1)))
      // From the first transactions to amid a checkpoint: SQLite makes one about every thousand pages. Every fourth round
      // ends whether anything was answered or not.
      await Promise.race([pause(20 + ((round * 37) % 400)), writing])
      while (round % 4 !== 0 && acknowledged.size === before) await Promise.race([pause(5), writing])
      over = true
      await server.kill()
      await writing

      server = await startServerProcess(folders)
      expect((await fetch(`${server.address}/readyz`)).status, `round ${round}`).toBe(200)
      const { integrity, foreignKeys, names, rows, journalled, indexed, answers } = examine(folders.dataDir)
      expect({ integrity, foreignKeys }, `round ${round}`).toEqual({ integrity: 'ok', foreignKeys: [] })
      expect(
        [...acknowledged].filter((name) => !names.has(name)),
        `round ${round}: lost`,
      ).toEqual([])
      expect([journalled, indexed, answers], `round ${round}`).toEqual([rows, rows, rows])
    }
    expect(acknowledged.size).toBeGreaterThan(rounds / 2)
    expect(readdirSync(folders.tempDir)).toEqual([])
    await server.terminate()
    console.log(`${rounds} kills, ${acknowledged.size} acknowledged writes, ${unanswered} cut off, none lost`)
  } finally {
    folders.remove()
  }
})
