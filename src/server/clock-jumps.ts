export interface ClockJumpParts {
  /** The time of day. */
  readonly clock: () => Date
  /** Milliseconds that pass while the machine is awake. */
  readonly awakeMs?: () => number
  readonly log: { info(facts: object, message: string): void }
  /** The machine slept, or somebody set its clock. */
  onJump(byMs: number): void
  readonly everyMs?: number
}

const leastMs = 60_000

/** Watches for what timers do not notice: a machine that slept, or a clock that was set. Returns how to end it. */
export function watchClockJumps({
  clock,
  awakeMs = () => performance.now(),
  log,
  onJump,
  everyMs = 10_000,
}: ClockJumpParts): () => void {
  const difference = (): number => clock().getTime() - awakeMs()
  let known = difference()
  const timer = setInterval(() => {
    const now = difference()
    const jumped = now - known
    known = now
    if (Math.abs(jumped) < leastMs) return
    log.info({ seconds: Math.round(jumped / 1000) }, 'The machine slept, or its clock was set.')
    onJump(jumped)
  }, everyMs).unref()
  return () => clearInterval(timer)
}
