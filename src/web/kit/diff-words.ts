export interface Piece {
  readonly kind: 'same' | 'gone' | 'new'
  readonly text: string
}

/** Above this many cells the table of the longest common run would be felt; then the middle is simply replaced. */
const MOST_CELLS = 4_000_000

/** What Markdown makes one thing of is one word: a mention, a link, what is bold, slanted, struck or code. */
const split = (text: string): string[] =>
  text.match(
    /\[[^\]\n]*\]\([^)\n]*\)|\*\*[^*\n]+\*\*|\*[^*\n]+\*|\b_[^_\n]+_\b|~~[^~\n]+~~|`[^`\n]+`|\s+|[\p{L}\p{N}'’]+|[^\s\p{L}\p{N}]/gu,
  ) ?? []

/** The signs around what is struck and what is added in a text that is still to be drawn: none that anybody types. */
export const marks = { gone: ['\ue000', '\ue001'], new: ['\ue002', '\ue003'] } as const

/** What a line begins with in Markdown, which no sign may stand ahead of, and then the rest of it. */
const lineStart = /^(\s*(?:(?:[-*+]|\d+[.)]|#{1,6}|>)\s+)*(?:\[[ xX]\]\s+)?)(.*)$/su

/** Two Markdown texts as one, in which signs (`marks`) stand around the words that are struck and those that are added. */
export function markChanges(before: string, after: string): string {
  const clean = (text: string) => text.replace(/[\ue000-\ue003]/g, '')
  let text = ''
  for (const piece of diffWords(clean(before), clean(after))) {
    if (piece.kind === 'same') {
      text += piece.text
      continue
    }
    const [open, close] = marks[piece.kind]
    const lines = piece.text.split('\n').map((line, index) => {
      const isFirst = index > 0 || text === '' || text.endsWith('\n')
      const [, start = '', rest = line] = isFirst ? (lineStart.exec(line) ?? []) : []
      // The cells of a table, its rules and fences are no words.
      const isBare = rest.trim() === '' || /^\||^(?:-{3,}|\*{3,}|`{3,})/.test(rest)
      return isBare ? line : `${start}${open}${rest}${close}`
    })
    text += lines.join('\n')
  }
  return text
}

/** What is struck and what is added between two texts, word by word. */
export function diffWords(before: string, after: string): Piece[] {
  const old = split(before)
  const fresh = split(after)
  let head = 0
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++
  let tail = 0
  while (
    tail < old.length - head &&
    tail < fresh.length - head &&
    old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]
  ) {
    tail++
  }
  const pieces: Piece[] = []
  const add = (kind: Piece['kind'], text: string) => {
    if (!text) return
    const last = pieces.at(-1)
    if (last?.kind === kind) pieces[pieces.length - 1] = { kind, text: last.text + text }
    else pieces.push({ kind, text })
  }
  add('same', old.slice(0, head).join(''))
  middle(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail), add)
  add('same', tail > 0 ? old.slice(-tail).join('') : '')
  return settle(pieces)
}

/** The longest common subsequence of the two, walked from the front. */
function middle(old: readonly string[], fresh: readonly string[], add: (kind: Piece['kind'], text: string) => void) {
  const width = fresh.length + 1
  if (old.length * width > MOST_CELLS) {
    add('gone', old.join(''))
    add('new', fresh.join(''))
    return
  }
  const table = new Uint32Array((old.length + 1) * width)
  const at = (row: number, column: number) => table[row * width + column] ?? 0
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = fresh.length - 1; column >= 0; column--) {
      table[row * width + column] =
        old[row] === fresh[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  let row = 0
  let column = 0
  while (row < old.length || column < fresh.length) {
    if (row < old.length && column < fresh.length && old[row] === fresh[column]) {
      add('same', old[row] ?? '')
      row++
      column++
    } else if (column >= fresh.length || (row < old.length && at(row + 1, column) >= at(row, column + 1))) {
      add('gone', old[row++] ?? '')
    } else {
      add('new', fresh[column++] ?? '')
    }
  }
}

/** Joins changes that only a space keeps apart, puts what is struck before what is added, and marks no space at an end. */
function settle(pieces: readonly Piece[]): Piece[] {
  const out: Piece[] = []
  let gone = ''
  let fresh = ''
  let between = ''
  const flush = () => {
    const space = /\s*$/u.exec(fresh || gone)?.[0] ?? ''
    if (gone.trim()) out.push({ kind: 'gone', text: gone.trimEnd() })
    if (fresh.trim()) out.push({ kind: 'new', text: fresh.trimEnd() })
    if (space || between) out.push({ kind: 'same', text: space + between })
    gone = ''
    fresh = ''
    between = ''
  }
  for (const piece of pieces) {
    if (piece.kind === 'same' && /^\s+$/u.test(piece.text) && (gone || fresh)) {
      between = piece.text
      continue
    }
    if (piece.kind === 'same') {
      flush()
      out.push(piece)
      continue
    }
    // A change on both sides of one space is one change when it strikes or adds on both.
    if (between) {
      if ((piece.kind === 'gone' ? gone : fresh) === '') flush()
      else {
        if (gone) gone += between
        if (fresh) fresh += between
        between = ''
      }
    }
    if (piece.kind === 'gone') gone += piece.text
    else fresh += piece.text
  }
  flush()
  return out
}
