import type { SearchHit, SearchPage, SearchRequest } from '../kernel/context.ts'
import type { Entity } from '../kernel/entity.ts'
import { limits } from '../kernel/limits.ts'
import { type Mention, mentionsIn } from '../kernel/mentions.ts'
import { decodeCursor, encodeCursor, type Page, type PageRequest } from '../kernel/paging.ts'
import { spacedOut } from '../kernel/unspaced.ts'
import { atLeast, type Viewer } from '../kernel/viewer.ts'
import { sayWithheld, type Withheld } from '../kernel/withheld.ts'
import { campaignOf, columnsOf, type SqlValue } from './columns.ts'
import { parentsOf } from './parts.ts'
import { wholeRow } from './reader.ts'
import {
  ownDocumentSql,
  ownSql,
  partOf,
  placeBindings,
  rangeOf,
  readerFieldsOf,
  turnOf,
  turnSql,
  withinSql,
} from './search-places.ts'
import type { Found, SearchPlan } from './search-run.ts'
import { wordsOf } from './search-words.ts'
import type { Store } from './store.ts'
import { type Eyes, seenTitle, targetTitleSql } from './titles.ts'
import { keptSql, type SqlViewer, sqlViewerOf, visibleSql } from './visibility-sql.ts'
import { withheldRows } from './withheld-rows.ts'

/** How many titles of a part are gone through for one that is nearly right: the newest, and the newest that begin as it does. */
const mostTitles = 500

/** Whether a kind of thing has texts in the index. */
export function searchable(entity: Entity): boolean {
  return columnsOf(entity).some(({ field }) => field?.marks.search)
}

/** That a text which everybody reads who sees its thing names another thing. */
export interface NewMention {
  readonly from: { readonly entity: Entity; readonly id: number; readonly campaignId: number }
  readonly to: Mention
}

/**
 * Brings the index and the mentions of one row up to date; called for rows of whose texts a change set touched any. Answers
 * what is mentioned anew, apart from texts of the Dungeon Master.
 */
export function indexRow(store: Store, entity: Entity, id: number): readonly NewMention[] {
  if (!searchable(entity)) return []
  const row = wholeRow(store, entity, id)
  const key = { type: entity.name, id }
  if (row === null) {
    store.run('DELETE FROM search_documents WHERE entity_type = @type AND entity_id = @id', key)
    store.run('DELETE FROM mentions WHERE from_type = @type AND from_id = @id', key)
    return []
  }
  const text = textsOf(entity, row)
  const campaign = campaignOf(entity, row)
  writeDocument(store, entity, row, text)
  const mentioned = [
    ...mentionsIn(`${text.title}\n${text.body}`).map((each) => ({ ...each, secret: 0 })),
    ...mentionsIn(text.secret).map((each) => ({ ...each, secret: 1 })),
  ]
  const anew = bringMentions(store, key, campaign, mentioned)
  return campaign === null
    ? []
    : anew.filter(({ secret }) => secret === 0).map((to) => ({ from: { entity, id, campaignId: campaign }, to }))
}

interface Texts {
  readonly title: string
  readonly body: string
  readonly secret: string
}

/** What the index reads in place of texts whose script puts no spaces between words; null where it reads the text itself. */
function spacedOutOf({ title, body, secret }: Texts): Readonly<Record<string, SqlValue>> {
  return { title_spaced: spacedOut(title), body_spaced: spacedOut(body), secret_spaced: spacedOut(secret) }
}

function textsOf(entity: Entity, row: Readonly<Record<string, unknown>>): Texts {
  const text = { title: [] as string[], body: [] as string[], secret: [] as string[] }
  for (const { key: member, field } of columnsOf(entity)) {
    const value = row[member]
    if (!field?.marks.search || value === null) continue
    text[field.marks.readableBy === 'dm' ? 'secret' : field.marks.search].push(
      Array.isArray(value) ? value.join(' ') : String(value),
    )
  }
  return { title: text.title.join('\n'), body: text.body.join('\n'), secret: text.secret.join('\n') }
}

/** Brings the document of a row, if it has one yet, to the part where it belongs now; what it holds was not written. */
export function replaceDocument(store: Store, entity: Entity, row: Readonly<Record<string, unknown>>): void {
  if (!searchable(entity)) return
  const key = { type: entity.name, id: Number(row.id) }
  const known = store.get('SELECT id FROM search_documents WHERE entity_type = @type AND entity_id = @id', key)
  if (known !== undefined) writeDocument(store, entity, row, textsOf(entity, row))
}

