import type { RetentionSettings } from './retention.ts'

/** SPEC 8.2, as the configuration gives it. */
export interface ScheduleSettings extends RetentionSettings {
  readonly enabled: boolean
  /** Folder of the scheduled archives. */
  readonly directory: string
  readonly intervalHours: number
  readonly minFreeBytes: number
  /** Takes the AI keyfile into scheduled archives, wrapped in it; null leaves it out. */
  readonly keyPassphrase: string | null
}

/** What the schedule remembers of its runs. */
export interface RunRecord {
  /** When the last run began, whatever became of it. */
  readonly lastRunAt: string | null
  /** Runs in a row that failed or were skipped. */
  readonly failures: number
}

const minuteMs = 60_000
const firstRetryMs = 15 * minuteMs

/** When the next run is due; null while the schedule is off. A time that has passed means: now. */
export function nextRunAt(
  { enabled, intervalHours }: Pick<ScheduleSettings, 'enabled' | 'intervalHours'>,
  { lastRunAt, failures }: RunRecord,
  now: Date,
): Date | null {
  if (!enabled) return null
  if (lastRunAt === null) return now
  const last = Date.parse(lastRunAt)
  // The clock was set back, or the record is garbage: waiting for that time could take years.
  if (!(last <= now.getTime() + minuteMs)) return now
  const interval = intervalHours * 60 * minuteMs
  const wait = failures === 0 ? interval : Math.min(interval, firstRetryMs * 2 ** Math.min(failures - 1, 20))
  return new Date(last + wait)
}

export function isDue(
  settings: Pick<ScheduleSettings, 'enabled' | 'intervalHours'>,
  record: RunRecord,
  now: Date,
): boolean {
  const next = nextRunAt(settings, record, now)
  return next !== null && next <= now
}
