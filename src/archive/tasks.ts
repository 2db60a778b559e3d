import type { Files } from '../storage/files.ts'
import type { TaskContext } from '../storage/workers.ts'
import { type SurveyPayload, survey } from './stored-backups.ts'
import { type VerifyPayload, verifyArchive } from './verify.ts'
import { type WritePayload, writeArchive } from './write.ts'

/** The archive work that runs on a worker thread. */
export function archiveTasks(files: Files) {
  return {
    'archive.write': (payload: WritePayload, context: TaskContext) => writeArchive(payload, context, files),
    'archive.verify': (payload: VerifyPayload, context: TaskContext) => verifyArchive(payload, context, files),
    'archive.survey': (payload: SurveyPayload, context: TaskContext) => survey(payload, context, files),
  }
}

export type ArchiveTasks = ReturnType<typeof archiveTasks>
