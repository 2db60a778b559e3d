import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs'
import path from 'node:path'
import { projectRoot } from '../lib/node-runner.mjs'
import { type Installation, startOn } from './installation.ts'
import { median } from './load.ts'
import type { Measure } from './measures.ts'
import { residentMiB } from './programs.ts'

const starts = 5
const idleMs = 5000

/** The packed executable of this machine, where `npm run package` made it. */
function executable(): string | undefined {
  const name = `${process.platform}-${process.arch}`
  const file = path.join(projectRoot, 'dist', name, process.platform === 'win32' ? 'talekeeper.exe' : 'talekeeper')
  return existsSync(file) ? file : undefined
}

/** How long the packed executable takes to be ready, and what it holds when nothing happens. */
export async function idleMeasures(installation: Installation): Promise<readonly Measure[]> {
  const command = executable()
  const readyBudget = { name: 'ready after', unit: 's', budget: { most: 0.5 } } as const
  const idleBudget = { name: 'memory when idle', unit: 'MiB', budget: { most: 130 } } as const
  if (command === undefined) {
    const detail = 'there is no executable in dist/: npm run package makes it'
    return [
      { ...readyBudget, value: null, detail },
      { ...idleBudget, value: null, detail },
    ]
  }
  dropFromCache(command)
  const ready: number[] = []
  let resident: number | undefined
  // The first start reads the executable from the disk.
  for (let count = 0; count <= starts; count += 1) {
    const server = await startOn({ command, args: [] }, installation)
    const { status } = await fetch(`${server.found}/readyz`)
    if (status !== 200) throw new Error(`the executable is not ready: ${status}`)
    if (count > 0) ready.push(server.readyMs / 1000)
    if (count === starts) {
      await new Promise((resolve) => setTimeout(resolve, idleMs))
      resident = residentMiB(server.child)
    }
    await server.stop()
  }
  return [
    {
      ...readyBudget,
      value: median(ready),
      detail: `median of ${starts} starts of ${path.relative(projectRoot, command)}`,
    },
    { ...idleBudget, value: resident ?? null, detail: `resident ${idleMs / 1000} s after the start` },
  ]
}

/**
 * A file that was just written lies in the page cache in large pieces, and a piece counts as resident as soon as one of
 * its bytes is used. Read from the disk, as on any machine but the one that packed it, it lies there in small ones.
 */
function dropFromCache(file: string): void {
  const handle = openSync(file, 'r+')
  fsyncSync(handle)
  closeSync(handle)
  // GNU dd tells the system that the whole file is not needed; where there is no such dd, nothing changes.
  spawnSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' })
}
