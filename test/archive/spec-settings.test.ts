import { accessSync, constants, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createFiles, type Files } from '../../src/storage/files.ts'
import { serverWith } from './fixture.ts'
import { contentOf, expectedContent, fresh, old, uploadsOn } from './install.ts'
import { pausableFiles, specServer } from './spec-support.ts'

// SPEC 8.2 (other variables) and the rules 3 and 7 of SPEC 8.3, on the disk; spec.test.ts counts the rows.

test('SPEC 8.2: DATA_DIR is the data volume, /data by default', async () => {
  const on = await specServer()
  onTestFinished(() => on.stop())
  expect((await on.run()).status).toBe(200)
  const own = ['ai-config.key', 'backup-state.json', 'backups', 'talekeeper.db', 'uploads']
  expect(readdirSync(on.dataDir)).toEqual(expect.arrayContaining(own))
  expect(readdirSync(on.root).sort()).toEqual(['data', 'tmp'])
  // Where there is no such volume, as on a desktop, the data lies in the user's own folder.
  const isVolume = (): boolean => {
    try {
      accessSync('/data', constants.W_OK)
      return process.platform === 'linux'
    } catch {
      return false
    }
  }
  expect(readConfig({ HOME: '/home/ada' }).dataDir === '/data').toBe(isVolume())
})

test('SPEC 8.2: TMPDIR is where work is staged, the default of the system without it', async () => {
  const { files, pauseAt } = pausableFiles()
  const on = await specServer({ files })
  onTestFinished(() => on.stop())
  for (const begin of [on.download, on.run]) {
    const pause = pauseAt(/^makeDir .*tmp.talekeeper-archive-/)
    const working = begin()
    await pause.reached
    pause.go()
    await working
    await expect.poll(() => readdirSync(on.tempDir)).toEqual([])
  }
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, undefined)
  expect(readConfig({ DATA_DIR: on.dataDir }).tempDir).toBe(tmpdir())
  expect(tmpdir()).not.toBe(on.tempDir)
})

test('SPEC 8.2: API_DOCS is unset by default, and 1 enables the docs and OpenAPI endpoints', async () => {
  for (const [API_DOCS, status] of [
    ['', 404],
    ['0', 404],
    ['1', 200],
  ] as const) {
    const on = await specServer({ env: { API_DOCS } })
    onTestFinished(() => on.stop())
    for (const target of ['/api/docs', '/api/openapi.json'])
      expect((await on.world.callers.anonymous.get(target)).status, `${target} with "${API_DOCS}"`).toBe(status)
  }
})

/** The real files, which tell of everything that was done with them. */
function watchedFiles(done: (deed: string, file: string) => void): Files {
  const real = createFiles()
  return {
    ...real,
    async link(from, to) {
      await real.link(from, to)
      done('link', to)
    },
    async create(file) {
      const writer = await real.create(file)
      done('create', file)
      return {
        ...writer,
        async write(chunk) {
          await writer.write(chunk)
          done('write', file)
        },
      }
    },
    async remove(file) {
      done('remove', file)
      await real.remove(file)
    },
    async removeTree(folder) {
      done('remove', folder)
      await real.removeTree(folder)
    },
  }
}

function bytesIn(folder: string): number {
  if (!existsSync(folder)) return 0
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((item) => item.isFile())
  return found.reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0)
}

test('SPEC 8.3: rule 3, the peak on the disk is the snapshot, a staged copy of the uploads and the archive', async () => {
  let most = 0
  let snapshot = 0
  const server = serverWith(fresh, {
    files: watchedFiles((_, file) => {
      const folders = [server.tempDir, server.directory]
      most = Math.max(
        most,
        folders.reduce((sum, folder) => sum + bytesIn(folder), 0),
      )
      if (path.basename(file).startsWith('talekeeper.db') && existsSync(path.join(path.dirname(file), 'talekeeper.db')))
        snapshot = Math.max(snapshot, statSync(path.join(path.dirname(file), 'talekeeper.db')).size)
    }),
  })
  const { bytes } = await server.archive.scheduled.runNow()
  const uploads = fresh.uploads.reduce((sum, upload) => sum + upload.bytes.length, 0)
  expect(snapshot).toBeGreaterThan(0)
  expect(most).toBeGreaterThan(snapshot + uploads)
  expect(most).toBeLessThanOrEqual(snapshot + uploads + bytes)
  expect(bytesIn(server.tempDir)).toBe(0)
})

test('SPEC 8.3: rule 7, whole-server backups stage immutable copies of attachments before any ZIP entry is written', async () => {
  const staged: string[] = []
  let stagedAtFirstEntry: readonly string[] | undefined
  const server = serverWith(fresh, {
    files: watchedFiles((deed, file) => {
      const isUpload = path.basename(path.dirname(file)) === 'uploads'
      if (deed === 'link' || (deed === 'create' && isUpload)) staged.push(path.basename(file))
      if (deed !== 'create' || !file.includes('.zip')) return
      stagedAtFirstEntry = [...staged].sort()
      // What happens to the live files from here on is not in the archive.
      for (const { fileKey } of fresh.uploads) rmSync(path.join(server.dataDir, 'uploads', fileKey))
    }),
  })
  const destination = path.join(server.tempDir, 'a.zip')
  const { manifest } = await server.archive.create({ destination })
  expect(stagedAtFirstEntry).toEqual(fresh.uploads.map(({ fileKey }) => path.basename(fileKey)).sort())
  expect(manifest).toMatchObject({ uploadCount: fresh.uploads.length, reconciliation: { missing: [] } })
  expect(uploadsOn(server.dataDir)).toEqual([])
  const target = serverWith(old)
  await target.archive.restore(destination, { actor: null })
  target.stop()
  expect(contentOf(target.dataDir)).toEqual({ ...expectedContent(fresh), key: expectedContent(old).key })
})
