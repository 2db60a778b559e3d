import { setImmediate } from 'node:timers/promises'
import { campaign } from '../domain/campaign/entity.ts'
import type { Entity } from '../kernel/entity.ts'
import { excerptOf } from '../kernel/excerpt.ts'
import { isProse } from '../kernel/fields.ts'
import { wholeRow } from '../storage/reader.ts'
import { campaignRow, type DocumentHead, rowsOf } from './document.ts'
import type { ExportedRow, Exporting } from './exported-row.ts'
import { frontMatter, type Property, quotedLink } from './front-matter.ts'
import { createPageNames, pluralOf, wordsOf } from './page-names.ts'
import type { ZipItem } from './zip-stream.ts'

// A campaign as pages of Markdown, for people and for Obsidian: one page for each thing that stands by itself, in a folder of
// its kind; what belongs to another thing stands on its page. What a page holds follows from the fields of its entity.

interface Page {
  /** From the root, without `.md`. */
  readonly path: string
  readonly title: string
}

interface Book extends Exporting {
  readonly files: ReadonlyMap<number, string>
  /** Pages by `kind:id`. */
  readonly pages: ReadonlyMap<string, Page>
  /** What stands on the page of another thing, by `kind:id` of that thing. */
  readonly parts: ReadonlyMap<string, readonly Part[]>
}

interface Part {
  readonly entity: Entity
  readonly row: ExportedRow
}

const pageBytesAtOnce = 40

/** The pages of a zip. */
export async function* markdownItems(
  exporting: Exporting,
  head: DocumentHead,
  signal: AbortSignal,
): AsyncGenerator<ZipItem> {
  const kinds = Array.from(exporting.selection.values(), ({ entity }) => entity).filter(
    ({ name }) => name !== 'attachment',
  )
  const book: Book = {
    ...exporting,
    files: head.files,
    pages: pagesOf(exporting, kinds),
    parts: await partsOf(exporting, kinds, signal),
  }
  const own = campaignRow(exporting)
  const title = String(own.name)
  yield { name: 'Start here.md', content: textOf(startPage(book, own, kinds, head)) }
  let written = 0
  for (const entity of kinds.filter((each) => parentOf(each) === null)) {
    for await (const row of rowsOf(exporting, entity, signal)) {
      const page = book.pages.get(keyOf(entity, row.id))
      if (page === undefined) continue
      yield { name: `${page.path}.md`, content: textOf(pageText(book, entity, row, page, title)) }
      written += 1
      if (written % pageBytesAtOnce === 0) await setImmediate()
    }
  }
}

async function* textOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

const keyOf = ({ name }: Pick<Entity, 'name'>, id: unknown): string => `${name}:${id}`

/** The field with the thing that owns a row; null where it stands by itself. */
function parentOf({ fields }: Entity): { readonly key: string; readonly kind: string } | null {
  const found = Object.entries(fields).find(([, { marks }]) => marks.owned && marks.references !== undefined)
  return found === undefined ? null : { key: found[0], kind: found[1].marks.references as string }
}

function pagesOf(exporting: Exporting, kinds: readonly Entity[]): ReadonlyMap<string, Page> {
  const names = createPageNames()
  const pages = new Map<string, Page>()
  names.take('', 'Start here')
  for (const entity of kinds) {
    if (parentOf(entity) !== null) continue
    const folder = pluralOf(entity.label)
    for (const id of exporting.selection.get(entity.name)?.ids ?? []) {
      const title = titleOf(exporting, entity, wholeRow(exporting.store, entity, id) ?? {}, id)
      pages.set(keyOf(entity, id), { path: `${folder}/${names.take(folder, title)}`, title })
    }
  }
  return pages
}

function titleOf(exporting: Exporting, entity: Entity, row: Readonly<Record<string, unknown>>, id: number): string {
  const { names } = exporting
  const given = entity.title === null ? null : row[entity.title]
  if (typeof given === 'string' && given !== '') return excerptOf(names.inText(given)).slice(0, 80)
  if (entity.untitled !== null) return `${entity.untitled.word} ${row[entity.untitled.field] ?? id}`
  const ends = Object.entries(entity.fields).flatMap(([key, { marks }]) =>
    marks.link !== undefined && 'type' in marks.link ? [nameOf(exporting, row[marks.link.type], row[key])] : [],
  )
  return ends.length > 0 && ends.every((each) => each !== null)
    ? names.inText(ends.join(' and '))
    : `${wordsOf(entity.label)} ${id}`
}

function nameOf({ store, selection }: Exporting, kind: unknown, id: unknown): string | null {
  const entity = typeof kind === 'string' ? selection.get(kind)?.entity : undefined
  if (entity?.title == null || typeof id !== 'number' || selection.get(entity.name)?.ids.has(id) !== true) return null
  const title = wholeRow(store, entity, id)?.[entity.title]
  return typeof title === 'string' ? title : null
}

