import { readersOf, referenceName } from '../kernel/audience.ts'
import type { Entity } from '../kernel/entity.ts'
import { excerptSource, listedExcerptOf } from '../kernel/excerpt.ts'
import { cleared } from '../kernel/projection.ts'
import type { Viewer } from '../kernel/viewer.ts'
import {
  type Column,
  columnName,
  columnsOf,
  decode,
  isPublicColumn,
  publicColumnOf,
  type SqlValue,
  scopeSql,
} from './columns.ts'
import type { Registry } from './registry.ts'
import type { Part } from './search-places.ts'
import type { Store } from './store.ts'
import { countedParts } from './tallies.ts'
import { type Eyes, linkTitleSql, oneLine, targetTitleSql } from './titles.ts'
import {
  allSql,
  linkSeenSql,
  predicateSql,
  sqlViewerKey,
  sqlViewerOf,
  targetSeenSql,
  visibleScopeSql,
  visibleSql,
} from './visibility-sql.ts'

export type Raw = Readonly<Record<string, SqlValue>>
export type Untyped = Record<string, unknown>

/** A column as one kind of reader may read it, in SQL on rows of `t`. */
export interface ReadColumn extends Column {
  /** The value as it is stored. */
  readonly stored: string
  /** Holds where this reader may read it; `1` where all that see the row may. */
  readonly readable: string
  /** Holds where the row that it references is seen; `1` where it references none. */
  readonly seen: string
  /** The value as this reader reads it: null where it is not readable or what it references is not seen. */
  readonly value: string
  /** What rows are ordered by, in the same way: the value, or what stands beside a text for it. */
  readonly sorted: string
}

/** What a SELECT lists, how many columns that are, and how a row is made of what it gives, as an array. */
export interface Selection {
  readonly list: string
  readonly width: number
  toRow(raw: RawArray): Untyped
}

type RawArray = readonly SqlValue[]

/** Whose rows: a viewer's, or (for guards and writes) all of a campaign's. Made once for each entity and kind of viewer. */
interface Plan {
  readonly entity: Entity
  /** The table as `t`. */
  readonly from: string
  readonly where: string
  /**
   * The same for a query that is narrowed by a filter of the lists. SQLite knows nothing of how many rows have which value;
   * `+` keeps it from the index of what is not hidden, in which nearly all of them stand, so that it takes the filter's.
   */
  readonly whereNarrowed: string
  /** The same for a query of what is linked to a thing: the index of its link is the one to take, and gives it by its ids. */
  readonly whereLinked: string
  /** The columns in which words are looked for. */
  readonly searched: string
  /** Throws on a name that is no column: a programming error. */
  column(key: string): ReadColumn
  /** Of these members and the id, or of all. */
  selection(members?: readonly PropertyKey[]): Selection
  /** Without the long texts, and with an excerpt of the first that everybody reads. */
  brief(): Selection
  /** The statement that reads one row. */
  readonly one: string
  /** Where numbers are kept for exactly the rows that are read here (tallies.ts); null where there are none. */
  readonly counted: readonly Part[] | null
  /** Texts of queries by their shapes (query-shapes.ts). */
  readonly texts: Map<string, string>
}

export interface RowSource extends Plan {
  readonly bindings: Readonly<Record<string, SqlValue>>
}

/** Plans of a kind of thing by who looks. Looking through somebody's eyes makes more of them. */
const plansKept = 40
const plans = new WeakMap<Registry, Map<Entity, Map<string, Plan>>>()

function planOf(registry: Registry, entity: Entity, who: string, make: () => Plan): Plan {
  const ofRegistry = plans.get(registry) ?? new Map<Entity, Map<string, Plan>>()
  plans.set(registry, ofRegistry)
  let kept = ofRegistry.get(entity)
  if (kept === undefined) {
    kept = new Map()
    ofRegistry.set(entity, kept)
  }
  const known = kept.get(who)
  if (known) return known
  const plan = make()
  if (kept.size >= plansKept) kept.clear()
  kept.set(who, plan)
  return plan
}

/** Rows as a viewer sees them. */
export function visibleRows(store: Store, entity: Entity, viewer: Viewer): RowSource {
  const audience = sqlViewerOf(viewer)
  const plan = planOf(store.registry, entity, sqlViewerKey(audience), () =>
    viewerPlan({ registry: store.registry, audience }, entity),
  )
  return { ...plan, bindings: { campaign: viewer.campaignId, viewer: viewer.userId } }
}

/** Whole rows of the viewer's campaign, of the viewer themself or of the server, as the entity's scope is. */
export function allRows(store: Store, entity: Entity, viewer: Viewer): RowSource {
  const plan = planOf(store.registry, entity, 'whole', () => {
    const columns = columnsOf(entity).map((column) => readColumn(column, '1', '1'))
    const where = allSql('t.deleted_at IS NULL', scopeSql(entity, 't'))
    // Guards look at rows, they do not list them.
    const noList = (): Selection => {
      throw new Error(`${entity.name}: whole rows are not listed`)
    }
    return finish(entity, where, '{title body secret}', columns, ['open', 'closed'], noList, (chosen) => ({
      list: chosen.map(({ stored, key }) => `${stored} AS "${key}"`).join(', '),
      width: chosen.length,
      toRow(raw) {
        const row: Untyped = {}
        let at = 0
        for (const { key, kind } of chosen) row[key] = decode(kind, raw[at++])
        return row
      },
    }))
  })
  return { ...plan, bindings: { campaign: viewer.campaignId, viewer: viewer.userId } }
}

