import { campaign } from '../domain/campaign/entity.ts'
import type { Entity } from '../kernel/entity.ts'
import { isProse } from '../kernel/fields.ts'
import { wholeRow } from '../storage/reader.ts'
import type { DocumentHead } from './document.ts'
import type { ExportedRow } from './exported-row.ts'
import { frontMatter, type Property } from './front-matter.ts'
import {
  type Book,
  headed,
  inline,
  keyOf,
  linkTo,
  type Page,
  type Part,
  propertiesOf,
  proseOf,
  valuesOf,
} from './markdown-facts.ts'
import { pluralOf, wordsOf } from './page-names.ts'

// The pages of a vault as texts: the one to begin at, and one for each thing, with what belongs to it.

/** What has no name of its own, and is called by its first words. */
export function isTitledByProse({ title, fields }: Entity): boolean {
  const field = title === null ? undefined : fields[title]
  return field !== undefined && isProse(field)
}

export function startPage(
  book: Book,
  own: ExportedRow,
  kinds: readonly Entity[],
  { madeBy, exportedAt, leftOut }: DocumentHead,
): string {
  const lines = [
    frontMatter(propertiesOf(book, campaign as unknown as Entity, own, [])),
    `# ${own.name}`,
    ...proseOf(book, campaign as unknown as Entity, own, 2),
    ...headed(valuesOf(book, campaign as unknown as Entity, own), 2),
  ]
  for (const entity of kinds) {
    const ids = inOrder(book, entity).flatMap((id) => book.pages.get(keyOf(entity, id)) ?? [])
    if (ids.length === 0) continue
    lines.push(`## ${pluralOf(entity.label)}`, ids.map((page) => `- ${linkTo(page)}`).join('\n'))
  }
  if (leftOut.length > 0)
    lines.push('## Pictures that stayed behind', leftOut.map(({ name, reason }) => `- ${name}: ${reason}`).join('\n'))
  lines.push(`*Made by ${madeBy} on ${exportedAt.slice(0, 10)}.*`)
  return `${lines.join('\n\n')}\n`
}

/** Ids of a kind of thing as one looks for it: by number, by day, else as it was made. */
function inOrder({ store, selection }: Book, entity: Entity): readonly number[] {
  const keyed = Array.from(selection.get(entity.name)?.ids ?? [], (id) => {
    const row = wholeRow(store, entity, id) ?? {}
    const day = typeof row.worldDate === 'string' ? row.worldDate : ''
    const at = Date.parse(String(row.startsAt ?? ''))
    const keys = day === '' ? [Number(row.number ?? at), 0, 0] : worldDay(day)
    return { id, keys: keys.map((key) => (Number.isNaN(key) ? 0 : key)) }
  })
  const compare = (one: readonly number[], other: readonly number[]): number =>
    one.reduce((found, key, index) => found || key - (other[index] ?? 0), 0)
  return keyed.sort((one, other) => compare(one.keys, other.keys) || one.id - other.id).map(({ id }) => id)
}

/** Year, month and day; years may be below zero. */
function worldDay(day: string): readonly number[] {
  const [, ...numbers] = /^(-?\d+)(?:-(\d+))?(?:-(\d+))?/.exec(day) ?? []
  return [0, 1, 2].map((index) => Number(numbers[index] ?? 0))
}

export function pageText(book: Book, entity: Entity, row: ExportedRow, page: Page, campaignName: string): string {
  const aliases = page.path.endsWith(`/${page.title}`) ? [] : [page.title]
  const properties: Property[] = [
    ['type', entity.label],
    ['campaign', campaignName],
    ...propertiesOf(book, entity, row, aliases),
  ]
  const heading = isTitledByProse(entity) ? [] : [`# ${page.title}`]
  const lines = [frontMatter(properties), ...heading, ...endsOf(book, entity, row)]
  lines.push(...proseOf(book, entity, row, 2), ...headed(valuesOf(book, entity, row), 2))
  const parts = book.parts.get(keyOf(entity, row.id)) ?? []
  for (const kind of new Set(parts.map((part) => part.entity))) {
    const own = parts.filter((part) => part.entity === kind)
    lines.push(`## ${pluralOf(kind.label)}`, ...partsLines(book, own, 3))
  }
  return spaced(lines)
}

