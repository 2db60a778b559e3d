import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'
import { fail } from '../kernel/errors.ts'
import { type FolderLock, lockFolder } from './folder-lock.ts'
import { localRequest } from './local-request.ts'

const recordShape = z.object({
  pid: z.int(),
  /** The command that has the folder. */
  work: z.string(),
  /** Where a server listens; null until it does, and for other commands. */
  address: z.string().nullable(),
  token: z.string().min(20),
})
type OwnerRecord = z.output<typeof recordShape>

/** The program that owns a data folder. */
export interface Instance {
  /** Tells others where it listens. Throws where that cannot be written, on a full disk for one: they then learn nothing. */
  announce(address: string): void
  /** What proves to a second program that the first one answers: HMAC of its nonce under the record's token. */
  prove(nonce: string): string
  /** Whether this is the token of the record, so that who sent it can read the data folder. */
  isLockToken(token: string | undefined): boolean
  release(): void
}

/** Writes down where the server listens; where that cannot be, its administrators are told. */
export function announceOrTell(
  instance: Instance,
  address: string,
  to: {
    readonly log: { warn(facts: object, message: string): void }
    readonly alerts: { raise(kind: string, message: string): void }
  },
): void {
  try {
    instance.announce(address)
  } catch (error) {
    const what = 'Where the server listens could not be written down: a second start does not find it.'
    to.log.warn({ err: error }, what)
    to.alerts.raise('instance', what)
  }
}

export interface RunningInstance {
  readonly address: string
  readonly token: string
}

export type Claim =
  | { readonly kind: 'mine'; readonly instance: Instance }
  | { readonly kind: 'running'; readonly running: RunningInstance }

export interface ClaimOptions {
  /** The command that wants the folder, for whoever comes second: `serve`, `restore`, … */
  readonly work: string
  /** How long another program that has just started may take until it listens, in milliseconds. */
  readonly startMs?: number
}

const fileName = 'instance.json'
const pollMs = 200
/** The record may be of whoever had the folder before: a new owner writes its own within this time. */
const recordMs = 2000

/**
 * Claims a data folder for this process, or finds the server that has it: two programs on one database would undo each
 * other's restores. Who owns it is said by the lock that the system holds (folder-lock.ts); the record beside it says
 * where the owner listens. Whoever comes second writes nothing.
 * @throws unavailable where the owner does not answer or is no server, and what lockFolder throws.
 */
export async function claimDataDir(dataDir: string, { work, startMs = 20_000 }: ClaimOptions): Promise<Claim> {
  const file = path.join(dataDir, fileName)
  const deadline = Date.now() + startMs
  const recordDeadline = Date.now() + recordMs
  for (;;) {
    const lock = lockFolder(dataDir)
    const record = read(file)
    const address = record?.address ?? null
    if (record !== null && address !== null && (await proves(address, record.token))) {
      // With the lock in hand too: somebody removed the lock's file under a running server.
      lock?.release()
      return { kind: 'running', running: { address, token: record.token } }
    }
    if (lock !== null) return { kind: 'mine', instance: own(file, lock, work) }
    const now = Date.now()
    if (now > recordDeadline && record !== null && record.work !== 'serve')
      throw fail('unavailable', busy(record, dataDir))
    if (now > deadline) throw fail('unavailable', silent(record, dataDir))
    await delay(pollMs)
  }
}

/** The server that has a data folder and answers, for what does not need the folder; null where there is none. */
export async function findRunning(dataDir: string): Promise<RunningInstance | null> {
  const record = read(path.join(dataDir, fileName))
  if (record?.address == null || !(await proves(record.address, record.token))) return null
  return { address: record.address, token: record.token }
}

function busy({ work, pid }: OwnerRecord, dataDir: string): string {
  return `talekeeper ${work} (process ${pid}) works on ${dataDir}. Wait until it has ended, then try again.`
}

function silent(record: OwnerRecord | null, dataDir: string): string {
  const owner = record === null ? 'Talekeeper' : `Talekeeper (process ${record.pid})`
  return `${owner} has ${dataDir} open but does not answer. End that program, then try again.`
}

function own(file: string, lock: FolderLock, work: string): Instance {
  const token = randomBytes(32).toString('base64url')
  const write = (address: string | null): void => {
    const temporary = `${file}.new`
    const record: OwnerRecord = { pid: process.pid, work, address, token }
    try {
      writeFileSync(temporary, JSON.stringify(record), { mode: 0o600 })
      renameSync(temporary, file)
    } catch (error) {
      remove(temporary)
      throw error
    }
  }
  try {
    write(null)
  } catch {
    // On a full disk the folder is owned all the same; only nobody can be told by whom.
    remove(file)
  }
  return {
    announce: write,
    prove: (nonce) => proof(token, nonce),
    isLockToken(given) {
      const [one, other] = [Buffer.from(given ?? ''), Buffer.from(token)]
      return one.length === other.length && timingSafeEqual(one, other)
    },
    release() {
      if (read(file)?.token === token) remove(file)
      lock.release()
    },
  }
}

/** As far as that can be done: the record only informs. */
function remove(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // It is a folder, or on a disk that is read-only by now.
  }
}

function read(file: string): OwnerRecord | null {
  try {
    return recordShape.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

function proof(token: string, nonce: string): string {
  return createHmac('sha256', token).update(nonce).digest('base64url')
}

async function proves(address: string, token: string): Promise<boolean> {
  const nonce = randomBytes(16).toString('base64url')
  try {
    const { body } = await localRequest(`${address}/api/v1/instance?nonce=${nonce}`, { timeoutMs: 2000 })
    return (body as { readonly proof?: unknown }).proof === proof(token, nonce)
  } catch {
    return false
  }
}
