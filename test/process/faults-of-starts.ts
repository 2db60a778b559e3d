import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { mountDisk, openTo, plain } from './accounts.ts'
import type { Folders } from './server-process.ts'

export interface Place extends Folders {
  readonly database: string
  readonly uploads: string
}

/** What has to be undone before the folders can go. */
type Undo = () => void

export interface Fault {
  readonly name: string
  /** Returns how to undo it, where removing the folders is not enough. */
  make(place: Place): unknown
  readonly env?: (place: Place) => Readonly<Record<string, string>>
  /** The sentence of a start that cannot be; without one it starts. */
  readonly says?: RegExp
  /** Kinds of alerts that a start then raises. */
  readonly alerts?: readonly string[]
  /** On an empty folder instead of one that was used. */
  readonly onNew?: true
  /** Also outside of long mode: one of each sort. */
  readonly always?: true
  readonly needsRoot?: true
}

const ofRoot = (file: string, mode: number): void => {
  chownSync(file, 0, 0)
  chmodSync(file, mode)
}
const replaceByFile = (file: string): void => {
  rmSync(file, { recursive: true, force: true })
  writeFileSync(file, 'not a folder')
}
const replaceByFolder = (file: string): void => {
  rmSync(file, { recursive: true, force: true })
  mkdirSync(path.join(file, 'inside'), { recursive: true })
}
const mayNot = /^Talekeeper may not (use|write in|read and write) \S+.*Give its account the right/
const isWrong = /^\S+ cannot be used: it is not what it has to be/

/** Fills a disk to the last byte. */
function fill(folder: string): void {
  const ballast = path.join(folder, 'ballast')
  try {
    for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 2)) {
      try {
        for (;;) writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    }
  } finally {
    chmodSync(ballast, 0o644)
  }
}

/** A disk of its own for the data folder, with what was there. Null where the tests may not mount one. */
function onOwnDisk({ dataDir, root }: Place, bytes: number, options = ''): Undo | null {
  const aside = path.join(root, 'aside')
  if (existsSync(dataDir)) cpSync(dataDir, aside, { recursive: true, preserveTimestamps: true })
  else mkdirSync(aside)
  rmSync(dataDir, { recursive: true, force: true })
  mkdirSync(dataDir)
  const disk = mountDisk(dataDir, bytes)
  if (disk === null) return null
  cpSync(aside, dataDir, { recursive: true })
  openTo(plain, { root: dataDir } as Folders)
  if (options !== '') execFileSync('mount', ['-o', `remount,${options}`, dataDir])
  return disk.unmount
}

/** What `make` returns where the tests may not mount a disk. */
export const skip = Symbol('skip')