async function partsOf(
  exporting: Exporting,
  kinds: readonly Entity[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly Part[]>> {
  const parts = new Map<string, Part[]>()
  for (const entity of kinds) {
    const parent = parentOf(entity)
    if (parent === null) continue
    for await (const row of rowsOf(exporting, entity, signal)) {
      const key = `${parent.kind}:${row[parent.key]}`
      parts.set(key, [...(parts.get(key) ?? []), { entity, row }])
    }
  }
  for (const each of parts.values()) each.sort((a, b) => Number(a.row.position ?? 0) - Number(b.row.position ?? 0))
  return parts
}

function startPage(
  book: Book,
  own: ExportedRow,
  kinds: readonly Entity[],
  { madeBy, exportedAt, leftOut }: DocumentHead,
): string {
  const lines = [
    frontMatter(propertiesOf(book, campaign as unknown as Entity, own, [])),
    `# ${own.name}`,
    ...bodyOf(book, campaign as unknown as Entity, own, 2),
  ]
  for (const entity of kinds) {
    if (parentOf(entity) !== null) continue
    const pages = Array.from(book.selection.get(entity.name)?.ids ?? [], (id) => book.pages.get(keyOf(entity, id)))
    if (pages.length === 0) continue
    lines.push(`## ${pluralOf(entity.label)}`, pages.flatMap((page) => (page ? [`- ${linkTo(page)}`] : [])).join('\n'))
  }
  if (leftOut.length > 0)
    lines.push('## Pictures that stayed behind', leftOut.map(({ name, reason }) => `- ${name}: ${reason}`).join('\n'))
  lines.push(`*Made by ${madeBy} on ${exportedAt.slice(0, 10)}.*`)
  return `${lines.join('\n\n')}\n`
}

function pageText(book: Book, entity: Entity, row: ExportedRow, page: Page, campaignName: string): string {
  const aliases = page.path.endsWith(`/${page.title}`) ? [] : [page.title]
  const properties: Property[] = [
    ['kind', entity.label],
    ['campaign', campaignName],
    ...propertiesOf(book, entity, row, aliases),
  ]
  const lines = [frontMatter(properties), `# ${page.title}`, ...bodyOf(book, entity, row, 2)]
  const parts = book.parts.get(keyOf(entity, row.id)) ?? []
  for (const kind of new Set(parts.map((part) => part.entity))) {
    const own = parts.filter((part) => part.entity === kind)
    lines.push(`## ${pluralOf(kind.label)}`, ...own.flatMap((part) => partLines(book, part, 3)))
  }
  return `${lines.join('\n\n')}\n`
}

/** What belongs to a thing: a step as a box to tick, others with their short facts on a line, and what belongs to them. */
function partLines(book: Book, { entity, row }: Part, level: number): readonly string[] {
  const title = entity.title === null ? wordsOf(entity.label) : inline(book, String(row[entity.title] ?? ''))
  const facts = propertiesOf(book, entity, row, [], true).map(
    ([key, value]) => `${wordsOf(key).toLowerCase()}: ${plain(value)}`,
  )
  const below = book.parts.get(keyOf(entity, row.id)) ?? []
  const body = bodyOf(book, entity, row, level + 1)
  const isBox = 'done' in row && body.length === 0 && below.length === 0
  if (isBox)
    return [
      `- [${row.done === true ? 'x' : ' '}] ${title}${row.optional === true ? ' (if they like)' : ''}${row.hidden === true ? ' (hidden)' : ''}`,
    ]
  if (body.length === 0 && below.length === 0) return [`- ${[title, ...facts].join(', ')}`]
  const heading = `${'#'.repeat(Math.min(level, 6))} ${title}`
  return [
    heading,
    ...(facts.length > 0 ? [`*${facts.join(', ')}*`] : []),
    ...body,
    ...below.flatMap((part) => partLines(book, part, level + 1)),
  ]
}

function plain(value: Property[1]): string {
  return Array.isArray(value) ? value.join(', ') : String(value).replace(/^"|"$/g, '')
}

/** Short facts: everything but prose, places in orders, pictures and what says nothing. */
function propertiesOf(
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
    if (value === null || value === undefined || value === '' || value === false || place || owned) continue
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
    } else if (Array.isArray(value) || typeof value !== 'object') properties.push([key, value as Property[1]])
  }
  return properties
}

/** Pictures and prose. What is for Dungeon Masters alone stands in a callout that is folded. */
function bodyOf(book: Book, entity: Entity, row: ExportedRow, level: number): readonly string[] {
  const lines: string[] = []
  const proses = Object.entries(entity.fields).filter(
    ([key, field]) => isProse(field) && typeof row[key] === 'string' && row[key] !== '',
  )
  for (const [key, { marks }] of Object.entries(entity.fields)) {
    const file = marks.references === 'attachment' ? book.files.get(row[key] as number) : undefined
    if (file !== undefined) lines.push(`![[${file}]]`)
  }
  for (const [key, { marks }] of proses) {
    const text = inline(book, String(row[key]))
    if (marks.readableBy === 'dm')
      lines.push(callout(key === 'dmSecret' ? 'For the Dungeon Master' : wordsOf(key), text))
    else if (key === entity.excerpt) lines.push(text)
    else lines.push(`${'#'.repeat(Math.min(level, 6))} ${wordsOf(key)}`, text)
  }
  const odd = Object.entries(row).filter(
    ([key, value]) => key in entity.fields && typeof value === 'object' && value !== null && !Array.isArray(value),
  )
  for (const [key, value] of odd)
    lines.push(
      `${'#'.repeat(Math.min(level, 6))} ${wordsOf(key)}`,
      `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``,
    )
  return lines
}

function callout(title: string, text: string): string {
  return `> [!warning]- ${title}\n${text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')}`
}

const mention = /\[([^\]\n]{1,200})\]\(([a-z_]{1,40}):([1-9][0-9]{0,14})\)/g

/** A text with its mentions as links between pages. */
function inline({ pages }: Book, text: string): string {
  return text.replace(mention, (_, label: string, kind: string, id: string) => {
    const page = pages.get(`${kind}:${id}`)
    return page === undefined ? label : `[[${page.path}|${label.replaceAll('|', ' ')}]]`
  })
}

function linkTo({ path, title }: Page): string {
  return `[[${path}|${title.replaceAll(/[|[\]]/g, ' ')}]]`
}
