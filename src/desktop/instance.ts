import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'
import { localRequest } from './local-request.ts'

const lockShape = z.object({ pid: z.int(), address: z.string().nullable(), token: z.string().min(20) })
type Lock = z.output<typeof lockShape>

/** The program that owns a data folder. */
export interface Instance {
  /** Tells others where it listens. */
  announce(address: string): void
  /** What proves to a second program that the first one answers: HMAC of its nonce under the lock's token. */
  prove(nonce: string): string
  /** Whether this is the token of the lock file, so that who sent it can read the data folder. */
  isLockToken(token: string | undefined): boolean
  release(): void
}

export interface RunningInstance {
  readonly address: string
  readonly token: string
}

export type Claim =
  | { readonly kind: 'mine'; readonly instance: Instance }
  | { readonly kind: 'running'; readonly running: RunningInstance }

const fileName = 'instance.lock'
/** How long another program that has just started may take until it listens. */
const startMs = 15_000

/**
 * Claims a data folder for this process, or finds the one that has it: two programs on one database would undo each
 * other's restores. A lock whose process is gone, or whose address does not prove to be it, is stale and taken over.
 */
export async function claimDataDir(dataDir: string): Promise<Claim> {
  const file = path.join(dataDir, fileName)
  for (;;) {
    const mine = create(file)
    if (mine !== null) return { kind: 'mine', instance: mine }
    const lock = read(file)
    if (lock !== null && isAlive(lock.pid)) {
      if (lock.address !== null && (await proves(lock.address, lock.token))) {
        return { kind: 'running', running: { address: lock.address, token: lock.token } }
      }
      // It may be starting still. Where the lock is older, its number belongs to another program by now.
      if (Date.now() - writtenAt(file) < startMs) {
        await delay(200)
        continue
      }
    }
    rmSync(file, { force: true })
  }
}

function create(file: string): Instance | null {
  const token = randomBytes(32).toString('base64url')
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null
    throw error
  }
  const write = (address: string | null): void => {
    const temporary = `${file}.${process.pid}`
    writeFileSync(temporary, JSON.stringify({ pid: process.pid, address, token } satisfies Lock), { mode: 0o600 })
    renameSync(temporary, file)
  }
  write(null)
  return {
    announce: write,
    prove: (nonce) => proof(token, nonce),
    isLockToken(given) {
      const [one, other] = [Buffer.from(given ?? ''), Buffer.from(token)]
      return one.length === other.length && timingSafeEqual(one, other)
    },
    release() {
      if (read(file)?.token === token) rmSync(file, { force: true })
    },
  }
}

function read(file: string): Lock | null {
  try {
    return lockShape.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/** When the lock was written last, in milliseconds since 1970. */
function writtenAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function isAlive(pid: number): boolean {
  // A lock from a container or an earlier start may name our own number.
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
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
