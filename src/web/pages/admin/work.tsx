import type { JSX } from 'preact'
import { sentence } from '../../kit/format.ts'
import { Progress } from '../../kit/page.tsx'
import type { BackupStatus } from '../../shell/server.ts'

const phases: Readonly<Record<string, string>> = {
  starting: 'Getting ready',
  snapshot: 'Copying the book',
  hash: 'Counting the pictures',
  stage: 'Laying out the pictures',
  pack: 'Packing',
  verify: 'Reading it back',
  database: 'Looking into the book',
  seal: 'Sealing',
  hold: 'Asking everybody to wait',
  replace: 'Putting it in place',
}

const works: Readonly<Record<string, string>> = {
  create: 'A backup is being made',
  scheduled: 'A backup is being made',
  inspect: 'A backup is being read',
  verify: 'A backup is being checked',
  restore: 'A backup is being put back',
}

/** What the server is doing with backups now. */
export function Work({ work }: { work: NonNullable<BackupStatus['backup']['current']> }): JSX.Element {
  const said = `${works[work.operation] ?? 'Working'}. ${phases[work.phase] ?? sentence(work.phase)}`
  return <Progress said={said} part={work.total > 0 ? work.done / work.total : null} />
}