/** Paragraphs with an empty line between them; items of a list stand close. */
function spaced(lines: readonly string[]): string {
  const isItem = (text: string): boolean => /^- /.test(text)
  const text = lines.reduce(
    (all, line, index) =>
      `${all}${index === 0 ? '' : isItem(line) && isItem(lines[index - 1] ?? '') ? '\n' : '\n\n'}${line}`,
    '',
  )
  return `${text}\n`
}

/** What is between two things, as a sentence. */
function endsOf(book: Book, { fields }: Entity, row: ExportedRow): readonly string[] {
  const ends = Object.entries(fields).flatMap(([key, { marks }]) => {
    const { link } = marks
    const page = link !== undefined && 'type' in link ? book.pages.get(`${row[link.type]}:${row[key]}`) : undefined
    return page === undefined ? [] : [linkTo(page)]
  })
  const [from, to] = ends
  const said = (key: string): string => (typeof row[key] === 'string' ? inline(book, row[key]) : '')
  if (ends.length !== 2 || said('label') === '') return []
  const back = said('inverseLabel') === '' ? [] : [`- ${to}: ${said('inverseLabel')} → ${from}`]
  return [`- ${from}: ${said('label')} → ${to}`, ...back]
}

/**
 * What belongs to a thing: a step as a box to tick, others with their short facts on a line. Where one of them has more to say,
 * each stands under a heading, so that nothing seems to be of the one before it.
 */
function partsLines(book: Book, parts: readonly Part[], level: number): readonly string[] {
  const told = parts.map((part) => {
    const { entity, row } = part
    const called = calledBy(entity, row)
    const below = book.parts.get(keyOf(entity, row.id)) ?? []
    const prose = proseOf(book, entity, row, level + 1, called)
    return { ...part, ...headOf(book, part, called), below, prose, values: valuesOf(book, entity, row) }
  })
  const isList = told.every(({ prose, below }) => prose.length === 0 && below.length === 0)
  return told.flatMap(({ row, title, facts, prose, values, below }) => {
    if (isList && 'done' in row)
      return [
        `- [${row.done === true ? 'x' : ' '}] ${title}${row.optional === true ? ' (if they like)' : ''}${row.hidden === true ? ' (hidden)' : ''}`,
      ]
    if (isList) {
      const inside = values.flatMap(({ name, lines }) => [`  - **${name}**`, ...lines.map((line) => `    ${line}`)])
      return [[`- ${title}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`, ...inside].join('\n')]
    }
    const kinds = new Set(below.map((part) => part.entity))
    return [
      `${'#'.repeat(Math.min(level, 6))} ${title}`,
      ...(facts.length > 0 ? [`*${facts.join(', ')}*`] : []),
      ...prose,
      ...headed(values, level + 1),
      ...Array.from(kinds).flatMap((kind) =>
        partsLines(
          book,
          below.filter((part) => part.entity === kind),
          level + 1,
        ),
      ),
    ]
  })
}

/** What a part is called by: the first that it has, where it has no name. */
function calledBy({ title }: Entity, row: ExportedRow): string | null {
  if (title !== null) return title
  return (
    ['name', 'reason', 'says', 'text', 'label'].find((key) => typeof row[key] === 'string' && row[key] !== '') ?? null
  )
}

function headOf(book: Book, { entity, row }: Part, called: string | null) {
  const said = called === null ? '' : inline(book, String(row[called] ?? '')).replaceAll(/\s+/g, ' ')
  const known = propertiesOf(book, entity, row, [], true).filter(([name]) => name !== called)
  // A thing that only stands for another is called as that one is.
  const [link] = said === '' ? known.filter(([, value]) => String(value).startsWith('[[')) : []
  const title = said || (link === undefined ? wordsOf(entity.label) : String(link[1]))
  const facts = known
    .filter((each) => each !== link)
    .map(([name, value]) => {
      const words = wordsOf(name).toLowerCase()
      return value === true ? words : `${words}: ${plain(value)}`
    })
  return { title, facts }
}

function plain(value: Property[1]): string {
  return Array.isArray(value) ? value.join(', ') : String(value).replace(/^"|"$/g, '')
}
