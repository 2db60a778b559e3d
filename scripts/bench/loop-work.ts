// Loaded into a server ahead of its program: measures how long its event loop stands still. On SIGUSR2 it writes what was
// found since the last time to LOOP_DELAY_FILE, in milliseconds, and begins anew.
import { renameSync, writeFileSync } from 'node:fs'
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const file = process.env.LOOP_DELAY_FILE
if (isMainThread && file !== undefined) {
  const resolution = 5
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  // By the clock a halt is also what other programs of this machine took. What this thread itself worked in one go is not.
  const worked = createHistogram()
  let before = process.threadCpuUsage()
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    worked.record(Math.max(1, Math.round(user + system)))
  }, resolution).unref()
  process.on('SIGUSR2', () => {
    const at = (percent: number): number => Math.max(0, delay.percentile(percent) / 1e6 - resolution)
    const found = {
      ...{ p50: at(50), p90: at(90), p99: at(99), p999: at(99.9), max: Math.max(0, delay.max / 1e6 - resolution) },
      ...{ workP99: worked.percentile(99) / 1e3, workP999: worked.percentile(99.9) / 1e3, workMax: worked.max / 1e3 },
    }
    writeFileSync(`${file}.new`, JSON.stringify(found))
    renameSync(`${file}.new`, file)
    delay.reset()
    worked.reset()
  })
}
