import type { Files, FileWriter } from '../../src/storage/files.ts'

/** One call of the port or of a writer that it made; `path` is what it works on, for a rename or link its source. */
export interface FileOperation {
  readonly kind: keyof Files | keyof FileWriter
  readonly path: string
  /** Where a rename or link leads to. */
  readonly target?: string
}

/**
 * Stands around every file operation, which is `work`. A guard that throws after it was done calls `release` with its
 * result, so that no descriptor is left.
 */
export type FileGuard = <T>(
  operation: FileOperation,
  work: () => Promise<T>,
  release?: (result: T) => unknown,
) => Promise<T>

/** Files each of whose operations goes through a guard. */
export function guardedFiles(real: Files, guard: FileGuard): Files {
  const writerOf = (path: string, writer: FileWriter): FileWriter => ({
    write: (chunk) => guard({ kind: 'write', path }, () => writer.write(chunk)),
    sync: () => guard({ kind: 'sync', path }, () => writer.sync()),
    // The descriptor is closed in any case, as it is when a process ends.
    close: async () => {
      await writer.close()
      await guard({ kind: 'close', path }, async () => {})
    },
  })
  const one = <T>(kind: FileOperation['kind'], path: string, work: () => Promise<T>): Promise<T> =>
    guard({ kind, path }, work)
  return {
    stat: (file) => one('stat', file, () => real.stat(file)),
    list: (folder) => one('list', folder, () => real.list(folder)),
    makeDir: (folder) => one('makeDir', folder, () => real.makeDir(folder)),
    rename: (path, target) => guard({ kind: 'rename', path, target }, () => real.rename(path, target)),
    link: (path, target) => guard({ kind: 'link', path, target }, () => real.link(path, target)),
    create: async (path) =>
      writerOf(
        path,
        await guard(
          { kind: 'create', path },
          () => real.create(path),
          (writer) => writer.close(),
        ),
      ),
    read: (file) => one('read', file, () => real.read(file)),
    readStream: (path) =>
      guard(
        { kind: 'readStream', path },
        () => real.readStream(path),
        (stream) => stream.destroy(),
      ),
    async *chunks(file) {
      await one('chunks', file, async () => {})
      yield* real.chunks(file)
    },
    remove: (file) => one('remove', file, () => real.remove(file)),
    removeTree: (folder) => one('removeTree', folder, () => real.removeTree(folder)),
    sync: (file) => one('sync', file, () => real.sync(file)),
    syncDir: (folder) => one('syncDir', folder, () => real.syncDir(folder)),
    space: (folder) => one('space', folder, () => real.space(folder)),
  }
}

/**
 * - `before`: the operation fails and does nothing
 * - `after`: it is done, and fails all the same
 * - `dead`: it fails and so does everything after it, as if the process had ended there
 */
export type FaultMode = 'before' | 'after' | 'dead'

export interface FaultyFiles extends Files {
  /** Operations so far. */
  readonly count: number
  /** What they were, in their order. */
  readonly operations: readonly FileOperation[]
}

/**
 * Files whose `failing`-th operation, counted from 1, fails with `code`, as Node would word it. With `kind` only
 * operations of that kind are counted.
 */
export function faultyFiles(
  real: Files,
  failing: number,
  mode: FaultMode,
  code = 'EIO',
  kind?: FileOperation['kind'],
): FaultyFiles {
  const operations: FileOperation[] = []
  let number = 0
  const files = guardedFiles(real, async (operation, work, release) => {
    operations.push(operation)
    const isCounted = kind === undefined || kind === operation.kind
    if (isCounted) number += 1
    const fails = mode === 'dead' ? number >= failing : isCounted && number === failing
    if (!fails) return await work()
    const { kind: syscall, path } = operation
    const error = Object.assign(new Error(`${code}: injected, ${syscall} '${path}'`), { code, syscall, path })
    if (mode !== 'after') throw error
    await release?.(await work())
    throw error
  })
  return Object.defineProperties(files, {
    count: { get: () => operations.length },
    operations: { value: operations },
  }) as FaultyFiles
}