/** Writes the document of a row into its part of the index, and who is named by the row and so sees it although it is closed. */
function writeDocument(store: Store, entity: Entity, row: Readonly<Record<string, unknown>>, texts: Texts): void {
  const [campaign, part] = [campaignOf(entity, row), partOf(entity, row, parentsOf(store))]
  const key = { type: entity.name, id: Number(row.id) }
  const range = rangeOf(campaign, part)
  const known = store.get('SELECT id FROM search_documents WHERE entity_type = @type AND entity_id = @id', key)?.id
  const turn = typeof known === 'number' ? turnOf(known) : nextTurn(store, campaign)
  const place = range.from + turn
  if (typeof known !== 'number') {
    store.run(
      `INSERT INTO search_documents (id, campaign_id, entity_type, entity_id, title, body, secret, title_spaced, body_spaced, secret_spaced)
       VALUES (@place, @campaign, @type, @id, @title, @body, @secret, @title_spaced, @body_spaced, @secret_spaced)`,
      { ...key, ...texts, ...spacedOutOf(texts), place, campaign },
    )
  } else {
    const moved = place === known ? '' : 'id = @place, '
    store.run(
      `UPDATE search_documents SET ${moved}title = @title, body = @body, secret = @secret,
         title_spaced = @title_spaced, body_spaced = @body_spaced, secret_spaced = @secret_spaced
       WHERE entity_type = @type AND entity_id = @id`,
      { ...key, ...texts, ...spacedOutOf(texts), ...(place === known ? {} : { place }) },
    )
  }
  const readers = readerFieldsOf(entity)
  if (readers.length === 0) return
  store.run('DELETE FROM search_text_readers WHERE document_id = @place', { place })
  if (part === 'open') return
  for (const userId of new Set(readers.map((field) => row[field])))
    if (typeof userId === 'number')
      store.run(
        'INSERT INTO search_text_readers (campaign_id, user_id, document_id) VALUES (@campaign, @userId, @place)',
        {
          campaign,
          userId,
          place,
        },
      )
}

/** Numbers of documents rise over both parts of a campaign: the higher, the newer. */
function nextTurn(store: Store, campaign: number | null): number {
  const last = (part: 'open' | 'closed'): string =>
    `(SELECT max(d.id) FROM search_documents d WHERE ${withinSql('d.id', part)}) AS ${part}`
  const { open, closed } = store.get(`SELECT ${last('open')}, ${last('closed')}`, placeBindings(campaign)) ?? {}
  const turn = (id: SqlValue | undefined): number => (typeof id === 'number' ? turnOf(id) : 0)
  return Math.max(turn(open), turn(closed)) + 1
}

interface KeptMention extends Mention {
  /** 1 where it stands in a text of the Dungeon Master. */
  readonly secret: number
}

/** Writes only what is mentioned anew or no longer, and answers the former. */
function bringMentions(
  store: Store,
  key: { readonly type: string; readonly id: number },
  campaign: number | null,
  mentioned: readonly KeptMention[],
): readonly KeptMention[] {
  const known = store
    .all('SELECT to_type, to_id, secret FROM mentions WHERE from_type = @type AND from_id = @id', key)
    .map((row) => ({ entityType: String(row.to_type), entityId: Number(row.to_id), secret: Number(row.secret) }))
  const without = (list: readonly KeptMention[], others: readonly KeptMention[]): readonly KeptMention[] => {
    const names = new Set(others.map(nameOf))
    return list.filter((each) => !names.has(nameOf(each)))
  }
  for (const { entityType, entityId, secret } of without(known, mentioned)) {
    store.run(
      'DELETE FROM mentions WHERE from_type = @type AND from_id = @id AND to_type = @toType AND to_id = @toId AND secret = @secret',
      { ...key, toType: entityType, toId: entityId, secret },
    )
  }
  const anew = without(mentioned, known)
  for (const { entityType, entityId, secret } of anew) {
    store.run(
      `INSERT INTO mentions (from_type, from_id, to_type, to_id, campaign_id, secret) VALUES (@type, @id, @toType, @toId, @campaign, @secret)`,
      { ...key, toType: entityType, toId: entityId, campaign, secret },
    )
  }
  return anew
}

function nameOf({ entityType, entityId, secret }: KeptMention): string {
  return `${entityType}:${entityId}:${secret}`
}

/** SQL that holds for index rows whose entity the viewer sees; `d` is the row with entity_type and entity_id. */
export function seenSql(store: Store, viewer: Viewer, types: readonly string[] | undefined): string {
  const audience = sqlViewerOf(viewer)
  if (types !== undefined) return seenSqlFor(store, audience, types)
  return keptSql(store.registry, audience, 'seen', () => seenSqlFor(store, audience, undefined))
}

