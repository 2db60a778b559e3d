import type { Entity } from '../kernel/entity.ts'
import type { Files } from '../storage/files.ts'
import type { TaskContext } from '../storage/workers.ts'
import type { ReadDocument, ReadPayload } from './import-read.ts'

/** Reading documents on a worker thread. The declarations are asked for when there is one: other work does not wait for them. */
export function importTasks(files: Files, entities: () => Promise<readonly Entity[]>) {
  return {
    async 'import.read'(payload: ReadPayload, context: TaskContext): Promise<ReadDocument> {
      const [known, { readDocument }] = await Promise.all([entities(), import('./import-read.ts')])
      return readDocument(payload, context, files, known)
    },
  }
}

export type ImportTasks = ReturnType<typeof importTasks>
