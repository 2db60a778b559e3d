import { isSrgb, lengthOf, NotUnderstood, part, type Stripped } from './images-parts.ts'

// AVIF without its metadata. A file is boxes (ISO/IEC 14496-12); the picture, its transparency, its EXIF and its XMP are
// items in one list of them (ISO/IEC 23008-12). The items that the picture is made of are put into a new file, byte for byte.

interface Box {
  readonly type: string
  readonly data: Buffer
}

interface Item {
  readonly type: string
  /** Where its bytes lie, in their order. */
  readonly pieces: readonly Buffer[]
}

interface Reference {
  readonly type: string
  readonly from: number
  readonly to: readonly number[]
}

interface Property {
  readonly box: Box
  readonly essential: boolean
}

/** How a picture is shown; of colours only those that are numbers. */
const properties = new Set('ispe pixi av1C colr irot imir clap pasp auxC a1op a1lx lsel clli mdcv'.split(' '))
/** What a picture is made of, and in which way. */
const made = new Set(['dimg', 'prem'])
const alphas = ['urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0', 'urn:mpeg:hevc:2015:auxid:1\0']
const wide = 4

export function strippedAvif(bytes: Buffer): Stripped {
  const top = boxesOf(bytes, 0)
  const isPicture = top[0]?.type === 'ftyp' && !top.some(({ type }) => type === 'moov')
  const meta = top.find(({ type }) => type === 'meta')
  if (!isPicture || meta === undefined) return null
  const inner = boxesOf(meta.data, 4)
  const within = (type: string): Buffer => {
    const found = inner.find((each) => each.type === type)
    if (found === undefined) throw new NotUnderstood()
    return found.data
  }
  const idat = inner.find(({ type }) => type === 'idat')?.data ?? Buffer.alloc(0)
  const items = itemsOf(typesOf(within('iinf')), within('iloc'), bytes, idat)
  const references = referencesOf(inner.find(({ type }) => type === 'iref')?.data)
  const shown = propertiesOf(within('iprp'))
  const pitm = within('pitm')
  const primary = pitm.readUInt8(0) === 0 ? pitm.readUInt16BE(4) : pitm.readUInt32BE(4)

  const kept = keptItems(primary, items, references, shown)
  const known = new Map<number, readonly Property[]>()
  let isAsShown = true
  for (const id of kept) {
    const own: Property[] = []
    for (const property of shown.get(id) ?? []) {
      const { type, data } = property.box
      if (!properties.has(type)) {
        if (property.essential) return null
      } else if (type !== 'colr' || data.toString('latin1', 0, 4) === 'nclx') own.push(property)
      else isAsShown &&= isSrgb(data.subarray(4))
    }
    known.set(id, own)
  }
  if (!isAsShown) return 'redraw'
  return { pieces: fileOf(primary, kept, items, references, known) }
}

function boxesOf(bytes: Buffer, from: number): readonly Box[] {
  const found: Box[] = []
  for (let at = from; at < bytes.length; ) {
    const [short, type] = [bytes.readUInt32BE(at), part(bytes, at + 4, 4).toString('latin1')]
    const head = short === 1 ? 16 : 8
    const length = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? bytes.length - at : short
    found.push({ type, data: part(bytes, at + head, length - head) })
    at += length
  }
  return found
}

/** Kinds of items by their ids. */
function typesOf(iinf: Buffer): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  for (const { type, data } of boxesOf(iinf, iinf.readUInt8(0) === 0 ? 6 : 8)) {
    const version = data.readUInt8(0)
    if (type !== 'infe' || version < 2) throw new NotUnderstood()
    const id = version === 2 ? data.readUInt16BE(4) : data.readUInt32BE(4)
    found.set(id, part(data, version === 2 ? 8 : 10, 4).toString('latin1'))
  }
  return found
}

function itemsOf(
  types: ReadonlyMap<number, string>,
  iloc: Buffer,
  file: Buffer,
  idat: Buffer,
): ReadonlyMap<number, Item> {
  const version = iloc.readUInt8(0)
  if (version > 2) throw new NotUnderstood()
  const [sizes, more] = [iloc.readUInt8(4), iloc.readUInt8(5)]
  let at = 6
  const number = (length: number): number => {
    if (![0, 2, 4, 8].includes(length)) throw new NotUnderstood()
    const value =
      length === 0 ? 0 : length === 8 ? Number(iloc.readBigUInt64BE(at)) : (iloc.readUIntBE(at, length) as number)
    at += length
    return value
  }
  const found = new Map<number, Item>()
  const count = number(version < 2 ? 2 : 4)
  for (let index = 0; index < count; index += 1) {
    const id = number(version < 2 ? 2 : 4)
    const method = version === 0 ? 0 : number(2) & 0xf
    const source = number(2)
    const base = number(more >> 4)
    const pieces: Buffer[] = []
    for (let left = number(2); left > 0; left -= 1) {
      if (version > 0) number(more & 0xf)
      const [offset, length] = [number(sizes >> 4), number(sizes & 0xf)]
      if (source !== 0 || method > 1 || length === 0) throw new NotUnderstood()
      pieces.push(part(method === 0 ? file : idat, base + offset, length))
    }
    found.set(id, { type: types.get(id) ?? '', pieces })
  }
  return found
}

function referencesOf(iref: Buffer | undefined): readonly Reference[] {
  if (iref === undefined) return []
  const size = iref.readUInt8(0) === 0 ? 2 : wide
  return boxesOf(iref, 4).map(({ type, data }) => {
    const count = data.readUInt16BE(size)
    const to = Array.from({ length: count }, (_, index) => data.readUIntBE(size + 2 + index * size, size))
    return { type, from: data.readUIntBE(0, size), to }
  })
}

