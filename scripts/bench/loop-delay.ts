// Loaded into a server ahead of its program: measures how long its event loop stands still. On SIGUSR2 it writes what was
// found since the last time to LOOP_DELAY_FILE, in milliseconds, and begins anew.
import { renameSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const file = process.env.LOOP_DELAY_FILE
if (isMainThread && file !== undefined) {
  const resolution = 5
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  process.on('SIGUSR2', () => {
    const at = (percent: number): number => Math.max(0, delay.percentile(percent) / 1e6 - resolution)
    const found = {
      p50: at(50),
      p90: at(90),
      p99: at(99),
      p999: at(99.9),
      max: Math.max(0, delay.max / 1e6 - resolution),
    }
    writeFileSync(`${file}.new`, JSON.stringify(found))
    renameSync(`${file}.new`, file)
    delay.reset()
  })
}
