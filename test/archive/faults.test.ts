import { cpSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { createFiles } from '../../src/storage/files.ts'
import { type FaultMode, faultyFiles } from './faulty-files.ts'
import { archiveOf, archiveWithCheapKey, makeFolder, serverWith } from './fixture.ts'
import {
  codeOf,
  contentOf,
  expectedContent,
  fresh,
  type InstallContent,
  namesIn,
  offlineArchive,
  old,
  passphrase,
  startServer,
} from './install.ts'

const options = { passphrase, actor: null }
const never = Number.POSITIVE_INFINITY
const long = process.env.TALEKEEPER_TEST_LONG === '1'

/** Names in a data folder besides the installation: leftovers, and what a restore may keep. */
function besides(dataDir: string): readonly string[] {
  const own = new Set(['ai-config.key', 'talekeeper.db', 'uploads', 'backups', 'backup-state.json'])
  return namesIn(dataDir).filter((name) => !own.has(name))
}

async function operationsOf(work: (files: ReturnType<typeof faultyFiles>) => Promise<unknown>): Promise<number> {
  const files = faultyFiles(createFiles(), never, 'before')
  await work(files)
  return files.count
}

describe('a file operation of a restore fails', { timeout: 1_200_000 }, () => {
  const inputs: [string, InstallContent, InstallContent][] = [
    ['with a keyfile on both sides', old, fresh],
    ...(long
      ? [['with a first keyfile', { ...old, key: null }, fresh] as [string, InstallContent, InstallContent]]
      : []),
  ]

  test.each(inputs)('and the installation is the old one or the new one, %s', async (_, before, after) => {
    const archive = await archiveWithCheapKey(after)
    const total = await operationsOf((files) => serverWith(before, { files }).archive.restore(archive, options))
    expect(total).toBeGreaterThan(60)
    const seen = new Set<string>()
    for (const mode of ['before', 'after', 'dead'] satisfies FaultMode[]) {
      for (let failing = 1; failing <= total; failing += 1) {
        // Up to about there it is unpacked, where one failure is like another.
        if (!long && failing < 40 && failing % 4 !== 0) continue
        const where = `operation ${failing} of ${total}, ${mode}`
        const files = faultyFiles(createFiles(), failing, mode)
        const server = serverWith(before, { files })
        const code = await codeOf(server.archive.restore(archive, options))
        const restored = typeof code === 'object'
        const lost = server.events.includes('lost')
        seen.add(`${mode} ${restored ? 'restored' : 'failed'}${lost ? ' lost' : ''}`)
        // One failure is always dealt with; only a dead disk may leave the rest to the next start.
        if (mode !== 'dead') expect(lost, where).toBe(false)
        if (server.events.includes('suspend') && !lost) expect(server.events.at(-1), where).toBe('reopen')
        server.stop()

        const content = lost ? undefined : contentOf(server.dataDir)
        if (content !== undefined) expect(content, where).toEqual(expectedContent(restored ? after : before))
        await offlineArchive(server.dataDir).recover()
        const settled = contentOf(server.dataDir)
        expect([expectedContent(before), expectedContent(after)], where).toContainEqual(settled)
        if (content !== undefined) expect(settled, where).toEqual(content)
        const left = besides(server.dataDir)
        expect(
          left.every((name) => name.startsWith('restore-2026')),
          `${where}: ${left}`,
        ).toBe(true)
        expect(left.length, where).toBe(settled.name === after.name ? 1 : 0)
        if (!long) continue
        expect(await codeOf(offlineArchive(server.dataDir).restore(archive, options)), where).toMatchObject({
          resolved: { restored: true },
        })
      }
    }
    expect(seen).toEqual(
      new Set([
        'before failed',
        'before restored',
        'after failed',
        'after restored',
        'dead failed',
        'dead failed lost',
        'dead restored',
      ]),
    )
  })

  test('and so does one of the recovery, at whatever operation the restore had died', async () => {
    const archive = await archiveOf(fresh)
    const total = await operationsOf((files) => serverWith(old, { files }).archive.restore(archive, options))
    const outcomes = new Set<string>()
    // The pairs are many and alike: some of them, and all where that was asked for.
    for (let failing = 30; failing <= total; failing += long ? 1 : 3) {
      const server = serverWith(old, { files: faultyFiles(createFiles(), failing, 'dead') })
      await codeOf(server.archive.restore(archive, options))
      server.stop()
      const crashed = path.join(path.dirname(server.dataDir), 'crashed')
      renameSync(server.dataDir, crashed)
      for (let second = 1; ; second += long ? 1 : 2) {
        rmSync(server.dataDir, { recursive: true, force: true })
        cpSync(crashed, server.dataDir, { recursive: true })
        const files = faultyFiles(createFiles(), second, 'dead')
        await codeOf(offlineArchive(server.dataDir, { files }).recover())
        outcomes.add(await offlineArchive(server.dataDir).recover())
        const settled = contentOf(server.dataDir)
        expect(
          [expectedContent({ ...old }), { ...expectedContent(fresh), key: expectedContent(old).key }],
          `${failing} then ${second}`,
        ).toContainEqual(settled)
        if (files.count < second) break
      }
    }
    expect(outcomes).toEqual(new Set(['nothing', 'finished', 'rolled-back']))
  })

  test('or the new database cannot be opened: everything goes back', async () => {
    const archive = await archiveOf(fresh, passphrase)
    const server = serverWith(old, { failReopen: 1 })
    await expect(server.archive.restore(archive, options)).rejects.toThrow('the database cannot be opened')
    expect(server.events).toEqual(['suspend', 'reopen'])
    server.stop()
    expect(contentOf(server.dataDir)).toEqual(expectedContent(old))
    expect(besides(server.dataDir)).toEqual([])
  })

  test('or neither database can be opened: the process has to end, and the next start has the old one', async () => {
    const archive = await archiveOf(fresh, passphrase)
    const server = serverWith(old, { failReopen: 2 })
    await codeOf(server.archive.restore(archive, options))
    expect(server.events).toEqual(['suspend', 'lost'])
    expect(await offlineArchive(server.dataDir).recover()).toBe('nothing')
    expect(contentOf(server.dataDir)).toEqual(expectedContent(old))
  })
})

test('writes that stand in the -wal of the old database go back with it', async () => {
  const archive = await archiveOf(fresh)
  const server = serverWith(old, { failReopen: 1 })
  server.db.prepare('INSERT INTO invites (code_hash) VALUES (?)').run('late')
  await codeOf(server.archive.restore(archive, options))
  expect(server.db.prepare(`SELECT count(*) FROM invites WHERE code_hash = 'late'`).pluck().get()).toBe(1)
})

describe('a file operation of a backup fails', { timeout: 600_000 }, () => {
  test.each(['before', 'after', 'dead'] satisfies FaultMode[])('and nothing is left behind, %s', async (mode) => {
    const root = makeFolder()
    const destination = path.join(root, 'out', 'a.zip')
    const total = await operationsOf((files) =>
      serverWith(fresh, { files }).archive.create({ destination: path.join(makeFolder(), 'a.zip') }),
    )
    const server = serverWith(fresh)
    server.stop()
    for (let failing = 1; failing <= total; failing += 1) {
      const files = faultyFiles(createFiles(), failing, mode)
      const tried = startServer(server.dataDir, { files })
      const code = await codeOf(tried.archive.create({ destination }))
      tried.stop()
      const made = typeof code === 'object' ? ['a.zip'] : []
      if (mode !== 'dead') {
        const left = namesIn(root).includes('out') ? namesIn(path.dirname(destination)) : []
        // A clean-up that fails may leave staging, which the next start removes, but never an archive that does not count.
        expect(left.filter((name) => name === 'a.zip').length, `operation ${failing}`).toBeGreaterThanOrEqual(
          made.length,
        )
        await offlineArchive(server.dataDir).recover()
        expect(namesIn(server.tempDir), `operation ${failing}`).toEqual([])
      }
      expect(contentOf(server.dataDir)).toEqual(expectedContent(fresh))
      if (namesIn(root).includes('out')) {
        const whole = namesIn(path.dirname(destination)).includes('a.zip')
        if (whole) expect(await offlineArchive(server.dataDir).inspect(destination)).toMatchObject({ sealed: true })
      }
      await createFiles().removeTree(path.dirname(destination))
    }
  })

  test('a full disk is said to be one', async () => {
    const server = serverWith(fresh)
    server.stop()
    const codes = new Set<unknown>()
    for (let failing = 1; failing <= 40; failing += 1) {
      const tried = startServer(server.dataDir, { files: faultyFiles(createFiles(), failing, 'before', 'ENOSPC') })
      codes.add(await codeOf(tried.archive.create({ destination: path.join(server.tempDir, `${failing}`, 'a.zip') })))
      tried.stop()
    }
    expect([...codes].filter((code) => typeof code === 'string')).toEqual(['disk_full'])
  })
})

test('a record of backups that was being written when the process ended goes at the next start', async () => {
  const server = serverWith(fresh)
  await server.archive.scheduled.runNow()
  server.stop()
  writeFileSync(path.join(server.dataDir, 'backup-state.json.new'), '{ "version"')
  const archive = offlineArchive(server.dataDir)
  await archive.recover()
  expect(besides(server.dataDir)).toEqual([])
  expect((await archive.status()).backup.cadence.lastArchive).not.toBeNull()
})
