import { useState } from 'preact/hooks'

let last = 0

/**
 * An id that nothing else on the page has. Preact's own useId begins anew below a part that was rendered again by
 * itself, so that two fields, or two menus, get the same id.
 */
export function useOwnId(): string {
  const [id] = useState(() => {
    last += 1
    return `id-${last}`
  })
  return id
}
