import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { canHaveTray, startTrayHost, type TrayHost } from '../../test/support/tray-host.ts'
import { projectRoot } from '../lib/node-runner.mjs'
import { type Installation, startOn } from './installation.ts'
import { median } from './load.ts'
import type { Measure } from './measures.ts'
import { addressPattern, type Running, residentMiB, startAndFind } from './programs.ts'

const starts = 10
const idleMs = 5000

/** The packed executable of this machine, where `npm run package` made it. */
function executable(): string | undefined {
  const name = `${process.platform}-${process.arch}`
  const file = path.join(projectRoot, 'dist', name, process.platform === 'win32' ? 'talekeeper.exe' : 'talekeeper')
  return existsSync(file) ? file : undefined
}

const budgets = {
  ready: { name: 'ready after', unit: 's', budget: { most: 0.45 } },
  idle: { name: 'memory when idle', unit: 'MiB', budget: { most: 115 } },
  tray: { name: 'memory when idle, with the tray', unit: 'MiB', budget: { most: 130 } },
} as const

/** How long the packed executable takes to be ready, and what it holds when nothing happens, without and with its icon in the tray. */
export async function idleMeasures(installation: Installation): Promise<readonly Measure[]> {
  const command = executable()
  if (command === undefined) {
    const detail = 'there is no executable in dist/: npm run package makes it'
    return Object.values(budgets).map((budget) => ({ ...budget, value: null, detail }))
  }
  dropFromCache(command)
  const ready: number[] = []
  const resident: number[] = []
  // The first start reads the executable from the disk.
  for (let count = 0; count <= starts; count += 1) {
    const server = await startOn({ command, args: [] }, installation)
    await expectReady(server)
    if (count > 0) {
      ready.push(server.readyMs / 1000)
      await delay(idleMs)
      resident.push(residentMiB(server.child) ?? Number.NaN)
    }
    await server.stop()
  }
  const name = path.relative(projectRoot, command)
  return [
    { ...budgets.ready, value: median(ready), detail: `median of ${starts} starts of ${name}` },
    { ...budgets.idle, value: median(resident), detail: `resident ${idleMs / 1000} s after ${starts} starts, median` },
    await trayMeasure(command, installation),
  ]
}

/** The program with its icon in a real panel. The helper counts with what is its own: the libraries are the desktop's too. */
async function trayMeasure(command: string, { root, dataDir }: Installation): Promise<Measure> {
  if (process.platform !== 'linux' || !canHaveTray())
    return { ...budgets.tray, value: null, detail: 'there is no panel here to show an icon' }
  const folder = mkdtempSync(path.join(tmpdir(), 'talekeeper-bench-tray-'))
  const host: TrayHost = await startTrayHost(folder)
  const held: number[] = []
  let helper = 0
  try {
    const env = { ...host.env, DATA_DIR: dataDir, TMPDIR: path.join(root, 'tmp'), PORT: '0', HOST: '127.0.0.1' }
    for (let count = 0; count < starts; count += 1) {
      const server = await startAndFind(command, ['--no-open'], addressPattern, env)
      await expectReady(server)
      await host.icon()
      await delay(idleMs)
      helper = privateMiB(childOf(server.child.pid as number))
      held.push((residentMiB(server.child) ?? Number.NaN) + helper)
      await server.stop()
    }
  } finally {
    await host.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  const detail = `median of ${starts} starts; ${helper.toFixed(0)} MiB of it the helper that shows the icon`
  return { ...budgets.tray, value: median(held), detail }
}

async function expectReady({ found }: Running): Promise<void> {
  const { status } = await fetch(`${found}/readyz`)
  if (status !== 200) throw new Error(`the executable is not ready: ${status}`)
}

function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])
}

/** Memory that would be free without this process. */
function privateMiB(pid: number): number {
  const lines = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB$/gm)
  return Array.from(lines, ([, kib]) => Number(kib)).reduce((sum, kib) => sum + kib, 0) / 1024
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
