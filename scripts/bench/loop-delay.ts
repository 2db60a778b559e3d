// Preloaded into the program that is measured (node --import): tells how long its main thread was held, since it was last
// asked. The answer to the bench's message is a message too.
import { createHistogram, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'

/** In milliseconds. It wakes the program as often, which is to cost nothing beside what is measured. */
const resolution = 10
/** In milliseconds. */
const lookEvery = 2
const delay = monitorEventLoopDelay({ resolution })
delay.enable()
// By the clock a hold is also what other programs of this machine took, and the disk. What this thread worked in one go is not.
const worked = createHistogram()
let before = process.threadCpuUsage()
const look = (): void => {
  const { user, system } = process.threadCpuUsage(before)
  before = process.threadCpuUsage()
  worked.record(Math.max(1, Math.round(user + system)))
}
// A busy loop has worked for as long as this already when it begins the last piece that is counted with the others: what is told
// is too much by as much, so it is short. An idle loop is woken by nothing else in time.
setInterval(look, lookEvery).unref()
/** The longest that garbage was collected in one go, in milliseconds: it falls into whatever is asked just then. */
let collected = 0
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) collected = Math.max(collected, duration)
}).observe({ entryTypes: ['gc'] })
process.on('message', (message) => {
  if (message !== 'loop delay') return
  look()
  const milliseconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolution)
  process.send?.({
    most: milliseconds(delay.max),
    p50: milliseconds(delay.percentile(50)),
    p99: milliseconds(delay.percentile(99)),
    work: worked.max / 1e3,
    workP99: worked.percentile(99) / 1e3,
    collected,
  })
  collected = 0
  delay.reset()
  worked.reset()
})
// The program ends as it would without.
process.channel?.unref()
