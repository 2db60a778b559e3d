import { readFileSync, writeFileSync } from 'node:fs'
import type { Measure } from './measures.ts'
import { ownFile } from './programs.ts'

const file = ownFile('last-table.tsv')
/** Less than this may be the machine. */
const noticeable = 1.25
/** Less than this tells nothing: a tenth of a millisecond, of a MiB. */
const least = 0.1

/** What a run of the same names gave before, as far as it was kept. */
function keptValues(): ReadonlyMap<string, number> {
  try {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(1)
    return new Map(
      lines.map((line) => line.split('\t') as [string, string]).map(([name, value]) => [name, Number(value)]),
    )
  } catch {
    return new Map()
  }
}

/** In words what differs from the table that was kept, the largest change first. */
export function changesSince(measures: readonly Measure[]): string {
  const kept = keptValues()
  const changed = measures
    .flatMap(({ name, value, unit }) => {
      const before = kept.get(name)
      if (value === null || before === undefined || Math.abs(value - before) < least) return []
      const times = value / before
      return times < noticeable && times > 1 / noticeable ? [] : [{ name, value, unit, before, times }]
    })
    .sort((a, b) => Math.abs(Math.log(b.times)) - Math.abs(Math.log(a.times)))
  if (kept.size === 0) return 'no table was kept that this one could be compared with'
  if (changed.length === 0) return 'nothing differs noticeably from the table that was kept'
  const lines = changed.map(
    ({ name, value, unit, before }) => `  ${before.toFixed(2)} -> ${value.toFixed(2)} ${unit}`.padEnd(28) + name,
  )
  return ['changed since the table that was kept:', ...lines].join('\n')
}

/** Keeps these values; what was not measured this time stays as it was. */
export function keepTable(measures: readonly Measure[]): void {
  const values = new Map(keptValues())
  for (const { name, value } of measures) if (value !== null) values.set(name, value)
  const lines = Array.from(values, ([name, value]) => `${name}\t${Number(value.toFixed(3))}`)
  writeFileSync(file, `${['measure\tvalue', ...lines].join('\n')}\n`)
}
