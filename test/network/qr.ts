import jsqr from 'jsqr'
import sharp from 'sharp'
import { qrPath } from '../../src/web/kit/qr-path.ts'

/** What a camera reads in a picture. Null where there is no code. */
export async function decodeQr(picture: Buffer): Promise<string | null> {
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const read = jsqr as unknown as typeof jsqr.default
  return read(new Uint8ClampedArray(data), info.width, info.height)?.data ?? null
}

/** The code as the pages draw it. */
export function drawnQr(text: string): Promise<Buffer> {
  const { size, path } = qrPath(text)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${size * 8}" height="${size * 8}"><rect width="${size}" height="${size}" fill="#fbf6ea"/><path fill="#1a1510" d="${path}"/></svg>`
  return sharp(Buffer.from(svg)).png().toBuffer()
}
