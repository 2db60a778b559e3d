// Code signatures of macOS, without a Mac. Apple silicon runs no code without one; an ad-hoc signature holds hashes and
// names nobody, so that it needs no certificate. The layout is that of Apple's cs_blobs.h and mach-o/loader.h: the
// commands of the file are little-endian, the signature is big-endian.
import { createHash } from 'node:crypto'

/** What the signature of an application's executable vouches for besides its own code. */
export interface BundleSeal {
  readonly infoPlist: Uint8Array
  readonly codeResources: Uint8Array
}

export interface CodeSignature {
  readonly identifier: string
  readonly isAdHoc: boolean
  /** Made by the linker for the code alone: an application that is sealed has none of this kind. */
  readonly isLinkerSigned: boolean
  readonly pages: number
  /** Pages whose content is not what was signed. */
  readonly changedPages: number
  /** SHA-256 in hexadecimal of what a bundle's seal covers; null where the signature covers no such thing. */
  readonly infoPlistHash: string | null
  readonly codeResourcesHash: string | null
}

export interface MachO {
  readonly cpu: 'x64' | 'arm64'
  /** Oldest macOS that runs it, such as "13.5". */
  readonly oldestSystem: string
  readonly signature: CodeSignature | null
}

const magic64 = 0xfeedfacf
const cpuTypes: Readonly<Record<number, MachO['cpu']>> = { 16777223: 'x64', 16777228: 'arm64' }
const commands = { segment64: 0x19, codeSignature: 0x1d, versionMin: 0x24, buildVersion: 0x32 } as const
const headerSize = 32
const executableType = 2

const blobs = { superBlob: 0xfade0cc0, codeDirectory: 0xfade0c02, requirements: 0xfade0c01, cms: 0xfade0b01 } as const
const slots = { codeDirectory: 0, requirements: 2, cms: 0x10000 } as const
/** Special slots of a code directory count back from the first page: Info.plist, requirements, CodeResources. */
const specialSlots = { infoPlist: 1, requirements: 2, codeResources: 3 } as const
const flags = { adHoc: 0x2, linkerSigned: 0x20000 } as const
/** First version of the code directory that says where the executable segment is. */
const directoryVersion = 0x20400
const directorySize = 88
const mainBinary = 1n
const pageBits = 12
const pageSize = 1 << pageBits
const hashSize = 32

interface Layout {
  readonly cpu: MachO['cpu']
  readonly isExecutable: boolean
  readonly oldestSystem: string
  /** Offsets of the commands in the file; 0 where there is none. */
  readonly linkEdit: number
  readonly text: number
  readonly signature: number
  readonly commandsEnd: number
  /** Where the first section begins: commands may grow up to there. */
  readonly firstContent: number
}

/** @throws Error when it is no 64-bit Mach-O file for one processor. */
export function readMachO(file: Buffer): MachO {
  const layout = readLayout(file)
  return { cpu: layout.cpu, oldestSystem: layout.oldestSystem, signature: readSignature(file, layout) }
}

/**
 * The file with an ad-hoc signature in place of whatever it had.
 * @param seal for the executable of an application; without it the signature is like the one a linker makes
 * @throws Error when there is no room for it.
 */
