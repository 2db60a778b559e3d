import { closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync, write } from 'node:fs'
import path from 'node:path'
import type { Output } from './output.ts'

export interface LogFiles extends Output {
  /** The file that is written now. */
  readonly file: string
}

interface Parts {
  readonly folder: string
  readonly clock: () => Date
  /** Told why lines were lost. */
  onLoss(reason: string): void
  /** A file is put aside when it is this large, and at the end of its day, in UTC. */
  readonly mostBytes?: number
  /** How many of those that were put aside are kept. */
  readonly keep?: number
}

const name = 'talekeeper.log'
const asideName = /^talekeeper-\d{8}T\d{9}Z\.log$/
/** More than this is not kept for a disk that takes nothing. In UTF-16 units. */
const mostWaiting = 1024 * 1024

/**
 * The log of a program that nobody watches: lines of JSON in files, as many and as large as they may be. Writing neither waits
 * nor throws; what cannot be written is given up and told.
 * @throws what Node throws where the folder cannot be made or written to at the start.
 */
export function createLogFiles({ folder, clock, onLoss, mostBytes = 5 * 1024 * 1024, keep = 10 }: Parts): LogFiles {
  const file = path.join(folder, name)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let descriptor = openSync(file, 'a', 0o600)
  let { size, mtime } = statSync(file)
  let day = dayOf(size === 0 ? clock() : mtime)
  let waiting = ''
  let isWriting = false

  const rotate = (now: Date): void => {
    closeSync(descriptor)
    const stamp = now.toISOString().replaceAll(/[-:.]/g, '')
    renameSync(file, path.join(folder, `talekeeper-${stamp}.log`))
    const old = readdirSync(folder).filter((each) => asideName.test(each))
    for (const each of old.sort().slice(0, -keep || undefined)) rmSync(path.join(folder, each), { force: true })
    descriptor = openSync(file, 'a', 0o600)
    size = 0
  }

  const next = (): void => {
    if (isWriting || waiting === '') return
    const bytes = Buffer.from(waiting)
    waiting = ''
    const now = clock()
    try {
      if (size > 0 && (size + bytes.length > mostBytes || dayOf(now) !== day)) rotate(now)
      day = dayOf(now)
    } catch (error) {
      onLoss(codeOf(error))
      try {
        descriptor = openSync(file, 'a', 0o600)
      } catch {
        return
      }
    }
    isWriting = true
    send(bytes)
  }
  const send = (bytes: Buffer): void => {
    write(descriptor, bytes, (error, written) => {
      if (error === null && written < bytes.length) return send(bytes.subarray(written))
      if (error === null) size += written
      else onLoss(codeOf(error))
      isWriting = false
      next()
    })
  }
  return {
    file,
    write(text) {
      if (waiting.length > mostWaiting) onLoss('the disk takes no more')
      else waiting += text
      next()
    },
    async flush(mostMs) {
      const deadline = Date.now() + mostMs
      while (isWriting || waiting !== '') {
        if (Date.now() >= deadline) return false
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      return true
    },
  }
}

/** Whatever slips into a line: no secret of ours is readable in a log (the prefixes are those of storage/secrets.ts). */
export function redacting(output: Output): Output {
  return {
    ...output,
    write: (text) => output.write(text.replaceAll(/\b(tk(?:cl|[a-z])_)[A-Za-z0-9_-]{20,}/g, '$1…')),
  }
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