export function decodeRow(columns: readonly Column[], raw: Raw): Untyped {
  const row: Untyped = {}
  for (const { key, kind } of columns) row[key] = decode(kind, raw[key])
  return row
}

function finish(
  entity: Entity,
  where: string,
  searched: string,
  columns: readonly ReadColumn[],
  counted: readonly Part[] | null,
  brief: () => Selection,
  select: (columns: readonly ReadColumn[]) => Selection,
): Plan {
  const byKey = new Map(columns.map((column) => [column.key, column]))
  const selections = new Map<string, Selection>()
  const selection = (members?: readonly PropertyKey[]): Selection => {
    const key = members?.join(' ') ?? 'all'
    const known = selections.get(key)
    if (known) return known
    const made = select(members === undefined ? columns : columns.filter((column) => isChosen(column, members)))
    selections.set(key, made)
    return made
  }
  const from = `${entity.table} t`
  const whereNarrowed = where.replaceAll(/(?<![\w.])(t\.\w+ IN \()/g, '+$1')
  let listed: Selection | undefined
  return {
    entity,
    from,
    where,
    whereNarrowed,
    whereLinked: whereNarrowed.replace(/(?<![\w.])t\.campaign_id = @campaign/, '+t.campaign_id = @campaign'),
    searched,
    column(key) {
      const column = byKey.get(key)
      if (!column) throw new Error(`${entity.name} has no field ${key}`)
      return column
    },
    selection,
    brief() {
      listed ??= brief()
      return listed
    },
    counted,
    texts: new Map(),
    one: `SELECT ${selection().list} FROM ${from} WHERE ${allSql(where, 't.id = @id')}`,
  }
}

/** A reference is read for its own sake and for that of the name beside it; a link with both its halves. */
function isChosen({ key, field }: ReadColumn, members: readonly PropertyKey[]): boolean {
  if (key === 'id' || members.includes(key)) return true
  const { references, link } = field?.marks ?? {}
  if (link === undefined) return references !== undefined && members.includes(referenceName(key))
  const id = 'id' in link ? link.id : key
  return members.includes('id' in link ? link.id : link.type) || members.includes(referenceName(id))
}

function readColumn(column: Column, readable: string, seen: string): ReadColumn {
  const stored = `t.${column.column}`
  const test = allSql(readable, seen)
  const read = (sql: string): string =>
    test === '1' ? sql : test === '0' ? 'NULL' : `CASE WHEN ${test} THEN ${sql} END`
  return {
    ...column,
    stored,
    readable,
    seen,
    value: read(stored),
    sorted: read(`t.${column.sortColumn ?? column.column}`),
  }
}

function viewerPlan(eyes: Eyes, entity: Entity): Plan {
  const { registry, audience } = eyes
  const columns = columnsOf(entity)
    .filter(({ key, field }) => key !== 'deletedAt' && !isPublicColumn(key) && !field?.marks.internal)
    .map((column) => shownColumn(eyes, entity, column))
  const where = allSql(
    't.deleted_at IS NULL',
    visibleScopeSql(entity, 't'),
    visibleSql(registry, entity, 't', audience),
  )
  const searched = audience.dm ? '{title body secret}' : '{title body}'
  const select = (chosen: readonly ReadColumn[]): Selection => viewerSelection(eyes, chosen)
  const counted = countedParts(registry, entity, audience)
  return finish(entity, where, searched, columns, counted, () => briefSelection(entity, columns, select), select)
}

/** The same rows without their long texts; of the one that the excerpt is made of, its beginning is read. */
function briefSelection(
  entity: Entity,
  columns: readonly ReadColumn[],
  select: (columns: readonly ReadColumn[]) => Selection,
): Selection {
  const { excerpt, prose } = entity
  const short = select(columns.filter(({ key }) => !prose.includes(key)))
  const source = excerpt === null ? undefined : columns.find(({ key }) => key === excerpt)
  if (source === undefined) return short
  const { list, width, toRow } = short
  return {
    list: `${list}, substr(${source.stored}, 1, ${excerptSource + 1}) AS "?excerpt"`,
    width: width + 1,
    toRow(raw) {
      const row = toRow(raw)
      const beginning = raw[width]
      row.excerpt = typeof beginning === 'string' ? listedExcerptOf(beginning) || null : null
      return row
    },
  }
}

/** A column as this viewer reads it: of revision and time, those that move with what they can see (kernel/entity.ts). */
function shownColumn(eyes: Eyes, entity: Entity, column: Column): ReadColumn {
  const read = readColumn(column, readableSql(eyes, entity, column), seenSql(eyes, column))
  const other = publicColumnOf(entity, column.key)
  if (other === null) return read
  const all = predicateSql(eyes.registry, entity, entity.readsAll, 't', eyes.audience)
  const [whole, shown] = [`t.${column.column}`, `t.${other.column}`]
  const stored = all === '1' ? whole : all === '0' ? shown : `CASE WHEN ${all} THEN ${whole} ELSE ${shown} END`
  return { ...read, stored, value: stored, sorted: stored }
}

function readableSql({ registry, audience }: Eyes, entity: Entity, { field }: Column): string {
  const readers = field === null ? null : readersOf(entity, field)
  return readers === null ? '1' : predicateSql(registry, entity, readers, 't', audience)
}

function seenSql({ registry, audience }: Eyes, { column, field }: Column): string {
  const { references, owned, link } = field?.marks ?? {}
  if (link !== undefined) {
    const [type, id] = 'id' in link ? [column, columnName(link.id)] : [columnName(link.type), column]
    return linkSeenSql(registry, `t.${type}`, `t.${id}`, audience)
  }
  return references === undefined || owned ? '1' : targetSeenSql(registry, references, `t.${column}`, audience)
}

/** One step of making a row. */
type Read = (raw: RawArray, row: Untyped) => void

function viewerSelection(eyes: Eyes, chosen: readonly ReadColumn[]): Selection {
  const list: string[] = []
  const reads: Read[] = []
  /** The members that each row has: a copy of it takes values quicker than an empty object takes members. */
  const blank: Untyped = {}
  /** Members that are as they are stored, and where. */
  const plain: { readonly key: string; readonly at: number }[] = []
  const flags = new Map<string, number>()
  /** The column that says whether the members with this audience are this viewer's to read. */
  const flagOf = (readable: string): number => {
    const known = flags.get(readable)
    if (known !== undefined) return known
    const at = list.push(`(${readable}) AS "?${flags.size}"`) - 1
    flags.set(readable, at)
    return at
  }
  for (const column of chosen) {
    const { readable, key, kind, field } = column
    if (readable === '0') continue
    const { sql, members, read } = memberOf(eyes, column, list.length)
    const at = list.length
    list.push(...sql)
    const { readableBy, references, link } = field?.marks ?? {}
    if (readableBy === undefined || readableBy === 'dm') {
      for (const member of members) blank[member] = null
      const isAsStored = references === undefined && link === undefined && kind !== 'json' && kind !== 'boolean'
      if (isAsStored) plain.push({ key, at })
      else reads.push(read)
    } else if (readable === '1') reads.push((raw, row) => clear(raw, row, read))
    else {
      const flag = flagOf(readable)
      reads.push((raw, row) => {
        if (raw[flag] === 1) clear(raw, row, read)
      })
    }
  }
  return {
    list: list.join(', '),
    width: list.length,
    toRow(raw) {
      const row: Untyped = { ...blank }
      for (const { key, at } of plain) row[key] = raw[at]
      for (const read of reads) read(raw, row)
      return row
    },
  }
}

/** Reads a member that only some may read, and notes that this viewer may. */
function clear(raw: RawArray, row: Untyped & { [cleared]?: Untyped }, read: Read): void {
  const members: Untyped = {}
  read(raw, members)
  Object.assign(row, members)
  row[cleared] ??= {}
  Object.assign(row[cleared], members)
}

/** The member of a column, with the name of what it references beside it. `at` is its place in what is selected. */
function memberOf(
  eyes: Eyes,
  { key, kind, field, stored }: ReadColumn,
  at: number,
): { readonly sql: string[]; readonly members: readonly string[]; readonly read: Read } {
  const { references, link, owned } = field?.marks ?? {}
  const title = `${key}:title`
  const plain = `${stored} AS "${key}"`
  if (link !== undefined) {
    // The half with the id reads both.
    if ('id' in link) return { sql: [], members: [], read: () => {} }
    const { type } = link
    const beside = referenceName(key)
    return {
      sql: [plain, `${linkTitleSql(eyes, `t.${columnName(type)}`, stored)} AS "${title}"`, `t.${columnName(type)}`],
      members: [type, key, beside],
      read(raw, row) {
        const [id, name, of] = [raw[at], raw[at + 1], raw[at + 2]]
        const isSeen = name !== null
        row[type] = isSeen ? of : null
        row[key] = isSeen ? id : null
        row[beside] = isSeen ? { entityType: of, entityId: id, title: oneLine(name) } : null
      },
    }
  }
  if (references === undefined) {
    return {
      sql: [plain],
      members: [key],
      read(raw, row) {
        row[key] = decode(kind, raw[at])
      },
    }
  }
  const beside = referenceName(key)
  return {
    sql: [plain, `${targetTitleSql(eyes, references, stored)} AS "${title}"`],
    members: [key, beside],
    read(raw, row) {
      const [id, name] = [raw[at], raw[at + 1]]
      // Whoever sees a row knows what owns it and who wrote it, even where the name of that is hidden.
      const isSeen = id !== null && (name !== null || owned === true || references === 'user')
      row[key] = isSeen ? id : null
      row[beside] = isSeen ? { id, title: oneLine(name) } : null
    },
  }
}
