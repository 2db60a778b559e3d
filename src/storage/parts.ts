import { accessRowOf } from './reader.ts'
import { type IsParentOpen, partOf, readerFieldsOf } from './search-places.ts'
import type { Store } from './store.ts'

/**
 * In which part things lie that others follow, as they are in the database now. What names a user who sees it although it is
 * closed is taken for open: whatever follows it is that user's to see as well.
 */
export function parentsOf(store: Store): IsParentOpen {
  const isOpen: IsParentOpen = (name, id) => {
    const parent = store.registry.get(name)
    if (parent.visible.is === 'everyone' || readerFieldsOf(parent).length > 0) return true
    const row = accessRowOf(store, parent, id)
    return row === null || partOf(parent, row, isOpen) === 'open'
  }
  return isOpen
}
