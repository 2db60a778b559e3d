import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { archiveLimits } from '../../src/archive/format.ts'
import { corpus } from './corpus.ts'
import { entriesOf, type GoodParts, readParts } from './corpus-parts.ts'
import { makeFolder, serverWith } from './fixture.ts'
import {
  codeOf,
  contentOf,
  expectedContent,
  fillInstall,
  fresh,
  namesIn,
  offlineArchive,
  old,
  passphrase,
} from './install.ts'
import { rawZip } from './raw-zip.ts'
import { bytesUnder, watchMemory } from './unchanged.ts'

describe('broken archives', () => {
  let good: GoodParts
  let bytes: Buffer

  beforeAll(async () => {
    const root = mkdtempSync(path.join(tmpdir(), 'archive-test-'))
    const dataDir = path.join(root, 'data')
    fillInstall(dataDir, fresh)
    const archive = offlineArchive(dataDir)
    const destination = path.join(root, 'good.zip')
    await archive.create({ destination })
    good = await readParts(destination)
    bytes = readFileSync(destination)
    rmSync(root, { recursive: true })
  })

  test('there are enough of them, each with a name of its own', () => {
    expect(corpus.length).toBeGreaterThan(100)
    expect(new Set(corpus.map((each) => each.name)).size).toBe(corpus.length)
  })

  test('the good one passes, packed by us and packed again', async () => {
    const server = serverWith(old)
    const file = path.join(makeFolder(), 'a.zip')
    writeFileSync(file, bytes)
    expect(await server.archive.inspect(file)).toMatchObject({ sealed: true })
    writeFileSync(file, rawZip({ entries: entriesOf(good) }))
    expect(await server.archive.inspect(file)).toMatchObject({ sealed: false })
  })

  test.each(corpus)('$name is refused with $code', async ({ build, code }) => {
    const server = serverWith(old)
    const file = path.join(makeFolder(), 'a.zip')
    writeFileSync(file, build(good))
    const before = bytesUnder(server.dataDir)
    const memory = watchMemory()
    expect(await codeOf(server.archive.inspect(file))).toBe(code)
    expect(await codeOf(server.archive.restore(file, { passphrase, actor: null }))).toBe(code)
    expect(server.events).toEqual([])
    expect(memory()).toBeLessThan(150)
    expect(bytesUnder(server.dataDir)).toEqual(before)
    expect(namesIn(server.tempDir)).toEqual([])
    server.stop()
    expect(contentOf(server.dataDir)).toEqual(expectedContent(old))
  })
})

test('a file that is larger than any archive is refused before it is read', async () => {
  const server = serverWith(old)
  const file = path.join(makeFolder(), 'a.zip')
  writeFileSync(file, '')
  truncateSync(file, archiveLimits.archiveBytes + 1)
  expect(await codeOf(server.archive.inspect(file))).toBe('archive_too_large')
})