/** What is said of each item, by its id. */
function propertiesOf(iprp: Buffer): ReadonlyMap<number, readonly Property[]> {
  const boxes = boxesOf(iprp, 0)
  const list = boxesOf(boxes.find(({ type }) => type === 'ipco')?.data ?? Buffer.alloc(0), 0)
  const found = new Map<number, Property[]>()
  for (const { data } of boxes.filter(({ type }) => type === 'ipma')) {
    const [idBytes, isLong] = [data.readUInt8(0) === 0 ? 2 : wide, (data.readUInt8(3) & 1) === 1]
    let at = 8
    for (let left = data.readUInt32BE(4); left > 0; left -= 1) {
      const id = data.readUIntBE(at, idBytes)
      const count = data.readUInt8(at + idBytes)
      at += idBytes + 1
      const own = found.get(id) ?? []
      found.set(id, own)
      for (let index = 0; index < count; index += 1) {
        const value = isLong ? data.readUInt16BE(at) : data.readUInt8(at)
        at += isLong ? 2 : 1
        const place = value & (isLong ? 0x7fff : 0x7f)
        if (place === 0) continue
        const known = list[place - 1]
        if (known === undefined) throw new NotUnderstood()
        own.push({ box: known, essential: value > place })
      }
    }
  }
  return found
}

/** The picture, what it is put together from, and its transparency. Throws where one of them is of another kind. */
function keptItems(
  primary: number,
  items: ReadonlyMap<number, Item>,
  references: readonly Reference[],
  shown: ReadonlyMap<number, readonly Property[]>,
): readonly number[] {
  const kept = new Set([primary])
  const isAlpha = (id: number): boolean =>
    (shown.get(id) ?? []).some(
      ({ box: { type, data } }) => type === 'auxC' && alphas.includes(data.toString('latin1', 4)),
    )
  for (let grown = 0; grown < kept.size; ) {
    grown = kept.size
    for (const { type, from, to } of references) {
      if (type === 'dimg' && kept.has(from)) for (const id of to) kept.add(id)
      if (type === 'auxl' && to.some((id) => kept.has(id)) && isAlpha(from)) kept.add(from)
    }
  }
  for (const id of kept)
    if (id > 0xffff || !['av01', 'grid'].includes(items.get(id)?.type ?? '')) throw new NotUnderstood()
  return [...kept].sort((one, other) => one - other)
}

function fileOf(
  primary: number,
  kept: readonly number[],
  items: ReadonlyMap<number, Item>,
  references: readonly Reference[],
  known: ReadonlyMap<number, readonly Property[]>,
): readonly Uint8Array[] {
  const pieces = kept.map((id) => (items.get(id) as Item).pieces)
  const list: Box[] = []
  for (const own of known.values()) for (const { box: each } of own) if (!list.includes(each)) list.push(each)
  if (list.length > 0x7f) throw new NotUnderstood()
  const told = kept.flatMap((id) => {
    const own = known.get(id) ?? []
    const places = own.map(({ box: each, essential }) => uint((essential ? 0x80 : 0) | (list.indexOf(each) + 1), 1))
    return [uint(id, 2), uint(own.length, 1), ...places]
  })
  const iprp = box('iprp', [
    ...box(
      'ipco',
      list.flatMap(({ type, data }) => box(type, [data])),
    ),
    ...fullBox('ipma', [uint(kept.length, wide), ...told]),
  ])
  const infos = kept.flatMap((id) =>
    fullBox('infe', [uint(id, 2), uint(0, 2), Buffer.from(`${items.get(id)?.type}\0`, 'latin1')], 2),
  )
  const links = references.flatMap(({ type, from, to }) => {
    const present = to.filter((id) => kept.includes(id))
    if (!kept.includes(from) || present.length === 0 || !(made.has(type) || type === 'auxl')) return []
    return box(type, [uint(from, 2), uint(present.length, 2), ...present.map((id) => uint(id, 2))])
  })
  const head = box('ftyp', [Buffer.from('avif\0\0\0\0avifmif1miaf', 'latin1')])
  const metaAt = (start: number): readonly Uint8Array[] => {
    let offset = start
    const places = kept.flatMap((id, index) => {
      const length = lengthOf(pieces[index] ?? [])
      const place = [uint(id, 2), uint(0, 2), uint(1, 2), uint(offset, wide), uint(length, wide)]
      offset += length
      return place
    })
    return fullBox('meta', [
      ...fullBox('hdlr', [Buffer.from('\0\0\0\0pict', 'latin1'), Buffer.alloc(13)]),
      ...fullBox('pitm', [uint(primary, 2)]),
      ...fullBox('iloc', [uint(0x44, 1), uint(0, 1), uint(kept.length, 2), ...places]),
      ...fullBox('iinf', [uint(kept.length, 2), ...infos]),
      ...(links.length === 0 ? [] : fullBox('iref', links)),
      ...iprp,
    ])
  }
  // Its length does not depend on where the bytes begin.
  const start = lengthOf(head) + lengthOf(metaAt(0)) + 8
  return [...head, ...metaAt(start), ...box('mdat', pieces.flat())]
}

function uint(value: number, length: 1 | 2 | 4): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.writeUIntBE(value, 0, length)
  return bytes
}

function box(type: string, data: readonly Uint8Array[]): readonly Uint8Array[] {
  return [uint(8 + lengthOf(data), wide), Buffer.from(type, 'latin1'), ...data]
}

function fullBox(type: string, data: readonly Uint8Array[], version = 0): readonly Uint8Array[] {
  return box(type, [uint(version * 0x1000000, wide), ...data])
}
