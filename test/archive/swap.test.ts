import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Intent } from '../../src/archive/intent.ts'
import { moveBack, moveForward } from '../../src/archive/swap.ts'
import { createFiles } from '../../src/storage/files.ts'
import { faultyFiles } from './faulty-files.ts'
import { makeFolder } from './fixture.ts'

// Files that say whose they are, with a -wal on either side: a database with the other's -wal would be destroyed.

const id = 'restore-20261121T093000Z-0123abcd'

interface Case {
  readonly hadKey: boolean
  readonly wal: boolean
}

function prepare({ hadKey, wal }: Case): { dataDir: string; intent: Intent } {
  const dataDir = makeFolder()
  const put = (name: string, content: string): void => {
    mkdirSync(path.dirname(path.join(dataDir, name)), { recursive: true })
    writeFileSync(path.join(dataDir, name), content)
  }
  put('talekeeper.db', 'old')
  if (wal) {
    put('talekeeper.db-wal', 'old')
    put('talekeeper.db-shm', 'old')
  }
  put('uploads/aa/one.png', 'old')
  if (hadKey) put('ai-config.key', 'old')
  put(`${id}/new/talekeeper.db`, 'new')
  put(`${id}/new/uploads/bb/two.png`, 'new')
  put(`${id}/new/ai-config.key`, 'new')
  const items: Intent['items'] = [
    { name: 'talekeeper.db', hadLive: true },
    { name: 'uploads', hadLive: true },
    { name: 'ai-config.key', hadLive: hadKey },
  ]
  const time = '2026-11-21T09:30:00.000Z'
  return { dataDir, intent: { version: 1, id, phase: 'replacing', startedAt: time, archiveCreatedAt: time, items } }
}

/** Every file of the installation and of the restore's folders, with whose it is. */
function filesIn(folder: string): Readonly<Record<string, string>> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((item) => item.isFile())
  const names = found.map((item) => path.relative(folder, path.join(item.parentPath, item.name))).sort()
  return Object.fromEntries(
    names.map((name) => [name.replace(`${id}/`, ''), readFileSync(path.join(folder, name), 'utf8')]),
  )
}

function oldOnes({ hadKey, wal }: Case, where: string): Record<string, string> {
  const names = [
    'talekeeper.db',
    ...(wal ? ['talekeeper.db-wal', 'talekeeper.db-shm'] : []),
    'uploads/aa/one.png',
    ...(hadKey ? ['ai-config.key'] : []),
  ]
  return Object.fromEntries(names.map((name) => [where + name, 'old']))
}

function newOnes(where: string, wal: boolean): Record<string, string> {
  const names = ['talekeeper.db', 'uploads/bb/two.png', 'ai-config.key', ...(wal ? ['talekeeper.db-wal'] : [])]
  return Object.fromEntries(names.map((name) => [where + name, 'new']))
}

const cases: readonly Case[] = [
  { hadKey: true, wal: true },
  { hadKey: false, wal: false },
]

async function attempt(work: Promise<void>): Promise<void> {
  await work.catch(() => {})
}

test.each(cases)('forward, broken off at any operation and begun again, ends with the new files, %j', async (given) => {
  for (let failing = 1; ; failing += 1) {
    const { dataDir, intent } = prepare(given)
    const files = faultyFiles(createFiles(), failing, 'dead')
    await attempt(moveForward({ files, dataDir, intent, checkpoint() {} }))
    await moveForward({ files: createFiles(), dataDir, intent, checkpoint() {} })
    expect(filesIn(dataDir), `operation ${failing}`).toEqual({ ...newOnes('', false), ...oldOnes(given, 'old/') })
    if (files.count < failing) break
  }
})

test.each(cases)('back, from wherever forward had come, ends with the old files, %j', async (given) => {
  for (let failing = 1; ; failing += 1) {
    for (let second = 1; ; second += 1) {
      const { dataDir, intent } = prepare(given)
      const forward = faultyFiles(createFiles(), failing, 'dead')
      await attempt(moveForward({ files: forward, dataDir, intent, checkpoint() {} }))
      // Forward came to its end: the new database was opened, and has a -wal of its own.
      const opened = forward.count < failing
      if (opened) writeFileSync(path.join(dataDir, 'talekeeper.db-wal'), 'new')
      const back = faultyFiles(createFiles(), second, 'dead')
      await attempt(moveBack({ files: back, dataDir, intent, checkpoint() {} }))
      await moveBack({ files: createFiles(), dataDir, intent, checkpoint() {} })
      expect(filesIn(dataDir), `operations ${failing} and ${second}`).toEqual({
        ...oldOnes(given, ''),
        ...newOnes('new/', opened),
      })
      if (back.count < second) {
        if (opened) return
        break
      }
    }
  }
})

test('a database that somebody made in between is kept apart', async () => {
  const { dataDir, intent } = prepare(cases[0]!)
  const files = faultyFiles(createFiles(), 40, 'dead')
  await attempt(moveForward({ files, dataDir, intent, checkpoint: (step) => step === 'aside:uploads' && stop() }))
  writeFileSync(path.join(dataDir, 'talekeeper.db'), 'stray')
  await moveForward({ files: createFiles(), dataDir, intent, checkpoint() {} })
  expect(filesIn(dataDir)).toEqual({
    ...newOnes('', false),
    ...oldOnes(cases[0]!, 'old/'),
    'stray/0-talekeeper.db': 'stray',
  })
})

function stop(): never {
  throw new Error('stopped')
}
