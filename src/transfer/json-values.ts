import { invalid } from '../kernel/errors.ts'

// Takes a JSON document apart while it comes in, so that of a large one only the value at hand is in memory. What is told
// are the members of the outermost object, and the elements of the lists in those of its members that are opened.

/** Where a value stands in its document, as in `rows.npc[12]`. */
export type Place = readonly (string | number)[]

export interface ValueHandler {
  /** Whether the object or list at a place is taken apart; else it is told whole. */
  opens(place: Place): boolean
  value(place: Place, value: unknown): void
}

export interface JsonLimits {
  /** Of one value that is told whole, in bytes. */
  readonly valueBytes: number
  /** How deep objects and lists may lie in each other. */
  readonly depth: number
}

export interface JsonReader {
  /** Takes the next bytes. Throws `validation_failed`, naming the place. */
  push(bytes: Uint8Array): void
  end(): void
}

export function placeText(place: Place): string {
  const text = place.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  return text.startsWith('.') ? text.slice(1) : text
}

interface Container {
  readonly isList: boolean
  /** The member or element that is read, or was last. */
  step: string | number
}

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing'

const space = new Set([0x20, 0x09, 0x0a, 0x0d])
const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a] as const
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d] as const

/** A reader of one document. Throws `validation_failed` for what is no JSON, too deep or too large in one piece. */
export function createJsonReader(handler: ValueHandler, limits: JsonLimits): JsonReader {
  const open: Container[] = []
  let expected: Expected = 'value'
  let position = 0
  /** The value or key that is being read as a whole. */
  let pieces: Uint8Array[] | null = null
  let pieceBytes = 0
  let isKey = false
  let nesting: number[] = []
  let inText = false
  let escaped = false
  let isScalar = false

  const place = (): Place => open.map(({ step }) => step)
  const refuse = (why: string): Error => {
    const where = placeText(place())
    return invalid(
      where || 'document',
      why,
      `The document is not valid JSON at byte ${position}${where && ` (${where})`}: ${why}.`,
    )
  }
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

  const finish = (): void => {
    const bytes = Buffer.concat(pieces ?? [])
    pieces = null
    let value: unknown
    try {
      value = JSON.parse(decoder.decode(bytes))
    } catch {
      throw refuse('a value that is none')
    }
    const container = open.at(-1)
    if (isKey && container !== undefined) {
      container.step = String(value)
      expected = 'colon'
      return
    }
    handler.value(place(), value)
    expected = container === undefined ? 'nothing' : 'comma or end'
  }
  const begin = (byte: number): void => {
    pieces = []
    pieceBytes = 0
    inText = byte === quote
    escaped = false
    isScalar = byte !== quote && byte !== openList && byte !== openObject
    nesting = byte === openList || byte === openObject ? [byte] : []
  }
  const close = (isList: boolean): void => {
    if (open.at(-1)?.isList !== isList) throw refuse('a bracket that fits no other')
    open.pop()
    expected = open.length === 0 ? 'nothing' : 'comma or end'
  }

  /** One byte between values. Returns whether a value begins with it. */
  const structure = (byte: number): boolean => {
    if (space.has(byte)) return false
    const container = open.at(-1)
    switch (expected) {
      case 'nothing':
        throw refuse('something behind its end')
      case 'colon':
        if (byte !== colon) throw refuse('a colon is missing')
        expected = 'value'
        return false
      case 'comma or end':
        if (byte === comma) {
          if (container?.isList) container.step = Number(container.step) + 1
          expected = container?.isList ? 'value' : 'key'
          return false
        }
        if (byte !== closeList && byte !== closeObject) throw refuse('a comma is missing')
        close(byte === closeList)
        return false
      case 'key or end':
      case 'key':
        if (byte === closeObject && expected === 'key or end') {
          close(false)
          return false
        }
        if (byte !== quote) throw refuse('the name of a member is missing')
        isKey = true
        begin(byte)
        return true
      case 'value or end':
      case 'value':
        if (byte === closeList && expected === 'value or end') {
          close(true)
          return false
        }
        if (byte === comma || byte === colon || byte === closeList || byte === closeObject)
          throw refuse('a value is missing')
        if ((byte === openList || byte === openObject) && handler.opens(place())) {
          open.push({ isList: byte === openList, step: byte === openList ? 0 : '' })
          expected = byte === openList ? 'value or end' : 'key or end'
          return false
        }
        isKey = false
        begin(byte)
        return true
    }
  }

  /** Where in these bytes the value that is being read ends, behind its last byte; -1 where it goes on. */
  const endIn = (bytes: Uint8Array, from: number, isFirst: boolean): number => {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] as number
      if (isFirst && at === from) continue
      if (inText) {
        if (escaped) escaped = false
        else if (byte === backslash) escaped = true
        else if (byte === quote) {
          inText = false
          if (nesting.length === 0) return at + 1
        }
        continue
      }
      if (isScalar) {
        if (space.has(byte) || byte === comma || byte === closeList || byte === closeObject) return at
        continue
      }
      if (byte === quote) inText = true
      else if (byte === openList || byte === openObject) {
        nesting.push(byte)
        if (open.length + nesting.length > limits.depth) throw refuse(`more than ${limits.depth} levels deep`)
      } else if (byte === closeList || byte === closeObject) {
        // In ASCII the bracket that closes one stands two behind it.
        if (nesting.pop() !== byte - 2) throw refuse('a bracket that fits no other')
        if (nesting.length === 0) return at + 1
      }
    }
    return -1
  }

  const take = (bytes: Uint8Array): void => {
    pieceBytes += bytes.length
    if (pieceBytes > limits.valueBytes) {
      position += bytes.length
      const where = placeText(place())
      throw invalid(
        where,
        'is too large',
        `${where || 'A value'} is larger than ${Math.floor(limits.valueBytes / 1024)} KiB.`,
      )
    }
    // Whoever pushes may use the memory again.
    pieces?.push(Uint8Array.from(bytes))
  }

  return {
    push(given) {
      const bytes =
        position === 0 && given[0] === 0xef && given[1] === 0xbb && given[2] === 0xbf ? given.subarray(3) : given
      let at = 0
      while (at < bytes.length) {
        let isFirst = false
        if (pieces === null) {
          isFirst = structure(bytes[at] as number)
          if (!isFirst) {
            at += 1
            position += 1
            continue
          }
        }
        const end = endIn(bytes, at, isFirst)
        const upTo = end === -1 ? bytes.length : end
        take(bytes.subarray(at, upTo))
        position += upTo - at
        at = upTo
        if (end !== -1) finish()
      }
    },
    end() {
      if (pieces !== null && isScalar && open.length === 0) finish()
      if (pieces !== null || expected !== 'nothing') throw refuse('it ends too early')
    },
  }
}
