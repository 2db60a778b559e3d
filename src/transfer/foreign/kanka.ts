import path from 'node:path'
import type { ForeignZip } from '../../archive/foreign-zip.ts'
import {
  type Book,
  createBook,
  type ForeignDocument,
  isPicture,
  lineOf,
  listOf,
  nameOf,
  numberOf,
  recordOf,
  tagsOf,
  textOf,
} from './book.ts'
import { markdownOf } from './html.ts'
import { datesOf, linesBesideOf, pinsOf } from './kanka-beside.ts'
import { calendarOf, type KankaCalendar } from './kanka-calendar.ts'
import { isOpen, isSet, type Known, parsed, type Thing } from './kanka-records.ts'

// Kanka's campaign export (FORMATS: a JSON zip). There are two kinds of ids, of a record and of the entity around it: mentions,
// parents and relations name entities, everything else records of its own kind. What is not for all is for the Dungeon Master.

/** What becomes of each folder; what is not named becomes a note. */
const kindOfFolder: Readonly<Record<string, string>> = {
  characters: 'npc',
  locations: 'location',
  organisations: 'faction',
  families: 'faction',
  quests: 'quest',
  items: 'inventory_item',
  events: 'timeline_event',
  maps: 'map',
  creatures: 'rule_entry',
}
const relatable = new Set(['npc', 'faction', 'location', 'quest'])
/** Read by what they belong to, or only for their pictures. */
const withoutRows = new Set(['gallery', 'settings', 'calendars', 'tags'])
const word: Readonly<Record<string, string>> = {
  races: 'Race',
  abilities: 'Ability',
  notes: 'Note',
  journals: 'Journal',
}

/** What a Kanka export says, as a document of ours. Throws `validation_failed` naming the file that is none. */
export async function kankaDocument(zip: ForeignZip): Promise<ForeignDocument> {
  const book = createBook()
  const campaign = await parsed(zip, 'campaign.json')
  const calendar = await calendarOf(zip, book)
  const things: Thing[] = []
  for (const name of zip.entries.keys()) {
    const [folder = '', file = ''] = name.split('/')
    if (!/\.json$/i.test(name) || file === '' || withoutRows.has(folder)) continue
    const record = await parsed(zip, name)
    const entity = recordOf(record.entity)
    if (numberOf(entity.id) === null || record.name === undefined) {
      book.drop(folder.slice(0, 60), '', 'a record of a module that is not known here', name)
      continue
    }
    const isSession = folder === 'journals' && /session|recap|sitzung|séance/i.test(textOf(entity.type ?? record.type))
    things.push({
      folder,
      place: name,
      record,
      entity,
      kind: isSession ? 'session' : (kindOfFolder[folder] ?? 'note'),
      name: nameOf(record.name, 'Untitled'),
      isHidden: isSet(record.is_private),
      row: null,
    })
  }
  const tags = await tagNames(zip)
  const pictures = createPictures(zip, book)
  const known = indexOf(things)
  // Rows first, so that whatever names them can be followed; then what they say.
  for (const [index, thing] of things.entries()) thing.row = rowOf(book, thing, index, things)
  for (const thing of things) fill({ book, known, tags, pictures, calendar }, thing)
  relationsOf(book, known, things)
  for (const name of zip.entries.keys())
    if (!/\.json$/i.test(name) && !isPicture(name)) book.drop('file', path.extname(name), 'not a picture', name)
  const place = 'campaign.json'
  return book.done(
    {
      name: nameOf(campaign.name, 'From Kanka'),
      description: book.prose(
        withMentions(known, markdownOf(textOf(campaign.entry ?? recordOf(campaign.entity).entry))),
        place,
      ),
      ...calendar.fields,
    },
    'Kanka',
  )
}

function indexOf(things: readonly Thing[]): Known {
  return {
    byEntity: new Map(things.map((thing) => [numberOf(thing.entity.id) as number, thing])),
    byRecord: new Map(things.map((thing) => [`${thing.folder}:${numberOf(thing.record.id)}`, thing])),
  }
}

async function tagNames(zip: ForeignZip): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>()
  for (const name of zip.entries.keys()) {
    if (!/^tags\/[^/]+\.json$/i.test(name)) continue
    const record = await parsed(zip, name)
    const id = numberOf(record.id)
    if (id !== null) found.set(id, textOf(record.name))
  }
  return found
}

