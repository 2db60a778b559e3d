import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { sortKey } from '../../src/kernel/sort-key.ts'
import { hashSecret } from '../../src/storage/secrets.ts'
import { addressPattern, type LoopDelay, type Running, startAndFind } from './programs.ts'

/** An installation with a campaign, one row of each kind that is measured, and content to be backed up. */
export interface Installation {
  readonly root: string
  readonly dataDir: string
  /** Ids of what is asked for. */
  readonly campaignId: number
  readonly npcId: number
  /** Given by that NPC. */
  readonly questId: number
  readonly noteId: number
  /** Personal tokens of the Dungeon Master: with one, so many calls a minute may be made and no more (http/throttle.ts). */
  readonly tokens: readonly string[]
  /** One that is no more than a player. */
  readonly playerToken: string
  remove(): void
}

export interface Program {
  readonly command: string
  readonly args: readonly string[]
  /** Hears how long the main thread of its servers was held, from when their start was over until they ended. */
  onHold?(delay: LoopDelay): void
}

/** What is in it besides the rows that are asked for. */
interface Bulk {
  /** Of every ten, nine are hidden from players. */
  readonly npcs: number
  readonly quests: number
  readonly notes: number
  readonly images: number
  readonly imageBytes: number
  /** Texts of notes for everybody, which are indexed for search as any. */
  readonly longNotes?: readonly string[]
}

/** Two and three letters: what most others begin with. */
export const shortWords = 'ab ac ad ae af ag aha aia aja aka ala ama'.split(' ')
const longText = (of: readonly string[]): string => `${of.join(' ')} `.repeat(49_000 / (of.join(' ').length + 1))

export const bulks = {
  /** A few years of a busy table: tens of megabytes of text, and some pictures. */
  usual: { npcs: 0, quests: 0, notes: 20_000, images: 60, imageBytes: 2 * 1024 * 1024 },
  /** What backups are held to: about as much as one archive may hold (SPEC 8.1). */
  large: { npcs: 2000, quests: 0, notes: 5000, images: 1000, imageBytes: 1024 * 1024 },
  /** The same without pictures, for those that have to be drawn. */
  texts: { npcs: 2000, quests: 0, notes: 5000, images: 0, imageBytes: 0 },
  /** A campaign of some years, as its pages show it. */
  thousand: { npcs: 1000, quests: 100, notes: 200, images: 0, imageBytes: 0 },
  few: { npcs: 500, quests: 10, notes: 0, images: 0, imageBytes: 0 },
  /** The worst that can be searched: long notes of one short word, and of as many as are asked for. */
  wordy: {
    npcs: 0,
    quests: 0,
    notes: 0,
    images: 0,
    imageBytes: 0,
    longNotes: Array.from({ length: 160 }, (_, number) => longText(number < 80 ? ['ab'] : shortWords)),
  },
} as const satisfies Readonly<Record<string, Bulk>>

/** How long the first start may take for what comes with the program. */
const furnishingMs = 60_000

/** A start is over when the program has given back what it took (src/server/start-memory.ts); idle.ts measures it. */
const settledMs = 2600

/** As many as the busiest measure needs, which makes up to 15,000 calls a second. */
const tokenCount = 800

const words = 'the orchard lies behind a wall and Marta keeps the ledger of every bell that rang in winter'.split(' ')

export async function startOn(
  program: Program,
  { root, dataDir }: Pick<Installation, 'root' | 'dataDir'>,
): Promise<Running> {
  const env = { DATA_DIR: dataDir, TMPDIR: path.join(root, 'tmp'), PORT: '0', HOST: '127.0.0.1' }
  const running = await startAndFind(program.command, [...program.args, 'serve'], addressPattern, env)
  let isSettled = false
  const settling = setTimeout(() => {
    isSettled = true
    void running.loopDelay()
  }, settledMs)
  const loopDelay = async (): Promise<LoopDelay | null> => {
    const delay = await running.loopDelay()
    if (delay !== null && isSettled) program.onHold?.(delay)
    return delay
  }
  return {
    ...running,
    loopDelay,
    async stop() {
      clearTimeout(settling)
      await loopDelay()
      await running.stop()
    },
  }
}

/** Makes it through the program itself, but for the bulk, which is written straight to the disk. */
export async function makeInstallation(program: Program, bulk: Bulk): Promise<Installation> {
  const root = mkdtempSync(path.join(tmpdir(), 'talekeeper-bench-'))
  const places = { root, dataDir: path.join(root, 'data') }
  mkdirSync(path.join(root, 'tmp'))
  const remove = (): void => rmSync(root, { recursive: true, force: true })
  try {
    const server = await startOn(program, places)
    const ids = await fill(server.found, bulk.longNotes ?? []).finally(() => server.stop())
    addBulk(places.dataDir, ids.campaignId, bulk)
    return { ...places, ...ids, tokens: addTokens(places.dataDir, ids.token), remove }
  } catch (error) {
    remove()
    throw error
  }
}

const me = { username: 'bench', password: 'a lantern in the orchard' }

