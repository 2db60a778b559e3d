import { type AnyOperation, routeOf } from '../kernel/operation.ts'

/** What a request is about, by its method and address. */
export interface FoundOperation {
  readonly operation: AnyOperation
  /** The text of each placeholder of its path. */
  readonly params: Readonly<Record<string, string>>
}

export interface OperationTable {
  /** Null where no operation has this address. `url` is the target of the request as it came. */
  find(method: string, url: string): FoundOperation | null
}

interface Place {
  readonly named: Map<string, Place>
  /** Where any text may stand. */
  any: Place | null
  /** By method. */
  readonly operations: Map<string, { readonly operation: AnyOperation; readonly placeholders: readonly string[] }>
}

export const apiRoot = '/api/v1/'
/** A longer one is no id, and no code of ours. */
const longestParam = 300

/**
 * The addresses of all operations as a tree of their parts. The framework's own router keeps for each a node, a handler and
 * a set of hooks, and compiles a function: a fifth of the time that the program took to start.
 */
export function createOperationTable(operations: Iterable<AnyOperation>): OperationTable {
  const root = newPlace()
  for (const operation of operations) {
    const { method, path, placeholders } = routeOf(operation.route)
    let place = root
    for (const part of path.slice(1).split('/')) place = part.startsWith('{') ? placeOfAny(place) : placeOf(place, part)
    const taken = place.operations.get(method)
    if (taken !== undefined) throw new Error(`${operation.name} has the address of ${taken.operation.name}`)
    place.operations.set(method, { operation, placeholders })
  }
  return {
    find(method, url) {
      const parts = partsOf(url)
      if (parts === null) return null
      const values: string[] = []
      const found = search(root, parts, 0, method === 'HEAD' ? 'GET' : method, values)
      if (found === null) return null
      const params: Record<string, string> = {}
      for (const [index, name] of found.placeholders.entries()) params[name] = values[index] as string
      return { operation: found.operation, params }
    },
  }
}

function newPlace(): Place {
  return { named: new Map(), any: null, operations: new Map() }
}

function placeOf({ named }: Place, part: string): Place {
  const known = named.get(part) ?? newPlace()
  named.set(part, known)
  return known
}

function placeOfAny(place: Place): Place {
  place.any ??= newPlace()
  return place.any
}

/** What stands between the slashes, decoded; null for what is no address of an operation. */
function partsOf(url: string): readonly string[] | null {
  if (!url.startsWith(apiRoot)) return null
  const parts = url.slice(apiRoot.length, endOfPath(url)).split('/')
  if (!url.includes('%')) return parts
  try {
    return parts.map((part) => decodeURIComponent(part))
  } catch {
    return null
  }
}

/** Where the query or the fragment begins, or the end. A search by a pattern costs a microsecond of every request. */
function endOfPath(url: string): number {
  const [query, fragment] = [url.indexOf('?'), url.indexOf('#')]
  return Math.min(query < 0 ? url.length : query, fragment < 0 ? url.length : fragment)
}

/** A name goes before any text, wherever both lead somewhere. */
function search(
  place: Place,
  parts: readonly string[],
  at: number,
  method: string,
  values: string[],
): { readonly operation: AnyOperation; readonly placeholders: readonly string[] } | null {
  const part = parts[at]
  if (part === undefined) return place.operations.get(method) ?? null
  const named = place.named.get(part)
  const found = named === undefined ? null : search(named, parts, at + 1, method, values)
  if (found !== null || place.any === null || part === '' || part.length > longestParam) return found
  values.push(part)
  const behind = search(place.any, parts, at + 1, method, values)
  if (behind === null) values.pop()
  return behind
}