function rowOf(book: Book, { kind, name, isHidden, entity, record }: Thing, index: number, things: readonly Thing[]) {
  const titled = { name, hidden: isHidden }
  switch (kind) {
    case 'quest':
      return book.add(kind, { title: name, hidden: isHidden, position: (index + 1) * 1024 })
    case 'timeline_event':
      return book.add(kind, { title: name, hidden: isHidden })
    case 'session': {
      const number = things.slice(0, index + 1).filter((each) => each.kind === 'session').length
      return book.add(kind, { title: name, number, status: 'played' })
    }
    case 'rule_entry':
      return book.add(kind, { ...titled, kind: 'creature' })
    case 'note':
      return book.add(kind, { visibility: isHidden ? 'dm' : 'party' })
    case 'inventory_item':
      return book.add(kind, { ...titled, value: lineOf(record.price), weight: positive(record.weight) })
    case 'map':
      return book.add(kind, titled)
    default:
      return book.add(kind, { ...titled, ...(kind === 'npc' ? {} : { kind: lineOf(entity.type ?? record.type) }) })
  }
}

function positive(value: unknown): number | null {
  const number = Number(textOf(value) || Number.NaN)
  return Number.isFinite(number) && number >= 0 && number <= 100_000 ? number : null
}

interface Pictures {
  /** The id of the picture of an entity; null where it has none in the zip. */
  of(thing: Thing, kind: 'portrait' | 'map' | 'image'): number | null
}

function createPictures(zip: ForeignZip, book: Book): Pictures {
  const byFile = new Map<string, number>()
  const byUuid = new Map(
    [...zip.entries.keys()]
      .filter((name) => name.startsWith('gallery/') && isPicture(name))
      .map((name) => [path.basename(name, path.extname(name)), name]),
  )
  return {
    of({ entity, record, name, isHidden, place }, kind) {
      const given = textOf(entity.image_path ?? record.image ?? record.image_path)
      const file = byUuid.get(textOf(entity.image_uuid)) ?? (zip.entries.has(given) ? given : null)
      if (file === null) {
        if (entity.image_uuid || given !== '') book.drop('attachment', 'image', 'its file is not in the zip', place)
        return null
      }
      if (!isPicture(file)) return null
      const known = byFile.get(file)
      if (known !== undefined) return known
      const row = {
        fileName: nameOf(path.basename(file), 'picture'),
        caption: lineOf(name),
        kind,
        hidden: isHidden,
        file,
      }
      const { id } = book.add('attachment', row)
      byFile.set(file, id)
      return id
    },
  }
}

interface Filling {
  readonly book: Book
  readonly known: Known
  readonly tags: ReadonlyMap<number, string>
  readonly pictures: Pictures
  readonly calendar: KankaCalendar
}

