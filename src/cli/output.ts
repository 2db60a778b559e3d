import { fstatSync, write } from 'node:fs'

/**
 * Standard output of a server: lines of its log and what it says. Whatever becomes of it (a full disk, a closed or paused
 * terminal, a pipe that nobody reads), writing neither waits nor throws: what cannot be written is given up and told.
 */
export interface Output {
  write(text: string): void
  /** Waits for what is on its way, at most this long. Returns whether all of it is out. */
  flush(mostMs: number): Promise<boolean>
}

/** More than this is not kept for a reader that does not read. In UTF-16 units. */
const mostWaiting = 1024 * 1024
const againMs = 100

type Standard = NodeJS.WriteStream & { readonly fd: number }
type OnLoss = (reason: string) => void

export function createOutput(onLoss: OnLoss, stream: Standard = process.stdout): Output {
  // Without a listener an error of the stream ends the process.
  stream.on('error', () => {})
  return isStream(stream) ? streamOutput(stream, onLoss) : descriptorOutput(stream.fd, onLoss)
}

/** Node writes to pipes without waiting; to files and terminals it would wait, so those are written by descriptor. */
function isStream(stream: Standard): boolean {
  if (process.platform === 'win32') return true
  try {
    const facts = fstatSync(stream.fd)
    return facts.isFIFO() || facts.isSocket()
  } catch {
    // It was closed before the program began.
    return false
  }
}

function streamOutput(stream: NodeJS.WriteStream, onLoss: OnLoss): Output {
  return {
    write(text) {
      if (stream.destroyed || !stream.writable) onLoss('it is closed')
      else if (stream.writableLength > mostWaiting) onLoss('nobody reads it')
      else stream.write(text, (error) => error && onLoss(codeOf(error)))
    },
    flush: (mostMs) => until(() => stream.destroyed || stream.writableLength === 0, mostMs),
  }
}

/** One write at a time, on a thread of Node's pool: it may take for ever. */
function descriptorOutput(descriptor: number, onLoss: OnLoss): Output {
  let waiting = ''
  let isWriting = false
  const send = (bytes: Buffer): void => {
    write(descriptor, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(() => send(bytes), againMs).unref()
      else if (error === null && written < bytes.length) send(bytes.subarray(written))
      else {
        if (error !== null) onLoss(codeOf(error))
        isWriting = false
        next()
      }
    })
  }
  const next = (): void => {
    if (isWriting || waiting === '') return
    const bytes = Buffer.from(waiting)
    waiting = ''
    isWriting = true
    send(bytes)
  }
  return {
    write(text) {
      if (waiting.length > mostWaiting) onLoss('it takes no more')
      else waiting += text
      next()
    },
    flush: (mostMs) => until(() => !isWriting && waiting === '', mostMs),
  }
}

async function until(isDone: () => boolean, mostMs: number): Promise<boolean> {
  const deadline = Date.now() + mostMs
  while (!isDone()) {
    if (Date.now() >= deadline) return false
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return true
}

function codeOf(error: Error & { readonly code?: string }): string {
  return error.code ?? error.message
}
