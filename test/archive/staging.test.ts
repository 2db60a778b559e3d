import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { archiveLimits } from '../../src/archive/format.ts'
import { inParallel, stageUpload } from '../../src/archive/staging.ts'
import { writeArchive } from '../../src/archive/write.ts'
import { createFiles, type Files } from '../../src/storage/files.ts'
import { archiveOf, makeFolder, serverWith } from './fixture.ts'
import { codeOf, contentOf, expectedContent, fillInstall, fresh, namesIn, old } from './install.ts'

const signal = new AbortController().signal

function refusingLinks(code: string): Files {
  return {
    ...createFiles(),
    link: async () => {
      throw Object.assign(new Error(code), { code })
    },
  }
}

describe('putting an upload aside', () => {
  test('links where that works: no byte is copied, and deleting the upload does not matter', async () => {
    const folder = makeFolder()
    const [source, target] = [path.join(folder, 'a'), path.join(folder, 'b')]
    writeFileSync(source, 'hello')
    expect(await stageUpload(createFiles(), source, target, signal)).toEqual({
      bytes: 5,
      sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      crc32: 0x3610a686,
    })
    expect(statSync(target).ino).toBe(statSync(source).ino)
    await createFiles().remove(source)
    expect(readFileSync(target, 'utf8')).toBe('hello')
  })

  test.each(['EXDEV', 'EPERM', 'EMLINK', 'ENOSYS'])('copies where a link is refused with %s', async (code) => {
    const folder = makeFolder()
    const [source, target] = [path.join(folder, 'a'), path.join(folder, 'b')]
    // More than one chunk.
    writeFileSync(source, Buffer.alloc(3_000_000, 'x'))
    const copied = await stageUpload(refusingLinks(code), source, target, signal)
    expect(copied).toMatchObject({ bytes: 3_000_000 })
    expect(statSync(target).ino).not.toBe(statSync(source).ino)
    expect(readFileSync(target).equals(readFileSync(source))).toBe(true)
  })

  test('takes neither links nor folders for uploads', async () => {
    const folder = makeFolder()
    mkdirSync(path.join(folder, 'a'))
    expect(await stageUpload(createFiles(), path.join(folder, 'a'), path.join(folder, 'b'), signal)).toBeUndefined()
    expect(await stageUpload(createFiles(), path.join(folder, 'none'), path.join(folder, 'b'), signal)).toBeUndefined()
  })

  test('a backup across file systems is as good', async () => {
    const server = serverWith(fresh, { files: refusingLinks('EXDEV') })
    const destination = path.join(server.tempDir, 'a.zip')
    await server.archive.create({ destination })
    const target = serverWith(old)
    await target.archive.restore(destination, { actor: null })
    target.stop()
    expect(contentOf(target.dataDir)).toEqual({ ...expectedContent(fresh), key: expectedContent(old).key })
  })
})

test('after a failure nothing more is begun, and all that was begun has ended', async () => {
  const begun: number[] = []
  let running = 0
  const work = inParallel([...Array(100).keys()], async (item) => {
    begun.push(item)
    running += 1
    await new Promise((resolve) => setTimeout(resolve, item === 3 ? 1 : 20))
    running -= 1
    if (item === 3) throw new Error('three')
  })
  await expect(work).rejects.toThrow('three')
  expect(running).toBe(0)
  expect(begun.length).toBeLessThan(10)
})

describe('what no restore would accept', () => {
  const limits: [string, Partial<typeof archiveLimits>][] = [
    ['a file', { entryBytes: 100_000 }],
    ['the number of files', { entries: 4 }],
    ['the content', { totalBytes: archiveLimits.manifestBytes + 100_000 }],
    ['the archive', { archiveBytes: 100_000 }],
  ]
  test.each(limits)('is not written: %s is too large', async (_, smaller) => {
    const root = makeFolder()
    const dataDir = path.join(root, 'data')
    fillInstall(dataDir, fresh)
    mkdirSync(path.join(root, 'staging'))
    const payload = {
      databasePath: path.join(dataDir, 'talekeeper.db'),
      uploadsDir: path.join(dataDir, 'uploads'),
      stagingDir: path.join(root, 'staging'),
      target: path.join(root, 'a.zip'),
      createdAt: '2026-11-21T09:30:00.000Z',
      appVersion: '0.1.0',
      envelope: null,
    }
    const write = (own: object) =>
      writeArchive({ ...payload, limits: { ...archiveLimits, ...own } }, { signal, progress() {} }, createFiles())
    expect(await codeOf(write(smaller))).toBe('archive_too_large')
  })
})

test('a folder on another file system is found before the server is stopped', async () => {
  const archive = await archiveOf(fresh)
  const real = createFiles()
  const files: Files = {
    ...real,
    async stat(file) {
      const facts = await real.stat(file)
      return facts && path.basename(file) === 'uploads' ? { ...facts, device: -1 } : facts
    },
  }
  const server = serverWith(old, { files })
  expect(await codeOf(server.archive.restore(archive, { actor: null }))).toBe('invalid_state')
  expect(server.events).toEqual([])
  expect(namesIn(server.dataDir).filter((name) => name.startsWith('restore'))).toEqual([])
})

test('a disk that is too small for the unpacked archive is found before the server is stopped', async () => {
  const archive = await archiveOf(fresh)
  const files: Files = {
    ...createFiles(),
    space: async (folder) => ({ ...(await createFiles().space(folder)), freeBytes: 1000 }),
  }
  const server = serverWith(old, { files })
  expect(await codeOf(server.archive.restore(archive, { actor: null }))).toBe('disk_full')
  expect(server.events).toEqual([])
})