/** What is said of a thing: to everybody, and to the Dungeon Master alone. */
function fill({ book, known, tags, pictures, calendar }: Filling, thing: Thing): void {
  const { record, entity, kind, place, name, folder } = thing
  const row = thing.row as Record<string, unknown> | null
  if (row === null) return
  const said = (html: unknown): string => withMentions(known, markdownOf(textOf(html)))
  const open: string[] = []
  const secret: string[] = []
  const facts = [
    ...(kind === 'npc' ? [fact('Age', record.age), fact('Pronouns', record.pronouns ?? record.sex)] : []),
    ...(record.date ? [fact('Date', record.date)] : []),
  ].filter((each) => each !== null)
  const dates = datesOf(thing, calendar, book)
  if (kind === 'timeline_event' && dates.own !== null) row.worldDate = dates.own
  const more = [...dates.lines, ...linesBesideOf(thing, known, book)]
  const plain = [...facts, ...more.filter((each) => each.isOpen).map(({ text }) => said(text))]
  if (plain.length > 0) open.push(plain.join('\n'))
  const hidden = more.filter((each) => !each.isOpen).map(({ text }) => said(text))
  if (hidden.length > 0) secret.push(hidden.join('\n'))
  open.push(said(entity.entry ?? record.entry))
  for (const [heading, html, isFor] of sectionsOf(thing, known)) {
    const text = said(html)
    if (text !== '' || heading !== '')
      (isFor ? open : secret).push(heading === '' ? text : `## ${heading}\n\n${text}`.trim())
  }
  const body = book.prose(open.filter(Boolean).join('\n\n'), place)
  const dmSecret = book.prose(secret.filter(Boolean).join('\n\n'), place)
  if (kind === 'note') {
    const label = word[folder] === undefined || folder === 'notes' ? '' : ` (${word[folder]?.toLowerCase()})`
    row.body = book.prose(`# ${name}${label}\n\n${body ?? ''}`, place) ?? name
    if (dmSecret !== null)
      book.add('note', { visibility: 'dm', body: book.prose(`# ${name}\n\n${dmSecret}`, place) ?? name })
  } else if (kind === 'session') Object.assign(row, { recap: body, dmSecret })
  else if (kind === 'inventory_item') Object.assign(row, { notes: body, dmSecret })
  else Object.assign(row, { body, dmSecret })
  const labels = listOf(entity.entityTags).map((each) => tags.get(numberOf(recordOf(each).tag_id) ?? 0))
  if (['npc', 'location', 'faction', 'quest'].includes(kind)) row.tags = tagsOf(labels)
  linksOf(book, known, thing, row)
  const picture = {
    npc: 'portraitAttachmentId',
    location: 'imageAttachmentId',
    faction: 'emblemAttachmentId',
    map: 'attachmentId',
  }[kind]
  const image = picture === undefined ? null : pictures.of(thing, kind === 'map' ? 'map' : 'portrait')
  if (picture !== undefined) row[picture] = image
  if (kind === 'map') pinsOf(book, known, thing, row.id as number)
  for (const _ of listOf(record.layers)) book.drop(kind, 'layers', 'a map has one picture', place)
  if (entity.status_id != null && record.is_dead === undefined && record.status_id === undefined)
    book.drop(kind, 'status_id', 'what it stands for is in no export', place)
}

const fact = (heading: string, value: unknown): string | null => {
  const text = lineOf(value)
  return text === null ? null : `**${heading}:** ${text}`
}

/** Parts of an entry: a heading, its text, and whether everybody reads it. */
function sectionsOf({ record, entity, kind }: Thing, known: Known): readonly (readonly [string, unknown, boolean])[] {
  const nameAt = (id: unknown): string => known.byEntity.get(numberOf(id) ?? 0)?.name ?? ''
  return [
    ...listOf(record.characterTraits)
      .map(recordOf)
      .map((each) => [lineOf(each.name) ?? '', each.entry, !isSet(each.is_private)] as const),
    ...listOf(entity.posts)
      .map(recordOf)
      .map((each) => [lineOf(each.name) ?? '', each.entry, isOpen(each.visibility_id)] as const),
    ...(kind === 'quest' || kind === 'note' ? [...listOf(record.elements), ...listOf(entity.elements)] : [])
      .map(recordOf)
      .map((each) => {
        const heading = [lineOf(each.name) ?? nameAt(each.entity_id), lineOf(each.role), lineOf(each.date)]
          .filter(Boolean)
          .join(', ')
        return [heading, each.entry, isOpen(each.visibility_id)] as const
      }),
  ]
}

