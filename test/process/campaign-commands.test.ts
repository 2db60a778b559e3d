import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  callsOn,
  type Folders,
  makeFolders,
  runCommand,
  type ServerProcess,
  setUp,
  startServerProcess,
} from './server-process.ts'

// Campaigns that leave and come home on the command line.

let folders: Folders
let server: ServerProcess | null = null
let token: string
beforeAll(async () => {
  folders = makeFolders()
  server = await startServerProcess(folders)
  token = await setUp(server.address)
})
afterAll(async () => {
  await server?.terminate()
  folders?.remove()
})

const call = (method: string, target: string, body?: unknown) => {
  if (server === null) throw new Error('the server is down')
  return callsOn(server.address, token)(method, target, body)
}
const names = async (): Promise<readonly string[]> =>
  (await call('GET', '/api/v1/campaigns')).body.items.map(({ name }: { readonly name: string }) => name)

describe('talekeeper export and import', () => {
  test('work beside a server that runs, and without one', async () => {
    expect((await call('POST', '/api/v1/campaigns/sample', {})).status).toBe(201)
    const out = path.join(folders.root, 'out')
    mkdirSync(out)
    const exported = await runCommand(folders, ['export', 'The Orchard in Winter', '--to', out, '--as', 'zip'])
    expect([exported.code, exported.output]).toEqual([0, expect.stringContaining('The Orchard in Winter is in')])
    const [name = ''] = readdirSync(out)
    const file = path.join(out, name)
    expect(statSync(file).size).toBeGreaterThan(10_000)

    const looked = await runCommand(folders, ['import', file, '--dry-run'])
    expect([looked.code, looked.output]).toEqual([0, expect.stringContaining('Nothing was written')])
    expect(await names()).toEqual(['The Orchard in Winter'])

    const ownerless = await runCommand(folders, ['import', file])
    expect([ownerless.code, ownerless.output]).toEqual([2, expect.stringContaining('--owner')])
    const brought = await runCommand(folders, ['import', file, '--owner', 'ellen'])
    expect([brought.code, brought.output]).toEqual([0, expect.stringContaining('is campaign 2 now')])
    expect(await names()).toEqual(['The Orchard in Winter', 'The Orchard in Winter'])

    for (const command of ['export', 'import']) {
      const help = await runCommand(folders, [command, '--help'])
      expect([help.code, help.output]).toEqual([0, expect.stringContaining(`talekeeper ${command} `)])
    }
    const spoken = await runCommand(folders, ['import', file, '--dry-run', '--json'])
    const said = JSON.parse(spoken.output.slice(spoken.output.indexOf('{')))
    expect([spoken.code, said.campaignId, said.report.name]).toEqual([0, null, 'The Orchard in Winter'])

    // On the bad day each says what to do, ends with 1, and leaves nothing behind.
    const broken = path.join(folders.root, 'broken.zip')
    writeFileSync(broken, readFileSync(file).subarray(0, 5000))
    const bad: readonly (readonly [readonly string[], string])[] = [
      [['export', '1', '--to', file, '--as', 'zip'], 'is there already. Remove it'],
      [['export', '1', '--to', path.join(out, 'no', 'folder.zip')], 'There is no folder'],
      [['import', broken, '--owner', 'ellen'], 'not a zip'],
      [['import', path.join(out, 'nothing.zip'), '--owner', 'ellen'], 'There is no file'],
      [['import', file, '--owner', 'nobody'], 'There is no account "nobody"'],
    ]
    for (const [args, says] of bad) {
      const { code, output } = await runCommand(folders, args)
      expect([code, output], args.join(' ')).toEqual([1, expect.stringContaining(says)])
    }
    // A disk that is full from its first byte on.
    if (existsSync('/dev/full')) {
      const full = await runCommand(folders, ['export', '1', '--to', '/dev/full', '--as', 'zip'])
      expect([full.code, full.output]).toEqual([1, expect.stringMatching(/\/dev\/full/)])
    }
    expect(readdirSync(out)).toEqual([name])

    await server?.terminate()
    server = null
    const alone = await runCommand(folders, ['import', file, '--owner', 'ellen'])
    expect([alone.code, alone.output]).toEqual([0, expect.stringContaining('is campaign 3 now')])
    const stranger = await runCommand(folders, ['export', 'Nothing of that name', '--to', out])
    expect([stranger.code === 0, stranger.output]).toEqual([false, expect.stringContaining('There is no campaign')])
    server = await startServerProcess(folders)
    expect(await names()).toHaveLength(3)
  })
})
