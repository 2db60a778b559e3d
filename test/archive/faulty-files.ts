import type { Files, FileWriter } from '../../src/storage/files.ts'

/**
 * - `before`: the operation fails and does nothing
 * - `after`: it is done, and fails all the same
 * - `dead`: it fails and so does everything after it, as if the process had ended there
 */
export type FaultMode = 'before' | 'after' | 'dead'

export interface FaultyFiles extends Files {
  /** Operations so far. */
  readonly count: number
}

/** Files whose `failing`-th operation, counted from 1, fails with `code`. */
export function faultyFiles(real: Files, failing: number, mode: FaultMode, code = 'EIO'): FaultyFiles {
  let count = 0
  const guard = async <T>(work: () => Promise<T>, release?: (result: T) => unknown): Promise<T> => {
    count += 1
    const fails = mode === 'dead' ? count >= failing : count === failing
    if (fails && mode !== 'after') throw Object.assign(new Error(`${code}: operation ${count}`), { code })
    const result = await work()
    if (!fails) return result
    await release?.(result)
    throw Object.assign(new Error(`${code}: operation ${count}, done`), { code })
  }
  const writerOf = (writer: FileWriter): FileWriter => ({
    write: (chunk) => guard(() => writer.write(chunk)),
    sync: () => guard(() => writer.sync()),
    // The descriptor is closed in any case, as it is when a process ends.
    close: async () => {
      await writer.close()
      await guard(async () => {})
    },
  })
  return {
    get count() {
      return count
    },
    stat: (file) => guard(() => real.stat(file)),
    list: (folder) => guard(() => real.list(folder)),
    makeDir: (folder) => guard(() => real.makeDir(folder)),
    rename: (from, to) => guard(() => real.rename(from, to)),
    link: (from, to) => guard(() => real.link(from, to)),
    create: async (file) =>
      writerOf(
        await guard(
          () => real.create(file),
          (writer) => writer.close(),
        ),
      ),
    read: (file) => guard(() => real.read(file)),
    readStream: (file) =>
      guard(
        () => real.readStream(file),
        (stream) => stream.destroy(),
      ),
    async *pieces(file) {
      await guard(async () => {})
      yield* real.pieces(file)
    },
    remove: (file) => guard(() => real.remove(file)),
    removeTree: (folder) => guard(() => real.removeTree(folder)),
    sync: (file) => guard(() => real.sync(file)),
    syncDir: (folder) => guard(() => real.syncDir(folder)),
    space: (folder) => guard(() => real.space(folder)),
  }
}
