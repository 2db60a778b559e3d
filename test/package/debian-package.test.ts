import {
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeDebianPackage } from '../../scripts/package/debian-package.ts'
import { has, run, type StandIn, standIn } from './installer-support.ts'

const hasDpkg = has('dpkg-deb', 'the Debian package')
/** Without root, what dpkg unpacks cannot belong to root. */
const mayInstall = hasDpkg && process.getuid?.() === 0

describe.skipIf(!hasDpkg)('the Debian package', () => {
  let parts: StandIn
  let file: string
  let unpacked: string

  beforeAll(async () => {
    parts = standIn('linux-x64', '1.2.3-rc.1')
    expect(await makeDebianPackage(parts)).toBeNull()
    file = path.join(parts.releaseFolder, 'talekeeper_1.2.3~rc.1_amd64.deb')
    unpacked = path.join(parts.scratch, 'unpacked')
    run('dpkg-deb', ['--raw-extract', file, unpacked])
  })
  afterAll(() => parts.remove())

  const text = (name: string): string => readFileSync(path.join(unpacked, name), 'utf8')

  test('says what it is and what it needs', () => {
    const fields = Object.fromEntries(
      run('dpkg-deb', ['--field', file])
        .split(/\n(?! )/)
        .flatMap((line) => (line.includes(': ') ? [line.split(/: (.*)/s).slice(0, 2)] : [])),
    )
    expect(fields).toMatchObject({
      Package: 'talekeeper',
      // A candidate comes before the version that it becomes.
      Version: '1.2.3~rc.1',
      Architecture: 'amd64',
      Depends: expect.stringContaining('libc6 (>= 2.34)'),
      Recommends: expect.stringContaining('libayatana-appindicator3-1'),
    })
    for (const library of ['libatomic1', 'libstdc++6', 'libgcc-s1']) expect(fields.Depends).toContain(library)
    expect(Number(fields['Installed-Size'])).toBeGreaterThan(100)
  })

  test('puts each file in its place, with the rights it needs', () => {
    const mode = (name: string): string => (statSync(path.join(unpacked, name)).mode & 0o7777).toString(8)
    expect(mode('usr/lib/talekeeper/talekeeper')).toBe('755')
    expect(mode('usr/lib/talekeeper/traybin/tray_linux_release')).toBe('755')
    expect(mode('usr/lib/talekeeper/natives/node_modules/sharp/package.json')).toBe('644')
    expect(mode('usr/lib/talekeeper/natives')).toBe('755')
    expect(readlinkSync(path.join(unpacked, 'usr/bin/talekeeper'))).toBe('../lib/talekeeper/talekeeper')
    for (const name of [
      'etc/default/talekeeper',
      'usr/lib/systemd/system/talekeeper.service',
      'usr/lib/systemd/user/talekeeper.service',
      'usr/share/applications/talekeeper.desktop',
      'usr/share/icons/hicolor/48x48/apps/talekeeper.png',
      'usr/share/icons/hicolor/scalable/apps/talekeeper.svg',
    ]) {
      expect(mode(name), name).toBe('644')
    }
    expect(text('DEBIAN/conffiles')).toBe('/etc/default/talekeeper\n')
    expect(gunzipSync(readFileSync(path.join(unpacked, 'usr/share/man/man1/talekeeper.1.gz'))).toString()).toContain(
      'Talekeeper 1.2.3-rc.1',
    )
  })

  test('belongs to root and has a hash of every file', () => {
    const lines = run('dpkg-deb', ['--contents', file]).trimEnd().split('\n')
    expect(lines.filter((line) => !/^\S+ root\/root /.test(line))).toEqual([])
    const hashed = text('DEBIAN/md5sums')
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(34))
    const files = globSync('usr/**/*', { cwd: unpacked }).filter((name) =>
      lstatSync(path.join(unpacked, name)).isFile(),
    )
    expect(hashed.sort()).toEqual(files.sort())
    if (has('md5sum', 'the comparison with md5sums'))
      run('sh', ['-c', `cd '${unpacked}' && md5sum --check --quiet DEBIAN/md5sums`])
  })

  test('has scripts that a shell understands', () => {
    for (const script of ['postinst', 'prerm', 'postrm']) run('sh', ['-n', path.join(unpacked, 'DEBIAN', script)])
  })

  test('starts what it installs', () => {
    for (const unit of ['system', 'user']) {
      expect(text(`usr/lib/systemd/${unit}/talekeeper.service`)).toMatch(/^ExecStart=\/usr\/bin\/talekeeper serve$/m)
    }
    expect(text('usr/share/applications/talekeeper.desktop')).toMatch(/^Exec=\/usr\/bin\/talekeeper$/m)
  })

  describe.skipIf(!mayInstall)('in a system of its own', () => {
    let system: string
    const inSystem = (name: string): string => path.join(system, name)
    // No libraries are there, and its scripts run outside with DPKG_ROOT, as the tools that make images do it.
    const dpkg = (...args: string[]): string =>
      run('dpkg', [
        `--root=${system}`,
        '--force-script-chrootless',
        '--force-depends',
        '--force-confold',
        '--force-unsafe-io',
        ...args,
      ])
    const state = (): string =>
      run('dpkg', [`--root=${system}`, '--list', 'talekeeper'])
        .trimEnd()
        .split('\n')
        .at(-1)
        ?.slice(0, 2) ?? ''
    const serverData = 'var/lib/private/talekeeper/talekeeper.db'
    const userData = 'home/ellen/.local/share/talekeeper/talekeeper.db'

    beforeAll(() => {
      system = path.join(parts.scratch, 'system')
      mkdirSync(inSystem('var/lib/dpkg/updates'), { recursive: true })
      mkdirSync(inSystem('var/lib/dpkg/info'))
      for (const name of ['status', 'available']) writeFileSync(inSystem(`var/lib/dpkg/${name}`), '')
      for (const name of [serverData, userData]) {
        mkdirSync(path.dirname(inSystem(name)), { recursive: true })
        writeFileSync(inSystem(name), 'a campaign')
      }
    })

    test('installs, upgrades with data and settings kept, and leaves on remove and purge what it should', async () => {
      const older = standIn('linux-x64', '1.2.2')
      try {
        writeFileSync(path.join(older.folder, 'natives', 'left-over.txt'), '')
        await makeDebianPackage(older)
        dpkg('--install', path.join(older.releaseFolder, 'talekeeper_1.2.2_amd64.deb'))
      } finally {
        older.remove()
      }
      expect(state()).toBe('ii')
      expect(existsSync(inSystem('etc/systemd/system/multi-user.target.wants/talekeeper.service'))).toBe(false)

      writeFileSync(inSystem('etc/default/talekeeper'), 'PORT=9000\n')
      dpkg('--install', file)
      expect(state()).toBe('ii')
      expect(readFileSync(inSystem('etc/default/talekeeper'), 'utf8')).toBe('PORT=9000\n')
      expect(existsSync(inSystem('usr/lib/talekeeper/natives/left-over.txt'))).toBe(false)
      expect(readFileSync(inSystem(serverData), 'utf8')).toBe('a campaign')

      dpkg('--remove', 'talekeeper')
      expect(existsSync(inSystem('usr/lib/talekeeper'))).toBe(false)
      expect(readFileSync(inSystem(serverData), 'utf8')).toBe('a campaign')
      expect(existsSync(inSystem('etc/default/talekeeper'))).toBe(true)

      dpkg('--purge', 'talekeeper')
      expect(existsSync(inSystem(path.dirname(serverData)))).toBe(false)
      expect(readdirSync(inSystem('var/lib/private'))).toEqual([])
      expect(existsSync(inSystem('etc/default/talekeeper'))).toBe(false)
      expect(readFileSync(inSystem(userData), 'utf8')).toBe('a campaign')
    })
  })
})

test.skipIf(!hasDpkg)(
  'the Debian package for arm64 recommends no library of the tray icon, which it has not',
  async () => {
    const parts = standIn('linux-arm64', '1.2.3')
    try {
      await makeDebianPackage(parts)
      const file = path.join(parts.releaseFolder, 'talekeeper_1.2.3_arm64.deb')
      expect(run('dpkg-deb', ['--field', file, 'Architecture', 'Recommends'])).toBe(
        'Architecture: arm64\nRecommends: xdg-utils\n',
      )
    } finally {
      parts.remove()
    }
  },
)