export const faults: readonly Fault[] = [
  // The data folder
  { name: 'the data folder is a file', make: ({ dataDir }) => replaceByFile(dataDir), says: isWrong, always: true },
  {
    name: 'the data folder lies in a file',
    make: ({ root }) => writeFileSync(path.join(root, 'file'), ''),
    env: ({ root }) => ({ DATA_DIR: path.join(root, 'file', 'data') }),
    says: isWrong,
  },
  {
    name: 'the data folder has too long a name',
    make() {},
    env: ({ root }) => ({ DATA_DIR: path.join(root, 'x'.repeat(300)) }),
    says: isWrong,
  },
  {
    name: 'the data folder is a link to nowhere',
    make({ dataDir, root }) {
      rmSync(dataDir, { recursive: true })
      symlinkSync(path.join(root, 'nowhere'), dataDir)
    },
    says: /^(\S+ cannot be used|There is no \S+)/,
  },
  {
    name: 'the data folder cannot be made',
    make: ({ root }) => chmodSync(root, 0o555),
    env: ({ root }) => ({ DATA_DIR: path.join(root, 'more') }),
    says: mayNot,
  },
  {
    name: 'the data folder belongs to another account',
    make: ({ dataDir }) => ofRoot(dataDir, 0o755),
    says: mayNot,
    always: true,
    needsRoot: true,
  },
  {
    name: 'the data folder is closed',
    make: ({ dataDir }) => ofRoot(dataDir, 0o700),
    says: mayNot,
    needsRoot: true,
  },
  {
    name: 'the data folder is on a read-only disk',
    make: (place) => onOwnDisk(place, 4 * 1024 * 1024, 'ro') ?? (skip as never),
    says: mayNot,
    always: true,
    needsRoot: true,
  },
  // A full disk
  {
    name: 'a full disk, with a folder that was used',
    make(place) {
      const undo = onOwnDisk(place, 4 * 1024 * 1024) ?? (skip as never)
      fill(place.dataDir)
      return undo
    },
    alerts: ['storage'],
    always: true,
    needsRoot: true,
  },
  {
    name: 'a full disk, with a new folder',
    make(place) {
      const undo = onOwnDisk(place, 128 * 1024) ?? (skip as never)
      fill(place.dataDir)
      return undo
    },
    onNew: true,
    says: /^The disk with \S+ is full\. Make room/,
    needsRoot: true,
  },
  // The database
  {
    name: 'the database is a folder',
    make: ({ database }) => replaceByFolder(database),
    says: /^The database \S+ is no file\./,
  },
  {
    name: 'the database belongs to another account',
    make: ({ database }) => ofRoot(database, 0o600),
    says: /may not read and write \S+talekeeper\.db/,
    always: true,
    needsRoot: true,
  },
  { name: 'the database is marked read-only', make: ({ database }) => chmodSync(database, 0o400) },
  {
    name: 'the database is cut off',
    make: ({ database }) => truncateSync(database, 5000),
    says: /^The database \S+ is damaged\./,
  },
  { name: 'the database is missing', make: ({ database }) => rmSync(database), says: /^The database \S+ is missing\./ },
  {
    name: 'the log of the database is garbage',
    make: ({ database }) => writeFileSync(`${database}-wal`, 'garbage'.repeat(1000)),
  },
  {
    name: 'the log of the database is a folder',
    make: ({ database }) => mkdirSync(`${database}-wal`),
    says: /talekeeper\.db/,
  },
  {
    name: 'the index of the log is garbage',
    make: ({ database }) => writeFileSync(`${database}-shm`, 'garbage'.repeat(5000)),
  },
  // What else is in the folder
  { name: 'uploads is a file', make: ({ uploads }) => replaceByFile(uploads), alerts: ['uploads'], always: true },
  {
    name: 'uploads is a link to nowhere',
    make({ uploads, root }) {
      rmSync(uploads, { recursive: true })
      symlinkSync(path.join(root, 'nowhere'), uploads)
    },
    alerts: ['uploads'],
  },
  {
    name: 'uploads belongs to another account',
    make: ({ uploads }) => ofRoot(uploads, 0o700),
    alerts: ['uploads'],
    needsRoot: true,
  },
  {
    name: 'the image cache is a file',
    make: ({ dataDir }) => replaceByFile(path.join(dataDir, 'cache')),
    alerts: ['images'],
  },
  {
    name: 'swept is a file',
    make: ({ dataDir }) => replaceByFile(path.join(dataDir, 'swept')),
    alerts: ['housekeeping.uploads'],
  },
  {
    name: 'backups is a file',
    make: ({ dataDir }) => replaceByFile(path.join(dataDir, 'backups')),
    alerts: ['storage'],
  },
  {
    name: 'the key file is a folder',
    make: ({ dataDir }) => replaceByFolder(path.join(dataDir, 'ai-config.key')),
    alerts: ['keyfile'],
  },
  { name: 'the key file is empty', make: ({ dataDir }) => writeFileSync(path.join(dataDir, 'ai-config.key'), '') },
  {
    name: 'the key file belongs to another account',
    make: ({ dataDir }) => ofRoot(path.join(dataDir, 'ai-config.key'), 0o600),
    alerts: ['keyfile'],
    needsRoot: true,
  },
  { name: 'the marker is garbage', make: ({ dataDir }) => writeFileSync(path.join(dataDir, 'talekeeper.json'), '}') },
  { name: 'the marker is a folder', make: ({ dataDir }) => replaceByFolder(path.join(dataDir, 'talekeeper.json')) },
  {
    name: 'the record of the owner is garbage',
    make: ({ dataDir }) => writeFileSync(path.join(dataDir, 'instance.json'), '}'),
  },
  {
    name: 'the record of the owner is a folder',
    make: ({ dataDir }) => replaceByFolder(path.join(dataDir, 'instance.json')),
    alerts: ['instance'],
  },
  {
    name: 'the lock is a folder',
    make: ({ dataDir }) => replaceByFolder(path.join(dataDir, 'lock.db')),
    says: /may not write in|lock\.db/,
  },
  {
    name: 'the lock is something else',
    make: ({ dataDir }) => writeFileSync(path.join(dataDir, 'lock.db'), 'garbage'),
    says: /lock\.db is not the empty file .* Delete it/,
  },
  {
    name: 'the record of backups is garbage',
    make: ({ dataDir }) => writeFileSync(path.join(dataDir, 'backup-state.json'), '}'),
  },
  {
    name: 'the record of backups is a folder',
    make: ({ dataDir }) => replaceByFolder(path.join(dataDir, 'backup-state.json')),
  },
  {
    name: 'the journal of a restore is garbage',
    make: ({ dataDir }) => writeFileSync(path.join(dataDir, 'restore-intent.json'), '}'),
    says: /restore-intent\.json says that a restore was not finished, but cannot be read\./,
    always: true,
  },
  {
    name: 'the settings are garbage',
    make: ({ dataDir }) => writeFileSync(path.join(dataDir, 'settings.json'), '}'),
    alerts: ['settings'],
  },
  {
    name: 'the settings are a folder',
    make: ({ dataDir }) => replaceByFolder(path.join(dataDir, 'settings.json')),
    alerts: ['settings'],
  },
  {
    name: 'files in the folder belong to another account',
    make({ dataDir }) {
      writeFileSync(path.join(dataDir, 'notes.txt'), 'mine')
      ofRoot(path.join(dataDir, 'notes.txt'), 0o644)
    },
    alerts: ['private'],
    needsRoot: true,
  },
  // The backup folder
  {
    name: 'BACKUP_DIR may not be read',
    make({ root }) {
      mkdirSync(path.join(root, 'elsewhere'))
      ofRoot(path.join(root, 'elsewhere'), 0o700)
    },
    env: ({ root }) => ({ BACKUP_DIR: path.join(root, 'elsewhere') }),
    alerts: ['storage'],
    always: true,
    needsRoot: true,
  },
  {
    name: 'BACKUP_DIR is a file',
    make: ({ root }) => replaceByFile(path.join(root, 'elsewhere')),
    env: ({ root }) => ({ BACKUP_DIR: path.join(root, 'elsewhere') }),
    alerts: ['storage'],
  },
  {
    name: 'BACKUP_DIR cannot be made',
    make({ root }) {
      mkdirSync(path.join(root, 'elsewhere'))
      ofRoot(path.join(root, 'elsewhere'), 0o555)
    },
    env: ({ root }) => ({ BACKUP_DIR: path.join(root, 'elsewhere', 'backups') }),
    alerts: ['storage'],
    needsRoot: true,
  },
  // The temporary folder
  {
    name: "somebody else's staging folder lies in the temporary folder",
    make({ tempDir }) {
      const theirs = path.join(tempDir, 'talekeeper-archive-999999999-abcdef')
      mkdirSync(path.join(theirs, 'inside'), { recursive: true })
      ofRoot(theirs, 0o700)
      chmodSync(tempDir, 0o1777)
    },
    always: true,
    needsRoot: true,
  },
  { name: 'TMPDIR is not there', make: ({ tempDir }) => rmSync(tempDir, { recursive: true }), alerts: ['storage'] },
  { name: 'TMPDIR is a file', make: ({ tempDir }) => replaceByFile(tempDir), alerts: ['storage'] },
  {
    name: 'TMPDIR may not be written',
    make: ({ tempDir }) => ofRoot(tempDir, 0o555),
    alerts: ['storage'],
    needsRoot: true,
  },
  // The network
  {
    name: 'the port is taken',
    async make() {
      const other = createServer().listen(48_020, '127.0.0.1')
      await new Promise((resolve) => other.once('listening', resolve).once('error', resolve))
      return () => void other.close()
    },
    env: () => ({ PORT: '48020' }),
    says: /^Port 48020 is used by another program\./,
  },
  {
    name: 'HOST is no address of this machine',
    make() {},
    env: () => ({ HOST: '203.0.113.7' }),
    says: /^HOST is 203\.0\.113\.7, which is no address/,
  },
  {
    name: 'HOST is nonsense',
    make() {},
    env: () => ({ HOST: 'no such host' }),
    says: /^HOST is no such host, which is no address/,
    always: true,
  },
  {
    name: 'the certificate is not there',
    make() {},
    env: ({ root }) => ({ TLS_CERT_FILE: path.join(root, 'cert.pem'), TLS_KEY_FILE: path.join(root, 'key.pem') }),
    says: /^There is no \S+cert\.pem\.$/,
  },
  {
    name: 'the certificate is none',
    make({ root }) {
      for (const name of ['cert.pem', 'key.pem']) writeFileSync(path.join(root, name), 'not a certificate')
    },
    env: ({ root }) => ({ TLS_CERT_FILE: path.join(root, 'cert.pem'), TLS_KEY_FILE: path.join(root, 'key.pem') }),
    says: /^TLS_CERT_FILE and TLS_KEY_FILE do not hold a certificate/,
  },
  // Settings
  {
    name: 'a setting is nonsense',
    make() {},
    env: () => ({ BACKUP_KEEP_COUNT: 'many' }),
    says: /^environment: BACKUP_KEEP_COUNT: a whole number$/,
  },
  {
    name: 'two settings are nonsense',
    make() {},
    env: () => ({ BASE_URL: 'here', LOG_LEVEL: 'loud' }),
    says: /BASE_URL: .*LOG_LEVEL: /,
  },
]
