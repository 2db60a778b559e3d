import { limits } from '../kernel/limits.ts'
import { decodeCursor, encodeCursor } from '../kernel/paging.ts'
import type { RuleHit, RuleSearchPage, RuleSearchRequest } from '../kernel/rule-shelf.ts'
import type { Viewer } from '../kernel/viewer.ts'
import type { Found, SearchPlan } from './search-run.ts'
import { wordsOf } from './search-words.ts'
import type { Store } from './store.ts'
import { sqlViewerOf, visibleSql } from './visibility-sql.ts'

/**
 * A search over installed packs and what a campaign has written itself, for the thread that runs searches (search-run.ts).
 * Packs have an index of their own, so that a search in a campaign is as quick as without them. Both number what they hold
 * apart (`firstPackEntryId`), so that an id names one of either. Without words it goes through all in the order of the packs.
 */
export function ruleSearchPlan(store: Store, viewer: Viewer, request: RuleSearchRequest): SearchPlan {
  const { kind, system, rulePackIds, withHomebrew, page } = request
  const words = wordsOf(request.query)
  const entity = store.registry.get('rule_entry')
  const seen = visibleSql(store.registry, entity, 'h', sqlViewerOf(viewer))
  const narrowed = (alias: string): string =>
    `(@kind IS NULL OR ${alias}.kind = @kind) AND (@system IS NULL OR ${alias}.system IN (@system, 'generic'))`
  const chosen = rulePackIds === null ? '1' : `p.id IN (SELECT value FROM json_each(@packs))`
  const packs = `rule_entries e JOIN rule_packs p ON p.edition = e.edition_id AND p.deleted_at IS NULL AND ${chosen}`
  const ours = `${entity.table} h JOIN search_documents d ON d.entity_type = 'rule_entry' AND d.entity_id = h.id`
  const mine = `h.campaign_id = @campaign AND h.deleted_at IS NULL AND ${seen}`
  /** One statement for each of the two kinds of sources, joined; homebrew first. */
  const both = (one: string, other: string): string => (withHomebrew ? `${one} UNION ALL ${other}` : other)
  const isAsked = words.words.length > 0
  const unasked = "@match = ''"
  return {
    words: words.words,
    columns: { all: '{title body}', beyond: '{title}' },
    isUnasked: request.query.trim() === '',
    // Packs have an index of their own, and one question goes to both.
    hasTerms: false,
    bindings: {
      campaign: viewer.campaignId,
      viewer: viewer.userId,
      kind: kind ?? null,
      system: system ?? null,
      packs: JSON.stringify(rulePackIds ?? []),
    },
    candidates: [
      isAsked
        ? both(
            `SELECT d.entity_id AS id, EXISTS (SELECT 1 FROM ${entity.table} h WHERE h.id = d.entity_id AND ${mine} AND ${narrowed('h')}) AS seen
           FROM search_text JOIN search_documents d ON d.id = search_text.rowid
           WHERE search_text MATCH @match AND d.entity_type = 'rule_entry' AND d.campaign_id = @campaign`,
            `SELECT e.entry_id AS id, (SELECT 1 FROM rule_packs p WHERE p.edition = e.edition_id AND p.deleted_at IS NULL AND ${chosen}) IS NOT NULL AND ${narrowed('e')} AS seen
           FROM rule_text JOIN rule_entries e ON e.place = rule_text.rowid WHERE rule_text MATCH @match`,
          )
        : both(
            `SELECT h.id AS id, 1 AS seen FROM ${entity.table} h WHERE ${unasked} AND ${mine} AND ${narrowed('h')}`,
            `SELECT e.entry_id AS id, 1 AS seen FROM ${packs} WHERE ${unasked} AND ${narrowed('e')}`,
          ),
    ],
    excerpt: both(
      `SELECT h.name AS title, substr(d.body, 1, @length) AS body, '' AS secret FROM ${ours} WHERE h.id = @id AND ${mine}`,
      `SELECT e.title AS title, substr(e.body, 1, @length) AS body, '' AS secret FROM ${packs} WHERE e.entry_id = @id`,
    ),
    titles: [
      both(
        `SELECT h.id AS id, h.name AS title FROM ${entity.table} h WHERE ${mine}`,
        `SELECT e.entry_id AS id, e.title AS title FROM ${packs}`,
      ),
    ],
    titlesThatBegin: [],
    isSeen: both(
      `SELECT 1 AS seen FROM ${entity.table} h WHERE h.id = @id AND ${mine} AND ${narrowed('h')}`,
      `SELECT 1 AS seen FROM ${packs} WHERE e.entry_id = @id AND ${narrowed('e')}`,
    ),
    hit: both(
      `SELECT h.id AS id, h.kind AS kind, h.system AS system, h.name AS title, coalesce(h.summary, '') AS summary, d.body AS body, '' AS secret, NULL AS packId, NULL AS packTitle FROM ${ours} WHERE h.id = @id AND ${mine}`,
      `SELECT e.entry_id AS id, e.kind AS kind, e.system AS system, e.title AS title, e.summary AS summary, e.body AS body, '' AS secret, p.id AS packId, p.title AS packTitle FROM ${packs} WHERE e.entry_id = @id`,
    ),
    offset: page.cursor === undefined ? 0 : Math.max(0, Number(decodeCursor(page.cursor, ['integer'])[0])),
    size: page.limit ?? limits.page.standard,
  }
}

/** The page of what was found, and in words what was not looked at. */
export function ruleSearchPage(plan: SearchPlan, query: string, { hits, more, leftOut }: Found): RuleSearchPage {
  const { short, beyond } = wordsOf(query)
  const said = [
    short.length > 0 && `Words of one letter are not looked for: ${short.join(', ')}.`,
    beyond.length > 0 && `No more than ${plan.words.length} words are looked for; left out: ${beyond.join(', ')}.`,
    leftOut === 'older' && 'There is more than was looked at. Add a word, or choose one kind.',
    leftOut === 'time' && 'This took so long that not everything was looked at. Add a word, or choose one kind.',
  ].filter((each) => each !== false)
  return {
    items: hits.map(
      (row): RuleHit => ({
        id: Number(row.id),
        kind: String(row.kind),
        system: String(row.system),
        name: String(row.title),
        summary: String(row.summary),
        snippet: String(row.snippet),
        rulePackId: row.packId === null ? null : Number(row.packId),
        rulePackTitle: row.packTitle === null ? null : String(row.packTitle),
      }),
    ),
    nextCursor: more ? encodeCursor([plan.offset + plan.size]) : null,
    incomplete: said.length === 0 ? null : said.join(' '),
  }
}
