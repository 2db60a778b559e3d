// Texts as people compare them: without case and accents, and numbers by their value. SQLite compares ASCII only, so what
// it is to order or to find by is folded here and stored beside the text (storage/columns.ts).

/** Letters of their own that people look for beside another; Unicode takes none of them apart. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ŋ: 'n',
  þ: 'th',
  ŧ: 't',
  ς: 'σ',
}
const someLetter = new RegExp(`[${Object.keys(letters).join('')}]`, 'g')

/**
 * A text without case, accents and compatibility forms: `Ärger`, `ärger` and `ARGER` are one. Only marks that go with any
 * script are left out; the vowel signs of a script of their own (Devanagari, Thai) tell words apart and stay.
 */
export function foldText(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replaceAll(/\p{Script=Inherited}/gu, '')
    .toLowerCase()
    .replaceAll(someLetter, (letter) => letters[letter] ?? letter)
}

/** Of such a text nothing is taken apart, and most are. */
const isAscii = /^[\0-\x7f]*$/

/** UTF-8 bytes of a key. It travels in cursors, and names that agree this far may follow each other by age. */
const keyBytes = 160

/**
 * The key by which a text is ordered, compared byte by byte: folded, with every run of digits led by its length, so that
 * "Room 2" comes before "Room 10". Long texts are cut.
 */
export function sortKey(text: string): string {
  const key = foldText(text).replaceAll(/\d+/g, (digits) => {
    const significant = digits.replace(/^0+(?=\d)/, '')
    return `${String(significant.length).padStart(3, '0')}${significant}`
  })
  return firstBytes(key, keyBytes)
}

function firstBytes(text: string, most: number): string {
  if (text.length * 3 <= most) return text
  let [end, bytes] = [0, 0]
  for (const character of text) {
    const point = character.codePointAt(0) as number
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
    if (bytes > most) break
    end += character.length
  }
  return text.slice(0, end)
}
