import { Buffer } from 'node:buffer'
import { errorTable } from '../../src/kernel/errors.ts'
import { type AnyOperation, routeOf, type World } from '../../src/kernel/operation.ts'
import { type AnyTransfer, carriedOperations } from '../../src/kernel/transfer.ts'
import type { Caller } from './callers.ts'
import { type CallerName, callerNames, type TestWorld } from './world.ts'
import { tinyPng } from './world-content.ts'

export type Door = 'rest' | 'mcp'
export type Declared = AnyOperation | AnyTransfer

/** One line of the matrix: what each caller gets from one operation by one door. */
export interface Line {
  readonly name: string
  readonly door: Door
  readonly declared: Declared
  /** In the order of `callerNames`. */
  readonly cells: readonly string[]
}

/** Whether it is an operation of the catalogue, and neither a transfer nor something with the server itself. */
export function isCatalogued(declared: Declared): declared is AnyOperation {
  return 'toolset' in declared && declared.toolset !== 'server'
}

/** Everything that has a route or a tool: operations first, in the order of the catalogue. */
export function declaredIn({ server }: TestWorld): readonly { readonly declared: Declared; readonly door: Door }[] {
  const { app } = server
  const operations = [...app.system().operations.values()]
  const carried = carriedOperations(operations, app.transfers)
  return [
    ...operations.flatMap((declared) => [
      ...(carried.has(declared.name) ? [] : [{ declared, door: 'rest' as const }]),
      ...(declared.mcp === undefined ? [{ declared, door: 'mcp' as const }] : []),
    ]),
    ...app.transfers.map((declared) => ({ declared, door: 'rest' as const })),
  ]
}

export interface MatrixOptions {
  /** Instead of the example, for what is sent in another form than JSON; `confirm` and the like. */
  readonly form?: Readonly<Record<string, () => Promise<Form>>>
  /** Texts that only one answer can use, made anew for each call. */
  readonly texts?: Readonly<Record<string, () => Promise<string>>>
}

export interface Form {
  readonly fields: Readonly<Record<string, string>>
  readonly file: { readonly name: string; readonly bytes: Uint8Array }
}

/** Makes every call of one line of the matrix, each on the same state of the database: it is rolled back after each. */
export async function runLine(
  world: TestWorld,
  { declared, door }: Pick<Line, 'declared' | 'door'>,
  options: MatrixOptions = {},
): Promise<Line> {
  const cells: string[] = []
  for (const name of callerNames) {
    const special = await specialWorld(world, declared, options)
    cells.push(await rolledBack(world, () => cellOf(special, world.callers[name], declared, door, options)))
  }
  return { name: declared.name, door, declared, cells }
}

/** All calls of a case share the server's one connection, so whatever they commit is undone with the outer transaction. */
export async function rolledBack<T>({ server }: TestWorld, work: () => Promise<T>): Promise<T> {
  const { connection } = server.app.store()
  connection.exec('BEGIN')
  try {
    return await work()
  } finally {
    connection.exec('ROLLBACK')
  }
}

async function specialWorld(world: TestWorld, declared: Declared, { texts = {} }: MatrixOptions): Promise<TestWorld> {
  const made: Record<string, string> = {}
  const probe: World = { id: world.id, text: (what) => (texts[what] ? what : world.text(what)) }
  const wanted = JSON.stringify(declared.example(probe))
  for (const [what, make] of Object.entries(texts)) if (wanted.includes(`"${what}"`)) made[what] = await make()
  return { ...world, text: (what) => made[what] ?? world.text(what) }
}

/** What a caller gets from an operation's example: the status and, where it is not the usual one, the error's code. */
export async function cellOf(
  world: TestWorld,
  caller: Caller,
  declared: Declared,
  door: Door,
  { form = {} }: MatrixOptions = {},
): Promise<string> {
  const input = declared.example(world) as Readonly<Record<string, unknown>>
  if (door === 'mcp') return mcpCell(caller, declared.name, input)
  if ('carries' in declared && declared.carries === 'events') return eventsCell(world, caller, declared, input)
  const given = await form[declared.name]?.()
  const { status, body } = given
    ? await caller.request('POST', addressOf(declared, input).path, multipart(given), { 'content-type': formType })
    : await restCall(caller, declared, input)
  return cellText(status, body)
}

