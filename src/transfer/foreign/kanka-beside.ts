import { type Book, type Json, lineOf, listOf, numberOf, recordOf, textOf } from './book.ts'
import type { KankaCalendar } from './kanka-calendar.ts'
import { isOpen, isSet, type Known, type Thing } from './kanka-records.ts'

// What Kanka keeps beside the entry of a thing: attributes, other names, links, what it carries and can do, its days in a
// calendar, and the marks of a map. What has no place of its own here is said in words, to whom it was shown.

/** A line of Markdown, and whether everybody at the table reads it. */
export interface Line {
  readonly text: string
  readonly isOpen: boolean
}

const attribute = { checkbox: 3, heading: 4, random: 5 } as const
const asset = { link: 2, alias: 3 } as const

export function linesBesideOf(
  { entity, record, place, kind }: Thing,
  { byRecord }: Known,
  book: Book,
): readonly Line[] {
  const named = (folder: string, id: unknown): string | null => byRecord.get(`${folder}:${numberOf(id)}`)?.name ?? null
  const said = (name: unknown, value: string | null, isShown: boolean): Line[] => {
    const [heading, text] = [lineOf(name, 120), value === null ? null : lineOf(value)]
    if (heading === null && text === null) return []
    return [
      { text: heading === null ? `- ${text}` : `- **${heading}**${text === null ? '' : `: ${text}`}`, isOpen: isShown },
    ]
  }
  const isListed = !isSet(entity.is_attributes_private)
  const attributes = [...listOf(entity.entityAttributes), ...listOf(record.entityAttributes)].map(recordOf)
  const sorted = attributes.toSorted(
    (one, other) => (numberOf(one.default_order) ?? 0) - (numberOf(other.default_order) ?? 0),
  )
  return [
    ...sorted.flatMap((each) => {
      const type = numberOf(each.type_id)
      const isShown = isListed && !isSet(each.is_private) && !isSet(each.is_hidden)
      if (type === attribute.random)
        book.drop(kind, 'entityAttributes', 'what is drawn at random is only its last value', place)
      const value = textOf(each.value)
      const ticked = isSet(each.value) ? 'yes' : 'no'
      return said(each.name, type === attribute.heading ? null : type === attribute.checkbox ? ticked : value, isShown)
    }),
    ...listOf(entity.assets)
      .map(recordOf)
      .flatMap((each) => {
        const isShown = isOpen(each.visibility_id)
        const address = textOf(recordOf(each.metadata).url)
        if (numberOf(each.type_id) === asset.alias) return said('Also known as', textOf(each.name), isShown)
        if (numberOf(each.type_id) === asset.link && /^https?:\/\/[^\s()<>]+$/i.test(address))
          return said('See', `[${(lineOf(each.name) ?? 'link').replaceAll(/[[\]]/g, ' ')}](${address})`, isShown)
        book.drop(kind, 'assets', 'files beside an entry are not read', place)
        return []
      }),
    ...listOf(entity.inventories)
      .map(recordOf)
      .flatMap((each) => {
        const name = lineOf(each.name) ?? named('items', each.item_id)
        const amount = numberOf(each.amount) ?? 1
        const where = [lineOf(each.position), isSet(each.is_equipped) ? 'worn' : null].filter(Boolean).join(', ')
        if (name === null) return []
        return said(
          'Carries',
          `${amount === 1 ? '' : `${amount} × `}${name}${where === '' ? '' : ` (${where})`}`,
          isOpen(each.visibility_id),
        )
      }),
    ...listOf(entity.abilities)
      .map(recordOf)
      .flatMap((each) => {
        const name = named('abilities', each.ability_id)
        if (name === null) book.drop(kind, 'abilities', 'it is not in the export', place)
        const note = lineOf(each.note)
        return name === null
          ? []
          : said('Can', `${name}${note === null ? '' : `: ${note}`}`, isOpen(each.visibility_id))
      }),
  ]
}

const occasions: Readonly<Record<number, string>> = { 2: 'Born', 3: 'Died', 5: 'Founded' }
const ownDate = 4

/** Days of a thing in words, and its own. Older exports call reminders events. */
export function datesOf({ entity, place, kind }: Thing, calendar: KankaCalendar, book: Book) {
  let own: string | null = null
  const lines: Line[] = []
  for (const each of [...listOf(entity.reminders), ...listOf(entity.events)].map(recordOf)) {
    const day = numberOf(each.calendar_id) === calendar.id ? calendar.day(each.year, each.month, each.day) : null
    if (day === null) {
      book.drop(kind, 'reminders', 'it is no day of the calendar that came along', place)
      continue
    }
    const type = numberOf(each.type_id) ?? 0
    if (type === ownDate) own ??= day
    if (isSet(each.is_recurring)) book.drop(kind, 'reminders', 'what comes again every year is said once', place)
    const said = lineOf(each.comment)
    const length = numberOf(each.length) ?? 1
    const words = `- **${occasions[type] ?? 'Date'}**: ${day}${length > 1 ? `, for ${length} days` : ''}${said === null ? '' : `, ${said}`}`
    if (!(kind === 'timeline_event' && type === ownDate))
      lines.push({ text: words, isOpen: isOpen(each.visibility_id) })
  }
  return { own, lines }
}

const circle = 3
const shapes: Readonly<Record<number, string>> = { [circle]: 'a circle', 4: 'a shape', 5: 'a shape', 6: 'a path' }
const pinned = new Set(['npc', 'location', 'faction', 'quest'])

/** Marks of a map. Latitude is read as Leaflet does, which draws Kanka's maps: from the lower edge. */
export function pinsOf(book: Book, { byEntity }: Known, { record, place }: Thing, mapId: number): void {
  const [width, height] = [numberOf(record.width), numberOf(record.height)]
  const share = (value: unknown, of: number | null): number | null => {
    const number = Number(textOf(value) || Number.NaN)
    return of === null || of <= 0 || !Number.isFinite(number) ? null : number / of
  }
  for (const each of listOf(record.markers).map(recordOf)) {
    const [x, up] = [share(each.longitude, width), share(each.latitude, height)]
    if (x === null || up === null || x < 0 || x > 1 || up < 0 || up > 1) {
      book.drop('pin', '', 'it stands outside of its map, or nothing says how large that is', place)
      continue
    }
    const target = byEntity.get(numberOf(each.entity_id) ?? 0)
    const isLinked = target?.row != null && pinned.has(target.kind)
    const shape = shapes[numberOf(each.shape_id) ?? 1]
    if (shape !== undefined) book.drop('pin', 'shape', `${shape} becomes a point`, place)
    if (textOf(each.entry) !== '') book.drop('pin', 'entry', 'a mark has a name and no text of its own', place)
    book.add('pin', {
      ...{ mapId, x, y: 1 - up, label: lineOf(each.name ?? target?.name, 120), hidden: !isOpen(each.visibility_id) },
      ...(isLinked ? { entityType: target.kind, entityId: target.row?.id } : {}),
    } satisfies Json)
  }
}
