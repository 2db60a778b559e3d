import type { Entity } from '../kernel/entity.ts'
import { isProse } from '../kernel/fields.ts'
import type { ExportedRow, Exporting } from './exported-row.ts'
import { type Property, quotedLink } from './front-matter.ts'
import { listOf, saysNothing, shortOf } from './markdown-values.ts'
import { withoutMentions } from './mention-text.ts'
import { wordsOf } from './page-names.ts'

// What a page says of a thing follows from the fields of its entity: short facts, prose, and lists.

export interface Page {
  /** From the root, without `.md`. */
  readonly path: string
  readonly title: string
}

export interface Book extends Exporting {
  readonly files: ReadonlyMap<number, string>
  /** Pages by `kind:id`. */
  readonly pages: ReadonlyMap<string, Page>
  /** What stands on the page of another thing, by `kind:id` of that thing. */
  readonly parts: ReadonlyMap<string, readonly Part[]>
}

export interface Part {
  readonly entity: Entity
  readonly row: ExportedRow
}

export const keyOf = ({ name }: Pick<Entity, 'name'>, id: unknown): string => `${name}:${id}`

/** Short facts: everything but prose, places in orders, pictures and what says nothing. */
export function propertiesOf(
  book: Book,
  entity: Entity,
  row: ExportedRow,
  aliases: readonly string[],
  isPart = false,
): readonly Property[] {
  const properties: Property[] = aliases.length > 0 ? [['aliases', aliases]] : []
  for (const [key, field] of Object.entries(entity.fields)) {
    const value = row[key]
    const { references, link, place, owned } = field.marks
    if (saysNothing(value) || place || owned) continue
    if (key === 'position' || isProse(field) || key === entity.title) continue
    if (references !== undefined) {
      const page = book.pages.get(`${references}:${value}`)
      if (page !== undefined)
        properties.push([key.replace(/Id$/, ''), isPart ? linkTo(page) : quotedLink(page.path, page.title)])
    } else if (link !== undefined) {
      const page = 'type' in link ? book.pages.get(`${row[link.type]}:${value}`) : undefined
      if (page !== undefined)
        properties.push([key.replace(/Id$/, ''), isPart ? linkTo(page) : quotedLink(page.path, page.title)])
    } else if (key === 'tags' && Array.isArray(value)) {
      if (value.length > 0)
        properties.push(['tags', value.map((tag) => String(tag).replaceAll(/[^\p{L}\p{N}_/-]+/gu, '-'))])
    } else {
      const short = shortOf(value)
      if (short !== null) properties.push([nameIn(properties, key, entity), written(short, row)])
    }
  }
  return properties
}

/** Of the properties that every page has, none is said twice. */
function nameIn(properties: readonly Property[], key: string, { label }: Entity): string {
  const taken = ['type', 'campaign', ...properties.map(([name]) => name)]
  return taken.includes(key) ? `${label} ${wordsOf(key).toLowerCase()}` : key
}

/** Instants as the clock at their place shows them, and texts without the ids of mentions. */
function written(value: Property[1], { timeZone }: ExportedRow): Property[1] {
  if (Array.isArray(value)) return value.map((each) => withoutMentions(String(each), () => false))
  if (typeof value !== 'string') return value
  if (typeof timeZone === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/.test(value))
    return new Date(value).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')
  return withoutMentions(value, () => false)
}

/** Pictures and prose. What is for Dungeon Masters alone stands in a callout that is folded. `called` is said already. */
export function proseOf(
  book: Book,
  entity: Entity,
  row: ExportedRow,
  level: number,
  called: string | null = null,
): readonly string[] {
  const lines: string[] = []
  const proses = Object.entries(entity.fields).filter(
    ([key, field]) => key !== called && isProse(field) && typeof row[key] === 'string' && row[key] !== '',
  )
  for (const [key, { marks }] of Object.entries(entity.fields)) {
    const file = marks.references === 'attachment' ? book.files.get(row[key] as number) : undefined
    if (file !== undefined) lines.push(`![[${file}]]`)
  }
  // The main text first and without a heading; secrets last.
  const main = proses.some(([key]) => key === 'body') ? 'body' : entity.excerpt
  const place = ([key, { marks }]: (typeof proses)[number]): number =>
    marks.readableBy === 'dm' ? 2 : key === main ? 0 : 1
  for (const [key, { marks }] of [...proses].sort((one, other) => place(one) - place(other))) {
    const text = inline(book, String(row[key]))
    if (marks.readableBy === 'dm')
      lines.push(callout(key === 'dmSecret' ? 'For the Dungeon Master' : wordsOf(key), text))
    else if (key === main) lines.push(text)
    else lines.push(`${'#'.repeat(Math.min(level, 6))} ${wordsOf(key)}`, text)
  }
  return lines
}

interface Listed {
  readonly name: string
  readonly lines: readonly string[]
}

/** What is too long for a fact, as lists. */
export function valuesOf(book: Book, { fields }: Entity, row: ExportedRow): readonly Listed[] {
  const writing = {
    link(kind: string, id: number) {
      const page = book.pages.get(`${kind}:${id}`)
      return page === undefined ? null : linkTo(page)
    },
    text: (text: string) => inline(book, text),
  }
  return Object.entries(fields).flatMap(([key, { schema, marks }]): Listed[] => {
    const value = row[key]
    if (typeof value !== 'object' || saysNothing(value) || marks.link !== undefined || shortOf(value) !== null)
      return []
    return [{ name: wordsOf(key), lines: listOf(schema, value, writing) }]
  })
}

export function headed(values: readonly Listed[], level: number): readonly string[] {
  return values.flatMap(({ name, lines }) => [`${'#'.repeat(Math.min(level, 6))} ${name}`, lines.join('\n')])
}

function callout(title: string, text: string): string {
  return `> [!warning]- ${title}\n${text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')}`
}

const mention = /\[([^\]\n]{1,200})\]\(([a-z_]{1,40}):([1-9][0-9]{0,14})\)/g

/** A text with its mentions as links between pages. What would be a link to nothing in a vault is none: dice to roll are code. */
export function inline({ pages }: Book, text: string): string {
  const plain = text.replaceAll(/\[\[(\d*d\d+[^\]\n]*)\]\]/g, '`$1`').replaceAll('[[', '\\[\\[')
  return plain.replace(mention, (_, label: string, kind: string, id: string) => {
    const page = pages.get(`${kind}:${id}`)
    return page === undefined ? label : `[[${page.path}|${label.replaceAll('|', ' ')}]]`
  })
}

export function linkTo({ path, title }: Page): string {
  return `[[${path}|${title.replaceAll(/[|[\]]/g, ' ')}]]`
}
