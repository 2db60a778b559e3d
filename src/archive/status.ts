import { archiveLimits } from './format.ts'
import type { CurrentJob } from './jobs.ts'
import type { Alert } from './ports.ts'
import { nextRunAt, type ScheduleSettings } from './schedule.ts'
import type { BackupState } from './state.ts'

/** What `GET /api/v1/backup/status` answers; SPEC 6 and 8.3 name `cadence.lastError` and the alerts. */
export interface BackupStatus {
  readonly backup: {
    readonly cadence: {
      readonly enabled: boolean
      readonly directory: string
      readonly intervalHours: number
      /** 0 is no bound, here and for the days. */
      readonly keepCount: number
      readonly keepDays: number
      /** Room on the disk with the folder; null where the system does not tell. */
      readonly freeBytes: number | null
      /** When the last run began, whatever became of it. */
      readonly lastRunAt: string | null
      readonly lastSuccessAt: string | null
      readonly nextRunAt: string | null
      readonly lastError: BackupState['lastError']
      readonly lastArchive: { readonly name: string; readonly bytes: number; readonly createdAt: string } | null
    }
    /** Of backups: low_disk, failed, stale, prune, near_limit, missing_files, damaged, safety_copy; and of the program. */
    readonly alerts: readonly Alert[]
    readonly current: CurrentJob | null
  }
}

export interface StatusFacts {
  readonly settings: ScheduleSettings
  readonly state: BackupState
  readonly current: CurrentJob | null
  readonly safetyCopies: readonly { readonly folder: string; readonly replacedAt: string }[]
  readonly freeBytes: number | null
  /** Of other parts of the program. */
  readonly alerts: readonly Alert[]
  readonly now: Date
}

/** The part of a fixed limit from which on the card warns. */
const warnAt = 0.8

export function statusOf({
  settings,
  state,
  current,
  safetyCopies,
  freeBytes,
  alerts,
  now,
}: StatusFacts): BackupStatus {
  const { lastArchive } = state
  return {
    backup: {
      cadence: {
        enabled: settings.enabled,
        directory: settings.directory,
        intervalHours: settings.intervalHours,
        keepCount: settings.keepCount,
        keepDays: settings.keepDays,
        freeBytes,
        lastRunAt: state.lastRunAt,
        lastSuccessAt: state.lastSuccessAt,
        nextRunAt: nextRunAt(settings, state, now)?.toISOString() ?? null,
        lastError: state.lastError,
        lastArchive: lastArchive && {
          name: lastArchive.name,
          bytes: lastArchive.bytes,
          createdAt: lastArchive.createdAt,
        },
      },
      alerts: [
        ...runAlerts(settings, state, now),
        ...archiveAlerts(state),
        ...pruneAlerts(state),
        ...damageAlerts(state),
        ...safetyCopies.map(keptCopy),
        ...alerts,
      ],
      current,
    },
  }
}

function runAlerts({ enabled, intervalHours }: ScheduleSettings, state: BackupState, now: Date): Alert[] {
  const { lastError, lastSuccessAt } = state
  const alerts: Alert[] = []
  if (lastError !== null) {
    const kind = ['unavailable', 'disk_full'].includes(lastError.code) ? 'low_disk' : 'failed'
    alerts.push({ kind, message: lastError.message, at: lastError.at })
  }
  if (enabled && lastSuccessAt !== null && now.getTime() - Date.parse(lastSuccessAt) > 2 * intervalHours * 3_600_000) {
    alerts.push({
      kind: 'stale',
      message: 'The last good scheduled backup is older than two intervals.',
      at: lastSuccessAt,
    })
  }
  return alerts
}

function archiveAlerts({ lastArchive, lastSuccessAt }: BackupState): Alert[] {
  if (lastArchive === null || lastSuccessAt === null) return []
  const parts: [string, number, number][] = [
    ['size of the archive', lastArchive.bytes, archiveLimits.archiveBytes],
    ['size of its largest file', lastArchive.largestEntryBytes, archiveLimits.entryBytes],
    ['size of its content', lastArchive.contentBytes, archiveLimits.totalBytes],
    ['number of files', lastArchive.entries, archiveLimits.entries],
  ]
  const alerts = parts
    .filter(([, value, limit]) => value >= limit * warnAt)
    .map(([what, value, limit]): Alert => {
      const percent = Math.floor((value / limit) * 100)
      return {
        kind: 'near_limit',
        message: `The ${what} is at ${percent} % of what a backup can hold.`,
        at: lastSuccessAt,
      }
    })
  if (lastArchive.missingFiles > 0) {
    const message = `${lastArchive.missingFiles} attachments have no file, or a damaged one; the backup names them.`
    alerts.push({ kind: 'missing_files', message, at: lastSuccessAt })
  }
  return alerts
}

function pruneAlerts({ lastPrune }: BackupState): Alert[] {
  if (lastPrune === null) return []
  const { at, removed, excessBytes, failed } = lastPrune
  const messages = [
    ...(removed.length > 0 ? [`Old backups were removed: ${removed.length}.`] : []),
    ...(failed.length > 0 ? [`Old backups could not be removed: ${failed.join(', ')}.`] : []),
    ...(excessBytes > 0
      ? [
          `The backups are ${Math.ceil(excessBytes / 1024 / 1024)} MiB larger than allowed, and nothing more may be removed.`,
        ]
      : []),
  ]
  return messages.map((message) => ({ kind: 'prune', message, at }))
}

function damageAlerts({ verdicts }: BackupState): Alert[] {
  return Object.entries(verdicts).flatMap(([name, { checkedAt, problem }]): Alert[] =>
    problem === null
      ? []
      : [{ kind: 'damaged', message: `The backup ${name} cannot be restored: ${problem}`, at: checkedAt }],
  )
}

function keptCopy({ folder, replacedAt }: StatusFacts['safetyCopies'][number]): Alert {
  const message = `What a restore replaced is kept in ${folder} until the next good backup.`
  return { kind: 'safety_copy', message, at: replacedAt }
}
