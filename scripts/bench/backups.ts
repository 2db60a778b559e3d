import { createHash } from 'node:crypto'
import { createReadStream, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { archiveLimits } from '../../src/archive/format.ts'
import { writeArchive } from '../../src/archive/write.ts'
import { createFiles } from '../../src/storage/files.ts'
import { type Installation, type Program, startOn } from './installation.ts'
import { load, median, percentile } from './load.ts'
import type { Measure } from './measures.ts'
import { targetOn } from './requests.ts'
import { failuresOf, steadily, watchMemory } from './steady.ts'

const rounds = 3

/** Writing an archive, against copying and hashing the same bytes in one go; verification apart. */
export async function archiveMeasures(installation: Installation): Promise<readonly Measure[]> {
  const { root, dataDir } = installation
  const ratios: { readonly write: number; readonly copy: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    const copy = await seconds(() => copyAndHash(installation, path.join(root, 'copy.bin')))
    rmSync(path.join(root, 'copy.bin'))
    const stagingDir = path.join(root, 'staging')
    mkdirSync(stagingDir)
    const target = path.join(root, 'backup.zip')
    const payload = {
      databasePath: path.join(dataDir, 'talekeeper.db'),
      uploadsDir: path.join(dataDir, 'uploads'),
      stagingDir,
      target,
      createdAt: new Date().toISOString(),
      appVersion: '0.0.0',
      envelope: null,
      limits: archiveLimits,
    }
    const context = { signal: new AbortController().signal, progress() {} }
    const write = await seconds(() => writeArchive(payload, context, createFiles()))
    rmSync(stagingDir, { recursive: true })
    rmSync(target)
    ratios.push({ write, copy })
  }
  const times = (which: 'write' | 'copy'): string => `${median(ratios.map((each) => each[which])).toFixed(2)} s`
  const size = filesOf(installation).reduce((sum, file) => sum + statSync(file).size, 0) / 1024 / 1024
  return [
    {
      name: 'backup, of copying and hashing the same bytes',
      value: median(ratios.map(({ write, copy }) => write / copy)),
      unit: '',
      budget: { most: 2 },
      detail: `${times('write')} and ${times('copy')} for ${size.toFixed(0)} MiB, median of ${rounds} rounds in turns`,
    },
  ]
}

/** Reads while a backup is made and verified by the running server, at ten a second. */
export async function duringBackupMeasures(program: Program, installation: Installation): Promise<readonly Measure[]> {
  const server = await startOn(program, installation)
  try {
    const target = targetOn(server, `/api/v1/npcs/${installation.npcId}`, installation)
    await load(target, 4, { requests: 4500 })
    const reading = steadily(100, target, 200)
    const memory = watchMemory(server)
    const started = performance.now()
    let runs = 0
    // So often that a hundred reads fall into it.
    for (; performance.now() - started < 10_500; runs += 1) {
      await backUp(server.found, installation)
      // What the ones after it add is the garbage of many backups in a row, which nobody makes.
      memory.end()
    }
    const { latencies, failures } = await reading.stop()
    return [
      {
        name: 'reads while a backup runs, 99th percentile',
        value: percentile(latencies, 0.99),
        unit: 'ms',
        budget: { most: 50 },
        detail: `${latencies.length} reads, ten a second, during ${runs} backups, each on a new connection`,
      },
      failuresOf('  reads that failed meanwhile', failures, `${latencies.length} reads`),
      { name: 'memory that a backup adds', ...memory.end(), unit: 'MiB', budget: { most: 100 } },
    ]
  } finally {
    await server.stop()
  }
}

/** Makes a backup in the backup folder; answers where it is. */
export async function backUp(address: string, { tokens }: Installation): Promise<string> {
  const headers = { authorization: `Bearer ${tokens[0]}` }
  const response = await fetch(`${address}/api/v1/backup/run`, { method: 'POST', headers })
  if (!response.ok) throw new Error(`a backup was answered with ${response.status}: ${await response.text()}`)
  return ((await response.json()) as { readonly path: string }).path
}

function filesOf({ dataDir }: Installation): readonly string[] {
  const uploads = readdirSync(path.join(dataDir, 'uploads'), { recursive: true, withFileTypes: true })
  return [
    path.join(dataDir, 'talekeeper.db'),
    ...uploads.filter((item) => item.isFile()).map(({ parentPath, name }) => path.join(parentPath, name)),
  ]
}

async function copyAndHash(installation: Installation, target: string): Promise<void> {
  const copy = await open(target, 'w')
  for (const file of filesOf(installation)) {
    const hash = createHash('sha256')
    for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
      hash.update(chunk as Buffer)
      await copy.write(chunk as Buffer)
    }
    hash.digest()
  }
  await copy.sync()
  await copy.close()
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}
