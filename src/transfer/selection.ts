import { setImmediate } from 'node:timers/promises'
import type { Entity } from '../kernel/entity.ts'
import type { RowReader } from '../kernel/reader.ts'
import { byDependence, carryOf, eyesFor, isDropped, type Profile, travels } from '../kernel/travel.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { readerFor } from '../storage/reader.ts'
import type { Store } from '../storage/store.ts'

/** The rows of one kind of thing that leave, in the order of their ids. */
export interface SelectedRows {
  readonly entity: Entity
  /** Through whose eyes they are read. */
  readonly eyes: Viewer
  readonly ids: ReadonlySet<number>
}

/** What of a campaign leaves in an export, by the names of its entities. */
export type Selection = ReadonlyMap<string, SelectedRows>

type Loose = RowReader<Entity, Readonly<Record<string, unknown>> & { readonly id: number }>

/** How many rows are read before others get their turn. */
const atOnce = 250

/** Every kind of thing that leaves with a campaign, each behind what its rows cannot be without. */
export function travellers(store: Pick<Store, 'registry'>): readonly Entity[] {
  return byDependence(store.registry.all.filter((entity) => entity.scope === 'campaign' && travels(entity)))
}

/**
 * Chooses what leaves. A row goes only with all that it cannot be without. `store` shows one state of the database for as
 * long as this takes.
 */
export async function selectRows(
  store: Store,
  viewer: Viewer,
  profile: Profile,
  signal: AbortSignal,
): Promise<Selection> {
  const selection = new Map<string, SelectedRows>()
  for (const entity of travellers(store)) {
    const eyes = eyesFor(profile, entity, store.registry.toolsetOf(entity.name), viewer)
    if (eyes === null) continue
    const needs = Object.entries(entity.fields).filter(
      ([key, { presence, marks }]) =>
        presence !== 'nullable' && marks.references !== undefined && !isDropped(carryOf(entity, key)),
    )
    const ids = new Set<number>()
    const columns = needs.map(([key]) => key)
    let read = 0
    for (const row of (readerFor(store, entity, eyes) as unknown as Loose).each({ order: [['id', 'asc']], columns })) {
      const isWhole = needs.every(([key, { marks }]) =>
        selection.get(marks.references ?? '')?.ids.has(row[key] as number),
      )
      if (isWhole) ids.add(row.id as number)
      read += 1
      if (read % atOnce !== 0) continue
      signal.throwIfAborted()
      await setImmediate()
    }
    selection.set(entity.name, { entity, eyes, ids })
    // The statements of a kind that is read for the first time are made here: those of all kinds together are 25 ms.
    signal.throwIfAborted()
    await setImmediate()
  }
  return selection
}
