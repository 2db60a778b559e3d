import type { LoopDelay } from './programs.ts'

/** One line of the table. */
export interface Measure {
  readonly name: string
  /** Null where this machine or this checkout cannot tell. */
  readonly value: number | null
  readonly unit: string
  /** What it is held to; without one it is only told. */
  readonly budget?: { readonly least: number } | { readonly most: number }
  /** What it was made of. */
  readonly detail: string
  /** Kept for the next run to be compared with, and no line of the table. */
  readonly quiet?: true
}

/**
 * How long the main thread of the measured program worked in one go while something happened to it, in processor time: by the
 * clock it is also what other programs of this machine took.
 */
export function loopMeasure(what: string, delay: LoopDelay | null): Measure {
  return {
    name: `longest work of the main thread in one go: ${what}`,
    value: delay === null ? null : delay.work,
    unit: 'ms',
    budget: { most: 20 },
    detail: delay === null ? 'the program does not tell' : detailOf(delay),
  }
}

function detailOf({ workP99, p50, p99, most, collected }: LoopDelay): string {
  const clock = `50 of 100 halts of its loop below ${p50.toFixed(1)}, 99 below ${p99.toFixed(1)}, the longest ${most.toFixed(1)}`
  return `99 of 100 below ${workP99.toFixed(1)} ms, collecting garbage at most ${collected.toFixed(1)} ms; by the clock ${clock} ms`
}

/** What a machine that is not idle for itself alone costs: with much of it, the longest pieces above were halted by the host. */
export function stolenMeasure(part: string, milliseconds: number): Measure {
  return {
    name: `  taken by the host of this machine during "${part}"`,
    value: milliseconds,
    unit: 'ms',
    detail: 'of all processors; a thread from which it is taken counts it as its own work',
  }
}

/** The longest of several. */
export function worstOf(delays: readonly LoopDelay[]): LoopDelay | null {
  const most = (part: keyof LoopDelay): number => Math.max(...delays.map((delay) => delay[part]))
  if (delays.length === 0) return null
  return {
    most: most('most'),
    p50: most('p50'),
    p99: most('p99'),
    work: most('work'),
    workP99: most('workP99'),
    collected: most('collected'),
  }
}

export function isWithin({ value, budget }: Measure): boolean {
  if (value === null || budget === undefined) return true
  return 'least' in budget ? value >= budget.least : value <= budget.most
}

/** The table as text: what, how much, what is allowed, whether it holds. */
export function tableOf(measures: readonly Measure[]): string {
  const rows = measures
    .filter(({ quiet }) => !quiet)
    .map((measure) => {
      const { name, value, unit, budget, detail } = measure
      const allowed =
        budget === undefined ? '' : 'least' in budget ? `at least ${budget.least}` : `at most ${budget.most}`
      const verdict = value === null ? 'not measured' : budget === undefined ? '' : isWithin(measure) ? 'ok' : 'FAILED'
      return [name, value === null ? '-' : `${rounded(value)} ${unit}`.trim(), allowed, verdict, detail]
    })
  const head = ['measure', 'value', 'budget', '', 'made of']
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(head), ...rows.map(line)].join('\n')
}

function rounded(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