/** Sends an input as REST takes it: path, then query for what has no body, then JSON. */
export function restCall(caller: Caller, declared: Pick<Declared, 'route'>, input: Readonly<Record<string, unknown>>) {
  const { method, path, rest } = addressOf(declared, input)
  if (method !== 'GET' && method !== 'DELETE') return caller.request(method, path, rest)
  const query = Object.entries(rest).map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`)
  return caller.request(method, query.length === 0 ? path : `${path}?${query.join('&')}`)
}

export function addressOf({ route }: Pick<Declared, 'route'>, input: Readonly<Record<string, unknown>>) {
  const { method, path, placeholders } = routeOf(route)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(input[key])))
  const rest = Object.fromEntries(Object.entries(input).filter(([key]) => !placeholders.includes(key)))
  return { method, path: `/api/v1${filled}`, rest }
}

/** A stream ends only when somebody ends it: it is let in, then cut. */
async function eventsCell(
  { server }: TestWorld,
  caller: Caller,
  declared: Declared,
  input: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { hub } = server.app
  let settled = false
  const answered = restCall(caller, declared, input).finally(() => {
    settled = true
  })
  while (!settled && hub.count() === 0) await new Promise(setImmediate)
  hub.endAll()
  const { status, body } = await answered
  return cellText(status, body)
}

async function mcpCell(caller: Caller, tool: string, input: unknown): Promise<string> {
  const { isError, content, answer } = await caller.tool(tool, input)
  if (answer.status !== 200) return cellText(answer.status, answer.body)
  if (answer.body.error !== undefined) return `rpc ${answer.body.error.code}`
  if (isError) return cellText(content.error.status, content)
  return content.status === 'proposed' ? 'proposed' : 'ok'
}

/** The first code of each status; only others are worth a word. */
const usualCodes: Readonly<Record<number, string>> = {
  400: 'validation_failed',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
}

function cellText(
  status: number,
  body: { readonly error?: { readonly status: number; readonly code: string } },
): string {
  if (status < 400) return String(status)
  const { error } = body
  if (error?.status !== status || !(error.code in errorTable)) return `${status} without an error object`
  return usualCodes[status] === error.code ? String(status) : `${status} ${error.code}`
}

const boundary = 'a-line-between-parts'
export const formType = `multipart/form-data; boundary=${boundary}`

export function multipart({ fields, file }: Form): Buffer {
  const part = (head: string, content: Uint8Array | string): Buffer =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ])
  return Buffer.concat([
    ...Object.entries(fields).map(([name, value]) => part(`name="${name}"`, value)),
    part(`name="file"; filename="${file.name}"`, file.bytes),
    Buffer.from(`--${boundary}--\r\n`),
  ])
}

export const pngFile = { name: 'lantern.png', bytes: new Uint8Array(Buffer.from(tinyPng, 'base64')) }

/** One row of the golden list: tabs between the cells. */
export function lineText({ name, door, cells }: Line): string {
  return [name, door, ...cells].join('\t')
}

export function cellFor(line: Line, caller: CallerName): string {
  return line.cells[callerNames.indexOf(caller)] as string
}

/** A fingerprint of everything that is stored, without when credentials were last used. */
export function wholeState({ server }: TestWorld): string {
  const store = server.app.store()
  const tables = store.all(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search_text%' ORDER BY name",
  )
  const rows = tables.map(({ name }) => [
    name,
    store.all(`SELECT * FROM "${String(name)}"`).map(({ last_used_at: _, ...row }) => row),
  ])
  return JSON.stringify(rows)
}
