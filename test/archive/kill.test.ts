import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { restoreSteps } from '../../src/archive/restore.ts'
import { compiledModules } from '../support/compiled.ts'
import { archiveWithCheapKey, makeFolder } from './fixture.ts'
import { contentOf, expectedContent, fillInstall, fresh, namesIn, offlineArchive, old, openLive } from './install.ts'

const child = path.join(import.meta.dirname, 'kill-child.ts')
const long = process.env.TALEKEEPER_TEST_LONG === '1'

interface Ended {
  readonly signal: NodeJS.Signals | null
  readonly code: number | null
  readonly output: string
}

/** Runs the child; with `killAfter`, in milliseconds from its word `started`, the parent kills it. */
async function run(args: readonly string[], killAfter?: number): Promise<Ended> {
  const running = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', child, ...args], {
    env: { ...process.env, ...compiledModules() },
  })
  let output = ''
  running.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    if (killAfter !== undefined && output.startsWith('started'))
      void delay(killAfter).then(() => running.kill('SIGKILL'))
  })
  running.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const { promise, resolve } = Promise.withResolvers<Ended>()
  running.on('close', (code, signal) => resolve({ code, signal, output }))
  return await promise
}

function install(): string {
  const dataDir = path.join(makeFolder(), 'data')
  mkdirSync(dataDir)
  fillInstall(dataDir, old)
  return dataDir
}

/** The old installation keeps its last write; the new one is what was archived. */
function expectWhole(dataDir: string, where: string): 'old' | 'new' {
  const content = contentOf(dataDir)
  expect([expectedContent(old), expectedContent(fresh)], where).toContainEqual(content)
  const db = openLive(dataDir)
  const late = db.prepare(`SELECT count(*) FROM invites WHERE code_hash = 'written just before'`).pluck().get()
  db.close()
  expect(late, where).toBe(content.name === 'old' ? 1 : 0)
  return content.name as 'old' | 'new'
}

const boundary = restoreSteps.indexOf('replacing')
const moves = [
  'aside:talekeeper.db',
  'aside:uploads',
  'aside:ai-config.key',
  'in:talekeeper.db',
  'in:uploads',
  'in:ai-config.key',
]

describe('a process that is killed', { timeout: 600_000 }, () => {
  test.each(restoreSteps.map((step, index) => ({ step, expected: index < boundary ? 'old' : 'new' })))(
    'at $step leaves the $expected installation',
    async ({ step, expected }) => {
      const dataDir = install()
      const archive = await archiveWithCheapKey(fresh)
      const ended = await run(['restore', dataDir, archive, step])
      expect(ended.signal, ended.output).toBe('SIGKILL')
      await offlineArchive(dataDir).recover()
      expect(expectWhole(dataDir, step)).toBe(expected)
      const safe = namesIn(dataDir).filter((name) => name.startsWith('restore-'))
      expect(safe).toHaveLength(expected === 'new' ? 1 : 0)
      if (safe[0])
        expect(namesIn(path.join(dataDir, safe[0], 'old'))).toEqual(['ai-config.key', 'talekeeper.db', 'uploads'])
    },
  )

  test('again while it recovers, at each move, still ends in the new installation', async () => {
    const archive = await archiveWithCheapKey(fresh)
    for (const [index, step] of moves.entries()) {
      const dataDir = install()
      await run(['restore', dataDir, archive, index === 0 ? 'replacing' : moves[index - 1]!])
      const ended = await run(['recover', dataDir, '-', step])
      expect(ended.signal, `${step}: ${ended.output}`).toBe('SIGKILL')
      await offlineArchive(dataDir).recover()
      expect(expectWhole(dataDir, step)).toBe('new')
    }
  })

  test('at any time, with worker threads, leaves one installation whole', async () => {
    const archive = await archiveWithCheapKey(fresh)
    const seen = new Set<string>()
    for (let attempt = 0; attempt < (long ? 60 : 8); attempt += 1) {
      const dataDir = install()
      const ended = await run(['work', dataDir, archive, '-'], long ? attempt * 5 : attempt * 35)
      await offlineArchive(dataDir).recover()
      seen.add(expectWhole(dataDir, `killed after ${attempt}: ${ended.output}`))
      expect(readdirSync(dataDir).filter((name) => name.endsWith('.new'))).toEqual([])
    }
    expect(seen.size).toBeGreaterThan(0)
  })
})
