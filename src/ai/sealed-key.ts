import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

// API keys at rest: AES-256-GCM under a key that follows from `ai-config.key`, which is in no backup but inside its envelope.
// What a key was put in for is sealed with it, so that nobody moves it to another provider or address by changing a row.
//
//   0x01 | 4 bytes: which key file | 12 bytes nonce | 16 bytes tag | ciphertext      (base64)

export interface Endpoint {
  readonly kind: string
  /** As `baseUrlOf` answers it. */
  readonly baseUrl: string
}

const version = 1
const [idBytes, nonceBytes, tagBytes] = [4, 12, 16] as const
const headBytes = 1 + idBytes + nonceBytes + tagBytes

/** @param keyfile the content of `ai-config.key` */
export function sealKey(apiKey: string, endpoint: Endpoint, keyfile: Uint8Array): string {
  const { key, id } = derive(keyfile)
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(boundTo(endpoint))
  const sealed = Buffer.concat([cipher.update(apiKey, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(version), id, nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

/** The API key; null where it was sealed with another key file, for another endpoint, or was changed. */
export function openKey(blob: string, endpoint: Endpoint, keyfile: Uint8Array): string | null {
  const bytes = Buffer.from(blob, 'base64')
  if (bytes.length <= headBytes || bytes[0] !== version) return null
  const { key, id } = derive(keyfile)
  if (!bytes.subarray(1, 1 + idBytes).equals(id)) return null
  const nonce = bytes.subarray(1 + idBytes, 1 + idBytes + nonceBytes)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  decipher.setAAD(boundTo(endpoint))
  decipher.setAuthTag(bytes.subarray(headBytes - tagBytes, headBytes))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(headBytes)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}

function derive(keyfile: Uint8Array): { readonly key: Buffer; readonly id: Buffer } {
  const key = Buffer.from(hkdfSync('sha256', keyfile, new Uint8Array(), 'talekeeper ai provider keys v1', 32))
  return { key, id: createHash('sha256').update(key).digest().subarray(0, idBytes) }
}

function boundTo({ kind, baseUrl }: Endpoint): Buffer {
  return Buffer.from(JSON.stringify(['talekeeper.ai', version, kind, baseUrl]))
}
