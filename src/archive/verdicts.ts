import * as z from 'zod'
import type { FileFacts } from '../storage/files.ts'

/** What reading an archive in full found, and of which state of the file. */
export const verdictSchema = z.object({
  fingerprint: z.string(),
  /** The version of the program that judged: another one may judge otherwise. */
  appVersion: z.string(),
  checkedAt: z.string(),
  /** Null: a restore would accept it. */
  problem: z.string().nullable(),
})

export type Verdict = z.output<typeof verdictSchema>

/** By the name of the archive. */
export type Verdicts = Readonly<Record<string, Verdict>>

/** Differs as soon as the file may hold other bytes: an archive whose fingerprint is known is not read in full again. */
export function fingerprintOf({ bytes, modifiedAt, changedAt }: FileFacts): string {
  return `${bytes} ${modifiedAt} ${changedAt}`
}

/** This program's verdict on the file as it is now; undefined when it has not read that in full. */
export function verdictOn(
  verdicts: Verdicts,
  name: string,
  now: Pick<Verdict, 'fingerprint' | 'appVersion'>,
): Verdict | undefined {
  const known = verdicts[name]
  return known?.fingerprint === now.fingerprint && known.appVersion === now.appVersion ? known : undefined
}
