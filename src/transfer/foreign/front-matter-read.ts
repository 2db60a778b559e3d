// The front matter of a page as Obsidian shows it: flat YAML. What is nested is named and not read, as Obsidian does not show
// it either. Nothing is ever made of a tag, an anchor or an alias, so that no text becomes more than it is.

export interface FrontMatter {
  /** Texts and lists of texts, by their names in lower case. */
  readonly values: ReadonlyMap<string, string | readonly string[]>
  /** Names of what is nested. */
  readonly nested: readonly string[]
  readonly body: string
}

const fence = /^---[ \t]*\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/
const most = 200

export function frontMatterOf(text: string): FrontMatter {
  const values = new Map<string, string | readonly string[]>()
  const nested: string[] = []
  const unix = text.replaceAll('\r\n', '\n')
  const match = fence.exec(unix)
  if (match === null) return { values, nested, body: unix }
  const given = (match[1] ?? '').trim()
  if (given.startsWith('{')) {
    readJson(given, values, nested)
    return { values, nested, body: unix.slice(match[0].length) }
  }
  const lines = (match[1] ?? '').split('\n')
  for (let at = 0; at < lines.length && values.size < most; at += 1) {
    const found = /^([^\s#:][^:]{0,79}):(?:[ \t]+(.*))?$/.exec(lines[at] ?? '')
    if (found === null) continue
    const [key, given] = [(found[1] as string).trim().toLowerCase(), (found[2] ?? '').trim()]
    const below: string[] = []
    while (/^(?:[ \t]|- )/.test(lines[at + 1] ?? '')) {
      at += 1
      below.push(lines[at] as string)
    }
    if (/^[|>][-+]?$/.test(given))
      values.set(key, below.map((each) => each.trim()).join(given.startsWith('|') ? '\n' : ' '))
    else if (given !== '')
      values.set(key, given.startsWith('[') && !given.startsWith('[[') ? listed(given) : scalar(given))
    else if (below.length > 0 && below.every((each) => /^[ \t]*-(?: |$)/.test(each))) {
      if (below.some((each) => /^[ \t]*- [^"'\s][^"']*: /.test(each))) nested.push(key)
      else
        values.set(
          key,
          below.map((each) => scalar(each.replace(/^[ \t]*-[ \t]*/, ''))).filter((each) => each !== ''),
        )
    } else if (below.length > 0) nested.push(key)
  }
  return { values, nested, body: unix.slice(match[0].length) }
}

/** JSON between the fences, which is YAML too. */
function readJson(given: string, values: Map<string, string | readonly string[]>, nested: string[]): void {
  let found: unknown
  try {
    found = JSON.parse(given)
  } catch {
    return
  }
  if (typeof found !== 'object' || found === null) return
  for (const [name, value] of Object.entries(found).slice(0, most)) {
    const key = name.trim().toLowerCase().slice(0, 80)
    const isPlain = (each: unknown): boolean => typeof each !== 'object'
    if (Array.isArray(value) && value.every(isPlain)) values.set(key, value.map(String))
    else if (value !== null && isPlain(value)) values.set(key, String(value))
    else if (value !== null) nested.push(key)
  }
}

function scalar(given: string): string {
  const text = given.trim()
  if (/^".*"$/s.test(text)) {
    try {
      return String(JSON.parse(text))
    } catch {
      return text.slice(1, -1)
    }
  }
  if (/^'.*'$/s.test(text)) return text.slice(1, -1).replaceAll("''", "'")
  const plain = text.replace(/[ \t]+#.*$/, '')
  return /^(?:null|~)$/i.test(plain) ? '' : plain
}

function listed(given: string): readonly string[] {
  const inner = given.replace(/^\[/, '').replace(/\]\s*$/, '')
  const pieces = inner.match(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|\[\[[^\]]*\]\]|[^,]+/g) ?? []
  return pieces.map(scalar).filter((each) => each !== '')
}
