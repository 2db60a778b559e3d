import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { product, type Target, type TargetName, targets } from '../../build.config.ts'
import { readMachO } from '../../scripts/package/mach-o.ts'
import { readWindowsExecutable } from '../../scripts/package/windows-executable.ts'
import { packagedFolder } from '../support/packaged.ts'
import { has, run } from './installer-support.ts'

const long = process.env.TALEKEEPER_TEST_LONG === '1'
const projectRoot = path.resolve(import.meta.dirname, '../..')
const { version }: { version: string } = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8'))

/** What a binary is for, from its first bytes. */
function machineOf(file: Buffer): string {
  if (file.toString('latin1', 1, 4) === 'ELF') return `linux-${{ 62: 'x64', 183: 'arm64' }[file.readUInt16LE(18)]}`
  if (file.readUInt32LE(0) === 0xfeedfacf) return `darwin-${readMachO(file).cpu}`
  const header = file.readUInt32LE(0x3c)
  if (file.toString('latin1', header, header + 2) === 'PE' && file.readUInt16LE(header + 4) === 0x8664) return 'win-x64'
  throw new Error('no binary that is known')
}

type HashList = Record<string, Record<string, { size: number; sha256: string }>>

/** The list of hashes lies in the executable as it is. */
function hashListIn(executable: Buffer): HashList {
  const start = executable.indexOf('{"better-sqlite3":{"natives/')
  expect(start).toBeGreaterThan(0)
  let depth = 0
  for (let place = start; ; place++) {
    if (executable[place] === 0x7b) depth += 1
    if (executable[place] === 0x7d) depth -= 1
    if (depth === 0) return JSON.parse(executable.toString('utf8', start, place + 1))
  }
}

describe.skipIf(!long)('packaged on one machine', () => {
  const names = Object.keys(targets) as TargetName[]
  const folders = new Map<TargetName, string>()
  beforeAll(async () => {
    for (const name of names) folders.set(name, await packagedFolder(name))
  }, 3_600_000)

  describe.each(names)('%s', (name) => {
    const target: Target = targets[name]
    const at = (file: string): string => path.join(folders.get(name) as string, file)
    const filesIn = (pattern: string): readonly string[] =>
      globSync(pattern, { cwd: folders.get(name) as string }).filter((file) => statSync(at(file)).isFile())
    const executable = (): Buffer => readFileSync(at(target.executable))

    test('has everything that belongs to it, for its machine type', () => {
      const expected = ['LICENSES', 'natives', target.executable]
      if (target.consoleTwin !== undefined) expected.push(target.consoleTwin)
      if (target.trayHelper !== undefined) expected.push('traybin')
      expect(readdirSync(folders.get(name) as string).sort()).toEqual(expected.sort())
      const binaries = filesIn('natives/**/*.{node,so*,dylib,dll}')
      const groups = ['better-sqlite3', 'argon2', 'sharp'].filter((group) => target.absent?.[group] === undefined)
      // One for each package, and libvips.
      expect(binaries.length).toBeGreaterThanOrEqual(groups.length + 1)
      for (const file of [target.executable, ...binaries]) expect(machineOf(readFileSync(at(file))), file).toBe(name)
    })

    test('holds the hash of every file beside it, and of no other', () => {
      const groups = hashListIn(executable())
      const listed = Object.assign({}, ...Object.values(groups)) as HashList[string]
      expect(Object.keys(listed).sort()).toEqual([...filesIn('natives/**/*'), ...filesIn('traybin/*')].sort())
      for (const [file, { size, sha256 }] of Object.entries(listed)) {
        const content = readFileSync(at(file))
        expect({ size: content.length, sha256: createHash('sha256').update(content).digest('hex') }, file).toEqual({
          size,
          sha256,
        })
      }
      expect(Object.keys(groups).includes('traybin')).toBe(target.trayHelper !== undefined)
    })

    if (target.os !== 'win32')
      test('has its programs executable', () => {
        const programs = [
          target.executable,
          ...(target.trayHelper === undefined ? [] : [`traybin/${target.trayHelper}`]),
        ]
        for (const file of programs) expect(statSync(at(file)).mode & 0o111, file).toBe(0o111)
      })

    if (target.os === 'darwin')
      test('is signed, so that Apple silicon runs it', () => {
        const { signature } = readMachO(executable())
        expect(signature).toMatchObject({ identifier: product.identifier, isAdHoc: true, changedPages: 0 })
        if (target.cpu !== 'arm64') return
        for (const file of filesIn('natives/**/*.{node,dylib}')) {
          expect(readMachO(readFileSync(at(file))).signature, file).toMatchObject({ changedPages: 0 })
        }
      })

    test.skipIf(target.os !== 'win32')(
      'has icon and version, one program without a window and one for the console',
      () => {
        const [window, terminal] = [executable(), readFileSync(at(target.consoleTwin as string))]
        const facts = {
          isSigned: false,
          fileVersion: `${version}.0`,
          iconSizes: [16, 20, 24, 32, 40, 48, 64, 128, 256],
          strings: expect.objectContaining({
            ProductName: product.name,
            ProductVersion: version,
            CompanyName: product.publisher,
            OriginalFilename: 'talekeeper.exe',
          }),
        }
        expect(readWindowsExecutable(window)).toEqual({ subsystem: 'gui', ...facts })
        expect(readWindowsExecutable(terminal)).toEqual({ subsystem: 'console', ...facts })
        const different = window.reduce((sum, byte, place) => sum + (byte === terminal[place] ? 0 : 1), 0)
        expect([different, window.length]).toEqual([1, terminal.length])
      },
    )
  })

  const libraries = '/usr/aarch64-linux-gnu'
  const hasArm64 =
    long &&
    existsSync(`${libraries}/lib/libatomic.so.1`) &&
    has('qemu-aarch64', 'the doctor of the executable for arm64')
  test.skipIf(!hasArm64)('linux-arm64 finds itself whole, emulated', { timeout: 600_000 }, () => {
    const home = mkdtempSync(path.join(tmpdir(), 'talekeeper-arm64-'))
    try {
      const args = ['-L', libraries, path.join(folders.get('linux-arm64') as string, 'talekeeper'), 'doctor', '--json']
      expect(JSON.parse(run('qemu-aarch64', args, { HOME: home, PORT: '0', PATH: process.env.PATH }))).toMatchObject({
        ok: true,
        version,
        system: 'linux arm64',
      })
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  })
})

test('a machine type that there is not is named, and those that there are', () => {
  const script = path.join(projectRoot, 'scripts/package.ts')
  expect(() => run(process.execPath, [script, 'linux-x64', 'amiga-m68k'])).toThrow(
    /No such machine type: amiga-m68k\. There is: linux-x64, linux-arm64, win-x64, darwin-arm64, darwin-x64\./,
  )
})
