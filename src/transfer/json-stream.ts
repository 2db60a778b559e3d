import { fail } from '../kernel/errors.ts'

// Reads a large JSON object without making one: member after member, and of a list element after element, each handed over
// as the text that it is. What is in memory is the document's bytes and one part of it.

export interface JsonBounds {
  /** Bytes of one element of a list, or of a member that is no list. */
  readonly partBytes: number
  readonly depth: number
  readonly elements: number
}

export interface JsonPart {
  readonly member: string
  /** The number of the element; null for a member that is no list. */
  readonly index: number | null
  readonly value: unknown
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma, colon] = [...'"\\{}[],:'].map(
  (char) => char.charCodeAt(0),
) as [number, number, number, number, number, number, number, number]
const isSpace = (byte: number | undefined): boolean => byte === 32 || byte === 10 || byte === 13 || byte === 9

/**
 * The members of the object that `bytes` are, in their order; those named in `lists` element by element. Throws
 * `validation_failed` with the place: the byte at which it cannot be read, or the part that is too large or too deep.
 */
export function* jsonParts(bytes: Uint8Array, lists: ReadonlySet<string>, bounds: JsonBounds): Generator<JsonPart> {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  let at = 0

  const unreadable = (what: string): Error => refused(`byte ${at}`, `not valid JSON, ${what}`)
  const tooLarge = (place: string): Error => refused(place, `larger than ${Math.floor(bounds.partBytes / 1024)} KiB`)
  const skip = (): void => {
    while (isSpace(bytes[at])) at += 1
  }
  const expect = (byte: number): void => {
    skip()
    if (bytes[at] !== byte)
      throw unreadable(at >= bytes.length ? 'it ends too early' : `"${String.fromCharCode(byte)}" is missing`)
    at += 1
  }
  /** Moves behind the value that begins here. */
  const pass = (place: string): void => {
    const start = at
    const closing: number[] = []
    // A number or word ends where something else begins.
    for (let isWhole = false; !isWhole; isWhole = closing.length === 0 && isEnd(bytes[at])) {
      const byte = bytes[at]
      if (byte === undefined) throw unreadable('it ends too early')
      if (at - start > bounds.partBytes) throw tooLarge(place)
      if (byte === quote) passString()
      else if (byte === openBrace || byte === openBracket) {
        closing.push(byte === openBrace ? closeBrace : closeBracket)
        if (closing.length > bounds.depth) throw refused(place, `more than ${bounds.depth} levels deep`)
        at += 1
      } else if (byte === closeBrace || byte === closeBracket) {
        if (closing.pop() !== byte) throw unreadable('a bracket does not fit')
        at += 1
      } else if (closing.length > 0 || !(byte === comma || isSpace(byte))) at += 1
      else throw unreadable('a value is missing')
    }
  }
  const isEnd = (byte: number | undefined): boolean =>
    byte === undefined || byte === comma || byte === closeBrace || byte === closeBracket || isSpace(byte)
  const passString = (): void => {
    at += 1
    while (bytes[at] !== quote) {
      if (bytes[at] === undefined) throw unreadable('a text does not end')
      at += bytes[at] === backslash ? 2 : 1
    }
    at += 1
  }
  const valueFrom = (start: number): unknown => {
    try {
      return JSON.parse(text.decode(bytes.subarray(start, at)), refusePrototypes)
    } catch {
      at = start
      throw unreadable('this cannot be read')
    }
  }
  const read = (place: string): unknown => {
    skip()
    const start = at
    pass(place)
    if (at - start > bounds.partBytes) throw tooLarge(place)
    return valueFrom(start)
  }

  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) at = 3
  skip()
  if (bytes[at] === openBracket) throw refused('the document', 'a list, and not the object that a pack is')
  expect(openBrace)
  skip()
  const seen = new Set<string>()
  while (bytes[at] !== closeBrace) {
    if (seen.size > 0) expect(comma)
    skip()
    const start = at
    if (bytes[at] !== quote) throw unreadable('the name of a member is missing')
    passString()
    if (at - start > 200) throw unreadable('a member has a name of more than 200 characters')
    const member = String(valueFrom(start))
    if (seen.has(member) || seen.size >= 50)
      throw unreadable(seen.has(member) ? `"${member}" stands there twice` : 'too many members')
    seen.add(member)
    expect(colon)
    skip()
    if (!lists.has(member) || bytes[at] !== openBracket) {
      yield { member, index: null, value: read(member.slice(0, 80)) }
    } else {
      at += 1
      skip()
      for (let index = 0; bytes[at] !== closeBracket; index++) {
        if (index >= bounds.elements) throw refused(member, `more than ${bounds.elements} of them`)
        if (index > 0) expect(comma)
        yield { member, index, value: read(`${member}[${index}]`) }
        skip()
      }
      at += 1
    }
    skip()
  }
  at += 1
  skip()
  if (at < bytes.length) throw unreadable('something stands behind its end')
}

function refused(place: string, what: string): Error {
  return fail('validation_failed', `Nothing was kept. ${place}: ${what}.`, {
    details: [{ path: place, message: what }],
  })
}

function refusePrototypes(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('a forbidden key')
  return value
}
