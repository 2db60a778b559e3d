import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { icons } from '../../build.config.ts'
import { programIcns, programIco, programPng, setUpSidebar, writeTrayIcons } from '../../scripts/lib/icons.ts'
import { readMachO, signAdHoc } from '../../scripts/package/mach-o.ts'
import { hasIntegrity } from '../../scripts/package/registry-packages.ts'
import { filledIn } from '../../scripts/package/template.ts'
import { numericVersion, readWindowsExecutable, withSubsystem } from '../../scripts/package/windows-executable.ts'

const modules = path.resolve(import.meta.dirname, '../../node_modules')
const binary = (file: string): Buffer => readFileSync(path.join(modules, file))
/** Signed by a linker on a Mac. */
const signed = binary('argon2/prebuilds/darwin-arm64/argon2.armv8.glibc.node')
/** Never signed. */
const unsigned = binary('better-sqlite3/prebuilds/darwin-x64.node')
const program = binary('systray2/traybin/tray_darwin_release')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'talekeeper-formats-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('signatures for macOS', () => {
  test('are byte for byte those that a linker makes', () => {
    expect(signAdHoc(signed, 'argon2.node').equals(signed)).toBe(true)
  })

  test('are put into a file that has none', () => {
    expect(readMachO(unsigned)).toMatchObject({ cpu: 'x64', signature: null })
    const { signature } = readMachO(signAdHoc(unsigned, 'test'))
    expect(signature).toMatchObject({ identifier: 'test', isAdHoc: true, isLinkerSigned: true, changedPages: 0 })
    expect(signature?.pages).toBeGreaterThan(400)
  })

  test('show a changed byte, wherever it is', () => {
    const good = signAdHoc(program, 'test')
    for (const place of [40, 5000, program.length - 1]) {
      const changed = Buffer.from(good)
      changed.writeUInt8((changed.readUInt8(place) + 1) % 256, place)
      expect(readMachO(changed).signature?.changedPages).toBe(1)
    }
  })

  test('seal an application, and can be made anew', () => {
    const seal = { infoPlist: Buffer.from('<plist/>'), codeResources: Buffer.from('<plist></plist>') }
    const sealed = signAdHoc(signAdHoc(program, 'first'), 'second', seal)
    const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')
    expect(readMachO(sealed).signature).toMatchObject({
      identifier: 'second',
      isAdHoc: true,
      isLinkerSigned: false,
      changedPages: 0,
      infoPlistHash: sha256(seal.infoPlist),
      codeResourcesHash: sha256(seal.codeResources),
    })
  })

  test('are only for Mach-O files', () => {
    expect(() => signAdHoc(binary('systray2/traybin/tray_linux_release'), 'test')).toThrow('no 64-bit Mach-O')
    expect(() => readMachO(Buffer.alloc(10))).toThrow('no 64-bit Mach-O')
  })
})

describe('executables for Windows', () => {
  const helper = binary('systray2/traybin/tray_windows_release.exe')

  test('are made for the console or without a window, with one field changed', () => {
    const gui = withSubsystem(helper, 'gui')
    expect(readWindowsExecutable(gui).subsystem).toBe('gui')
    expect(withSubsystem(gui, 'console').equals(withSubsystem(helper, 'console'))).toBe(true)
    expect(gui.filter((byte, place) => byte !== helper[place]).length).toBeLessThanOrEqual(1)
  })

  test('are told from others', () => {
    expect(() => withSubsystem(program, 'gui')).toThrow('no executable for Windows')
  })

  test.each([
    ['1.2.3', '1.2.3.0'],
    ['1.2.3-rc.1', '1.2.3.0'],
    ['2.0', '2.0.0.0'],
  ])('have version %s as %s', (version, numbers) => expect(numericVersion(version)).toBe(numbers))
})

