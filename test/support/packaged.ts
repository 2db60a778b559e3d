import { spawn } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Target, type TargetName, targets } from '../../build.config.ts'

const root = path.resolve(import.meta.dirname, '../..')

/**
 * The folder of `npm run package` for one machine type, made when the build is newer than it. Test files run beside one
 * another: only one of them packages, the others wait for it.
 */
export async function packagedFolder(name: TargetName): Promise<string> {
  const { executable }: Target = targets[name]
  const folder = path.join(root, 'dist', name)
  const release = await acquire(path.join(root, 'dist', '.packaging'))
  try {
    if (isStale(path.join(folder, executable))) await packageTarget(name)
  } finally {
    release()
  }
  return folder
}

/** `npm test` has built the bundle; the executable must be made from that one, by the scripts as they are. */
function isStale(executable: string): boolean {
  const made = statSync(executable, { throwIfNoEntry: false })
  const sources = ['build/talekeeper.cjs', ...globSync('scripts/package/*', { cwd: root })]
  return made === undefined || sources.some((file) => statSync(path.join(root, file)).mtimeMs > made.mtimeMs)
}

function packageTarget(name: TargetName): Promise<void> {
  return new Promise((resolve, reject) => {
    const args = [path.join(root, 'scripts', 'package.ts'), name, '--no-installers']
    spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }).once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`packaging ${name} ended with ${code}`)),
    )
  })
}

/** A folder is made by one process only. Whoever made it and is gone leaves it to the next. */
async function acquire(lock: string): Promise<() => void> {
  mkdirSync(path.dirname(lock), { recursive: true })
  for (;;) {
    try {
      mkdirSync(lock)
      writeFileSync(path.join(lock, 'pid'), String(process.pid))
      return () => rmSync(lock, { recursive: true, force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    if (isAbandoned(lock)) rmSync(lock, { recursive: true, force: true })
    else await delay(200)
  }
}

function isAbandoned(lock: string): boolean {
  try {
    process.kill(Number(readFileSync(path.join(lock, 'pid'), 'utf8')), 0)
    return false
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true
    // Just made, its number not yet written.
    const made = statSync(lock, { throwIfNoEntry: false })
    return made !== undefined && Date.now() - made.mtimeMs > 10_000
  }
}
