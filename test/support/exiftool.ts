import { execFileSync } from 'node:child_process'

/** Whether exiftool is on this machine. In CI a missing one is a failure, elsewhere a reason to skip. */
export function hasExiftool(): boolean {
  try {
    execFileSync('exiftool', ['-ver'], { stdio: 'ignore' })
    return true
  } catch {
    if (process.env.CI === 'true') throw new Error('exiftool is missing; .ci/run installs it')
    console.warn('skipped: no exiftool on this machine (Debian: apt-get install libimage-exiftool-perl)')
    return false
  }
}

/** What exiftool finds in a file, by `Group:Tag`, what it does not know included. */
export function tagsOf(file: string): Readonly<Record<string, unknown>> {
  const said = execFileSync('exiftool', ['-j', '-G1', '-a', '-u', '-U', '-ee', file], { encoding: 'utf8' })
  return (JSON.parse(said) as readonly Record<string, unknown>[])[0] ?? {}
}

/** Plants tags. */
export function plantTags(file: string, tags: readonly string[]): void {
  execFileSync('exiftool', ['-q', '-m', '-overwrite_original', ...tags, file], { stdio: ['ignore', 'ignore', 'pipe'] })
}
