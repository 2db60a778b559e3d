import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The SHA-256 of every file under a folder, by its path in it. */
export function bytesUnder(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((item) => item.isFile())
  return Object.fromEntries(
    files
      .map((item) => path.join(item.parentPath, item.name))
      .sort()
      .map((file) => [path.relative(folder, file), createHash('sha256').update(readFileSync(file)).digest('hex')]),
  )
}

const mebibyte = 1024 * 1024

/** Watches how much memory the process has, until it is asked: the most above what it had at first, in MiB. */
export function watchMemory(): () => number {
  const before = process.memoryUsage.rss()
  let most = before
  const look = (): void => {
    most = Math.max(most, process.memoryUsage.rss())
  }
  const watching = setInterval(look, 5)
  return () => {
    clearInterval(watching)
    look()
    return (most - before) / mebibyte
  }
}
