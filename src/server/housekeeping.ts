import { limits } from '../kernel/limits.ts'
import { sweepEntries } from '../storage/rule-entries.ts'
import type { Store } from '../storage/store.ts'
import type { Alerts } from './alerts.ts'

/** Something to be done from time to time. */
export interface Chore {
  /** For the log, and the kind of its alert. */
  readonly name: string
  /** What it does, to follow "Housekeeping failed: ". */
  readonly about: string
  readonly everyMs: number
  run(): void | Promise<void>
}

export interface Housekeeping {
  /** Does everything once, and then each in its time. */
  start(): Promise<void>
  stop(): void
}

interface Parts {
  readonly chores: readonly Chore[]
  readonly alerts: Alerts
  readonly log: { warn(facts: object, message: string): void }
}

const firstRetryMs = 60_000

/**
 * Chores whose failures stop nothing: a locked or full database is counted, told to the administrators, and tried again
 * after a minute, then after longer and longer, until it goes well.
 */
export function createHousekeeping({ chores, alerts, log }: Parts): Housekeeping {
  const timers = new Set<NodeJS.Timeout>()
  let stopped = false

  const again = (chore: Chore, failures: number): void => {
    if (stopped) return
    const wait = failures === 0 ? chore.everyMs : Math.min(chore.everyMs, firstRetryMs * 2 ** (failures - 1))
    const timer = setTimeout(() => {
      timers.delete(timer)
      void attempt(chore, failures)
    }, wait).unref()
    timers.add(timer)
  }

  const attempt = async (chore: Chore, earlierFailures: number): Promise<void> => {
    const kind = `housekeeping.${chore.name}`
    let failures = 0
    try {
      await chore.run()
      alerts.clear(kind)
    } catch (error) {
      failures = earlierFailures + 1
      const reason = error instanceof Error ? error.message : String(error)
      alerts.raise(kind, `Housekeeping failed: ${chore.about}. It is tried again. The reason: ${reason}`)
      log.warn({ err: error, chore: chore.name, failures }, 'Housekeeping failed; it is tried again.')
    }
    again(chore, failures)
  }

  return {
    async start() {
      for (const chore of chores) await attempt(chore, 0)
    },
    stop() {
      stopped = true
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}

const hourMs = 3600 * 1000

interface ChoreParts {
  store(): Store
  readonly clock: () => Date
  readonly identity: { sweep(): void }
  readonly oauth: { sweep(): void }
  sweepUploads(): Promise<void>
  /** Takes back campaigns that were not brought in whole. */
  sweepImports(): Promise<void>
  /** Opens the database as usual where it was opened without room for that, and there is room now. */
  openAgain(): Promise<void>
}

/** What a server does beside answering. */
export function choresOf({
  store,
  clock,
  identity,
  oauth,
  sweepUploads,
  sweepImports,
  openAgain,
}: ChoreParts): readonly Chore[] {
  return [
    { name: 'database', about: 'the database could not be opened anew', everyMs: 30_000, run: openAgain },
    { name: 'sign_ins', about: 'sign-ins that ran out were not cleared away', everyMs: hourMs, run: identity.sweep },
    { name: 'apps', about: 'grants of apps that ran out were not cleared away', everyMs: hourMs, run: oauth.sweep },
    {
      name: 'answers',
      about: 'old answers to idempotency keys were not cleared away',
      everyMs: hourMs,
      run() {
        const before = new Date(clock().getTime() - limits.idempotencyHours * hourMs).toISOString()
        store().run('DELETE FROM idempotency_keys WHERE created_at < @before', { before })
      },
    },
    {
      name: 'rules',
      about: 'entries of rule packs that are gone were not cleared away',
      everyMs: 30_000,
      run() {
        // One that is being installed takes less than that.
        sweepEntries(store(), new Date(clock().getTime() - 2 * limits.prepareMs).toISOString())
      },
    },
    {
      name: 'imports',
      about: 'campaigns that were not brought in whole were not taken back',
      everyMs: hourMs,
      run: sweepImports,
    },
    { name: 'uploads', about: 'images that nothing names were not put aside', everyMs: hourMs, run: sweepUploads },
  ]
}
