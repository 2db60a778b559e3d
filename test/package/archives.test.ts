import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { extract } from 'tar'
import { afterEach, describe, expect, test } from 'vitest'
import { product } from '../../build.config.ts'
import { writeHashes } from '../../scripts/package/installers.ts'
import { makeLinuxArchive } from '../../scripts/package/linux-archive.ts'
import { makeMacArchive } from '../../scripts/package/mac-application.ts'
import { readMachO } from '../../scripts/package/mach-o.ts'
import { readWindowsExecutable } from '../../scripts/package/windows-executable.ts'
import { makeWindowsSetup } from '../../scripts/package/windows-setup.ts'
import { has, run, type StandIn, standIn } from './installer-support.ts'

let parts: StandIn | undefined
afterEach(() => {
  parts?.remove()
  parts = undefined
})

async function unpack({ releaseFolder, scratch }: StandIn, name: string): Promise<void> {
  await extract({ file: path.join(releaseFolder, name), cwd: scratch, strict: true })
}

/** The values of a property list's outermost dictionary that are one string, number or flag. */
function valuesOf(plist: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Array.from(plist.matchAll(/<key>([^<]+)<\/key>\s*(?:<string>([^<]*)<\/string>|<(true|false)\/>)/g), (match) => [
      match[1],
      match[2] ?? match[3],
    ]),
  )
}

test('the archive for Linux unpacks to one folder with everything in it', async () => {
  parts = standIn('linux-x64', '1.2.3')
  expect(await makeLinuxArchive(parts)).toBeNull()
  await unpack(parts, 'talekeeper-1.2.3-linux-x64.tar.gz')
  const folder = path.join(parts.scratch, 'talekeeper-1.2.3')
  for (const file of [
    'talekeeper',
    'traybin/tray_linux_release',
    'natives/node_modules/sharp/package.json',
    'LICENSES',
  ])
    expect(existsSync(path.join(folder, file)), file).toBe(true)
  expect(readFileSync(path.join(folder, 'README.txt'), 'utf8')).toContain('libatomic')
})

describe('the application for macOS', () => {
  test.each([
    ['darwin-x64', 'x86_64'],
    ['darwin-arm64', 'arm64'],
  ] as const)('of %s says what it is, and is sealed', async (name, architecture) => {
    parts = standIn(name, '1.2.3-rc.1')
    expect(await makeMacArchive(parts)).toBeNull()
    await unpack(parts, `talekeeper-1.2.3-rc.1-${name}.tar.gz`)
    const contents = path.join(parts.scratch, 'Talekeeper.app', 'Contents')
    const infoPlist = readFileSync(path.join(contents, 'Info.plist'))
    expect(valuesOf(infoPlist.toString())).toMatchObject({
      CFBundleExecutable: 'talekeeper',
      CFBundleIdentifier: product.identifier,
      CFBundleIconFile: 'talekeeper.icns',
      CFBundlePackageType: 'APPL',
      CFBundleShortVersionString: '1.2.3',
      LSUIElement: 'true',
      LSMinimumSystemVersion: '11.0',
    })
    expect(infoPlist.toString()).toContain(`<string>${architecture}</string>`)
    expect(existsSync(path.join(contents, 'Resources', 'talekeeper.icns'))).toBe(true)

    const executable = path.join(contents, 'MacOS', 'talekeeper')
    expect(statSync(executable).mode & 0o111).toBe(0o111)
    const codeResources = readFileSync(path.join(contents, '_CodeSignature', 'CodeResources'))
    const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')
    expect(readMachO(readFileSync(executable)).signature).toMatchObject({
      identifier: product.identifier,
      isAdHoc: true,
      isLinkerSigned: false,
      changedPages: 0,
      infoPlistHash: sha256(infoPlist),
      codeResourcesHash: sha256(codeResources),
    })

    // Every file but the executable and what the executable itself vouches for, with the hash that it has.
    const listed = Object.fromEntries(
      Array.from(
        codeResources.toString().matchAll(/<key>([^<]+)<\/key>\s*<dict><key>hash2<\/key><data>([^<]+)<\/data>/g),
        ([, file = '', hash = '']) => [file, hash],
      ),
    )
    const present = globSync('Resources/**/*', { cwd: contents }).filter((file) =>
      statSync(path.join(contents, file)).isFile(),
    )
    expect(Object.keys(listed).sort()).toEqual(present.sort())
    for (const file of present) {
      const content = readFileSync(path.join(contents, file))
      expect(createHash('sha256').update(content).digest('base64'), file).toBe(listed[file])
    }
    expect(globSync('MacOS/*', { cwd: contents })).toEqual(['MacOS/talekeeper'])
    expect(present).toContain('Resources/natives/node_modules/sharp/package.json')
  })

  test('comes with a login item that starts it hidden, and with the way past Gatekeeper', async () => {
    parts = standIn('darwin-arm64', '1.2.3')
    await makeMacArchive(parts)
    await unpack(parts, 'talekeeper-1.2.3-darwin-arm64.tar.gz')
    const item = readFileSync(path.join(parts.scratch, `${product.identifier}.plist`), 'utf8')
    expect(valuesOf(item)).toMatchObject({ Label: product.identifier, RunAtLoad: 'true' })
    expect(item).toMatch(
      /<string>\/Applications\/Talekeeper\.app\/Contents\/MacOS\/talekeeper<\/string>\s*<string>--hidden<\/string>/,
    )
    const readme = readFileSync(path.join(parts.scratch, 'README.txt'), 'utf8')
    expect(readme).toContain('Open Anyway')
    expect(readme).toContain('Rosetta')
  })
})

test.skipIf(!has('makensis', 'the set-up for Windows'))(
  'the set-up for Windows is made, with icon and version',
  async () => {
    parts = standIn('win-x64', '1.2.3')
    expect(await makeWindowsSetup(parts)).toBeNull()
    const setUp = readFileSync(path.join(parts.releaseFolder, 'talekeeper-1.2.3-win-x64-setup.exe'))
    expect(readWindowsExecutable(setUp)).toMatchObject({
      subsystem: 'gui',
      fileVersion: '1.2.3.0',
      strings: { ProductName: 'Talekeeper', ProductVersion: '1.2.3', FileDescription: 'Talekeeper set-up' },
      iconSizes: [16, 20, 24, 32, 40, 48, 64, 128, 256],
    })
  },
)

test('a missing program is a line, and nothing fails', async () => {
  parts = standIn('win-x64', '1.2.3')
  const { PATH } = process.env
  process.env.PATH = parts.scratch
  try {
    expect(await makeWindowsSetup(parts)).toMatch(/^makensis is not installed, so .* was not made\..*apt install nsis$/)
  } finally {
    process.env.PATH = PATH
  }
})

test('the list of hashes is one that sha256sum checks', async () => {
  parts = standIn('linux-x64', '1.2.3')
  writeFileSync(path.join(parts.releaseFolder, 'one.deb'), 'first')
  writeFileSync(path.join(parts.releaseFolder, 'two.tar.gz'), 'second')
  expect(await writeHashes(parts.releaseFolder)).toEqual({ 'one.deb': 5, 'two.tar.gz': 6 })
  const check = `cd '${parts.releaseFolder}' && sha256sum --check --strict --quiet SHA256SUMS`
  if (!has('sha256sum', 'the comparison with SHA256SUMS')) return
  run('sh', ['-c', check])
  writeFileSync(path.join(parts.releaseFolder, 'one.deb'), 'forge')
  expect(() => run('sh', ['-c', check])).toThrow('one.deb')
})
