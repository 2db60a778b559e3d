import { setImmediate } from 'node:timers/promises'
import type { Entity } from '../kernel/entity.ts'
import { excerptOf } from '../kernel/excerpt.ts'
import { wholeRow } from '../storage/reader.ts'
import { campaignRow, type DocumentHead, rowsOf } from './document.ts'
import type { Exporting } from './exported-row.ts'
import { type Book, keyOf, type Page, type Part } from './markdown-facts.ts'
import { isTitledByProse, pageText, startPage } from './markdown-pages.ts'
import { withoutMentions } from './mention-text.ts'
import { createPageNames, pluralOf, wordsOf } from './page-names.ts'
import type { ZipItem } from './zip-stream.ts'

// A campaign as pages of Markdown, for people and for Obsidian: one page for each thing that stands by itself, in a folder of
// its kind; what belongs to another thing stands on its page. What a page holds follows from the fields of its entity.

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
  const title = withoutMentions(String(own.name), () => false)
  yield {
    name: 'Start here.md',
    content: textOf(
      startPage(
        book,
        { ...own, name: title },
        kinds.filter((entity) => parentOf(entity) === null),
        head,
      ),
    ),
  }
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
  if (typeof given === 'string' && given !== '')
    return excerptOf(names.inText(given), isTitledByProse(entity) ? 70 : 160)
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
  return typeof title === 'string' ? withoutMentions(title, () => false) : null
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
