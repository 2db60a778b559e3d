import { Failure } from '../kernel/errors.ts'
import type { Job } from './jobs.ts'
import type { ArchiveParts } from './ports.ts'
import type { StateFile } from './state.ts'

/**
 * The sequence of the next backup: above the last one that is remembered, and above all in the backup folder, for a data
 * folder that was put back as it once was.
 */
export async function nextSequence(parts: ArchiveParts, state: StateFile, job: Job): Promise<number> {
  const inFolder = await highestIn(parts, job)
  const { lastSequence } = await state.change((known) => ({
    ...known,
    lastSequence: Math.max(known.lastSequence, inFolder) + 1,
  }))
  return lastSequence
}

async function highestIn({ workers, schedule, log }: ArchiveParts, { signal }: Job): Promise<number> {
  const folder = schedule().directory
  try {
    const stored = await workers.runTask('archive.survey', { folder }, { signal })
    return stored.reduce((highest, { sequence }) => Math.max(highest, sequence ?? 0), 0)
  } catch (error) {
    if (error instanceof Failure && error.code === 'cancelled') throw error
    // A backup to somewhere else is possible all the same.
    log.warn({ err: error, folder }, 'The backup folder cannot be read.')
    return 0
  }
}
