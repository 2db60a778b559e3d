import { entities } from '../../src/catalogue.ts'
import type { Services, Travel } from '../../src/kernel/context.ts'
import { fail } from '../../src/kernel/errors.ts'
import { createFiles } from '../../src/storage/files.ts'
import type { Store } from '../../src/storage/store.ts'
import { createExports } from '../../src/transfer/exports.ts'
import { readDocument } from '../../src/transfer/import-read.ts'
import { createImports, type Imports } from '../../src/transfer/imports.ts'
import { createTravel } from '../../src/transfer/travel.ts'
import { pngFile } from './matrix.ts'

const files = createFiles()

interface Parts {
  store(): Store
  readonly images: Services['images']
  readonly clock: () => Date
  readonly tempDir: string
}

/** Exports and imports on a store, read on this thread. */
export function travelOn({ store, images, clock, tempDir }: Parts): {
  readonly travel: Travel
  readonly imports: Imports
} {
  const find = () => Promise.reject(fail('not_found'))
  const imports = createImports({
    store,
    files,
    images,
    tempDir,
    clock,
    read: (payload, { signal = new AbortController().signal }) =>
      readDocument(payload, { signal, progress: () => {} }, files, entities),
  })
  const clean = async () => 'missing' as const
  const exports = createExports({ store, images: { find, clean }, files, tempDir, version: '0.0.0', clock })
  // Tests compare documents of every kind of thing.
  const inlineBytes = 10_000_000
  const link = () => ({ path: '/api/v1/downloads/tkd_test', expiresAt: '2026-11-20T18:05:00.000Z' })
  const samplePicture = () => pngFile.bytes
  const travel = createTravel({ exports, imports, files, tempDir, store, link, inlineBytes, samplePicture })
  return { imports, travel }
}
