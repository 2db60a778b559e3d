// What the GET of one entity is measured against: a fastify route that reads the same row with better-sqlite3 and does
// nothing else. Started by scripts/bench.ts with the database and the table; says its port.
import type { AddressInfo } from 'node:net'
import Database from 'better-sqlite3'
import Fastify from 'fastify'

const [file, table] = process.argv.slice(2)
const db = new Database(file, { readonly: true })
const statement = db.prepare(`SELECT * FROM ${table} WHERE id = ?`)
const app = Fastify()
app.get<{ Params: { id: string } }>('/rows/:id', async (request) => statement.get(Number(request.params.id)))
await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${(app.server.address() as AddressInfo).port}\n`)
process.once('SIGTERM', () => process.exit(0))
