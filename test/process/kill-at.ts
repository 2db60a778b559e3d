// The program, but for one thing: it ends itself with SIGKILL. Started by archives*.test.ts in place of src/main.ts.
//   KILL_AT=<step>          when a restore, or its recovery, reaches that step
//   KILL_IN=<activity>      at a file operation of archive work, counted over all threads from where that work begins:
//     KILL_OPERATION=<n>      the n-th, from 1; without it they are only counted, and SIGTERM prints their number
//     KILL_SIDE=before|after  right before the operation, or right after it
// Activities are those of the archive's jobs, and `retention`: what a scheduled run does once its archive is in place.
import { writeSync } from 'node:fs'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import manifest from '../../package.json' with { type: 'json' }
import { archiveTasks } from '../../src/archive/tasks.ts'
import { createFiles } from '../../src/storage/files.ts'
import { serveTasks } from '../../src/storage/workers.ts'
import { type FileOperation, guardedFiles } from '../archive/faulty-files.ts'

const { KILL_AT: deadlyStep, KILL_IN: activity, KILL_OPERATION: deadly, KILL_SIDE: side } = process.env

/** Shared by all threads: whether the activity has begun, and how many operations it has had. */
const shared = isMainThread ? new Int32Array(new SharedArrayBuffer(8)) : (workerData as Int32Array)
const begin = (): unknown => Atomics.store(shared, 0, 1)
const countOne = (): number => (Atomics.load(shared, 0) === 1 ? Atomics.add(shared, 1, 1) + 1 : 0)

function endHere(what: string): void {
  writeSync(1, `killed ${what}\n`)
  process.kill(process.pid, 'SIGKILL')
}

const files = guardedFiles(createFiles(), async (operation, work) => {
  const number = countOne()
  const isDeadly = number > 0 && number === Number(deadly)
  if (isDeadly && side === 'before') endHere(`before ${number}: ${operation.kind} ${operation.path}`)
  const result = await work()
  if (isDeadly && side === 'after') endHere(`after ${number}: ${operation.kind} ${operation.path}`)
  if (activity === 'retention' && isArchiveInPlace(operation)) begin()
  return result
})

function isArchiveInPlace({ kind, target }: FileOperation): boolean {
  return kind === 'rename' && target?.endsWith('.zip') === true
}

async function serve(): Promise<void> {
  const { createApp } = await import('../../src/app.ts')
  const { readConfig } = await import('../../src/config.ts')
  const app = await createApp({
    config: readConfig(),
    version: manifest.version,
    files,
    startThread: () => new Worker(new URL(import.meta.url), { workerData: shared }),
    checkpoint: (reached) => {
      if (reached === deadlyStep) endHere(`at ${reached}`)
    },
    onLost: () => process.exit(1),
  })
  let running = false
  app.archive.watch((current) => {
    if (current?.operation === activity) begin()
    if (running && current === null) process.stdout.write('archive work ended\n')
    running = current !== null
  })
  process.once('SIGTERM', async () => {
    await app.stop()
    process.stdout.write(`file operations: ${Atomics.load(shared, 1)}\n`, () => process.exit(0))
  })
  process.stdout.write(`Talekeeper is at ${await app.listen()}/\n`)
}

if (parentPort === null) await serve()
else serveTasks(parentPort, archiveTasks(files))
