import { copyFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { createFiles } from '../../src/storage/files.ts'
import { serverWith } from './fixture.ts'
import { codeOf, fresh, inlineWorkers, namesIn, offlineArchive, type ServerOptions, scheduleOff } from './install.ts'

const day = 24 * 3_600_000

/** A server whose clock is turned by hand, and which counts the archives that are read in full. */
function counting(schedule: ServerOptions['schedule'] = {}) {
  let now = new Date('2026-11-21T00:00:00Z')
  const read: string[] = []
  const files = createFiles()
  const inline = inlineWorkers(files)
  const workers: typeof inline = {
    ...inline,
    runTask(name, payload, options) {
      if (name === 'archive.verify') read.push(path.basename((payload as { archivePath: string }).archivePath))
      return inline.runTask(name, payload, options)
    },
  }
  const server = serverWith(fresh, { clock: () => now, workers, schedule: { enabled: true, ...schedule } })
  return {
    ...server,
    /** Which archives of the folder were read in full since this was asked last. */
    read: () => read.splice(0).filter((name) => name.endsWith('.zip')),
    pass: () => {
      now = new Date(now.getTime() + day)
    },
    archives: () => namesIn(server.directory).filter((name) => name.endsWith('.zip')),
    async listed() {
      return (await server.archive.scheduled.list()).map(({ name, checkedAt, problem }) => ({
        name,
        checkedAt,
        problem,
      }))
    },
  }
}

/** Turns a bit in the middle of a file, where neither the zip's directory nor the manifest is. */
function damage(file: string): void {
  const bytes = readFileSync(file)
  const middle = Math.floor(bytes.length / 3)
  bytes[middle] = (bytes[middle] as number) ^ 1
  writeFileSync(file, bytes)
}

describe('an archive of the backup folder', () => {
  test('is not read in full again while it has not changed', async () => {
    const { archive, archives, read, pass, directory, listed } = counting()
    for (let run = 0; run < 3; run += 1) {
      await archive.scheduled.runNow()
      pass()
    }
    // Each was verified before it came into the folder, under its unfinished name.
    expect(read()).toEqual([])
    const copied = 'talekeeper-scheduled-20260101T000000Z.zip'
    copyFileSync(path.join(directory, archives()[0] as string), path.join(directory, copied))
    expect((await listed()).find(({ name }) => name === copied)).toEqual({
      name: copied,
      checkedAt: null,
      problem: null,
    })
    await archive.scheduled.runNow()
    expect(read()).toEqual([copied])
    expect((await listed()).find(({ name }) => name === copied)).toMatchObject({
      checkedAt: '2026-11-24T00:00:00.000Z',
    })
    pass()
    await archive.scheduled.runNow()
    expect(read()).toEqual([])
  })

  test('is read again when its bytes may be others, though their number and time are the same', async () => {
    const { archive, archives, read, pass, directory, listed } = counting()
    await archive.scheduled.runNow()
    const name = archives()[0] as string
    const times = new Date('2026-11-20T00:00:00Z')
    utimesSync(path.join(directory, name), times, times)
    pass()
    await archive.scheduled.runNow()
    expect(read()).toEqual([name])
    damage(path.join(directory, name))
    utimesSync(path.join(directory, name), times, times)
    expect((await listed()).at(-1)).toEqual({ name, checkedAt: null, problem: null })
    pass()
    await archive.scheduled.runNow()
    expect(read()).toEqual([name])
    expect((await listed()).at(-1)).toMatchObject({ problem: expect.stringContaining('is damaged') })
  })

  test('that is damaged inside counts for nothing, is named, and is left where it is', async () => {
    const { archive, archives, read, pass, directory } = counting({ keepCount: 2 })
    await archive.scheduled.runNow()
    pass()
    await archive.scheduled.runNow()
    const [oldest, damaged] = archives() as [string, string]
    damage(path.join(directory, damaged))
    pass()
    await archive.scheduled.runNow()
    // With the damaged one counted in, the oldest would be the third.
    expect(archives()).toContain(oldest)
    expect(read()).toEqual([damaged])
    const { alerts } = (await archive.status()).backup
    expect(alerts).toMatchObject([{ kind: 'damaged', message: expect.stringContaining(damaged) }])
    pass()
    await archive.scheduled.runNow()
    expect(read()).toEqual([])
    expect(archives()).not.toContain(oldest)
    expect(archives()).toContain(damaged)
  })

  test('is judged again when somebody asks, and what was found is remembered', async () => {
    const { archive, archives, read, pass, directory, listed } = counting()
    await archive.scheduled.runNow()
    const name = archives()[0] as string
    pass()
    expect(await archive.scheduled.verify(name)).toMatchObject({ uploadCount: 3 })
    expect(read()).toEqual([name])
    expect(await listed()).toEqual([{ name, checkedAt: '2026-11-22T00:00:00.000Z', problem: null }])
    damage(path.join(directory, name))
    expect(await codeOf(archive.scheduled.verify(name))).toBe('archive_checksum_mismatch')
    expect(await listed()).toMatchObject([{ checkedAt: '2026-11-22T00:00:00.000Z', problem: expect.any(String) }])
  })

  test('that could not be read for another reason has no verdict', async () => {
    const { archive, archives, pass, directory, listed } = counting()
    await archive.scheduled.runNow()
    const name = archives()[0] as string
    const times = new Date('2026-11-20T00:00:00Z')
    utimesSync(path.join(directory, name), times, times)
    pass()
    const stop = AbortSignal.abort()
    expect(await codeOf(archive.scheduled.verify(name, stop))).toBe('cancelled')
    expect(await listed()).toEqual([{ name, checkedAt: null, problem: null }])
  })

  test('is judged again by another version of the program', async () => {
    const { archive, dataDir, directory, listed, pass, archives } = counting()
    await archive.scheduled.runNow()
    const name = archives()[0] as string
    const state = path.join(dataDir, 'backup-state.json')
    const record = JSON.parse(readFileSync(state, 'utf8'))
    expect(record.verdicts[name]).toMatchObject({ appVersion: '0.1.0', problem: null })
    record.verdicts[name] = { ...record.verdicts[name], appVersion: '0.0.9', problem: 'too new for me' }
    writeFileSync(state, JSON.stringify(record))
    const later = offlineArchive(dataDir, { schedule: () => ({ ...scheduleOff, directory }) })
    expect(await later.scheduled.list()).toMatchObject([{ name, checkedAt: null, problem: null }])
    pass()
    expect(await later.scheduled.verify(name)).toMatchObject({ uploadCount: 3 })
    expect(await later.scheduled.list()).toMatchObject([{ name, checkedAt: expect.any(String), problem: null }])
    expect(await listed()).toHaveLength(1)
  })

  test('is restored from where it is', async () => {
    const { archive, archives, db } = counting()
    await archive.scheduled.runNow()
    db.prepare('INSERT INTO invites (code_hash) VALUES (?)').run('afterwards')
    expect(await archive.scheduled.restore(archives()[0] as string, { actor: null })).toMatchObject({ restored: true })
    expect(archives()).toHaveLength(1)
    expect(await codeOf(archive.scheduled.restore('talekeeper-scheduled-20200101T000000Z.zip', { actor: null }))).toBe(
      'not_found',
    )
  })
})
