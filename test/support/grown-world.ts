import type { Database } from 'better-sqlite3'
import { entities } from '../../src/catalogue.ts'
import type { Entity } from '../../src/kernel/entity.ts'
import { foldText, sortKey } from '../../src/kernel/sort-key.ts'
import type { Predicate } from '../../src/kernel/visibility.ts'
import { type Column, columnName, columnsOf, decode } from '../../src/storage/columns.ts'
import { keyColumn, labelTablesOf } from '../../src/storage/label-tables.ts'
import { type IsParentOpen, type Part, partOf, rangeOf, readerFieldsOf } from '../../src/storage/search-places.ts'
import { codeOf, talliesOf } from '../../src/storage/tallies.ts'
import type { WorldRecord } from './world.ts'

// The sample table with thousands of each kind of thing, straight into its database. Every kind is grown from one row of the
// table: copy number 7 of it differs by its number, and names copy number 7 of whatever that row names, so that each thing has
// as many neighbours as it had. What operations would have written beside the rows is written too: keys to sort by, labels,
// search documents, mentions, the journal, the trash. test/storage/grown-world.test.ts holds it against what they write.

/** Kinds of which there are no more, however large a campaign is. */
export const single: Readonly<Record<string, string>> = {
  member: 'one for each person, and no campaign has thousands',
  support_preference: 'one for each person',
  purse: 'one for each of three places',
  charter: 'its one version counts; people agree to that',
  charter_acknowledgement: 'one for each person',
  safety_signal: 'one stands at a time',
  scribe_settings: 'one for each campaign',
  ai_seat: 'one for each campaign',
}

/** Of every twenty, players see one. */
export const seenOf = 20
/** Of every twenty NPCs, quests and notes, this one lies in the trash, in a batch of its own. */
const trashedAt = 7
const trashed = ['npc', 'quest', 'note']
/** The journal tells of the copies of these and of that: made, and changed once. Its newest records are of what stays. */
const undisturbed = ['location']

/** Stands in the text of each grown NPC, and of nothing else. */
export const commonWord = 'lanternlight'
/** Stands in the text of every thousandth grown NPC, of those that players see. */
export const rareWord = 'quillfeather'

export interface GrownWorld {
  /** How many rows of each kind were added. */
  readonly rows: number
  /** The id of copy number 1 of each grown kind, less 1. */
  readonly bases: ReadonlyMap<string, number>
}

export function isGrown({ name, scope }: Entity): boolean {
  return scope === 'campaign' && !(name in single)
}

/** Adds so many rows of each kind to the campaign of a record, in one transaction. The database is nobody else's meanwhile. */
export function growWorld(db: Database, record: WorldRecord, rows: number): GrownWorld {
  db.function('sort_key', { deterministic: true }, (text) => (text === null ? null : sortKey(String(text))))
  db.function('fold_text', { deterministic: true }, (text) => foldText(String(text)))
  db.function('words_of', { deterministic: true }, (seed, count) => wordsOf(Number(seed), Number(count)))
  db.pragma('foreign_keys = OFF')
  const grown = entities.filter(isGrown)
  const bases = new Map(grown.map((entity) => [entity.name, baseIn(db, entity)]))
  const world: Growing = { db, record, rows, bases }
  db.transaction(() => {
    const indexes = dropIndexes(db)
    db.exec('CREATE TEMP TABLE copies (i INTEGER PRIMARY KEY)')
    db.prepare(
      'INSERT INTO copies WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i FROM n',
    ).run(rows)
    for (const entity of grown) addCopies(world, entity)
    addJournal(world, trashed)
    moveToTrash(world)
    addJournal(world, undisturbed)
    for (const entity of grown) {
      addBeside(world, entity)
      addTallies(world, entity)
    }
    addSmallCampaign(world)
    db.exec('DROP TABLE copies')
    for (const sql of indexes) db.exec(sql)
    for (const name of [...trashed, ...undisturbed]) addRecent(world, name)
  })()
  db.pragma('foreign_keys = ON')
  return { rows, bases }
}

