import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFiles } from '../../src/storage/files.ts'
import { createCampaignCommands } from '../../src/transfer/campaign-commands.ts'
import { faultyFiles } from '../archive/faulty-files.ts'

// An export by the command line whose disk fails it: what to do is said, and half of a file is not left to be taken for one.

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'campaign-commands-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function* bytes(): AsyncGenerator<Uint8Array> {
  for (let piece = 0; piece < 4; piece += 1) yield Buffer.alloc(1000, piece)
}
const parts = {
  system: () => {
    throw new Error('an export asks for no system')
  },
  store: () => ({ all: () => [{ id: 1, name: 'The Orchard' }] }) as never,
  exports: { make: async () => ({ fileName: 'a.zip', mimeType: '', bytes: bytes(), leftOut: [] }), endAll() {} },
  imports: {} as never,
}
const wanted = { command: 'export', campaign: '1', profile: 'backup', format: 'zip' } as const

test('whichever file operation fails: the message names the file, and nothing of it stays', async () => {
  const file = path.join(folder, 'out.zip')
  const counting = faultyFiles(createFiles(), Number.POSITIVE_INFINITY, 'before')
  await createCampaignCommands({ ...parts, files: counting })({ ...wanted, file })
  expect([existsSync(file), counting.count > 4]).toEqual([true, true])
  rmSync(file)
  for (let failing = 2; failing < counting.count; failing += 1) {
    const files = faultyFiles(createFiles(), failing, 'before', 'ENOSPC')
    const run = createCampaignCommands({ ...parts, files })
    await expect(run({ ...wanted, file }), `operation ${failing}`).rejects.toMatchObject({
      code: 'disk_full',
      message: expect.stringContaining(`${file} was not written. Make room`),
    })
    expect(readdirSync(folder), `operation ${failing}`).toEqual([])
  }
})

test.each([
  ['EACCES', 'storage_unavailable', 'Give its account the right'],
  ['EEXIST', 'invalid_state', 'is there already. Remove it'],
  ['ENOENT', 'not_found', 'There is no folder'],
] as const)('%s is said in words', async (error, code, says) => {
  const files = { ...createFiles(), create: () => Promise.reject(Object.assign(new Error(error), { code: error })) }
  const run = createCampaignCommands({ ...parts, files })
  await expect(run({ ...wanted, file: path.join(folder, 'x.zip') })).rejects.toMatchObject({
    code,
    message: expect.stringContaining(says),
  })
})

test('how far it is can be asked for by its name, as long as it takes', async () => {
  const run = createCampaignCommands({ ...parts, files: createFiles() })
  const asked: unknown[] = []
  const exports = {
    ...parts.exports,
    make: async () => ({
      ...(await parts.exports.make()),
      bytes: (async function* () {
        yield* bytes()
        asked.push(await watched({ command: 'progress', job: 'mine' }))
      })(),
    }),
  }
  const watched = createCampaignCommands({ ...parts, exports, files: createFiles() })
  await watched({ ...wanted, file: path.join(folder, 'y.zip'), job: 'mine' })
  expect(asked).toEqual([{ work: { phase: 'exporting', done: 4000, total: 0 } }])
  expect(await watched({ command: 'progress', job: 'mine' })).toEqual({ work: null })
  expect(await run({ command: 'progress', job: 'another' })).toEqual({ work: null })
})
