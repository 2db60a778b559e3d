import { type OpenedFile, openedFile } from '../storage/readiness.ts'
import { openStore, type Store, type StoreOptions } from '../storage/store.ts'

/** The store that is open now. Nobody keeps it: a restore replaces it. */
export interface CurrentStore {
  /** Throws what openStore throws. */
  open(): void
  close(): void
  isOpen(): boolean
  /** Throws while a restore replaces the database. */
  get(): Store
  /** Null when the database can be used, else why not. */
  whyNotReady(): string | null
}

export function createCurrentStore(options: () => StoreOptions): CurrentStore {
  let store: Store | undefined
  let file: OpenedFile | undefined
  return {
    open() {
      const given = options()
      store = openStore(given)
      file = openedFile(given.path)
    },
    close() {
      store?.close()
      store = undefined
      // Not before the store: see openedFile.
      file?.close()
      file = undefined
    },
    isOpen: () => store !== undefined,
    get() {
      if (store === undefined) throw new Error('the database is not open')
      return store
    },
    whyNotReady() {
      if (store === undefined || file === undefined) return 'the database is being replaced'
      if (!store.isShared) return 'the disk was full when the server started'
      return file.whyNotReady()
    },
  }
}