function seenSqlFor(store: Store, audience: SqlViewer, types: readonly string[] | undefined): string {
  const alternatives = store.registry.all
    .filter(
      (entity) =>
        searchable(entity) && entity.scope === 'campaign' && (types === undefined || types.includes(entity.name)),
    )
    .flatMap((entity) => {
      const seen = visibleSql(store.registry, entity, 't', audience)
      // SQLite would read an index to its end for a test that never holds.
      if (seen === '0') return []
      return [
        `(d.entity_type = '${entity.name}' AND EXISTS (SELECT 1 FROM ${entity.table} t WHERE t.id = d.entity_id AND t.deleted_at IS NULL AND ${seen}))`,
      ]
    })
  return alternatives.length === 0 ? '0' : `(${alternatives.join(' OR ')})`
}

/**
 * What a search asks of the database, made where it is known who asks and run where nobody waits for it (search-run.ts): who
 * sees what is in the statements, as in any other.
 */
export function searchPlan(store: Store, viewer: Viewer, { query, entityTypes, page }: SearchRequest): SearchPlan {
  const dm = atLeast(viewer.role, 'dm')
  const { words } = wordsOf(query)
  // Who is no Dungeon Master searches the public columns only.
  const secret = dm ? 'd.secret' : "''"
  const seen = `d.campaign_id = @campaign AND ${seenSql(store, viewer, entityTypes)}`
  const documents = 'search_documents d'
  // The index gives a part by its newest: where there are too many to look at, it is the oldest that are left out.
  const candidate = (index: string, document: string, within: string): string =>
    `SELECT d.id AS id, ${turnSql('d.id')} AS turn, ${seen} AS seen FROM ${index} CROSS JOIN ${documents} ON d.id = ${document}
      WHERE ${index} MATCH @match AND ${within} ORDER BY ${index}.rowid DESC`
  const parts = dm ? (['open', 'closed'] as const) : (['open'] as const)
  // What is closed, but names the viewer, is looked up apart: in the closed part all others' would be gone through.
  const own = candidate('search_text_own', ownDocumentSql('search_text_own.rowid'), ownSql('search_text_own.rowid'))
  return {
    words,
    columns: { all: dm ? '{title body secret}' : '{title body}', beyond: '{title}' },
    isUnasked: false,
    hasTerms: true,
    bindings: { ...placeBindings(viewer.campaignId), campaign: viewer.campaignId, viewer: viewer.userId },
    candidates: [
      ...parts.map((part) => candidate('search_text', 'search_text.rowid', withinSql('search_text.rowid', part))),
      ...(dm ? [] : [own]),
    ],
    excerpt: `SELECT d.title AS title, substr(d.body, 1, @length) AS body, substr(${secret}, 1, @length) AS secret FROM ${documents} WHERE d.id = @id`,
    titles: parts.map(
      (part) =>
        `SELECT d.id AS id, d.title AS title FROM ${documents} WHERE ${withinSql('d.id', part)} AND d.title <> '' ORDER BY d.id DESC LIMIT ${mostTitles}`,
    ),
    titlesThatBegin: parts.map(
      (part) =>
        `SELECT d.id AS id, d.title AS title FROM search_text CROSS JOIN ${documents} ON d.id = search_text.rowid
         WHERE search_text MATCH @match AND ${withinSql('search_text.rowid', part)} ORDER BY search_text.rowid DESC LIMIT ${mostTitles}`,
    ),
    isSeen: `SELECT 1 AS seen FROM ${documents} WHERE d.id = @id AND ${seen}`,
    hit: `SELECT d.entity_type AS type, d.entity_id AS id, d.title AS title, d.body AS body, ${secret} AS secret, ${partOfSql(store, viewer)}
      FROM ${documents} WHERE d.id = @id`,
    offset: page.cursor === undefined ? 0 : Math.max(0, Number(decodeCursor(page.cursor, ['integer'])[0])),
    size: page.limit ?? limits.page.standard,
  }
}

/**
 * How many texts an outside AI does not get that its person may search: all of them, whatever is looked for. A number of those
 * that hold a word would tell that they do.
 */
export function withheldTexts(store: Store, viewer: Viewer, types?: readonly string[]): Withheld {
  if (viewer.ai === null) return {}
  const asked = store.registry.all.filter(
    (entity) => searchable(entity) && (types === undefined || types.includes(entity.name)),
  )
  return sayWithheld(
    viewer.ai,
    asked.reduce((sum, entity) => sum + withheldRows(store, entity, viewer), 0),
  )
}

