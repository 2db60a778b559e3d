import { createReadStream } from 'node:fs'
import type { Files, FileWriter } from '../storage/files.ts'

/** A file with a value as JSON on each line. */
export interface LineFile {
  add(value: unknown): void
  /** Writes what has come together; only when it is much, unless `all`. */
  flush(all: boolean): Promise<void>
  close(): Promise<void>
  lines(): AsyncGenerator<unknown>
}

const bytesAtOnce = 256 * 1024

export function lineFile(files: Files, file: string): LineFile {
  let writer: FileWriter | null = null
  let waiting: string[] = []
  let length = 0
  const flush = async (all: boolean): Promise<void> => {
    if (length === 0 || (!all && length < bytesAtOnce)) return
    const text = waiting.join('')
    waiting = []
    length = 0
    writer ??= await files.create(file)
    await writer.write(Buffer.from(text))
  }
  return {
    add(value) {
      const line = `${JSON.stringify(value)}\n`
      waiting.push(line)
      length += line.length
    },
    flush,
    async close() {
      await flush(true)
      await writer?.close()
      writer = null
    },
    lines: () => linesOf(file),
  }
}

/** The values of a file with one on each line. Nothing but a line feed ends one: texts hold other separators. */
export async function* linesOf(file: string): AsyncGenerator<unknown> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(file, { highWaterMark: bytesAtOnce })) {
    const bytes = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer])
    let start = 0
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      yield JSON.parse(bytes.toString('utf8', start, end))
      start = end + 1
    }
    rest = bytes.subarray(start)
  }
}