export function signAdHoc(file: Buffer, identifier: string, seal?: BundleSeal): Buffer {
  const { code, layout } = withoutSignature(file)
  const codeLimit = code.length
  const requirements = blob(blobs.requirements, Buffer.alloc(4))
  const special =
    seal === undefined
      ? []
      : // In their order in the file, which is from the last to the first.
        [sha256(seal.codeResources), sha256(requirements), sha256(seal.infoPlist)]
  const name = Buffer.from(`${identifier}\0`)
  const pages = Math.ceil(codeLimit / pageSize)
  const hashOffset = directorySize + name.length + special.length * hashSize
  const parts = (directory: Buffer): readonly (readonly [number, Buffer])[] =>
    seal === undefined
      ? [[slots.codeDirectory, directory]]
      : [
          [slots.codeDirectory, directory],
          [slots.requirements, requirements],
          [slots.cms, blob(blobs.cms, Buffer.alloc(0))],
        ]
  const signatureSize = Math.ceil(superBlob(parts(Buffer.alloc(hashOffset + pages * hashSize))).length / 8) * 8
  // The load commands are part of what is hashed, so they say first where the signature will be.
  writeSizes(code, layout, codeLimit, signatureSize)

  const head = Buffer.alloc(directorySize)
  head.writeUInt32BE(blobs.codeDirectory, 0)
  head.writeUInt32BE(hashOffset + pages * hashSize, 4)
  head.writeUInt32BE(directoryVersion, 8)
  head.writeUInt32BE(seal === undefined ? flags.adHoc | flags.linkerSigned : flags.adHoc, 12)
  head.writeUInt32BE(hashOffset, 16)
  head.writeUInt32BE(directorySize, 20)
  head.writeUInt32BE(special.length, 24)
  head.writeUInt32BE(pages, 28)
  head.writeUInt32BE(codeLimit, 32)
  head.set([hashSize, 2 /* SHA-256 */, 0, pageBits], 36)
  head.writeBigUInt64BE(code.readBigUInt64LE(layout.text + 40), 64)
  head.writeBigUInt64BE(code.readBigUInt64LE(layout.text + 48), 72)
  head.writeBigUInt64BE(layout.isExecutable ? mainBinary : 0n, 80)
  const directory = Buffer.concat([head, name, ...special, ...pageHashes(code)])
  const signature = Buffer.alloc(signatureSize)
  superBlob(parts(directory)).copy(signature)
  return Buffer.concat([code, signature])
}

function readLayout(file: Buffer): Layout {
  const cpu = file.length > headerSize && file.readUInt32LE(0) === magic64 ? cpuTypes[file.readUInt32LE(4)] : undefined
  if (cpu === undefined) throw new Error('This is no 64-bit Mach-O file for one processor.')
  const found = { linkEdit: 0, text: 0, signature: 0, firstContent: Number.POSITIVE_INFINITY, oldestSystem: '' }
  let offset = headerSize
  for (let count = file.readUInt32LE(16); count > 0; count--) {
    const command = file.readUInt32LE(offset)
    if (command === commands.codeSignature) found.signature = offset
    if (command === commands.buildVersion) found.oldestSystem = versionAt(file, offset + 12)
    if (command === commands.versionMin) found.oldestSystem = versionAt(file, offset + 8)
    if (command === commands.segment64) {
      const name = file.toString('latin1', offset + 8, offset + 24).replace(/\0.*$/, '')
      if (name === '__LINKEDIT') found.linkEdit = offset
      if (name === '__TEXT') found.text = offset
      for (let section = file.readUInt32LE(offset + 64) - 1; section >= 0; section--) {
        const content = file.readUInt32LE(offset + 72 + section * 80 + 48)
        if (content > 0) found.firstContent = Math.min(found.firstContent, content)
      }
    }
    offset += file.readUInt32LE(offset + 4)
  }
  if (found.linkEdit === 0 || found.text === 0) throw new Error('This Mach-O file has no code to sign.')
  return { cpu, isExecutable: file.readUInt32LE(12) === executableType, commandsEnd: offset, ...found }
}

/** Version numbers are packed as 16 bits, 8 bits and 8 bits. */
function versionAt(file: Buffer, offset: number): string {
  const packed = file.readUInt32LE(offset)
  return `${packed >>> 16}.${(packed >>> 8) & 255}`
}

/** A copy up to where the signature begins, with a command for it. */
function withoutSignature(file: Buffer): { readonly code: Buffer; readonly layout: Layout } {
  const layout = readLayout(file)
  if (layout.signature > 0) {
    return { code: Buffer.from(file.subarray(0, file.readUInt32LE(layout.signature + 8))), layout }
  }
  if (layout.commandsEnd + 16 > layout.firstContent) throw new Error('This Mach-O file has no room for a signature.')
  const contentEnd = file.readBigUInt64LE(layout.linkEdit + 40) + file.readBigUInt64LE(layout.linkEdit + 48)
  if (Number(contentEnd) !== file.length) throw new Error('This Mach-O file does not end with its symbols.')
  const code = Buffer.alloc(Math.ceil(file.length / 16) * 16)
  file.copy(code)
  code.writeUInt32LE(commands.codeSignature, layout.commandsEnd)
  code.writeUInt32LE(16, layout.commandsEnd + 4)
  code.writeUInt32LE(code.readUInt32LE(16) + 1, 16)
  code.writeUInt32LE(code.readUInt32LE(20) + 16, 20)
  return { code, layout: { ...layout, signature: layout.commandsEnd } }
}

