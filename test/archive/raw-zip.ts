import { crc32, deflateRawSync } from 'node:zlib'

/** One entry of a zip written field by field, so that each field can be wrong. */
export interface RawEntry {
  readonly name: string | Buffer
  readonly content: Buffer
  readonly deflate?: boolean
  /** The packed bytes themselves. */
  readonly packed?: Buffer
  readonly method?: number
  readonly flags?: number
  readonly crc?: number
  readonly bytes?: number
  readonly packedBytes?: number
  readonly attributes?: number
  readonly madeBy?: number
  readonly extra?: Buffer
  /** The name in the local header, when it differs. */
  readonly localName?: string
  readonly localMethod?: number
  /** Where the directory says the entry begins, instead of where it does. */
  readonly offset?: number
  /** Only in the directory: no local header and content of its own. */
  readonly directoryOnly?: boolean
}

export interface RawZip {
  readonly entries: readonly RawEntry[]
  readonly prefix?: Buffer
  /** Put before the directory. */
  readonly gap?: Buffer
  readonly comment?: Buffer
  readonly count?: number
  readonly directoryOffset?: number
  readonly suffix?: Buffer
}

export function rawZip({ entries, prefix, gap, comment, count, directoryOffset, suffix }: RawZip): Buffer {
  const parts: Buffer[] = [prefix ?? Buffer.alloc(0)]
  const directory: Buffer[] = []
  let position = parts[0]!.length
  for (const entry of entries) {
    const { local, record } = encode(entry, position)
    if (entry.directoryOnly !== true) {
      parts.push(local)
      position += local.length
    }
    directory.push(record)
  }
  const middle = gap ?? Buffer.alloc(0)
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count ?? entries.length, 8)
  end.writeUInt16LE(count ?? entries.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(directoryOffset ?? position + middle.length, 16)
  end.writeUInt16LE(comment?.length ?? 0, 20)
  return Buffer.concat([...parts, middle, list, end, comment ?? Buffer.alloc(0), suffix ?? Buffer.alloc(0)])
}

function encode(entry: RawEntry, position: number): { local: Buffer; record: Buffer } {
  const name = Buffer.from(entry.name)
  const localName = Buffer.from(entry.localName ?? entry.name)
  const deflate = entry.deflate ?? false
  const packed = entry.packed ?? (deflate ? deflateRawSync(entry.content) : entry.content)
  const method = entry.method ?? (deflate ? 8 : 0)
  const flags = entry.flags ?? 0x800
  const sum = entry.crc ?? crc32(entry.content)
  const bytes = entry.bytes ?? entry.content.length
  const packedBytes = entry.packedBytes ?? packed.length
  const extra = entry.extra ?? Buffer.alloc(0)

  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50, 0)
  local.writeUInt16LE(20, 4)
  local.writeUInt16LE(flags, 6)
  local.writeUInt16LE(entry.localMethod ?? method, 8)
  local.writeUInt32LE(sum, 14)
  local.writeUInt32LE(packedBytes, 18)
  local.writeUInt32LE(bytes, 22)
  local.writeUInt16LE(localName.length, 26)

  const record = Buffer.alloc(46)
  record.writeUInt32LE(0x02014b50, 0)
  record.writeUInt16LE(entry.madeBy ?? 0x033f, 4)
  record.writeUInt16LE(20, 6)
  record.writeUInt16LE(flags, 8)
  record.writeUInt16LE(method, 10)
  record.writeUInt32LE(sum, 16)
  record.writeUInt32LE(packedBytes, 20)
  record.writeUInt32LE(bytes, 24)
  record.writeUInt16LE(name.length, 28)
  record.writeUInt16LE(extra.length, 30)
  record.writeUInt32LE(entry.attributes ?? 0o100644 * 0x10000, 38)
  record.writeUInt32LE(entry.offset ?? position, 42)
  return { local: Buffer.concat([local, localName, packed]), record: Buffer.concat([record, name, extra]) }
}
