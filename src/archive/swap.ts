import path from 'node:path'
import { type Files, moveDurably } from '../storage/files.ts'
import type { Intent, IntentItem } from './intent.ts'

// The old files go to `restore-<id>/old`, the new ones come from `restore-<id>/new`; all in the data folder, so that each
// move is one rename. Both directions look at what is where and do what is left, so they may be broken off at any
// instant and begun again. No file is ever deleted here.

export interface Swap {
  readonly files: Files
  readonly dataDir: string
  readonly intent: Intent
  /** Told after each move. */
  readonly checkpoint: (step: string) => void
}

/** Files that SQLite keeps beside a database. With the wrong database they destroy it, so they move with theirs. */
const sideFiles = ['-wal', '-shm', '-journal']

export function restorePaths(dataDir: string, id: string) {
  const root = path.join(dataDir, id)
  return {
    root,
    fresh: path.join(root, 'new'),
    old: path.join(root, 'old'),
    stray: path.join(root, 'stray'),
    marker: path.join(root, 'safety-copy.json'),
  }
}

/** Puts the new files in place: first all old ones aside, then all new ones in. */
export async function moveForward({ files, dataDir, intent, checkpoint }: Swap): Promise<void> {
  const { fresh, old } = restorePaths(dataDir, intent.id)
  await files.makeDir(old)
  for (const { name } of intent.items) {
    // A new file that is gone from `new` is in place: what is live is the new one.
    if (!(await exists(files, path.join(fresh, name)))) continue
    await moveAside(files, dataDir, intent, name)
    if (name === 'talekeeper.db') await moveSideFiles(files, path.join(dataDir, name), path.join(old, name))
    checkpoint(`aside:${name}`)
  }
  for (const { name } of intent.items) {
    if (!(await exists(files, path.join(fresh, name)))) continue
    await moveDurably(files, path.join(fresh, name), path.join(dataDir, name))
    checkpoint(`in:${name}`)
  }
}

async function moveAside(files: Files, dataDir: string, intent: Intent, name: IntentItem['name']): Promise<void> {
  const { old } = restorePaths(dataDir, intent.id)
  const live = path.join(dataDir, name)
  if (!(await exists(files, live))) return
  if (await exists(files, path.join(old, name))) await setAsideStray(files, dataDir, intent, name)
  else await moveDurably(files, live, path.join(old, name))
}

/** Puts the old files back, in the opposite order; the new ones return to `new`. */
export async function moveBack({ files, dataDir, intent, checkpoint }: Swap): Promise<void> {
  const { fresh, old } = restorePaths(dataDir, intent.id)
  for (const { name, hadLive } of intent.items.toReversed()) {
    const live = path.join(dataDir, name)
    const kept = path.join(old, name)
    const isDatabase = name === 'talekeeper.db'
    // Without an old file in `old`, the old one was not moved yet or is back already.
    const moved = hadLive ? await exists(files, kept) : !(await exists(files, path.join(fresh, name)))
    if (!moved) continue
    if (await exists(files, live)) {
      if (await exists(files, path.join(fresh, name))) await setAsideStray(files, dataDir, intent, name)
      else {
        // Side files first: once the new database is gone, those that are left count as the old one's.
        if (isDatabase) await moveSideFiles(files, live, path.join(fresh, name))
        await moveDurably(files, live, path.join(fresh, name))
      }
    }
    if (hadLive) {
      // Here too, the database last: its being back means that all of it is.
      if (isDatabase) await moveSideFiles(files, kept, live)
      await moveDurably(files, kept, live)
    }
    checkpoint(`back:${name}`)
  }
}

async function moveSideFiles(files: Files, fromDatabase: string, toDatabase: string): Promise<void> {
  for (const suffix of sideFiles) {
    if (await exists(files, fromDatabase + suffix)) await moveDurably(files, fromDatabase + suffix, toDatabase + suffix)
  }
}

/** Something made a file where none should be, such as a program that was started in between. It is kept, apart. */
async function setAsideStray(files: Files, dataDir: string, intent: Intent, name: string): Promise<void> {
  const { stray } = restorePaths(dataDir, intent.id)
  await files.makeDir(stray)
  const taken = (await files.list(stray)).length
  const target = path.join(stray, `${taken}-${name}`)
  if (name === 'talekeeper.db') await moveSideFiles(files, path.join(dataDir, name), target)
  await moveDurably(files, path.join(dataDir, name), target)
}

async function exists(files: Files, file: string): Promise<boolean> {
  return (await files.stat(file)) !== undefined
}
