import { decode, encode } from './columns.ts'
import type { Conditions } from './query.ts'
import type { RowSource } from './row-source.ts'
import type { Part } from './search-places.ts'
import type { Store } from './store.ts'
import { countedValues, type Tally, talliesOf } from './tallies.ts'

/** The numbers that are kept of a field, with the sums of another where that is told, and of which parts; null where rows are to be counted. */
export function keptNumbers({ entity, counted, column }: RowSource, field: string, summed?: string): Kept | null {
  const tally = talliesOf(entity).find(
    ({ by, sum }) => by.key === field && (summed === undefined || sum?.key === summed),
  )
  if (tally === undefined || counted === null) return null
  const { readable, seen } = column(field)
  return readable === '1' && seen === '1' ? { tally, parts: counted } : null
}

export interface Kept {
  readonly tally: Tally
  readonly parts: readonly Part[]
}

/** All of the campaign, or all with some values of a field whose values are counted; null where rows are to be counted. */
export function keptCount(store: Store, source: RowSource, where: Conditions): number | null {
  const asked = Object.entries(where).filter(([, test]) => test !== undefined)
  const [[field, test] = [undefined, undefined], ...others] = asked
  if (others.length > 0) return null
  // Any field will do that every row has one value of.
  const by =
    field ?? talliesOf(source.entity).find(({ by }) => by.kind !== 'json' && by.field?.presence !== 'nullable')?.by.key
  const kept = by === undefined ? null : keptNumbers(source, by)
  if (kept === null || (field !== undefined && (kept.tally.by.kind === 'json' || !isOfValues(test)))) return null
  const asList = Array.isArray(test) ? test : [test]
  const values = field === undefined ? null : new Set(asList.map((each) => String(encode(kept.tally.by.kind, each))))
  return countedValues(store, source.bindings.campaign ?? null, kept.tally, kept.parts)
    .filter((each) => values?.has(each.value) !== false)
    .reduce((sum, each) => sum + each.count, 0)
}

/** Whether a test names the values that pass. */
function isOfValues(test: unknown): boolean {
  return Array.isArray(test) || (test !== null && typeof test !== 'object')
}

/** A value as the rows have it, out of the text under which it is counted. */
export function valueIn({ by: { kind } }: Tally, text: string): unknown {
  return decode(kind === 'json' ? 'text' : kind, kind === 'boolean' || kind === 'integer' ? Number(text) : text)
}
