// The one entry of worker threads: whatever takes long or much memory is done here, off the thread that answers.
import { parentPort } from 'node:worker_threads'
import { archiveTasks } from './archive/tasks.ts'
import { createFiles } from './storage/files.ts'
import { drawingTasks } from './storage/images-drawn.ts'
import { fogTasks } from './storage/images-of-maps.ts'
import { searchTasks } from './storage/search-run.ts'
import { serveTasks } from './storage/workers.ts'
import { importTasks } from './transfer/import-task.ts'
import { rulePackTasks } from './transfer/rule-pack-read.ts'

const files = createFiles()
const tasks = {
  ...archiveTasks(files),
  ...searchTasks(),
  ...fogTasks(),
  ...drawingTasks(),
  ...rulePackTasks,
  ...importTasks(files, async () => (await import('./catalogue.ts')).entities),
}

export type Tasks = typeof tasks

if (parentPort !== null) serveTasks(parentPort, tasks)