interface Growing {
  readonly db: Database
  readonly record: WorldRecord
  readonly rows: number
  readonly bases: ReadonlyMap<string, number>
}

/** Each row into ten indexes takes longer than to make these anew. Answers how they are made. */
function dropIndexes(db: Database): readonly string[] {
  const found = db
    .prepare(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND name NOT LIKE '%unique%' AND tbl_name NOT LIKE 'search%'`,
    )
    .all() as readonly { readonly name: string; readonly sql: string }[]
  for (const { name } of found) db.exec(`DROP INDEX "${name}"`)
  return found.map(({ sql }) => sql)
}

function baseIn(db: Database, { table }: Entity): number {
  return (db.prepare(`SELECT coalesce(max(id), 0) FROM ${table}`).pluck().get() as number) + 1000
}

const vocabulary = 'the orchard lies behind a wall and Marta keeps the ledger of every bell that rang in winter'.split(
  ' ',
)

/** Words of a text, of which some stand in all, and one in few. */
function wordsOf(seed: number, count: number): string {
  const word = (at: number): string =>
    at % 3 === 0 ? `tale${(seed * 31 + at * 17) % 2000}` : (vocabulary[(seed + at * 7) % vocabulary.length] as string)
  return Array.from({ length: count }, (_, at) => word(at)).join(' ')
}

/** The row that is copied, as it lies in the table. */
function modelOf({ db, record }: Growing, entity: Entity): Readonly<Record<string, unknown>> {
  const named = record.ids[entity.name] ?? null
  const row = db
    .prepare(
      `SELECT * FROM ${entity.table} WHERE campaign_id = ? AND deleted_at IS NULL ORDER BY id = ? DESC, id LIMIT 1`,
    )
    .get(record.ids.campaign, named) as Readonly<Record<string, unknown>> | undefined
  if (row === undefined) throw new Error(`the sample table has no ${entity.name} that could be copied`)
  return row
}

function addCopies(world: Growing, entity: Entity): void {
  const model = modelOf(world, entity)
  const columns = columnsOf(entity)
  const values = new Map<string, string>()
  for (const name of Object.keys(model)) values.set(name, `p.${name}`)
  values.set('id', `${world.bases.get(entity.name)} + n.i`)
  for (const name of ['created_at', 'updated_at', 'public_updated_at'])
    if (values.has(name)) values.set(name, earlier(`p.${name}`))
  const deciding = valuesThatDecide(world, entity)
  for (const column of columns) {
    const sql = deciding.get(column.key) ?? copiedValue(world, entity, column, model)
    if (sql === null) continue
    values.set(column.column, sql)
    if (column.sortColumn !== null) values.set(column.sortColumn, `sort_key(${sql})`)
  }
  const names = Array.from(values.keys())
  world.db
    .prepare(
      `INSERT INTO ${entity.table} (${names.join(', ')}) SELECT ${names.map((name) => values.get(name)).join(', ')}
       FROM copies n CROSS JOIN ${entity.table} p ON p.id = ? ORDER BY n.i`,
    )
    .run(model.id)
}

function earlier(instant: string, unit = 'seconds'): string {
  return `strftime('%Y-%m-%dT%H:%M:%fZ', ${instant}, '-' || n.i || ' ${unit}')`
}

/** What a column of a copy holds where that is something of its own; null where it is what the model holds. */
function copiedValue(
  world: Growing,
  entity: Entity,
  column: Column,
  model: Readonly<Record<string, unknown>>,
): string | null {
  const { key, column: name, kind, field } = column
  if (field === null) return null
  const { references, link, place, lookup, search } = field.marks
  const held = model[name] ?? null
  const p = `p.${name}`
  if (link !== undefined && 'type' in link) {
    const base = world.bases.get(String(model[columnName(link.type)]))
    return held === null || base === undefined ? null : `${base} + n.i`
  }
  if (references === entity.name) {
    // A tree of sixteen branches each, and no circle.
    return field.presence === 'nullable'
      ? `CASE WHEN n.i > 16 THEN ${world.bases.get(entity.name)} + n.i / 16 END`
      : null
  }
  if (references !== undefined) {
    const base = world.bases.get(references)
    return held === null || base === undefined ? null : `${base} + n.i`
  }
  if (place) return held === null ? null : `${p} + n.i * 1048576`
  const isUnique = entity.unique.some((keys) => keys.length === 1 && keys[0] === key)
  if (isUnique || lookup) return kind === 'integer' ? `${p} + 1000 + n.i` : `${p} || n.i`
  if (kind === 'json' && labelTablesOf(entity).some((each) => each.key === key))
    return `json_array('grown', 'Group ' || (n.i % 50), 'Only ' || (n.i / 10))`
  if (isText(column) && entity.title === key)
    return `substr(coalesce(${p}, 'Thing'), 1, 80) || ' ' || printf('%06d', n.i)${mentionsIn(world, entity, key)}`
  if (search === 'body' && entity.prose[0] === key) return `${textSql(entity)}${mentionsIn(world, entity, key)}`
  if (key === 'startsAt') return earlier(p, 'hours')
  if (key === 'day') return `date(${p}, '-' || (n.i % 300) || ' days')`
  if (key === 'readAt') return `CASE WHEN n.i % ${seenOf} = 0 THEN NULL ELSE p.updated_at END`
  if (key === 'status' && entity.lists.filters?.includes(key)) {
    const last = choicesOf(column)
      .filter((each) => each !== held && each !== 'live' && each !== 'running')
      .at(-1)
    return last === undefined ? null : `CASE WHEN n.i % ${seenOf} = 0 THEN ${p} ELSE '${last}' END`
  }
  return null
}

function isText({ kind, field }: Column): boolean {
  return kind === 'text' && field !== null && choicesOf({ field } as Column).length === 0
}

function textSql({ name }: Entity): string {
  if (name !== 'npc') return `words_of(n.i, 8)`
  return `words_of(n.i, 60) || ' ${commonWord}' || CASE WHEN n.i % 1000 = ${seenOf} THEN ' ${rareWord}' ELSE '' END`
}

/** Each note names the NPC of the table, and one of the copies. */
function mentionsIn({ record, bases }: Growing, { name }: Entity, key: string): string {
  if (name !== 'note' || key !== 'body') return ''
  return ` || ' [Somebody](npc:${record.ids.npc}) and [another](npc:' || (${bases.get('npc')} + n.i) || ')'`
}

function choicesOf({ field }: Column): readonly string[] {
  const { entries } = (field?.schema._zod.def ?? {}) as { readonly entries?: Readonly<Record<string, string>> }
  return Object.values(entries ?? {})
}

/** Of the fields that decide who sees a row, those that let players see every twentieth, and the others nobody but Dungeon Masters. */
function valuesThatDecide({ record }: Growing, entity: Entity): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  const each = (key: string, seen: unknown, unseen: unknown): void => {
    if (!values.has(key))
      values.set(key, `CASE WHEN n.i % ${seenOf} = 0 THEN ${literal(seen)} ELSE ${literal(unseen)} END`)
  }
  const walk = (predicate: Predicate): void => {
    if (predicate.is === 'any' || predicate.is === 'all') predicate.of.forEach(walk)
    if (predicate.is === 'self' && predicate.through === undefined && predicate.field !== 'userId')
      each(predicate.field, record.userId.player, record.userId.dm)
    if (predicate.is === 'self' && predicate.field === 'userId' && entity.name !== 'dice_roll')
      each('userId', record.userId.player, record.userId.dm)
    if (predicate.is !== 'field' || predicate.in.includes(null)) return
    const column = columnsOf(entity).find(({ key }) => key === predicate.field)
    const seen = predicate.in.at(-1)
    if (column === undefined) return
    const others = choicesOf(column).filter((choice) => !predicate.in.includes(choice))
    const unseen = column.kind === 'boolean' ? !seen : others.includes('dm') ? 'dm' : others[0]
    each(predicate.field, seen, unseen)
  }
  walk(entity.visible)
  return values
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(Number(value))
}

/** Labels, the search document and the mentions of the copies of a kind. */
function addBeside({ db, record, rows, bases }: Growing, entity: Entity): void {
  const base = bases.get(entity.name) as number
  for (const { key, table, home, order } of labelTablesOf(entity)) {
    const columns = [...(home === null ? [] : [home]), ...order.map(keyColumn), 'id']
    db.exec(
      `INSERT INTO ${table} (label, ${columns.join(', ')}) SELECT DISTINCT fold_text(part.value), ${columns.map((each) => `t.${each}`).join(', ')}
       FROM ${entity.table} t, json_each(t.${columnName(key)}) part WHERE t.id > ${base}`,
    )
  }
  const searched = columnsOf(entity).filter(({ field }) => field?.marks.search)
  if (searched.length === 0) return
  const text = (group: string): string => {
    const parts = searched
      .filter(({ field }) => (field?.marks.readableBy === 'dm' ? 'secret' : field?.marks.search) === group)
      .map(({ column, kind }) =>
        kind === 'json'
          ? `coalesce((SELECT group_concat(part.value, ' ') FROM json_each(t.${column}) part), '')`
          : `t.${column}`,
      )
    return parts.length === 0 ? "''" : `concat_ws(char(10), ${parts.join(', ')})`
  }
  const of = `FROM ${entity.table} t WHERE t.id > ${base} ORDER BY t.id`
  // Numbers that rise over all kinds, in the parts in which rows of an even and of a hidden number lie.
  const turn = 1_000_000 + Array.from(bases.keys()).indexOf(entity.name) * rows
  const placed = (copy: number): number =>
    rangeOf(record.ids.campaign as number, partOfRow(db, entity, base + copy)).from + turn
  const place = `CASE WHEN (t.id - ${base}) % ${seenOf} = 0 THEN ${placed(seenOf)} ELSE ${placed(1)} END + t.id - ${base}`
  db.exec(
    `INSERT INTO search_documents (id, campaign_id, entity_type, entity_id, title, body, secret)
     SELECT ${place}, t.campaign_id, '${entity.name}', t.id, ${text('title')}, ${text('body')}, ${text('secret')} ${of}`,
  )
  const { from, to } = rangeOf(record.ids.campaign as number, 'closed')
  for (const field of readerFieldsOf(entity)) {
    const reader = columnName(field)
    db.exec(
      `INSERT OR IGNORE INTO search_text_readers (campaign_id, user_id, document_id)
       SELECT t.campaign_id, t.${reader}, d.id FROM ${entity.table} t JOIN search_documents d ON d.entity_type = '${entity.name}' AND d.entity_id = t.id
       WHERE t.id > ${base} AND t.${reader} IS NOT NULL AND d.id BETWEEN ${from} AND ${to}`,
    )
  }
  if (entity.name !== 'note') return
  const mention = `INSERT INTO mentions (from_type, from_id, to_type, to_id, campaign_id, secret) SELECT 'note', t.id, 'npc'`
  db.exec(`${mention}, ${record.ids.npc}, t.campaign_id, 0 ${of}`)
  db.exec(`${mention}, ${bases.get('npc')} + t.id - ${base}, t.campaign_id, 0 ${of}`)
}

/** In which part a row lies, as src/storage/parts.ts says for a store. */
function partOfRow(db: Database, entity: Entity, id: number): Part {
  const isOpen: IsParentOpen = (name, parentId) => {
    const parent = entities.find((each) => each.name === name) as Entity
    return readerFieldsOf(parent).length > 0 || partOfRow(db, parent, parentId) === 'open'
  }
  return partOf(entity, rowOf(db, entity, id), isOpen)
}

/** The numbers that are kept of the values of the copies. */
function addTallies({ db, bases }: Growing, entity: Entity): void {
  const base = bases.get(entity.name) as number
  for (const { name, by, sum } of talliesOf(entity)) {
    const [part, other] = [codeOf[partOfRow(db, entity, base + seenOf)], codeOf[partOfRow(db, entity, base + 1)]]
    const isList = by.kind === 'json'
    const [from, value] = isList
      ? [`, json_each(t.${by.column}) part`, 'part.value']
      : ['', `CAST(t.${by.column} AS TEXT)`]
    db.exec(
      `INSERT INTO tallies (campaign_id, name, part, key, value, count, sum)
       SELECT campaign_id, '${name}', CASE WHEN (t.id - ${base}) % ${seenOf} = 0 THEN ${part} ELSE ${other} END, ${isList ? `fold_text(${value})` : value}, ${value},
         count(*), ${sum === null ? '0' : `sum(t.${sum.column})`}
       FROM ${entity.table} t${from} WHERE t.id > ${base} AND t.deleted_at IS NULL GROUP BY 1, 2, 3, 4, 5
       ON CONFLICT DO UPDATE SET count = count + excluded.count, sum = sum + excluded.sum`,
    )
  }
}

/** The newest change of each copy that the journal tells of and that is not in the trash. */
function addRecent({ db, bases }: Growing, name: string): void {
  const { table } = entities.find((each) => each.name === name) as Entity
  db.exec(
    `INSERT INTO recent_changes (entity_type, entity_id, place, campaign_id, change_id, public_change_id)
     SELECT d.entity_type, d.entity_id, -((d.id / 4294967296) % 2), d.campaign_id, max(c.id), max(c.id)
     FROM ${table} t JOIN search_documents d ON d.entity_type = '${name}' AND d.entity_id = t.id
     JOIN changes c ON c.entity_type = '${name}' AND c.entity_id = t.id
     WHERE t.id > ${bases.get(name)} AND t.deleted_at IS NULL GROUP BY t.id`,
  )
  db.exec(
    `INSERT INTO recent_changes (entity_type, entity_id, place, campaign_id, change_id, public_change_id)
     SELECT r.entity_type, r.entity_id, reader.user_id, r.campaign_id, r.change_id, r.public_change_id
     FROM search_text_readers reader JOIN search_documents d ON d.id = reader.document_id
     JOIN recent_changes r ON r.entity_type = d.entity_type AND r.entity_id = d.entity_id AND r.place = -1
     WHERE d.entity_type = '${name}' AND d.entity_id > ${bases.get(name)}`,
  )
}

/** A row as the storage reads it. */
function rowOf(db: Database, entity: Entity, id: number): Readonly<Record<string, unknown>> {
  const columns = columnsOf(entity)
  const list = columns.map(({ key, column }) => `${column} AS "${key}"`).join(', ')
  const raw = db.prepare(`SELECT ${list} FROM ${entity.table} WHERE id = ?`).get(id) as Readonly<
    Record<string, unknown>
  >
  return Object.fromEntries(columns.map(({ key, kind }) => [key, decode(kind, raw[key])]))
}

/** Twenty NPCs with the common word in another campaign of the same Dungeon Master. */
function addSmallCampaign({ db, record, bases }: Growing): void {
  const base = bases.get('npc') as number
  const of = `FROM npcs t WHERE t.id > ${base} AND t.deleted_at IS NULL ORDER BY t.id LIMIT 20`
  const { changes } = db
    .prepare(
      `INSERT INTO npcs (campaign_id, created_at, updated_at, name, name_sort, disposition, status, body, hidden, tags)
       SELECT ?, t.created_at, t.updated_at, t.name, t.name_sort, t.disposition, t.status, t.body, 0, '[]' ${of}`,
    )
    .run(record.ids['campaign bound'])
  db.prepare(
    `INSERT INTO search_documents (id, campaign_id, entity_type, entity_id, title, body, secret)
     SELECT ${rangeOf(record.ids['campaign bound'] as number, 'open').from + 1000} + t.id - ${base}, t.campaign_id, 'npc', t.id, t.name, t.body || char(10), ''
     FROM npcs t WHERE t.campaign_id = ? ORDER BY t.id DESC LIMIT ${changes}`,
  ).run(record.ids['campaign bound'])
}

/** Two records for each copy of some kinds: that it was made, and that it was changed. */
function addJournal({ db, record, rows, bases }: Growing, kinds: readonly string[]): void {
  const by = record.userId.dm
  for (const [place, name] of kinds.entries()) {
    const entity = entities.find((each) => each.name === name) as Entity
    for (const [turn, kind] of (['create', 'update'] as const).entries()) {
      const at = later(record.now, rows, (kinds.length - place + (kinds === trashed ? 1 : 0)) * 2 - turn)
      const first = (db.prepare('SELECT max(id) FROM change_sets').pluck().get() as number) + 1
      db.prepare(
        `INSERT INTO change_sets (id, campaign_id, at, operation, effect, door, actor_user_id, credential_kind, revertible)
         SELECT ? + n.i - 1, ?, ${at}, ?, 'write', 'rest', ?, 'session', 1 FROM copies n ORDER BY n.i`,
      ).run(first, record.ids.campaign, `${kind}_${name}`, by)
      db.prepare(
        `INSERT INTO changes (change_set_id, campaign_id, entity_type, entity_id, revision, kind, public, fields, before, after)
         SELECT ? + n.i - 1, ?, ?, ? + n.i, ?, ?, 1, '["${entity.title ?? 'body'}"]', ?, ? FROM copies n ORDER BY n.i`,
      ).run(
        first,
        record.ids.campaign,
        name,
        bases.get(name),
        kind === 'create' ? 1 : 2,
        kind,
        kind === 'create' || entity.journal !== 'full' ? null : '{}',
        entity.journal === 'full' ? '{}' : null,
      )
    }
  }
}

/** Instants a second apart, of so many times the copies until now: the journal is in the order of time. */
function later(now: string, rows: number, times: number): string {
  return `strftime('%Y-%m-%dT%H:%M:%fZ', '${now}', '-' || (${rows * times} - n.i) || ' seconds')`
}

function moveToTrash({ db, record, rows, bases }: Growing): void {
  for (const name of trashed) {
    const { table } = entities.find((each) => each.name === name) as Entity
    const base = bases.get(name) as number
    const first = (db.prepare('SELECT max(id) FROM change_sets').pluck().get() as number) + 1
    const batch = `${first} + (n.i - ${trashedAt}) / ${seenOf}`
    const those = `copies n WHERE n.i % ${seenOf} = ${trashedAt}`
    db.prepare(
      `INSERT INTO change_sets (id, campaign_id, at, operation, effect, door, actor_user_id, credential_kind, revertible)
       SELECT ${batch}, ?, ${later(record.now, rows, 2)}, 'delete_${name}', 'destroy', 'rest', ?, 'session', 1 FROM ${those} ORDER BY n.i`,
    ).run(record.ids.campaign, record.userId.dm)
    db.prepare(
      `INSERT INTO changes (change_set_id, campaign_id, entity_type, entity_id, revision, kind, public, fields, before, after)
       SELECT ${batch}, ?, '${name}', ${base} + n.i, 3, 'trash', 1, '[]', NULL, NULL FROM ${those} ORDER BY n.i`,
    ).run(record.ids.campaign)
    db.exec(
      `UPDATE ${table} SET deleted_at = '${record.now}', trash_batch = ${first} + (id - ${base} - ${trashedAt}) / ${seenOf}
       WHERE id > ${base} AND (id - ${base}) % ${seenOf} = ${trashedAt}`,
    )
  }
}