function writeSizes(
  code: Buffer,
  { cpu, linkEdit, signature }: Layout,
  codeLimit: number,
  signatureSize: number,
): void {
  code.writeUInt32LE(codeLimit, signature + 8)
  code.writeUInt32LE(signatureSize, signature + 12)
  const fileSize = codeLimit + signatureSize - Number(code.readBigUInt64LE(linkEdit + 40))
  code.writeBigUInt64LE(BigInt(fileSize), linkEdit + 48)
  const memoryPage = cpu === 'arm64' ? 16_384 : 4096
  const memorySize = BigInt(Math.ceil(fileSize / memoryPage) * memoryPage)
  if (memorySize > code.readBigUInt64LE(linkEdit + 32)) code.writeBigUInt64LE(memorySize, linkEdit + 32)
}

function pageHashes(code: Buffer): readonly Buffer[] {
  return Array.from({ length: Math.ceil(code.length / pageSize) }, (_, page) =>
    sha256(code.subarray(page * pageSize, (page + 1) * pageSize)),
  )
}

function blob(type: number, content: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(type, 0)
  head.writeUInt32BE(8 + content.length, 4)
  return Buffer.concat([head, content])
}

/** A blob of blobs: how many, then slot and place of each, then they themselves. */
function superBlob(parts: readonly (readonly [number, Buffer])[]): Buffer {
  const index = Buffer.alloc(4 + 8 * parts.length)
  index.writeUInt32BE(parts.length, 0)
  let place = 8 + index.length
  for (const [number, [slot, part]] of parts.entries()) {
    index.writeUInt32BE(slot, 4 + 8 * number)
    index.writeUInt32BE(place, 8 + 8 * number)
    place += part.length
  }
  return blob(blobs.superBlob, Buffer.concat([index, ...parts.map(([, part]) => part)]))
}

function readSignature(file: Buffer, layout: Layout): CodeSignature | null {
  if (layout.signature === 0) return null
  const whole = file.subarray(file.readUInt32LE(layout.signature + 8))
  if (whole.readUInt32BE(0) !== blobs.superBlob) throw new Error('The signature of this Mach-O file is no super blob.')
  const entries = Array.from({ length: whole.readUInt32BE(8) }, (_, entry) => entry)
  const place = entries.find((entry) => whole.readUInt32BE(12 + 8 * entry) === slots.codeDirectory)
  if (place === undefined) throw new Error('The signature of this Mach-O file has no code directory.')
  const directory = whole.subarray(whole.readUInt32BE(16 + 8 * place))
  const [hashOffset, nameOffset] = [directory.readUInt32BE(16), directory.readUInt32BE(20)]
  const [special, pages, codeLimit] = [24, 28, 32].map((offset) => directory.readUInt32BE(offset)) as [
    number,
    number,
    number,
  ]
  const hashAt = (slot: number): Buffer =>
    directory.subarray(hashOffset + slot * hashSize, hashOffset + (slot + 1) * hashSize)
  const specialHash = (slot: number): string | null => (special >= slot ? hashAt(-slot).toString('hex') : null)
  const hashed = pageHashes(file.subarray(0, codeLimit))
  const set = directory.readUInt32BE(12)
  return {
    identifier: directory.toString('utf8', nameOffset, directory.indexOf(0, nameOffset)),
    isAdHoc: (set & flags.adHoc) !== 0,
    isLinkerSigned: (set & flags.linkerSigned) !== 0,
    pages,
    changedPages: hashed.filter((hash, page) => !hash.equals(hashAt(page))).length + Math.abs(pages - hashed.length),
    infoPlistHash: specialHash(specialSlots.infoPlist),
    codeResourcesHash: specialHash(specialSlots.codeResources),
  }
}

function sha256(content: Uint8Array): Buffer {
  return createHash('sha256').update(content).digest()
}
