// A folder of Markdown as Obsidian opens it, judged: links by path or by name wherever it lies and without case, headings by
// their words, properties flat and each once. Answers what is wrong, each with the page it is on.

export type Vault = ReadonlyMap<string, Buffer>

const key = (text: string): string => text.normalize('NFC').toLowerCase()
const withoutCode = (text: string): string => text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '')

export function faultsOf(vault: Vault): readonly string[] {
  const byPath = new Map(Array.from(vault.keys(), (name) => [key(name), name]))
  const byName = new Map(Array.from(vault.keys(), (name) => [key(name.split('/').at(-1) ?? ''), name]))
  const find = (link: string): string | undefined => {
    const tried = [key(link), `${key(link)}.md`]
    return tried.map((each) => byPath.get(each) ?? byName.get(each)).find((each) => each !== undefined)
  }
  const headingsOf = (name: string): readonly string[] =>
    Array.from(String(vault.get(name)).matchAll(/^#{1,6} (.+)$/gm), ([, text = '']) => key(text.trim()))
  const faults: string[] = []
  if (byPath.size !== vault.size) faults.push('two names differ in case or composition alone')
  for (const [name, bytes] of vault) {
    if (!name.endsWith('.md')) continue
    const page = bytes.toString('utf8')
    const fault = (what: string): void => void faults.push(`${name}: ${what}`)
    const front = /^---\n([\s\S]*?)\n---\n/.exec(page)
    if (front === null) fault('no front matter')
    for (const each of propertyFaults(front?.[1] ?? '')) fault(each)
    for (const each of bodyFaults(page.slice(front?.[0].length ?? 0))) fault(each)
    for (const [whole, link = '', heading] of withoutCode(page).matchAll(
      /(?<!\\)\[\[([^\]|#\n]*)(#[^\]|\n]*)?(?:\|[^\]\n]*)?\]\]/g,
    )) {
      const target = link === '' ? name : find(link)
      if (target === undefined) fault(`${whole} leads nowhere`)
      else if (heading !== undefined && !headingsOf(target).includes(key(heading.slice(1))))
        fault(`${whole}: no such heading`)
    }
    for (const [whole, address = ''] of withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g))
      if (!/^[a-z]+:\/\//.test(address) && find(decodeURIComponent(address)) === undefined)
        fault(`${whole} leads nowhere`)
    if (!vault.has(name) || /[<>:"\\?*|#^[\]]/.test(name)) fault('a name that not every system takes')
  }
  return faults
}

function* propertyFaults(front: string): Generator<string> {
  const seen = new Set<string>()
  for (const line of front.split('\n')) {
    const named = /^([^\s:][^:]*):(?: .+)?$/.exec(line)
    if (named === null && !/^ {2}- ./.test(line)) yield `a line of its front matter: ${line}`
    const name = named?.[1]
    if (name !== undefined && seen.has(name)) yield `the property ${name} twice`
    if (name !== undefined) seen.add(name)
  }
}

function* bodyFaults(body: string): Generator<string> {
  for (const odd of ['[object Object]', 'undefined', 'NaN']) if (body.includes(odd)) yield odd
  if (/\[\[[^\]\n]*$/m.test(withoutCode(body).replaceAll('\\[', ''))) yield 'a link that does not end'
  const lines = body.split('\n').filter((line) => line !== '')
  for (const [index, line] of lines.entries()) {
    const level = /^(#{1,6}) /.exec(line)?.[1]?.length
    const next = /^(#{1,6}) /.exec(lines[index + 1] ?? '')?.[1]?.length
    const isLast = index === lines.length - 1
    // A thing may have a name and nothing else.
    if (level !== undefined && level > 1 && (isLast || (next !== undefined && next <= level)))
      yield `nothing under ${line}`
  }
}