/** What a thing belongs to. */
function linksOf(
  book: Book,
  { byEntity, byRecord }: Known,
  { record, entity, kind, place }: Thing,
  row: Record<string, unknown>,
) {
  const of = (folder: string, id: unknown): number | null => byRecord.get(`${folder}:${numberOf(id)}`)?.row?.id ?? null
  const parent = byEntity.get(numberOf(entity.parent_id) ?? 0)
  const locationId =
    of('locations', recordOf(listOf(entity.entityLocations)[0]).location_id) ?? of('locations', record.location_id)
  if (kind === 'npc') {
    const [house, ...others] = listOf(record.organisationMemberships).map(recordOf)
    // One faction is theirs; what else they belong to is a bond.
    for (const each of [...others, ...(house === undefined ? [] : listOf(record.characterFamilies).map(recordOf))]) {
      const toId = of('organisations', each.organisation_id) ?? of('families', each.family_id)
      const label = lineOf(each.role, 120) ?? (each.family_id === undefined ? 'member of' : 'of the family')
      const ends = { fromType: 'npc', fromId: row.id, toType: 'faction', toId }
      if (toId !== null) book.add('relation', { ...ends, label, hidden: isSet(each.is_private) })
    }
    const family = recordOf(listOf(record.characterFamilies)[0]).family_id ?? record.family_id
    const race = recordOf(listOf(record.characterRaces)[0]).race_id ?? record.race_id
    const status =
      isSet(record.is_dead) || numberOf(record.status_id) === 1
        ? 'dead'
        : numberOf(record.status_id) === 2
          ? 'missing'
          : 'alive'
    Object.assign(row, {
      role: lineOf(record.title) ?? lineOf(entity.type ?? record.type),
      species: lineOf(byRecord.get(`races:${numberOf(race)}`)?.name, 120),
      factionId: of('organisations', house?.organisation_id) ?? of('families', family),
      locationId,
      status,
    })
  } else if (kind === 'location') {
    const above = parent?.kind === 'location' ? parent.row?.id : of('locations', record.location_id)
    if (above !== row.id) row.parentLocationId = above ?? null
  } else if (kind === 'quest') {
    const giver = byEntity.get(numberOf(record.instigator_id) ?? 0)
    const above = parent?.kind === 'quest' ? parent.row?.id : of('quests', record.quest_id)
    const status = ['available', 'active', 'completed', 'abandoned'][numberOf(record.status_id) ?? -1]
    row.status = isSet(record.is_completed) ? 'completed' : (status ?? 'available')
    row.giverNpcId = giver?.kind === 'npc' ? giver.row?.id : null
    row.locationId = locationId
    if (above !== row.id) row.parentQuestId = above ?? null
  } else if (kind === 'map') row.locationId = locationId
  else if (parent !== undefined) book.drop(kind, 'parent', 'nothing stands below another of its kind here', place)
}

/** Both ends of a relation that is written twice become one line with two words. */
function relationsOf(book: Book, { byEntity }: Known, things: readonly Thing[]): void {
  const pairs = new Map<string, Record<string, unknown>>()
  for (const thing of things) {
    for (const each of listOf(thing.entity.relationships).map(recordOf)) {
      const [from, to] = [byEntity.get(numberOf(each.owner_id) ?? 0), byEntity.get(numberOf(each.target_id) ?? 0)]
      const label = lineOf(each.relation, 120)
      if (
        !from?.row ||
        !to?.row ||
        label === null ||
        from === to ||
        !relatable.has(from.kind) ||
        !relatable.has(to.kind)
      ) {
        book.drop('relation', '', 'one of its ends is nothing that can be related here', thing.place)
        continue
      }
      const [one, other] = [`${from.kind}:${from.row.id}`, `${to.kind}:${to.row.id}`]
      const mirror = each.mirror_id == null ? undefined : pairs.get(`${other} ${one}`)
      if (mirror !== undefined && mirror.inverseLabel === undefined) {
        mirror.inverseLabel = label
        continue
      }
      const ends = { fromType: from.kind, fromId: from.row.id, toType: to.kind, toId: to.row.id }
      pairs.set(`${one} ${other}`, book.add('relation', { ...ends, label, hidden: !isOpen(each.visibility_id) }))
    }
  }
}

const mention = /\[([a-z_-]{1,40}):(\d{1,15})((?:\|[^\][]*)?)\]/g

/** Mentions of entities lead where they are now; of others their words stay. The id counts, not the word before it. */
function withMentions({ byEntity }: Known, text: string): string {
  return text
    .replaceAll(/\[(?:icon|post):[^\]]*\]|\{attribute:\d+\}/g, '')
    .replaceAll(mention, (_, _kind: string, id: string, rest: string) => {
      const target = byEntity.get(Number(id))
      const shown = rest.split('|').find((part) => part !== '' && !part.includes(':'))
      const label = (shown ?? target?.name ?? '')
        .replaceAll(/[[\]\n]/g, ' ')
        .trim()
        .slice(0, 200)
      // A note is named by nothing: its words stay.
      if (!target?.row || label === '' || target.kind === 'note') return label
      return `[${label}](${target.kind}:${target.row.id})`
    })
}
