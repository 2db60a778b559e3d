import { type Installation, type Program, shortWords, startOn } from './installation.ts'
import { load, percentile, type Target } from './load.ts'
import type { Measure } from './measures.ts'
import { targetOn } from './requests.ts'
import { failuresOf, type Sent, steadily } from './steady.ts'

const searchers = 10
const lastsMs = 10_000

/** What others wait while ten people search for the worst: short words that fill long notes, and twelve of them at once. */
export async function searchMeasures(program: Program, on: Installation): Promise<readonly Measure[]> {
  const server = await startOn(program, on)
  try {
    const searchFor = (words: readonly string[]): Target =>
      targetOn(server, `/api/v1/campaigns/${on.campaignId}/search?limit=200&query=${words.join('+')}`, on)
    const questions = [searchFor(Array.from(shortWords, () => 'ab')), searchFor(shortWords)]
    const note = { ...targetOn(server, `/api/v1/notes/${on.noteId}`, on) }
    const asPlayer = { ...note, headers: { authorization: `Bearer ${on.playerToken}` } }
    for (const target of [...questions, note]) await load(target, 1, { requests: 3 })
    const health = steadily(20, targetOn(server, '/healthz', on), 200)
    const reading = steadily(50, asPlayer, 200)
    const searches = await Promise.all(questions.map((target) => load(target, searchers / questions.length, lastsMs)))
    const [healthy, read] = await Promise.all([health.stop(), reading.stop()])
    const found = Float64Array.from(searches.flatMap(({ latencies }) => [...latencies])).sort()
    return [
      waited('/healthz while ten search for the worst, 99th percentile', healthy, 50),
      waited("a player's GET meanwhile, 99th percentile", read, 100),
      failuresOf('  requests that failed meanwhile', [...healthy.failures, ...read.failures], `${lastsMs / 1000} s`),
      {
        name: '  the searches themselves, 99th percentile',
        value: percentile(found, 0.99),
        unit: 'ms',
        detail: `${found.length} searches of ${searchers} at once, median ${percentile(found, 0.5).toFixed(0)} ms`,
      },
    ]
  } finally {
    await server.stop()
  }
}

function waited(name: string, { latencies }: Sent, most: number): Measure {
  const detail = `${latencies.length} requests on connections of their own, the longest ${percentile(latencies, 1).toFixed(0)} ms`
  return { name, value: percentile(latencies, 0.99), unit: 'ms', budget: { most }, detail }
}
