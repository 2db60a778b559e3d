import { hash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import sharp from 'sharp'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { RestoreOutcome } from '../../src/archive/restore.ts'
import { createFiles, type Files } from '../../src/storage/files.ts'
import type { TestServerOptions } from '../support/server.ts'
import { password } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { pausableFiles } from './spec-support.ts'

// A restore on a server that is in use (SPEC 4.4: it reopens the database in place): calls are held while the files are
// swapped, and none of them fails. Every moment is met by waiting for what happens at it, never for time.

/** When requests are sent; the first are answered before the restore goes on. */
const moments = ['staged', 'intent', 'suspended', 'replacing', 'in:talekeeper.db', 'replaced', 'reopened'] as const
type Moment = (typeof moments)[number]
/** Those that arrive while there is no database. */
const meanwhile: readonly Moment[] = ['suspended', 'replacing', 'in:talekeeper.db']

interface Answer {
  readonly status: number
  readonly bytes: Buffer
}

interface Asked {
  readonly kind: string
  readonly moment: Moment
  /** Different for each: what it writes is found by it. */
  readonly mark: string
  readonly answer: Promise<Answer>
}

/** A server with a campaign, listening on a port of its own; what was told of its name and one image changed since the archive. */
async function startTable(options: Pick<TestServerOptions, 'files' | 'checkpoint'>) {
  const root = mkdtempSync(path.join(tmpdir(), 'talekeeper-restore-in-use-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const world = await startWorld({ ...options, dataDir: path.join(root, 'data') })
  const { server } = world
  onTestFinished(() => server.stop())
  const address = await server.app.listen()
  const dm = world.token('dm')
  const pixels = await sharp({ create: { width: 90, height: 60, channels: 3, background: '#204060' } })
    .png()
    .toBuffer()
  const call = async (method: string, target: string, body?: unknown, headers = {}): Promise<Answer> => {
    const isForm = body instanceof FormData
    const response = await fetch(`${address}${target}`, {
      method,
      headers: {
        authorization: dm.headers.authorization as string,
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    })
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
  }
  const upload = (bytes: Buffer): Promise<Answer> => {
    const form = new FormData()
    form.append('file', new Blob([Uint8Array.from(bytes)]), 'lantern.png')
    return call('POST', `/api/v1/campaigns/${world.id('campaign')}/attachments`, form)
  }
  const image = jsonOf(await upload(pixels)).id as number
  const npcPath = `/api/v1/npcs/${world.id('npc')}`
  expect((await call('PATCH', npcPath, { name: 'As in the archive' })).status).toBe(200)
  const archive = path.join(root, 'backup.zip')
  await server.app.archive.create({ destination: archive })
  expect((await call('PATCH', npcPath, { name: 'As it became' })).status).toBe(200)
  const admin = { authorization: world.token('admin', { admin: true }).headers.authorization as string }
  const restore = async (): Promise<Answer> => {
    const form = new FormData()
    form.append('file', new Blob([Uint8Array.from(readFileSync(archive))]), 'backup.zip')
    form.append('confirm', 'RESTORE')
    return call('POST', '/api/v1/backup/restore', form, admin)
  }
  return { server, world, address, call, upload, restore, image, pixels, npcPath }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
function jsonOf({ bytes }: Answer): any {
  const text = bytes.toString()
  // Some answers of /mcp are server-sent events with one message.
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
}

/** Lines of the log by which the server says that something went wrong in it. */
function errorsIn(logs: string): readonly string[] {
  return logs.split('\n').filter((line) => /"level":[56]0/.test(line))
}

/** Opens a stream of live events. Its promise resolves when it ends: with the last event, and whether that was in order. */
async function openEvents(address: string, headers: Readonly<Record<string, string>>) {
  const { authorization } = headers
  const response = await fetch(address, { headers: { authorization: authorization as string } })
  expect(response.status).toBe(200)
  return {
    ended: response.text().then(
      (text) => ({ complete: true, last: Array.from(text.matchAll(/^event: (\w+)$/gm)).at(-1)?.[1] }),
      () => ({ complete: false, last: undefined }),
    ),
  }
}

/** What one installation has of everything that was written with marks; throws for anything that is there by half. */
function writtenIn(database: string, uploads: string) {
  const db = new Database(database, { readonly: true })
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(db.pragma('foreign_key_check')).toEqual([])
    const ids = (sql: string): readonly unknown[] => db.prepare(sql).pluck().all()
    for (const type of ['note', 'attachment']) {
      const rows = ids(`SELECT id FROM ${type}s ORDER BY id`)
      const journalled = `SELECT entity_id FROM changes WHERE entity_type = '${type}' AND kind = 'create' ORDER BY entity_id`
      expect(ids(journalled)).toEqual(rows)
      if (type === 'note')
        expect(ids(`SELECT entity_id FROM search_documents WHERE entity_type = 'note' ORDER BY entity_id`)).toEqual(
          rows,
        )
    }
    for (const fileKey of ids('SELECT file_key FROM attachments') as readonly string[])
      expect(hash('sha256', readFileSync(path.join(uploads, fileKey)))).toBe(path.basename(fileKey, '.png'))
    return {
      notes: new Set(ids('SELECT body FROM notes') as readonly string[]),
      images: new Set(ids('SELECT sha256 FROM attachments') as readonly string[]),
    }
  } finally {
    db.close()
  }
}

test('more than 200 requests around a restore: none fails, and those that it held are answered by the new database', {
  timeout: 600_000,
}, async () => {
  const asked: Asked[] = []
  const early: Promise<unknown>[] = []
  const answeredInSwap: Asked[] = []
  let inSwap = false
  let arrived = 0
  let onArrival = (): void => {}
  /** Resolves when the server has got that many requests since the restore began. */
  const arrivals = (count: number): Promise<void> =>
    new Promise((resolve) => {
      onArrival = () => {
        if (arrived >= count) resolve()
      }
      onArrival()
    })

  const real = createFiles()
  const files: Files = {
    ...real,
    async rename(from, to) {
      // The journal of the restore: those that came before it are answered before the suspension begins.
      if (to.endsWith('restore-intent.json') && early.length > 0) await Promise.all(early.splice(0))
      // Nothing is in place any more, or only the old database: the swap stands still until all have come.
      if (inSwap && /talekeeper\.db$|uploads$/.test(to)) {
        await arrivals(asked.length)
        await Promise.all(asked.filter(({ kind }) => kind === 'health').map(({ answer }) => answer))
      }
      return real.rename(from, to)
    },
  }
  const table = await startTable({ files, checkpoint: (step) => at(step) })
  const { server, world, call, upload, image, pixels, npcPath } = table
  const campaign = `/api/v1/campaigns/${world.id('campaign')}`
  const images = new Map<string, Buffer>()
  for (const moment of moments) {
    for (let number = 0; number < 3; number += 1) {
      const background = { r: 10 * number, g: 10 * moments.indexOf(moment), b: 90 }
      const drawn = sharp({ create: { width: 40, height: 30, channels: 3, background } })
      images.set(`${moment} ${number}`, await drawn.png().toBuffer())
    }
  }
  const tool = (name: string, input: object): Promise<Answer> => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }
    return call('POST', '/mcp', body, { accept: 'application/json, text/event-stream' })
  }
  const kinds: Readonly<Record<string, (mark: string) => Promise<Answer>>> = {
    read: () => call('GET', npcPath),
    list: () => call('GET', `${campaign}/notes?limit=5`),
    search: () => call('GET', `${campaign}/search?query=archive`),
    write: (mark) =>
      call(
        'POST',
        `${campaign}/notes`,
        { body: mark, visibility: 'party' },
        { 'idempotency-key': mark.replaceAll(' ', '-') },
      ),
    change: (mark) => call('PATCH', `/api/v1/quests/${world.id('quest')}`, { body: mark }),
    tool: () => tool('get_npc', { npcId: world.id('npc') }),
    toolWrite: (mark) =>
      tool('create_note', { campaignId: world.id('campaign'), body: `${mark} by tool`, visibility: 'party' }),
    image: () => call('GET', `/api/v1/attachments/${image}/file`),
    thumb: () => call('GET', `/api/v1/attachments/${image}/file?size=thumb`),
    upload: (mark) => upload(images.get(mark) as Buffer),
    health: () => call('GET', '/healthz'),
  }
  const at = (step: string): void => {
    const moment = moments.find((each) => each === step)
    if (step === 'suspended') inSwap = true
    if (step === 'replaced') inSwap = false
    if (moment === undefined) return
    for (let number = 0; number < 3; number += 1) {
      for (const [kind, send] of Object.entries(kinds)) {
        const mark = `${moment} ${number}`
        const each = { kind, moment, mark, answer: send(mark) }
        asked.push(each)
        each.answer.then(() => inSwap && answeredInSwap.push(each)).catch(() => {})
        if (moment === 'staged') early.push(each.answer)
      }
    }
  }
  server.app.server.server.on('request', (request) => {
    if (request.url === '/api/v1/backup/restore') return
    arrived += 1
    onArrival()
  })

  const events = await openEvents(`${table.address}${campaign}/events`, world.token('player').headers)
  const restored = await table.restore()
  expect(restored.status).toBe(200)
  const { safetyCopy } = jsonOf(restored) as RestoreOutcome

  expect(asked.length).toBeGreaterThan(200)
  const answers = await Promise.all(asked.map(async (each) => ({ ...each, ...(await each.answer) })))
  const expected: Readonly<Record<string, number>> = { write: 201, upload: 201 }
  expect(answers.filter(({ kind, status }) => status !== (expected[kind] ?? 200))).toEqual([])
  const tools = answers.filter(({ kind }) => kind.startsWith('tool'))
  expect(tools.filter((answer) => jsonOf(answer).result.isError === true)).toEqual([])
  expect(answers.filter(({ kind, bytes }) => kind === 'image' && !bytes.equals(pixels))).toEqual([])

  // While there was no database /healthz was answered at once, and nothing else was answered at all.
  const duringSwap = answeredInSwap.filter(({ moment }) => meanwhile.includes(moment))
  expect(new Set(duringSwap.map(({ kind }) => kind))).toEqual(new Set(['health']))
  expect(duringSwap).toHaveLength(meanwhile.length * 3)

  const names = (moment: Moment): ReadonlySet<unknown> =>
    new Set(
      answers.flatMap((each) => {
        if (each.moment !== moment) return []
        if (each.kind === 'read') return [jsonOf(each).name]
        return each.kind === 'tool' ? [JSON.parse(jsonOf(each).result.content[0].text).name] : []
      }),
    )
  expect(names('staged')).toEqual(new Set(['As it became']))
  for (const moment of [...meanwhile, 'replaced', 'reopened'] as const)
    expect(names(moment), moment).toEqual(new Set(['As in the archive']))

  // Every write that was acknowledged is whole in one of the two databases; those before the suspension in the old one.
  const before = writtenIn(path.join(safetyCopy, 'talekeeper.db'), path.join(safetyCopy, 'uploads'))
  const after = writtenIn(path.join(server.dataDir, 'talekeeper.db'), path.join(server.dataDir, 'uploads'))
  for (const { kind, moment, mark } of asked) {
    const places =
      kind === 'upload'
        ? [before.images, after.images].map((each) => each.has(hash('sha256', images.get(mark) as Buffer)))
        : [before.notes, after.notes].map((each) => each.has(kind === 'write' ? mark : `${mark} by tool`))
    if (!['write', 'toolWrite', 'upload'].includes(kind)) continue
    if (moment === 'intent') expect(places.filter(Boolean), `${kind} ${mark}`).toHaveLength(1)
    else expect(places, `${kind} ${mark}`).toEqual(moment === 'staged' ? [true, false] : [false, true])
  }

  // Pages that hear live events are told to read everything anew, and their streams end in order.
  expect(await events.ended).toEqual({ complete: true, last: 'reset' })
  expect(errorsIn(server.logs())).toEqual([])
})

test('an image that the restore takes away while it is fetched is not found, and no failure', async () => {
  const fetched = Promise.withResolvers<void>()
  const swapped = Promise.withResolvers<void>()
  let watched = 'none yet'
  const real = createFiles()
  const files: Files = {
    ...real,
    async stat(file) {
      const facts = await real.stat(file)
      if (!file.includes(watched)) return facts
      watched = 'none any more'
      fetched.resolve()
      await swapped.promise
      return facts
    },
  }
  const { upload, call, restore, server } = await startTable({
    files,
    checkpoint: (step) => {
      if (step === 'reopened') swapped.resolve()
    },
  })
  const drawn = await sharp({ create: { width: 50, height: 50, channels: 3, background: '#602040' } })
    .png()
    .toBuffer()
  const { id } = jsonOf(await upload(drawn))
  watched = hash('sha256', drawn)
  const fetching = call('GET', `/api/v1/attachments/${id}/file`)
  await fetched.promise
  expect((await restore()).status).toBe(200)
  expect(await fetching).toMatchObject({ status: 404 })
  expect(errorsIn(server.logs())).toEqual([])
})

test('a sign-in whose password is being checked when the suspension begins is answered', async () => {
  const suspending = Promise.withResolvers<void>()
  const { restore, address, server } = await startTable({
    checkpoint: (step) => {
      // In the next turn of the event loop the suspension has begun.
      if (step === 'intent') setImmediate(suspending.resolve)
    },
  })
  const { passwords } = server.app.identity.services
  const checking = Promise.withResolvers<void>()
  const verify = passwords.verify
  vi.spyOn(passwords, 'verify').mockImplementation(async (...given) => {
    checking.resolve()
    const isRight = await verify(...given)
    await suspending.promise
    return isRight
  })
  const signingIn = fetch(`${address}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: address },
    body: JSON.stringify({ username: 'player', password }),
  })
  await checking.promise
  expect((await restore()).status).toBe(200)
  expect((await signingIn).status).toBe(200)
  expect(errorsIn(server.logs())).toEqual([])
})

test('an upload that takes long keeps nobody waiting: the suspension begins when it has ended', async () => {
  const { files, pauseAt } = pausableFiles()
  const begun = Promise.withResolvers<void>()
  const { upload, call, restore, npcPath } = await startTable({
    files,
    checkpoint: (step) => {
      // In the next turn of the event loop the restore waits for the suspension.
      if (step === 'intent') setImmediate(begun.resolve)
    },
  })
  const pause = pauseAt(/^rename .*\.incoming/)
  const drawn = sharp({ create: { width: 50, height: 50, channels: 3, background: '#602040' } })
  const uploading = upload(await drawn.png().toBuffer())
  await pause.reached
  const restoring = restore()
  await begun.promise
  expect(jsonOf(await call('GET', npcPath)).name).toBe('As it became')
  pause.go()
  expect((await uploading).status).toBe(201)
  expect((await restoring).status).toBe(200)
  expect(jsonOf(await call('GET', npcPath)).name).toBe('As in the archive')
})