/** Signs the Dungeon Master in as a browser does, and answers its cookie. */
export async function signIn(address: string): Promise<string> {
  const response = await fetch(`${address}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: address },
    body: JSON.stringify(me),
  })
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0]
  if (cookie === undefined) throw new Error(`signing in was answered with ${response.status}: ${await response.text()}`)
  return cookie
}

async function fill(address: string, longNotes: readonly string[]) {
  let token: string | undefined
  const post = async (target: string, body: unknown): Promise<{ readonly id: number; readonly token: string }> => {
    const response = await fetch(`${address}/api/v1${target}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? { origin: address } : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${target} was answered with ${response.status}: ${await response.text()}`)
    return (await response.json()) as { readonly id: number; readonly token: string }
  }
  await post('/auth/setup', me)
  const dm = await post('/auth/token', { ...me, tokenName: 'bench', scope: 'dm' })
  const player = await post('/auth/token', { ...me, tokenName: 'bench player', scope: 'player' })
  token = dm.token
  const { id: campaignId } = await post('/campaigns', { name: 'The Orchard in Winter' })
  const inside = `/campaigns/${campaignId}`
  const { id: locationId } = await post(`${inside}/locations`, { name: 'The Pomary' })
  const { id: npcId } = await post(`${inside}/npcs`, {
    name: 'Marta Quill',
    locationId,
    body: text(60),
    tags: ['orchard'],
  })
  const body = `Asked for by [Marta](npc:${npcId}).`
  const { id: questId } = await post(`${inside}/quests`, { title: 'A cradle', giverNpcId: npcId, body })
  const { id: noteId } = await post(`${inside}/notes`, { body: text(60), visibility: 'party' })
  for (const body of longNotes) await post(`${inside}/notes`, { body, visibility: 'party' })
  await untilFurnished(address, token)
  return { campaignId, npcId, questId, noteId, token, playerToken: player.token }
}

/** The first start brings in the rules that come with the program: a server that is measured is not to be at that still. */
async function untilFurnished(address: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const ended = performance.now() + furnishingMs
  while (performance.now() < ended) {
    const answer = await fetch(`${address}/api/v1/rule-packs`, { headers })
    const { items } = (await answer.json()) as { readonly items: readonly unknown[] }
    if (items.length > 0) return
    await delay(200)
  }
  console.log('The rules that come with the program were not brought in; what is measured may hold that work.')
}

/** More of the first token, without the time that a password takes. */
function addTokens(dataDir: string, first: string): readonly string[] {
  const more = Array.from({ length: tokenCount - 1 }, () => `tkp_${randomBytes(32).toString('base64url')}`)
  const db = new Database(path.join(dataDir, 'talekeeper.db'))
  const add = db.prepare(
    `INSERT INTO personal_tokens (user_id, created_at, updated_at, hash, hint, name, scope, write_mode, admin)
     SELECT user_id, created_at, updated_at, ?, 'tkp_', name, scope, write_mode, admin FROM personal_tokens WHERE hash = ?`,
  )
  db.transaction(() => {
    for (const token of more) add.run(hashSecret(token), hashSecret(first))
  })()
  db.close()
  return [first, ...more]
}

function text(count: number, from = 0): string {
  return Array.from({ length: count }, (_, index) => words[(from + index * 7) % words.length]).join(' ')
}

/** Rows by SQL, since each through the program would wait for the disk; pictures as it keeps them, which do not compress. */
function addBulk(dataDir: string, campaignId: number, { npcs, quests, notes, images, imageBytes }: Bulk): void {
  const now = new Date().toISOString()
  const db = new Database(path.join(dataDir, 'talekeeper.db'))
  const addNpc = db.prepare(
    `INSERT INTO npcs (campaign_id, created_at, updated_at, name, name_sort, body, hidden, tags) VALUES (?, ?, ?, ?, ?, ?, ?, '["orchard"]')`,
  )
  const addTag = db.prepare(`INSERT INTO npcs_tags (campaign_id, label, name_sort, id) VALUES (?, 'orchard', ?, ?)`)
  const addQuest = db.prepare(
    'INSERT INTO quests (campaign_id, created_at, updated_at, title, position) VALUES (?, ?, ?, ?, ?)',
  )
  const addNote = db.prepare(
    `INSERT INTO notes (campaign_id, created_at, updated_at, author_user_id, body, visibility) VALUES (?, ?, ?, 1, ?, 'private')`,
  )
  const addImage = db.prepare(
    `INSERT INTO attachments (campaign_id, created_at, updated_at, uploaded_by_user_id, file_name, mime_type, byte_size, width, height, sha256, file_key)
     VALUES (?, ?, ?, 1, ?, 'image/png', ?, 100, 100, ?, ?)`,
  )
  db.transaction(() => {
    for (let number = 0; number < npcs; number += 1) {
      const name = `Person ${number}`
      const hidden = number % 10 === 0 ? 0 : 1
      const { lastInsertRowid } = addNpc.run(campaignId, now, now, name, sortKey(name), text(100, number), hidden)
      addTag.run(campaignId, sortKey(name), lastInsertRowid)
    }
    for (let number = 1; number <= quests; number += 1)
      addQuest.run(campaignId, now, now, `Quest ${number}`, number * 2 ** 30)
    for (let number = 0; number < notes; number += 1) addNote.run(campaignId, now, now, text(300, number))
    for (let number = 0; number < images; number += 1) {
      const bytes = randomBytes(imageBytes)
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const fileKey = `${sha256.slice(0, 2)}/${sha256}.png`
      mkdirSync(path.join(dataDir, 'uploads', sha256.slice(0, 2)), { recursive: true })
      writeFileSync(path.join(dataDir, 'uploads', fileKey), bytes)
      addImage.run(campaignId, now, now, `${number}.png`, bytes.length, sha256, fileKey)
    }
  })()
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
}
