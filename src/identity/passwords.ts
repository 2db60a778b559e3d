import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createQueue } from '../kernel/queue.ts'

/** Cost of one hash: argon2id with 64 MiB and three passes (RFC 9106, section 4, second choice), in one lane. */
const cost = { memoryKib: 65_536, passes: 3, lanes: 1 } as const
const saltBytes = 16
const hashBytes = 32

/** Two hashes at once take 128 MiB and two threads; whoever finds this many others waiting is asked to come again. */
const atOnce = 2
const mostWaiting = 20
const tooManySignIns = {
  message: 'Too many people are signing in at this moment. Try again in a few seconds.',
  retryAfterSeconds: 3,
}

export interface Derivation {
  readonly password: Uint8Array
  readonly salt: Uint8Array
  readonly memoryKib: number
  readonly passes: number
  readonly lanes: number
  readonly bytes: number
}

/** Argon2id version 1.3, off the main thread. */
export type Argon2id = (derivation: Derivation) => Promise<Uint8Array>

/** The package with its native binary. Rejects where there is none for this machine, or where it is damaged. */
export async function packagedArgon2(): Promise<Argon2id> {
  const { argon2id, hash } = await import('argon2')
  return ({ password, salt, memoryKib, passes, lanes, bytes }) =>
    hash(Buffer.from(password), {
      raw: true,
      type: argon2id,
      salt: Buffer.from(salt),
      memoryCost: memoryKib,
      timeCost: passes,
      parallelism: lanes,
      hashLength: bytes,
    })
}

/** Node's own, with the same results: for machines that the package has no binary for. */
export async function nodeArgon2(): Promise<Argon2id> {
  const { argon2 } = await import('node:crypto')
  return ({ password, salt, memoryKib, passes, lanes, bytes }) =>
    new Promise((resolve, reject) => {
      const parameters = { message: password, nonce: salt, memory: memoryKib, passes, parallelism: lanes }
      argon2('argon2id', { ...parameters, tagLength: bytes }, (error, hash) => (error ? reject(error) : resolve(hash)))
    })
}

export interface Passwords {
  /** A PHC string of a new salt. Throws `rate_limited` when too many wait. */
  hash(password: string): Promise<string>
  /** Whether it is the password of a PHC string; false for anything else. Throws `rate_limited` when too many wait. */
  verify(phc: string, password: string): Promise<boolean>
  /** Takes as long as `verify` and is always false: for names that nobody has. */
  verifyDummy(password: string): Promise<false>
}

export interface PasswordParts {
  /** Told once, when the package cannot be used. */
  onFallback(error: unknown): void
  /** The preferred implementation, loaded at the first password. */
  readonly load?: (() => Promise<Argon2id>) | undefined
}

export function createPasswords({ onFallback, load = packagedArgon2 }: PasswordParts): Passwords {
  const queue = createQueue(atOnce, mostWaiting, tooManySignIns)
  let loading: Promise<Argon2id> | undefined
  const engine = (): Promise<Argon2id> => {
    loading ??= load().catch((error: unknown) => {
      onFallback(error)
      return nodeArgon2()
    })
    return loading
  }
  const derive = (derivation: Derivation): Promise<Uint8Array> => queue(async () => (await engine())(derivation))
  const verify = async (phc: string, password: string): Promise<boolean> => {
    const parsed = parsePhc(phc)
    if (parsed === null) return false
    const { hash, ...rest } = parsed
    const made = await derive({ ...rest, password: bytesOf(password), bytes: hash.length })
    return timingSafeEqual(made, hash)
  }
  return {
    verify,
    async hash(password) {
      const salt = randomBytes(saltBytes)
      const hash = await derive({ ...cost, password: bytesOf(password), salt, bytes: hashBytes })
      return formatPhc(salt, hash)
    },
    async verifyDummy(password) {
      // Nobody finds a password whose hash is all zeros; the answer is false all the same.
      await verify(dummy, password)
      return false
    },
  }
}

// The same characters can arrive composed or not, depending on the keyboard (RFC 8265, OpaqueString).
function bytesOf(password: string): Uint8Array {
  return new TextEncoder().encode(password.normalize('NFC'))
}

function formatPhc(salt: Uint8Array, hash: Uint8Array): string {
  const { memoryKib, passes, lanes } = cost
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${lanes}$${base64(salt)}$${base64(hash)}`
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}

const dummy = formatPhc(new Uint8Array(saltBytes), new Uint8Array(hashBytes))

const phcPattern =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/

function parsePhc(phc: string): (Omit<Derivation, 'password' | 'bytes'> & { readonly hash: Uint8Array }) | null {
  const match = phcPattern.exec(phc)
  if (match === null) return null
  const [, memory, passes, lanes, salt, hash] = match
  return {
    memoryKib: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
    salt: Buffer.from(salt ?? '', 'base64'),
    hash: Buffer.from(hash ?? '', 'base64'),
  }
}
