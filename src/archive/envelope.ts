import { argon2, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import * as z from 'zod'
import { fail, invalid } from '../kernel/errors.ts'
import { formatVersion, shortestPassphrase } from './format.ts'

// The AI keyfile leaves the machine only in this envelope (SPEC 2.4): AES-256-GCM under a key that Argon2id (RFC 9106)
// derives from the passphrase. The associated data is the archive's format and time, so that an envelope cannot be
// moved into another archive.

const base64 = (least: number, most: number) =>
  z
    .base64()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((bytes) => bytes.length >= least && bytes.length <= most)

const envelopeSchema = z.strictObject({
  version: z.literal(1),
  kdf: z.strictObject({
    name: z.literal('argon2id'),
    // Bounded: whoever made the archive chooses how long and with how much memory opening it works.
    memoryKiB: z.int().min(8192).max(262_144),
    passes: z.int().min(1).max(10),
    parallelism: z.int().min(1).max(8),
    salt: base64(16, 64),
  }),
  cipher: z.strictObject({
    name: z.literal('aes-256-gcm'),
    nonce: base64(12, 12),
    ciphertext: base64(1, 4096),
    tag: base64(16, 16),
  }),
})

export type Envelope = z.output<typeof envelopeSchema>

interface Cost {
  readonly memoryKiB: number
  readonly passes: number
  readonly parallelism: number
}

/** RFC 9106's second recommended choice. Archives carry the cost they were made with, so it may grow. */
const standardCost: Cost = { memoryKiB: 65_536, passes: 3, parallelism: 4 }

/** Throws `validation_failed` for a passphrase that is too short (SPEC 8.1). */
export function requireLongPassphrase(passphrase: string): void {
  if ([...passphrase].length >= shortestPassphrase) return
  const message = `It needs at least ${shortestPassphrase} characters.`
  throw invalid('keyPassphrase', message)
}

/** Wraps the keyfile; the result is the text of the entry. Throws `validation_failed` for a short passphrase. */
export async function sealKeyfile(
  key: Uint8Array,
  passphrase: string,
  createdAt: string,
  cost = standardCost,
): Promise<string> {
  requireLongPassphrase(passphrase)
  const salt = randomBytes(16)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', await derive(passphrase, salt, cost), nonce)
  cipher.setAAD(associatedData(createdAt))
  const ciphertext = Buffer.concat([cipher.update(key), cipher.final()])
  return JSON.stringify({
    version: 1,
    kdf: { name: 'argon2id', ...cost, salt: salt.toString('base64') },
    cipher: {
      name: 'aes-256-gcm',
      nonce: nonce.toString('base64'),
      ciphertext: ciphertext.toString('base64'),
      tag: cipher.getAuthTag().toString('base64'),
    },
  })
}

/** Throws `archive_invalid`. */
export function parseEnvelope(text: string): Envelope {
  try {
    return envelopeSchema.parse(JSON.parse(text))
  } catch (cause) {
    throw fail('archive_invalid', 'The key file in the backup is not in an envelope that this version knows.', {
      cause,
    })
  }
}

/** Throws `passphrase_wrong`, also when the envelope was changed or belongs to another archive. */
export async function openKeyfile({ kdf, cipher }: Envelope, passphrase: string, createdAt: string): Promise<Buffer> {
  if ([...passphrase].length < shortestPassphrase) throw fail('passphrase_wrong')
  const decipher = createDecipheriv('aes-256-gcm', await derive(passphrase, kdf.salt, kdf), cipher.nonce)
  decipher.setAAD(associatedData(createdAt))
  decipher.setAuthTag(cipher.tag)
  try {
    return Buffer.concat([decipher.update(cipher.ciphertext), decipher.final()])
  } catch (cause) {
    throw fail('passphrase_wrong', undefined, { cause })
  }
}

function associatedData(createdAt: string): Buffer {
  return Buffer.from(`talekeeper archive ${formatVersion} ${createdAt}`)
}

/** Runs on Node's own thread pool. Keyboards differ in how they compose accents, hence the normalisation. */
function derive(passphrase: string, salt: Uint8Array, { memoryKiB, passes, parallelism }: Cost): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const parameters = {
    message: Buffer.from(passphrase.normalize('NFC')),
    nonce: salt,
    memory: memoryKiB,
    passes,
    parallelism,
    tagLength: 32,
  }
  argon2('argon2id', parameters, (error, key) => (error ? reject(error) : resolve(key)))
  return promise
}
