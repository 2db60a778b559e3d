import { parentsOf } from '../../src/storage/parts.ts'
import { wholeRow } from '../../src/storage/reader.ts'
import { partOf } from '../../src/storage/search-places.ts'
import type { Store } from '../../src/storage/store.ts'
import { codeOf, talliesOf, tallyKey } from '../../src/storage/tallies.ts'

type Lines = Readonly<Record<string, { readonly count: number; readonly sum: number }>>

/** The numbers that are kept of values (src/storage/tallies.ts). */
export function keptTallies(store: Store): Lines {
  const rows = store.all('SELECT * FROM tallies ORDER BY campaign_id, name, part, key, value')
  return Object.fromEntries(
    rows.map(({ campaign_id, name, part, key, value, count, sum }) => [
      JSON.stringify([campaign_id, name, part, key, value]),
      { count: Number(count), sum: Number(sum) },
    ]),
  )
}

/** The same, counted row by row. */
export function recounted(store: Store): Lines {
  const found: Record<string, { count: number; sum: number }> = {}
  for (const entity of store.registry.all) {
    if (talliesOf(entity).length === 0) continue
    for (const { id } of store.all(`SELECT id FROM ${entity.table} WHERE deleted_at IS NULL`)) {
      const row = wholeRow(store, entity, Number(id)) ?? {}
      const part = codeOf[partOf(entity, row, parentsOf(store))]
      for (const tally of talliesOf(entity)) {
        const held = row[tally.by.key]
        for (const each of Array.isArray(held) ? held : [held]) {
          const value = String(typeof each === 'boolean' ? Number(each) : each)
          const at = JSON.stringify([row.campaignId, tally.name, part, tallyKey(tally, value), value])
          const line = found[at] ?? { count: 0, sum: 0 }
          found[at] = line
          line.count += 1
          line.sum += tally.sum === null ? 0 : Number(row[tally.sum.key])
        }
      }
    }
  }
  return found
}
