// What the requests of the REST interface are measured against: fastify routes that read and write the same rows with
// better-sqlite3 by the same statements, and do nothing else. Started by scripts/bench.ts with a copy of the database, since
// two programs that write to one wait for each other; says its port.
import type { AddressInfo } from 'node:net'
import Database from 'better-sqlite3'
import Fastify from 'fastify'

const [file] = process.argv.slice(2)
const db = new Database(file)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
const one = {
  npcs: db.prepare('SELECT * FROM npcs WHERE id = ?'),
  notes: db.prepare('SELECT * FROM notes WHERE id = ?'),
}
const brief = ['id', 'campaign_id', 'revision', 'created_at', 'updated_at', 'name', 'hidden', 'tags', 'location_id']
const page = db.prepare(
  `SELECT ${brief.join(', ')}, substr(body, 1, 400) AS excerpt FROM npcs
   WHERE campaign_id = ? AND deleted_at IS NULL ORDER BY name_sort, id LIMIT 51`,
)
const add = db.prepare(
  'INSERT INTO quests (campaign_id, created_at, updated_at, title, position) VALUES (@campaignId, @now, @now, @title, 1)',
)
const quest = db.prepare('SELECT * FROM quests WHERE id = ?')

const app = Fastify()
app.get<{ Params: { table: keyof typeof one; id: string } }>('/rows/:table/:id', async ({ params: { table, id } }) =>
  one[table].get(Number(id)),
)
app.get<{ Params: { id: string } }>('/campaigns/:id/npcs', async ({ params: { id } }) => ({
  items: page.all(Number(id)),
}))
app.post<{ Params: { id: string }; Body: { title: string } }>(
  '/campaigns/:id/quests',
  async ({ params, body }, reply) => {
    const row = { campaignId: Number(params.id), now: new Date().toISOString(), title: body.title }
    reply.code(201)
    return quest.get(add.run(row).lastInsertRowid)
  },
)
await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${(app.server.address() as AddressInfo).port}\n`)
process.once('SIGTERM', () => process.exit(0))
