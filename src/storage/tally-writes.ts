import type { Entity } from '../kernel/entity.ts'
import { campaignOf, encode, type SqlValue } from './columns.ts'
import { parentsOf } from './parts.ts'
import { type Part, partOf } from './search-places.ts'
import type { Store } from './store.ts'
import { codeOf, talliesOf, tallyKey } from './tallies.ts'

type Row = Readonly<Record<string, unknown>>

interface Line {
  readonly bindings: Readonly<Record<'campaign' | 'name' | 'key' | 'value', SqlValue>> & { readonly part: number }
  count: number
  sum: number
}

/** What is to be added to the numbers that are kept. */
type Lines = Map<string, Line>

/** Brings the numbers up to date after a row was written; null is a row that was not there or is no more. */
export function bringTallies(store: Store, entity: Entity, before: Row | null, after: Row | null): void {
  const tallies = talliesOf(entity)
  if (tallies.length === 0) return
  const lines: Lines = new Map()
  const parents = parentsOf(store)
  for (const [row, sign] of [
    [before, -1],
    [after, 1],
  ] as const)
    if (row !== null && row.deletedAt === null) addRow(lines, entity, row, partOf(entity, row, parents), sign)
  write(store, lines)
}

/** The same of a row that was not written, and went from one part to the other. */
export function moveTallies(store: Store, entity: Entity, row: Row, to: Part): void {
  if (talliesOf(entity).length === 0 || row.deletedAt !== null) return
  const lines: Lines = new Map()
  addRow(lines, entity, row, to === 'open' ? 'closed' : 'open', -1)
  addRow(lines, entity, row, to, 1)
  write(store, lines)
}

function addRow(lines: Lines, entity: Entity, row: Row, part: Part, sign: 1 | -1): void {
  const campaign = campaignOf(entity, row)
  for (const tally of talliesOf(entity)) {
    const { name, by, sum } = tally
    const held = row[by.key] ?? null
    const values = Array.isArray(held) ? (held as readonly unknown[]) : held === null ? [] : [held]
    for (const each of values) {
      const value = String(by.kind === 'json' ? each : encode(by.kind, each))
      const bindings = { campaign, name, part: codeOf[part], key: tallyKey(tally, value), value }
      const at = JSON.stringify(bindings)
      const line = lines.get(at) ?? { bindings, count: 0, sum: 0 }
      lines.set(at, line)
      line.count += sign
      if (sum !== null) line.sum += sign * Number(row[sum.key] ?? 0)
    }
  }
}

function write(store: Store, lines: Lines): void {
  for (const { bindings, count, sum } of lines.values()) {
    if (count === 0 && sum === 0) continue
    store.run(
      `INSERT INTO tallies (campaign_id, name, part, key, value, count, sum) VALUES (@campaign, @name, @part, @key, @value, @count, @sum)
       ON CONFLICT DO UPDATE SET count = count + excluded.count, sum = sum + excluded.sum`,
      { ...bindings, count, sum },
    )
    if (count < 0)
      store.run(
        'DELETE FROM tallies WHERE campaign_id = @campaign AND name = @name AND part = @part AND key = @key AND value = @value AND count <= 0',
        bindings,
      )
  }
}
