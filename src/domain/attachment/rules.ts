import { fail, invalid } from '../../kernel/errors.ts'

/** Decodes base64 (RFC 4648 section 4). Throws `validation_failed` on other text and `too_large` above `most` bytes. */
export function bytesOfBase64(text: string, most: number): Uint8Array {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const byteSize = (text.length / 4) * 3 - padding
  if (byteSize > most) {
    throw fail(
      'too_large',
      `An image sent as base64 may have ${most / (1024 * 1024)} MiB. Upload larger ones in the web app.`,
    )
  }
  // The decoder skips what is not base64, so that text with anything else in it gives fewer bytes.
  const bytes = Buffer.from(text, 'base64')
  if (text.length % 4 === 0 && bytes.byteLength === byteSize) return bytes
  throw invalid(
    'contentBase64',
    'not base64',
    'contentBase64: not base64. Send it without line breaks and without a data: prefix.',
  )
}
