// What the requests of the REST interface are measured against: fastify routes that find out who calls by the same token,
// read and write the same rows with better-sqlite3 by plain statements, and answer with as much; they do nothing else.
// Started by scripts/bench.ts with a copy of the database, since two programs that write to one wait for each other; says
// its port.
import { hash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import Database from 'better-sqlite3'
import Fastify, { type FastifyRequest } from 'fastify'

const [file] = process.argv.slice(2)
const db = new Database(file)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')

/** SQLite plans a statement anew for other values of a bare parameter, which costs several times what the statement does. */
function read(sql: string) {
  return db.prepare(sql.replaceAll(/\?|@id/g, 'coalesce($&, NULL)'))
}
const token = read(
  `SELECT t.id, t.scope, t.campaign_id, t.expires_at, u.id AS user_id FROM personal_tokens t JOIN users u ON u.id = t.user_id
   WHERE t.hash = ? AND t.revoked_at IS NULL AND u.disabled_at IS NULL`,
)
const note = read(
  'SELECT n.*, u.username AS author FROM notes n JOIN users u ON u.id = n.author_user_id WHERE n.id = ?',
)
// An NPC is answered with where they are, whom they belong to, the quests they give, their relations, and who mentions them.
const npc = read(
  `SELECT n.*, l.name AS location, f.name AS faction FROM npcs n LEFT JOIN locations l ON l.id = n.location_id
   LEFT JOIN factions f ON f.id = n.faction_id WHERE n.id = ?`,
)
const given = read('SELECT id, title, status FROM quests WHERE giver_npc_id = ? AND deleted_at IS NULL LIMIT 201')
const relations = read(
  `SELECT * FROM relations WHERE (from_type = 'npc' AND from_id = @id) OR (to_type = 'npc' AND to_id = @id) LIMIT 21`,
)
const mentioning = read(
  `SELECT d.entity_type, d.entity_id, d.title, substr(d.body, 1, 160) AS snippet FROM mentions m
   JOIN search_documents d ON d.entity_type = m.from_type AND d.entity_id = m.from_id
   WHERE m.to_type = 'npc' AND m.to_id = ? LIMIT 21`,
)
const brief = ['id', 'campaign_id', 'revision', 'created_at', 'updated_at', 'name', 'hidden', 'tags', 'location_id']
const page = read(
  `SELECT ${brief.join(', ')}, substr(body, 1, 400) AS excerpt FROM npcs
   WHERE campaign_id = ? AND deleted_at IS NULL ORDER BY name_sort, id LIMIT 51`,
)
const add = db.prepare(
  'INSERT INTO quests (campaign_id, created_at, updated_at, title, position) VALUES (@campaignId, @now, @now, @title, 1)',
)
const quest = read('SELECT * FROM quests WHERE id = ?')

function requireCaller({ headers }: FastifyRequest): void {
  const secret = headers.authorization?.slice('Bearer '.length) ?? ''
  if (token.get(hash('sha256', secret)) === undefined) throw new Error('nobody')
}

type Named = { Params: { id: string } }
const app = Fastify()
app.get<Named>('/notes/:id', async (request) => {
  requireCaller(request)
  return note.get(Number(request.params.id))
})
app.get<Named>('/npcs/:id', async (request) => {
  requireCaller(request)
  const id = Number(request.params.id)
  return {
    ...(npc.get(id) as object),
    quests: given.all(id),
    relations: relations.all({ id }),
    mentionedBy: mentioning.all(id),
  }
})
app.get<Named>('/campaigns/:id/npcs', async (request) => {
  requireCaller(request)
  return { items: page.all(Number(request.params.id)) }
})
app.post<Named & { Body: { title: string } }>('/campaigns/:id/quests', async (request, reply) => {
  requireCaller(request)
  const { params, body } = request
  const row = { campaignId: Number(params.id), now: new Date().toISOString(), title: body.title }
  reply.code(201)
  return quest.get(add.run(row).lastInsertRowid)
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${(app.server.address() as AddressInfo).port}\n`)
process.once('SIGTERM', () => process.exit(0))
