import path from 'node:path'
import type { ForeignZip } from '../../archive/foreign-zip.ts'
import { type Book, createBook, type ForeignDocument, isPicture, lineOf, nameOf, tagsOf } from './book.ts'
import { type FrontMatter, frontMatterOf } from './front-matter-read.ts'

// A folder of Markdown as Obsidian keeps it, or as we export it. What a page is about its front matter says, else its folder,
// else its tags; what says nothing becomes a note. Links lead to things, pictures come along, comments are the Dungeon Master's.

const words: Readonly<Record<string, string>> = {
  npc: 'npc',
  person: 'npc',
  people: 'npc',
  character: 'npc',
  pc: 'character',
  'player character': 'character',
  party: 'character',
  location: 'location',
  place: 'location',
  city: 'location',
  town: 'location',
  region: 'location',
  faction: 'faction',
  organisation: 'faction',
  organization: 'faction',
  guild: 'faction',
  quest: 'quest',
  adventure: 'quest',
  session: 'session',
  recap: 'session',
  event: 'timeline_event',
  'timeline event': 'timeline_event',
  item: 'inventory_item',
  belonging: 'inventory_item',
  creature: 'rule_entry',
  monster: 'rule_entry',
  note: 'note',
}

function kindFrom(text: string): string | null {
  const word = text.toLowerCase().replace(/^#/, '').split('/')[0]?.trim() ?? ''
  return words[word] ?? words[word.replace(/s$/, '')] ?? words[word.replace(/ies$/, 'y')] ?? null
}

interface Page {
  readonly name: string
  readonly title: string
  readonly kind: string
  readonly front: FrontMatter
  readonly row: Record<string, unknown> & { readonly id: number }
}

/** Members of front matter that are no facts to be shown. */
const read = new Set([
  'kind',
  'type',
  'tags',
  'tag',
  'aliases',
  'alias',
  'cssclasses',
  'cssclass',
  'campaign',
  'publish',
  'hidden',
  'visibility',
])

/** A vault as a document of ours. */
export async function vaultDocument(zip: ForeignZip): Promise<ForeignDocument> {
  const book = createBook()
  const pages: Page[] = []
  const pictures: string[] = []
  for (const name of zip.entries.keys()) {
    if (isPicture(name)) pictures.push(name)
    else if (!/\.md$/i.test(name))
      book.drop('file', path.extname(name).toLowerCase(), 'neither a page nor a picture', name)
  }
  const names = [...zip.entries.keys()].filter((name) => /\.md$/i.test(name)).toSorted()
  const start = names.find((name) => /(?:^|\/)Start here\.md$/i.test(name)) ?? null
  const root = commonFolder(names)
  let campaign: FrontMatter | null = null
  for (const name of names) {
    const front = frontMatterOf(await zip.text(name))
    if (name === start) {
      campaign = front
      continue
    }
    pages.push(pageOf(book, name, root, front, pages))
  }
  const targets = createTargets(pages, pictures)
  const images = new Map<string, number>()
  for (const page of pages) fill(book, page, targets, images)
  const title = campaign === null ? undefined : /^# (.+)$/m.exec(campaign.body)?.[1]
  const [folder] = root.split('/')
  return book.done({ name: nameOf(title ?? folder, 'From a folder of notes') }, 'a folder of Markdown')
}

/** The folder that everything lies in, with `/` behind it; nothing where there is none. */
function commonFolder(names: readonly string[]): string {
  const [first = ''] = names
  const top = first.includes('/') ? first.slice(0, first.indexOf('/') + 1) : ''
  return top !== '' && names.every((name) => name.startsWith(top)) && names.some((name) => name.split('/').length > 2)
    ? top
    : ''
}

const listIn = (front: FrontMatter, ...keys: readonly string[]): readonly string[] =>
  keys.flatMap((key) => {
    const value = front.values.get(key) ?? []
    return typeof value === 'string' ? value.split(/,\s*/).filter(Boolean) : value
  })

function pageOf(book: Book, name: string, root: string, front: FrontMatter, before: readonly Page[]): Page {
  // Our own pages say of which campaign they are, and in their heading what they are called: file names know not every sign.
  const isOwn = front.values.has('campaign')
  const called = isOwn ? /^\s*# (.+)$/m.exec(front.body)?.[1] : undefined
  const title = nameOf(called ?? path.basename(name).replace(/\.md$/i, ''), 'Untitled')
  const folders = name.slice(root.length).split('/').slice(0, -1)
  const said = [...listIn(front, 'type', 'kind'), ...folders.toReversed(), ...listIn(front, 'tags', 'tag')]
  // Elsewhere a character may be anybody.
  const kind =
    isOwn && front.values.get('type') === 'character'
      ? 'character'
      : (said.map(kindFrom).find((each) => each !== null) ?? 'note')
  const titled = kind === 'quest' || kind === 'timeline_event' || kind === 'session' ? { title } : { name: title }
  const number = before.filter((page) => page.kind === 'session').length + 1
  const more = {
    session: { number, status: 'played' },
    quest: { position: (before.length + 1) * 1024 },
    rule_entry: { kind: 'creature' },
  }[kind]
  const row =
    kind === 'note'
      ? book.add(kind, { visibility: visibilityOf(front) })
      : book.add(kind, { ...titled, ...more, ...(kind !== 'session' && isHidden(front) ? { hidden: true } : {}) })
  return { name, title, kind, front, row }
}

const wordIn = (front: FrontMatter, key: string): string => String(front.values.get(key) ?? '').toLowerCase()
const isHidden = (front: FrontMatter): boolean => ['true', 'yes', '1'].includes(wordIn(front, 'hidden'))

/** What was for one person, or for Dungeon Masters, is never shown to the party. */
function visibilityOf(front: FrontMatter): 'private' | 'dm' | 'party' {
  const given = wordIn(front, 'visibility')
  return ['private', 'whisper'].includes(given)
    ? 'private'
    : isHidden(front) || ['dm', 'dms', 'gm', 'secret'].includes(given)
      ? 'dm'
      : 'party'
}

interface Targets {
  page(link: string): Page | null
  picture(link: string): string | null
}

/** Links by path, by name wherever it lies, and by alias, without case. Twins need the path. */
function createTargets(pages: readonly Page[], pictures: readonly string[]): Targets {
  const key = (text: string): string => text.normalize('NFC').toLowerCase()
  const byPath = new Map(pages.map((page) => [key(page.name.replace(/\.md$/i, '')), page]))
  const byName = new Map<string, Page | null>()
  for (const page of pages) {
    const aliases = listIn(page.front, 'aliases', 'alias')
    for (const name of new Set([path.basename(page.name).replace(/\.md$/i, ''), ...aliases].map(key)))
      byName.set(name, byName.has(name) ? null : page)
  }
  const byEnd = (link: string): Page | null => {
    for (const [name, page] of byPath) if (name.endsWith(`/${link}`)) return page
    return null
  }
  const files = new Map(pictures.map((name) => [key(path.basename(name)), name]))
  const whole = new Map(pictures.map((name) => [key(name), name]))
  return {
    page(link) {
      const wanted = key(link.replace(/\.md$/i, '').trim()).replace(/^(?:\.\.?\/)+/, '')
      return byPath.get(wanted) ?? byName.get(wanted) ?? (wanted.includes('/') ? byEnd(wanted) : null)
    },
    picture: (link) => whole.get(key(link.trim())) ?? files.get(key(path.basename(link.trim()))) ?? null,
  }
}

const wiki = /(!?)\[\[([^\]|#\n]{0,300})(#[^\]|\n]*)?(?:\\?\|([^\]\n]*))?\]\]/g
const markdownLink = /(!?)\[([^\]\n]{0,200})\]\(<?([^)\s>]{1,500})>?\)/g

function fill(book: Book, page: Page, targets: Targets, images: Map<string, number>): void {
  const { name, kind, front, row } = page
  const shown: number[] = []
  const pictured = (link: string): boolean => {
    const file = targets.picture(link)
    if (file === null) return false
    const known = images.get(file)
    const id =
      known ?? book.add('attachment', { fileName: nameOf(path.basename(file), 'picture'), kind: 'image', file }).id
    images.set(file, id)
    shown.push(id)
    return true
  }
  const mention = (link: string, label: string): string | null => {
    const target = targets.page(link)
    const said = label.replaceAll(/[[\]]/g, ' ').trim().slice(0, 200)
    if (target === null || said === '') return null
    // A note is named by nothing: its words stay.
    return target.kind === 'note' ? said : `[${said}](${target.kind}:${target.row.id})`
  }
  const linked = (text: string): string =>
    outsideOfCode(text, (plain) =>
      plain
        // Names of paragraphs, which only links inside of the vault use.
        .replaceAll(/(?:[ \t]+|^)\^[A-Za-z0-9-]+[ \t]*$/gm, '')
        .replaceAll(wiki, (_, embed: string, link: string, part: string | undefined, alias: string | undefined) => {
          if (embed === '!' && pictured(link)) return ''
          const label = alias ?? (link === '' ? (part ?? '').slice(1) : path.basename(link))
          const said = mention(link, label)
          if (said === null && link !== '')
            book.drop(kind, 'link', 'it leads to no page in the zip', `${name}: ${link}`)
          return said ?? label
        })
        .replaceAll(markdownLink, (whole, embed: string, label: string, address: string) => {
          if (/^[a-z][a-z0-9+.-]*:/i.test(address)) return embed === '!' ? label : whole
          const link = decodedPath(address)
          if (embed === '!' && pictured(link)) return ''
          return mention(link.replace(/#.*$/, ''), label) ?? label
        }),
    )
  for (const [, plugin = ''] of front.body.matchAll(
    /^(?:```|~~~)(statblock|encounter|leaflet|fc-[a-z]+|dataview\w*|tasks|base)\b/gm,
  ))
    book.drop(kind, plugin, 'what a plugin draws stays as it is written', name)
  const { open, secret } = partsOf(front.body, page.title)
  const facts: string[] = []
  for (const [key, value] of front.values) {
    if (read.has(key) || linkOf(kind, key, value, page, targets)) continue
    const text = linked(typeof value === 'string' ? value : value.join(', '))
    const line = lineOf(text, 1000)
    if (line !== null) facts.push(`**${key}:** ${line}`)
  }
  for (const key of front.nested) book.drop(kind, key, 'front matter inside of front matter is not read', name)
  const body = book.prose([facts.join('\n'), linked(open)].filter(Boolean).join('\n\n'), name)
  const dmSecret = book.prose(linked(secret), name)
  const tags = tagsOf(listIn(front, 'tags', 'tag'))
  if (kind === 'note') {
    const isOwn = front.values.has('campaign') && body !== null
    row.body = isOwn ? body : (book.prose(`# ${page.title}\n\n${body ?? ''}`, name) ?? page.title)
    if (dmSecret !== null)
      book.add('note', { visibility: 'dm', body: book.prose(`# ${page.title}\n\n${dmSecret}`, name) })
  } else if (kind === 'session') Object.assign(row, { recap: body, dmSecret })
  else if (kind === 'inventory_item') Object.assign(row, { notes: body, dmSecret })
  else Object.assign(row, { body, dmSecret })
  if (['npc', 'location', 'faction', 'quest'].includes(kind)) row.tags = tags
  const picture = {
    npc: 'portraitAttachmentId',
    character: 'portraitAttachmentId',
    location: 'imageAttachmentId',
    faction: 'emblemAttachmentId',
  }[kind]
  if (picture !== undefined) row[picture] = shown[0] ?? null
}

/** Members of front matter that name what a thing belongs to. True where it was one. */
function linkOf(kind: string, key: string, value: string | readonly string[], page: Page, targets: Targets): boolean {
  const [first = ''] = typeof value === 'string' ? [value] : value
  const target = targets.page(/\[\[([^\]|#]+)/.exec(first)?.[1] ?? first)
  const plain = key.replaceAll(/[^a-z]/g, '')
  const field =
    kind === 'npc' && plain === 'location' && target?.kind === 'location'
      ? 'locationId'
      : kind === 'npc' && ['faction', 'organisation', 'organization'].includes(plain) && target?.kind === 'faction'
        ? 'factionId'
        : kind === 'location' && ['parent', 'parentlocation', 'location'].includes(plain) && target?.kind === 'location'
          ? 'parentLocationId'
          : kind === 'quest' && ['giver', 'givernpc'].includes(plain) && target?.kind === 'npc'
            ? 'giverNpcId'
            : kind === 'quest' && plain === 'location' && target?.kind === 'location'
              ? 'locationId'
              : null
  if (field !== null && target !== null && target !== page) {
    page.row[field] = target.row.id
    return true
  }
  if (kind === 'npc' && (plain === 'role' || plain === 'species' || plain === 'race') && target === null) {
    page.row[plain === 'role' ? 'role' : 'species'] = lineOf(first, plain === 'role' ? 300 : 120)
    return true
  }
  return false
}

/** What everybody reads, and what only the Dungeon Master does: comments, and callouts that say so. */
function partsOf(body: string, title: string): { readonly open: string; readonly secret: string } {
  const secret: string[] = []
  const open = body
    .replace(/^\s*# (.+)\n?/, (whole, heading: string) => (heading.trim() === title ? '' : whole))
    .replaceAll(/%%([\s\S]*?)%%/g, (_, comment: string) => {
      secret.push(comment.trim())
      return ''
    })
    .replaceAll(
      /^> \[![a-z-]+\][-+]? *(?:for the dungeon master|dm|gm|secret)\b.*\n((?:>.*(?:\n|$))*)/gim,
      (_, text: string) => {
        secret.push(text.replaceAll(/^> ?/gm, '').trim())
        return ''
      },
    )
  return { open: open.trim(), secret: secret.join('\n\n') }
}

/** Changes a text, but not what stands in code. */
function outsideOfCode(text: string, change: (plain: string) => string): string {
  return text
    .split(/(```[\s\S]*?(?:```|$)|`[^`\n]*`)/)
    .map((piece, index) => (index % 2 === 1 ? piece : change(piece)))
    .join('')
}

function decodedPath(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}