/** The page of what a search has found, and in words what was not looked at. */
export function searchPage(plan: SearchPlan, { query }: SearchRequest, { hits, more, leftOut }: Found): SearchPage {
  const { short, beyond } = wordsOf(query)
  const said = [
    short.length > 0 && `Words of one letter are not looked for: ${short.join(', ')}.`,
    beyond.length > 0 && `No more than ${plan.words.length} words are looked for; left out: ${beyond.join(', ')}.`,
    leftOut === 'older' && 'So much answers this that only the newest of it was looked at. Add a word.',
    leftOut === 'time' &&
      'This took so long that not everything was looked at. Add a word, or ask for one kind of thing.',
  ].filter((each) => each !== false)
  return {
    items: hits.map(hit),
    nextCursor: more ? encodeCursor([plan.offset + plan.size]) : null,
    incomplete: said.length === 0 ? null : said.join(' '),
  }
}

function hit(row: Readonly<Record<string, SqlValue>>): SearchHit {
  const partOf =
    typeof row.ownerId === 'number'
      ? { entityType: String(row.ownerType), entityId: row.ownerId, title: seenTitle(row.ownerTitle) ?? '' }
      : null
  return {
    entityType: String(row.type),
    entityId: Number(row.id),
    partOf,
    title: String(row.title),
    snippet: String(row.snippet),
  }
}

/** What owns the thing that was found, with its title. Whoever sees a thing sees that too: they follow it (kernel/visibility.ts). */
function partOfSql({ registry }: Store, viewer: Viewer): string {
  const audience = sqlViewerOf(viewer)
  return keptSql(registry, audience, 'owners', () => ownersSql({ registry, audience }))
}

function ownersSql(eyes: Eyes): string {
  const owners = eyes.registry.all.flatMap((entity) => {
    const owner = columnsOf(entity).find(({ field }) => field?.marks.owned)
    const owns = owner?.field?.marks.references
    if (owner === undefined || owns === undefined || !searchable(entity)) return []
    const id = `(SELECT t.${owner.column} FROM ${entity.table} t WHERE t.id = d.entity_id)`
    return [{ name: entity.name, owns, id, title: targetTitleSql(eyes, owns, id) }]
  })
  const pick = (value: (owner: (typeof owners)[number]) => string): string =>
    owners.length === 0
      ? 'NULL'
      : `CASE d.entity_type ${owners.map((owner) => `WHEN '${owner.name}' THEN ${value(owner)}`).join(' ')} END`
  return `${pick(({ owns }) => `'${owns}'`)} AS ownerType, ${pick(({ id }) => id)} AS ownerId, ${pick(({ title }) => title)} AS ownerTitle`
}

/** Backlinks: visible things whose text mentions this one. Mentions in secret text are the Dungeon Master's. */
export function mentionsOf(
  store: Store,
  viewer: Viewer,
  entityType: string,
  entityId: number,
  page: PageRequest,
): Page<SearchHit> {
  const size = page.limit ?? limits.page.standard
  const [afterType, afterId] = page.cursor === undefined ? ['', 0] : decodeCursor(page.cursor, ['text', 'integer'])
  const sql = keptSql(
    store.registry,
    sqlViewerOf(viewer),
    'mentions',
    () => `SELECT d.entity_type AS type, d.entity_id AS id, d.title AS title, substr(d.body, 1, 160) AS snippet,
       ${partOfSql(store, viewer)}
     FROM mentions m CROSS JOIN search_documents d ON d.entity_type = m.from_type AND d.entity_id = m.from_id
     WHERE m.to_type = @type AND m.to_id = @id AND m.campaign_id = @campaign AND m.secret <= @dm
       AND (m.secret = 0 OR NOT EXISTS (SELECT 1 FROM mentions o WHERE o.to_type = m.to_type AND o.to_id = m.to_id
         AND o.from_type = m.from_type AND o.from_id = m.from_id AND o.secret = 0))
       AND (m.from_type, m.from_id) > (@afterType, @afterId) AND ${seenSql(store, viewer, undefined)}
     ORDER BY m.from_type, m.from_id LIMIT @limit`,
  )
  const rows = store.all(sql, {
    type: entityType,
    id: entityId,
    campaign: viewer.campaignId,
    viewer: viewer.userId,
    dm: atLeast(viewer.role, 'dm') ? 1 : 0,
    afterType: String(afterType),
    afterId: Number(afterId),
    limit: size + 1,
  })
  const items = rows.slice(0, size).map(hit)
  const last = items.at(-1)
  const nextCursor = rows.length > size && last ? encodeCursor([last.entityType, last.entityId]) : null
  return { items, nextCursor, ...withheldTexts(store, viewer) }
}
