// Preloaded into the program that is measured (node --import): tells how long its main thread was held at most, since it was
// last asked. The answer to the bench's message is a message too.
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** In milliseconds. It wakes the program as often, which is to cost nothing beside what is measured. */
const resolution = 10
const histogram = monitorEventLoopDelay({ resolution })
histogram.enable()
process.on('message', (message) => {
  if (message !== 'loop delay') return
  const milliseconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolution)
  process.send?.({ most: milliseconds(histogram.max), p99: milliseconds(histogram.percentile(99)) })
  histogram.reset()
})
// The program ends as it would without.
process.channel?.unref()
