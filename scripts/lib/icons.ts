// Pictures of the program for the systems that do not take SVG: PNG, Windows' .ico and macOS' .icns.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import sharp from 'sharp'
import { icons } from '../../build.config.ts'
import { projectRoot } from './node-runner.mjs'

/**
 * Draws the tray icons into `folder`: one PNG of each for systray2 on Linux and macOS, one .ico of each for Windows.
 * Names are those of the drawings without "tray-": ok-light.png is for dark panels.
 */
export async function writeTrayIcons(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await Promise.all(
    icons.tray.drawings.map(async (name) => {
      const svg = drawing(`tray-${name}`)
      writeFileSync(path.join(folder, `${name}.png`), await png(svg, icons.tray.pngSize))
      writeFileSync(path.join(folder, `${name}.ico`), await ico(icons.tray.icoSizes.map((size) => ({ svg, size }))))
    }),
  )
}

/** The program's own icon as .ico. Below 24 pixels it is another drawing, not only a smaller one. */
export function programIco(): Promise<Buffer> {
  return ico(icons.program.icoSizes.map((size) => ({ svg: programDrawing(size), size })))
}

/** The program's own icon as one PNG. */
export function programPng(size: number): Promise<Buffer> {
  return png(programDrawing(size), size)
}

/** The program's own icon as .icns. The types are those that take PNG on every macOS that the executable runs on. */
export async function programIcns(): Promise<Buffer> {
  const parts = await Promise.all(
    Object.entries(icons.program.icnsTypes).map(async ([type, size]) => {
      const image = await programPng(size)
      const head = Buffer.alloc(8)
      head.write(type, 0, 'latin1')
      head.writeUInt32BE(image.length + 8, 4)
      return Buffer.concat([head, image])
    }),
  )
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(8)
  head.write('icns', 0, 'latin1')
  head.writeUInt32BE(body.length + 8, 4)
  return Buffer.concat([head, body])
}

/**
 * The picture beside the first and the last page of the set-up for Windows, as the bitmap that NSIS wants: 24 bits, rows
 * from the bottom up and each filled to a multiple of four bytes.
 */
export async function setUpSidebar(): Promise<Buffer> {
  const { width, height, iconSize, background } = icons.setUpSidebar
  const pixels = await sharp({ create: { width, height, channels: 3, background } })
    .composite([{ input: await programPng(iconSize), left: (width - iconSize) / 2, top: (height - iconSize) / 2 }])
    .removeAlpha()
    .raw()
    .toBuffer()
  const rowSize = Math.ceil((width * 3) / 4) * 4
  const rows = Buffer.alloc(rowSize * height)
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const from = (row * width + column) * 3
      const to = (height - 1 - row) * rowSize + column * 3
      rows.set([pixels[from + 2] ?? 0, pixels[from + 1] ?? 0, pixels[from] ?? 0], to)
    }
  }
  const header = Buffer.alloc(54)
  header.write('BM', 'latin1')
  header.writeUInt32LE(header.length + rows.length, 2)
  header.writeUInt32LE(header.length, 10)
  header.writeUInt32LE(40, 14)
  header.writeInt32LE(width, 18)
  header.writeInt32LE(height, 22)
  header.writeUInt16LE(1, 26)
  header.writeUInt16LE(24, 28)
  header.writeUInt32LE(rows.length, 34)
  return Buffer.concat([header, rows])
}

function programDrawing(size: number): Buffer {
  return drawing(size <= icons.program.smallUpTo ? 'talekeeper-small' : 'talekeeper')
}

function drawing(name: string): Buffer {
  return readFileSync(path.join(projectRoot, icons.folder, `${name}.svg`))
}

async function png(svg: Buffer, size: number): Promise<Buffer> {
  return (await rendered(svg, size)).png({ compressionLevel: 9 }).toBuffer()
}

/** Drawn at the size that is wanted, not drawn small and enlarged. */
async function rendered(svg: Buffer, size: number) {
  const { width, density = 72 } = await sharp(svg).metadata()
  return sharp(svg, { density: (density * size) / width }).resize(size, size)
}

/**
 * An icon file (ICONDIR, one ICONDIRENTRY for each picture, the pictures). Pictures of 256 pixels are PNG, smaller ones
 * bitmaps: not everything that loads small icons takes PNG.
 */
async function ico(pictures: readonly { readonly svg: Buffer; readonly size: number }[]): Promise<Buffer> {
  const images = await Promise.all(
    pictures.map(async ({ svg, size }) => ({ size, data: await (size >= 256 ? png(svg, size) : bitmap(svg, size)) })),
  )
  const directory = Buffer.alloc(6 + 16 * images.length)
  directory.writeUInt16LE(1, 2)
  directory.writeUInt16LE(images.length, 4)
  let offset = directory.length
  for (const [index, { size, data }] of images.entries()) {
    const entry = 6 + 16 * index
    directory.writeUInt8(size % 256, entry) // 0 stands for 256
    directory.writeUInt8(size % 256, entry + 1)
    directory.writeUInt16LE(1, entry + 4)
    directory.writeUInt16LE(32, entry + 6)
    directory.writeUInt32LE(data.length, entry + 8)
    directory.writeUInt32LE(offset, entry + 12)
    offset += data.length
  }
  return Buffer.concat([directory, ...images.map(({ data }) => data)])
}

/** BITMAPINFOHEADER, 32-bit pixels from the bottom row up, and a mask that is all zeros: transparency is in the pixels. */
async function bitmap(svg: Buffer, size: number): Promise<Buffer> {
  const pixels = await (await rendered(svg, size)).ensureAlpha().raw().toBuffer()
  const header = Buffer.alloc(40)
  header.writeUInt32LE(40, 0)
  header.writeInt32LE(size, 4)
  header.writeInt32LE(size * 2, 8) // pixels and mask
  header.writeUInt16LE(1, 12)
  header.writeUInt16LE(32, 14)
  header.writeUInt32LE(pixels.length, 20)
  const rows = Buffer.alloc(pixels.length)
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const from = (row * size + column) * 4
      const to = ((size - 1 - row) * size + column) * 4
      rows.set([pixels[from + 2] ?? 0, pixels[from + 1] ?? 0, pixels[from] ?? 0, pixels[from + 3] ?? 0], to)
    }
  }
  const mask = Buffer.alloc(Math.ceil(size / 32) * 4 * size)
  return Buffer.concat([header, rows, mask])
}
