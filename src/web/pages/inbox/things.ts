import type { ProposedChange } from '../../api/contract.ts'
import { allKinds } from '../../kinds.ts'

/** What some changes of a proposal are about, or make. */
export interface Thing {
  readonly key: string
  /** The name of its kind; null for what has none, such as a record of the history. */
  readonly kind: string | null
  /** Null while it does not exist. */
  readonly id: number | null
  readonly name: string | null
  readonly isNew: boolean
  /** With their places in the proposal, counted from 0. */
  readonly changes: readonly { readonly change: ProposedChange; readonly place: number }[]
}

/**
 * The changes of a proposal by the thing that they are about, in the order in which things first come up. What is made as a
 * part of something (a step of a quest) belongs to that, be it made here too.
 */
export function groupChanges(changes: readonly ProposedChange[]): readonly Thing[] {
  const groups = new Map<string, Thing & { readonly changes: { change: ProposedChange; place: number }[] }>()
  const keys: string[] = []
  for (const [place, change] of changes.entries()) {
    const key = keyOf(change, place, keys)
    keys.push(key)
    const known = groups.get(key)
    if (known !== undefined) {
      known.changes.push({ change, place })
      continue
    }
    const isNew = change.makes && change.entityId === null
    const kind = isNew ? madeKind(change.operation) : change.entityType
    const name = isNew ? change.name : change.thing
    groups.set(key, { key, kind, id: change.entityId, name, isNew, changes: [{ change, place }] })
  }
  return [...groups.values()]
}

/** The kind of thing that an operation makes. */
function madeKind(operation: string): string | null {
  return allKinds.find((kind) => kind.create === operation)?.name ?? null
}

function keyOf({ entityType, entityId, madeBy }: ProposedChange, place: number, keys: readonly string[]): string {
  if (entityId !== null) return `${entityType} ${entityId}`
  return (madeBy === null ? undefined : keys[madeBy - 1]) ?? `new ${place}`
}
