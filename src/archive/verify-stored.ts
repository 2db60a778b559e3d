import path from 'node:path'
import { Failure, fail } from '../kernel/errors.ts'
import { verifyFile } from './inspect.ts'
import type { Job } from './jobs.ts'
import type { ArchiveParts } from './ports.ts'
import type { StateFile } from './state.ts'
import { fingerprintOf } from './verdicts.ts'
import type { VerifyResult } from './verify.ts'

/**
 * Reads an archive of the backup folder in full, judges it by the rules of a restore and remembers the verdict. Throws
 * what verifying throws: a refusal is remembered, what says nothing of the archive (a full disk, cancelling) is not.
 */
export async function verifyStored(
  parts: ArchiveParts,
  state: StateFile,
  file: string,
  job: Job,
): Promise<VerifyResult> {
  // Of the file as it was before: if it changes meanwhile, the verdict is not on what is there then.
  const fingerprint = await readFingerprint(parts, file)
  try {
    const result = await verifyFile(parts, file, job)
    await note(parts, state, file, fingerprint, null)
    return result
  } catch (error) {
    if (isRefusal(error)) await note(parts, state, file, fingerprint, error.message)
    throw error
  }
}

/** Remembers an archive that was verified before it came into the folder. */
export async function rememberGood(parts: ArchiveParts, state: StateFile, file: string): Promise<void> {
  await note(parts, state, file, await readFingerprint(parts, file), null)
}

/** Whether the archive itself is what is wrong. */
export function isRefusal(error: unknown): error is Failure {
  return error instanceof Failure && error.status === 400
}

async function readFingerprint({ files }: ArchiveParts, file: string): Promise<string> {
  const facts = await files.stat(file)
  if (facts === undefined) throw fail('not_found', 'There is no scheduled backup of this name.')
  return fingerprintOf(facts)
}

async function note(
  { clock, appVersion }: ArchiveParts,
  state: StateFile,
  file: string,
  fingerprint: string,
  problem: string | null,
): Promise<void> {
  const verdict = { fingerprint, appVersion, checkedAt: clock().toISOString(), problem }
  await state.change((known) => ({ ...known, verdicts: { ...known.verdicts, [path.basename(file)]: verdict } }))
}
