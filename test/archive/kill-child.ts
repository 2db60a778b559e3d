// A server in a process of its own, which is killed while it restores or recovers.
//   node kill-child.ts restore <data folder> <archive> <step>     killed at the step, or runs to its end
//   node kill-child.ts recover <data folder> - <step>
//   node kill-child.ts work <data folder> <archive> -             with real threads, until the parent kills it

import { flushCompileCache } from 'node:module'
import type { ArchiveTasks } from '../../src/archive/tasks.ts'
import { startWorker } from '../../src/assets.ts'
import { createWorkers } from '../../src/storage/workers.ts'
import { offlineArchive, passphrase, startServer } from './install.ts'

// What is killed keeps nothing of what it compiled for the next one.
flushCompileCache()

const [command = '', dataDir = '', archivePath = '', deadly = ''] = process.argv.slice(2)

const checkpoint = (step: string): void => {
  if (step === deadly) process.kill(process.pid, 'SIGKILL')
}

if (command === 'recover') await offlineArchive(dataDir, { checkpoint }).recover()
else {
  const workers = command === 'work' ? { workers: createWorkers<ArchiveTasks>({ start: startWorker }) } : {}
  const server = startServer(dataDir, { checkpoint, ...workers })
  server.db.prepare('INSERT INTO invites (code_hash) VALUES (?)').run('written just before')
  process.stdout.write('started\n')
  await server.archive.restore(archivePath, { passphrase, actor: null })
  process.stdout.write('restored\n')
  server.stop()
  process.exit(0)
}
