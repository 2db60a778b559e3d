// What the signs of Markdown in a text mean, for the editor that shows them as that. It reads a line at a time and never
// changes one: what is not understood here is shown as it was typed.

export type SpanKind = 'mention' | 'link' | 'strong' | 'em' | 'strike' | 'code'

/** Letters that mean something, from `from` to `to`; the first `open` and the last `close` of them are signs. */
export interface Span {
  readonly kind: SpanKind
  readonly from: number
  readonly to: number
  readonly open: number
  readonly close: number
  /** What is read of a mention: its name and its kind. */
  readonly name?: string
  readonly entityType?: string
}

export type BlockKind = 'heading' | 'quote' | 'bullet' | 'number'

/** What a whole line is, by the signs it begins with: the first `signs` letters. */
export interface Block {
  readonly kind: BlockKind
  readonly signs: number
  /** Of a heading, 1 to 6; of an item, by how many levels it is set in. */
  readonly level: number
}

/** Beyond so many letters in one line only mentions are looked for: the other signs cost more the longer a line is. */
const LONG_LINE = 5000

const name = String.raw`\[((?:[^[\]\\\n]|\\.)+)\]`
const mention = String.raw`${name}\(([a-z_]{1,40}):([1-9][0-9]{0,14})\)`
const inline = new RegExp(
  [
    String.raw`\\.`,
    '(?<code>(?<ticks>`+)(?!`).*?[^`]\\k<ticks>(?!`))',
    `(?<mention>${mention})`,
    String.raw`(?<link>(?<!!)${name}\((?:https?:|mailto:|/)[^\s()]*\))`,
    String.raw`(?<strong>\*\*(?=[^\s*]).*?[^\s*]\*?\*\*(?!\*))`,
    String.raw`(?<em>\*(?=[^\s*])(?:[^*\\]|\\.|\*\*(?:[^*]|\*(?!\*))+\*\*)*?[^\s*]\*(?!\*)|(?<![\p{L}\p{N}_])_(?=[^\s_])(?:[^_\\]|\\.)*?[^\s_]_(?![\p{L}\p{N}_]))`,
    String.raw`(?<strike>~~(?=\S).*?\S~~)`,
  ].join('|'),
  'gu',
)
const onlyMentions = new RegExp(`(?<mention>${mention})`, 'gu')
const signsOf: Readonly<Partial<Record<SpanKind, number>>> = { strong: 2, em: 1, strike: 2 }

/** The spans of a line, outer ones before those inside of them. */
export function spansOf(line: string, offset = 0): Span[] {
  const spans: Span[] = []
  for (const found of line.matchAll(line.length > LONG_LINE ? onlyMentions : inline)) {
    const [text] = found
    const groups = found.groups as Readonly<Record<SpanKind | 'ticks', string | undefined>>
    const from = offset + found.index
    const at = { from, to: from + text.length }
    if (groups.mention !== undefined) {
      const end = text.lastIndexOf('](')
      const label = text.slice(1, end).replace(/\\(.)/g, '$1')
      const entityType = text.slice(end + 2, text.lastIndexOf(':'))
      spans.push({ kind: 'mention', ...at, open: 0, close: 0, name: label, entityType })
    } else if (groups.link !== undefined) {
      spans.push({ kind: 'link', ...at, open: 1, close: text.length - text.lastIndexOf('](') })
    } else if (groups.code !== undefined) {
      const ticks = groups.ticks?.length ?? 1
      spans.push({ kind: 'code', ...at, open: ticks, close: ticks })
    } else {
      const kind = (['strong', 'em', 'strike'] as const).find((each) => groups[each] !== undefined)
      const signs = kind && signsOf[kind]
      if (kind === undefined || signs === undefined) continue
      spans.push({ kind, ...at, open: signs, close: signs })
      spans.push(...spansOf(text.slice(signs, -signs), from + signs))
    }
  }
  return spans
}

/** What a line is, or null where it is a paragraph like others. */
export function blockOf(line: string): Block | null {
  const heading = /^(#{1,6})[ \t]+/.exec(line)
  if (heading) return { kind: 'heading', signs: heading[0].length, level: heading[1]?.length ?? 1 }
  const quote = /^(?:>[ \t]?)+/.exec(line)
  if (quote) return { kind: 'quote', signs: quote[0].length, level: quote[0].replace(/[^>]/g, '').length }
  const item = /^([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+/.exec(line)
  // Three signs and more are a line across the page.
  if (!item || /^[ \t]*([-*+])[ \t]*(?:\1[ \t]*){2,}$/.test(line)) return null
  const level = Math.floor((item[1] ?? '').replace(/\t/g, '    ').length / 2)
  return { kind: /\d/.test(item[2] ?? '') ? 'number' : 'bullet', signs: item[0].length, level }
}

/** Whether a line opens or closes a passage that is shown letter by letter. */
export const isFence = (line: string): boolean => /^\s{0,3}(?:```|~~~)/.test(line)

/** What the next line begins with, where Enter goes on with a list or with spoken words. */
export function continuation(line: string): string | null {
  const block = blockOf(line)
  if (block === null || block.kind === 'heading') return null
  const signs = line.slice(0, block.signs)
  if (block.kind !== 'number') return signs
  return signs.replace(/\d+/, (number) => String(Number(number) + 1))
}
