import { firstPackEntryId, type KeptEntry, type PackEntry, type RuleShelf } from '../kernel/rule-shelf.ts'
import { spacedOut } from '../kernel/unspaced.ts'
import type { SqlValue } from './columns.ts'
import type { Store } from './store.ts'

// Entries of rule packs. They are no entities: a pack has tens of thousands, nobody changes one by itself, and the journal
// has the pack. Instead:
//
// 1. an edition is begun, and the entries of a document are written under it, some at a time, so that nobody waits
// 2. one transaction writes the edition into the row of the pack: from then on it is read, and the one before is not
// 3. what no pack names (a pack that was removed or replaced, an installation that failed) is swept away, some at a time
//
// An entry has the same id in every version of its pack: `rule_entry_ids` knows them by the keys of both.

/** Begins an edition and answers its number. */
export function beginEdition(store: Store, now: string): number {
  return store.run('INSERT INTO rule_editions (begun_at) VALUES (@now)', { now }).id
}

/** Writes entries under an edition. Where two have one key the second is refused by its place: false. */
export function keepEntry(store: Store, edition: number, packKey: string, entry: KeptEntry): boolean {
  const keys = { pack: packKey, entry: entry.key }
  store.run(
    `INSERT INTO rule_entry_ids (id, pack_key, entry_key)
     VALUES ((SELECT coalesce(max(id) + 1, ${firstPackEntryId}) FROM rule_entry_ids), @pack, @entry) ON CONFLICT DO NOTHING`,
    keys,
  )
  const { changes } = store.run(
    `INSERT INTO rule_entries (edition_id, entry_id, key, kind, system, title, summary, text, title_spaced, body_spaced, statblock)
     VALUES (@edition, (SELECT id FROM rule_entry_ids WHERE pack_key = @pack AND entry_key = @entry), @entry, @kind, @system, @title, @summary, @text, @titleSpaced, @bodySpaced, @statblock)
     ON CONFLICT DO NOTHING`,
    {
      ...keys,
      edition,
      kind: entry.kind,
      system: entry.system,
      title: entry.name,
      summary: entry.summary,
      text: entry.body ?? '',
      titleSpaced: spacedOut(entry.name),
      bodySpaced: spacedOut(`${entry.summary}\n${entry.body ?? ''}`),
      statblock: entry.statblock === null ? null : JSON.stringify(entry.statblock),
    },
  )
  return changes === 1
}

/** Whether any pack was ever installed here, and the version of this one as it is now. */
export function installedVersion(
  store: Store,
  key: string,
): { readonly ever: boolean; readonly version: string | null } {
  const row = store.get('SELECT version FROM rule_packs WHERE key = @key AND deleted_at IS NULL', { key })
  const numbered = store.get("SELECT 1 AS some FROM sqlite_sequence WHERE name = 'rule_packs' AND seq > 0")
  return { ever: numbered !== undefined, version: row === undefined ? null : String(row.version) }
}

/** Entries that are taken away at once: some milliseconds of work. */
const sweptAtOnce = 200

/** Takes away some of what no pack names, of editions that were begun before an instant. Returns whether there is more. */
export function sweepEntries(store: Store, before: string): boolean {
  return store.transaction(() => {
    const edition = store.get(
      `SELECT e.id AS id FROM rule_editions e WHERE e.begun_at < @before
       AND NOT EXISTS (SELECT 1 FROM rule_packs p WHERE p.edition = e.id AND p.deleted_at IS NULL) LIMIT 1`,
      { before },
    )
    if (edition === undefined) return false
    const { changes } = store.run(
      `DELETE FROM rule_entries WHERE place IN (SELECT place FROM rule_entries WHERE edition_id = @id LIMIT ${sweptAtOnce})`,
      { id: edition.id as number },
    )
    if (changes < sweptAtOnce) store.run('DELETE FROM rule_editions WHERE id = @id', { id: edition.id as number })
    return true
  })
}

/** The installed packs as handlers see them. */
export function ruleShelf(store: Store): RuleShelf {
  return {
    entry(id) {
      const row = store.get(
        `SELECT e.*, p.id AS pack_id, p.title AS pack_title FROM rule_entries e
         JOIN rule_packs p ON p.edition = e.edition_id AND p.deleted_at IS NULL WHERE e.entry_id = @id`,
        { id },
      )
      return row === undefined ? null : entryOf(row)
    },
    creatures: ({ system, rulePackIds, environment, type, limit }) =>
      store
        .all(
          // The text is looked through first: only what may fit is taken apart.
          `SELECT e.entry_id AS id, e.title AS name, json_extract(e.statblock, '$.rating') AS rating, json_extract(e.statblock, '$.experience') AS experience
           FROM rule_packs p CROSS JOIN rule_entries e ON e.edition_id = p.edition AND e.kind = 'creature'
           WHERE p.deleted_at IS NULL AND (@packs IS NULL OR p.id IN (SELECT value FROM json_each(@packs))) AND e.system = @system AND e.statblock IS NOT NULL
           AND (@type IS NULL OR (instr(lower(e.statblock), @type) > 0 AND lower(json_extract(e.statblock, '$.type')) = @type))
           AND (@environment IS NULL OR (instr(e.statblock, @environment) > 0 AND EXISTS (SELECT 1 FROM json_each(e.statblock, '$.environments') WHERE value = @environment)))
           ORDER BY +e.entry_id LIMIT @limit`,
          {
            system,
            packs: rulePackIds === null ? null : JSON.stringify(rulePackIds),
            type: type ?? null,
            environment: environment ?? null,
            limit,
          },
        )
        .map((row) => ({
          id: row.id as number,
          name: String(row.name),
          rating: row.rating === null ? null : Number(row.rating),
          experience: row.experience === null ? undefined : Number(row.experience),
        })),
    campaignsWith: (rulePackId) =>
      Number(
        store.get(
          'SELECT count(*) AS count FROM campaigns c WHERE EXISTS (SELECT 1 FROM json_each(c.rule_pack_ids) WHERE value = @rulePackId)',
          { rulePackId },
        )?.count,
      ),
  }
}

function entryOf(row: Readonly<Record<string, SqlValue>>): PackEntry {
  return {
    id: row.entry_id as number,
    key: String(row.key),
    kind: String(row.kind),
    system: String(row.system),
    name: String(row.title),
    summary: String(row.summary),
    body: row.text === '' ? null : String(row.text),
    statblock: row.statblock === null ? null : (JSON.parse(String(row.statblock)) as Record<string, unknown>),
    rulePackId: row.pack_id as number,
    rulePackTitle: String(row.pack_title),
  }
}
