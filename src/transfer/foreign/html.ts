// HTML as people's editors write it, as Markdown. What it says stays; what it could do goes.

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
  agrave: 'à',
}

export function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, word) => {
    if (word !== undefined) return entities[word] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : ''
  })
}

const pieces = /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-z][a-z0-9]*)((?:[^>"']|"[^"]*"|'[^']*')*)>|<[^>]*>?/gi
const silent = new Set(['script', 'style', 'iframe', 'object', 'template', 'noscript'])
const marks: Readonly<Record<string, string>> = {
  b: '**',
  strong: '**',
  i: '*',
  em: '*',
  s: '~~',
  del: '~~',
  strike: '~~',
}
const blocks = new Set([
  'p',
  'div',
  'section',
  'article',
  'table',
  'tbody',
  'thead',
  'figure',
  'details',
  'summary',
  'dl',
  'dd',
  'dt',
])

/** Markdown of a piece of HTML. Scripts, styles, frames and pictures are left out; links keep their addresses. */
export function markdownOf(html: string): string {
  const out: string[] = []
  const lists: { readonly ordered: boolean; count: number }[] = []
  const links: string[] = []
  let quiet: string | null = null
  const line = (times: number): void => {
    out.push('\n'.repeat(times))
  }
  const tag = (closing: boolean, name: string, attributes: string): void => {
    if (name in marks) out.push(marks[name] as string)
    else if (name === 'br') line(1)
    else if (name === 'hr') out.push('\n\n---\n\n')
    else if (/^h[1-6]$/.test(name)) out.push(closing ? '\n\n' : `\n\n${'#'.repeat(Number(name[1]))} `)
    else if (name === 'ul' || name === 'ol') {
      if (closing) lists.pop()
      else lists.push({ ordered: name === 'ol', count: 0 })
      line(lists.length === 0 ? 2 : 1)
    } else if (name === 'li' && !closing) {
      const list = lists.at(-1)
      if (list !== undefined) list.count += 1
      out.push(
        `\n${'  '.repeat(Math.max(0, Math.min(lists.length, 8) - 1))}${list?.ordered ? `${list.count}. ` : '- '}`,
      )
    } else if (name === 'blockquote') {
      line(2)
    } else if (name === 'a') {
      if (!closing) {
        const href = decoded(/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(attributes)?.slice(1).find(Boolean) ?? '')
        const isSafe = /^https?:\/\/[^\s()<>]+$/i.test(href)
        links.push(isSafe ? href : '')
        if (isSafe) out.push('[')
      } else {
        const href = links.pop()
        if (href) out.push(`](${href})`)
      }
    } else if (name === 'tr' && closing) line(1)
    else if ((name === 'td' || name === 'th') && closing) out.push(' · ')
    else if (blocks.has(name)) line(2)
  }
  const said = (text: string): void => {
    if (quiet !== null) return
    const words = decoded(text).replaceAll(/\s+/g, ' ')
    if (words !== ' ' || !/\s$/.test(out.at(-1) ?? '\n')) out.push(words)
  }
  let at = 0
  for (const match of html.matchAll(pieces)) {
    said(html.slice(at, match.index))
    at = match.index + match[0].length
    const [, slash = '', raw, attributes = ''] = match
    if (raw === undefined) continue
    const name = raw.toLowerCase()
    if (quiet !== null) {
      if (slash === '/' && name === quiet) quiet = null
    } else if (silent.has(name) && slash === '') quiet = name
    else tag(slash === '/', name, attributes)
  }
  said(html.slice(at))
  const text = out
    .join('')
    .replaceAll(/[ \t]+\n/g, '\n')
    .replaceAll(/\n[ \t]+(?=[^\s\-\d])/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
  return text
}
