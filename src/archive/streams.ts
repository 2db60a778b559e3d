import { Readable, type Transform } from 'node:stream'

/** What a transform makes of the bytes of a source. Ends both, however the loop over it ends. */
export async function* through(source: AsyncIterable<Uint8Array>, transform: Transform): AsyncGenerator<Buffer> {
  const input = Readable.from(source, { objectMode: false, highWaterMark: 1024 * 1024 })
  input.on('error', (error) => transform.destroy(error))
  input.pipe(transform)
  try {
    for await (const chunk of transform) yield chunk as Buffer
  } finally {
    input.destroy()
    transform.destroy()
  }
}