describe('pictures', () => {
  /** Sizes of the pictures in an .ico, and where each begins. */
  function entriesOf(ico: Buffer): readonly { readonly size: number; readonly data: Buffer }[] {
    return Array.from({ length: ico.readUInt16LE(4) }, (_, index) => {
      const entry = 6 + 16 * index
      const [length, offset] = [ico.readUInt32LE(entry + 8), ico.readUInt32LE(entry + 12)]
      return { size: ico.readUInt8(entry) || 256, data: ico.subarray(offset, offset + length) }
    })
  }

  test('of the tray are drawn in every form', async () => {
    await writeTrayIcons(folder)
    for (const name of icons.tray.drawings) {
      const { width, height, channels } = await sharp(path.join(folder, `${name}.png`)).metadata()
      expect({ width, height, channels }).toEqual({ width: 64, height: 64, channels: 4 })
      const entries = entriesOf(readFileSync(path.join(folder, `${name}.ico`)))
      expect(entries.map(({ size }) => size)).toEqual([16, 20, 24, 32])
      for (const { size, data } of entries) {
        expect([data.readUInt32LE(0), data.readInt32LE(4), data.readInt32LE(8)]).toEqual([40, size, 2 * size])
        expect(data.length).toBe(40 + size * size * 4 + Math.ceil(size / 32) * 4 * size)
      }
    }
  })

  test('of the tray differ by state, and are light or dark as their names say', async () => {
    await writeTrayIcons(folder)
    const shown = await Promise.all(
      icons.tray.drawings.map(async (name) => {
        const { data } = await sharp(path.join(folder, `${name}.png`))
          .raw()
          .toBuffer({ resolveWithObject: true })
        const opaque = Array.from({ length: data.length / 4 }, (_, pixel) => pixel * 4).filter(
          (place) => (data[place + 3] ?? 0) > 250,
        )
        expect(opaque.length, name).toBeGreaterThan(200)
        const light = opaque.every((place) => (data[place] ?? 0) > 240)
        const dark = opaque.every((place) => (data[place] ?? 255) < 40)
        expect({ light, dark }, name).toEqual({ light: name.endsWith('light'), dark: name.endsWith('dark') })
        return data.toString('base64')
      }),
    )
    expect(new Set(shown).size).toBe(icons.tray.drawings.length)
  })

  test('of the program have all sizes, upright and in their colours', async () => {
    const entries = entriesOf(await programIco())
    expect(entries.map(({ size }) => size)).toEqual([...icons.program.icoSizes])
    const bitmap = entries.find(({ size }) => size === 64)?.data as Buffer
    const { data } = await sharp(await programPng(64))
      .raw()
      .toBuffer({ resolveWithObject: true })
    const fromPng = (x: number, y: number): readonly number[] => [
      ...data.subarray((y * 64 + x) * 4, (y * 64 + x) * 4 + 4),
    ]
    const fromBitmap = (x: number, y: number): readonly number[] => {
      const [blue, green, red, alpha] = bitmap.subarray(40 + ((63 - y) * 64 + x) * 4)
      return [red, green, blue, alpha] as number[]
    }
    for (const [x, y] of [
      [32, 20],
      [12, 40],
      [52, 40],
      [0, 0],
      [32, 56],
    ] as const) {
      expect(fromBitmap(x, y)).toEqual(fromPng(x, y))
    }
    const largest = entries.at(-1)?.data as Buffer
    expect((await sharp(largest).metadata()).width).toBe(256)
  })

  test('of the program are packed for macOS', async () => {
    const icns = await programIcns()
    expect([icns.toString('latin1', 0, 4), icns.readUInt32BE(4)]).toEqual(['icns', icns.length])
    const found: Record<string, number> = {}
    for (let offset = 8; offset < icns.length; offset += icns.readUInt32BE(offset + 4)) {
      const image = icns.subarray(offset + 8, offset + icns.readUInt32BE(offset + 4))
      found[icns.toString('latin1', offset, offset + 4)] = (await sharp(image).metadata()).width
    }
    expect(found).toEqual(icons.program.icnsTypes)
  })

  test('of the set-up is a bitmap of 24 bits', async () => {
    const bitmap = await setUpSidebar()
    expect(bitmap.toString('latin1', 0, 2)).toBe('BM')
    expect(bitmap.readUInt32LE(2)).toBe(bitmap.length)
    expect([bitmap.readInt32LE(18), bitmap.readInt32LE(22), bitmap.readUInt16LE(28)]).toEqual([164, 314, 24])
  })
})

test('a fetched package must have the hash of the lock file', () => {
  const file = path.join(folder, 'package.tgz')
  writeFileSync(file, 'what the lock file was made with')
  const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
  expect(hasIntegrity(file, integrity)).toBe(true)
  writeFileSync(file, 'what the lock file was made witH')
  expect(hasIntegrity(file, integrity)).toBe(false)
  expect(hasIntegrity(file, undefined)).toBe(false)
  expect(hasIntegrity(file, 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=')).toBe(false)
})

test('a template is filled in wholly or not at all', () => {
  expect(filledIn('linux/README.txt', { VERSION: '1.2.3' })).toContain('Talekeeper 1.2.3 for Linux')
  expect(() => filledIn('linux/README.txt')).toThrow('@VERSION@')
})
