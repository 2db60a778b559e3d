import { entities } from '../../src/catalogue.ts'
import type { Store } from '../../src/storage/store.ts'
import { long } from '../support/long.ts'
import type { TestWorld } from '../support/world.ts'
import { wordsFor, wordsIn } from './canaries.ts'

/** Ids to ask for, whatever their campaign and whether they are hidden or in the trash. */
export interface Pools {
  /** By entity, and of users, audit records and revisions. */
  readonly ids: Readonly<Record<string, readonly number[]>>
  /** For what takes any kind of thing: of each kind every one in long mode, else three. */
  readonly things: readonly { readonly entityType: string; readonly entityId: number }[]
}

export function poolsOf(world: TestWorld): Pools {
  const store = world.server.app.store()
  const from = (table: string) => store.all(`SELECT id FROM ${table} ORDER BY id`).map(({ id }) => Number(id))
  const main = world.id('campaign')
  const ids: Record<string, readonly number[]> = { user: from('users'), ...journalOf(store, main) }
  for (const { name, table } of entities) ids[name] = from(table)
  const things = entities
    .filter(({ scope }) => scope === 'campaign')
    .flatMap(({ name, table }) => {
      const chosen = long ? ids[name] : threeOf(store.all(`SELECT * FROM ${table} ORDER BY id`), main)
      return (chosen ?? []).map((entityId) => ({ entityType: name, entityId }))
    })
  return { ids, things }
}

/**
 * The records of the journal; outside of long mode three changes of each kind of thing and one with each word that these
 * lack, and the records that hold them.
 */
function journalOf(store: Store, mainCampaignId: number): Readonly<Record<'audit_record' | 'revision', number[]>> {
  const changes = store.all('SELECT * FROM changes ORDER BY id')
  const chosen = long ? changes : someOf(changes, mainCampaignId)
  const every = store.all('SELECT id FROM change_sets ORDER BY id').map(({ id }) => Number(id))
  return {
    revision: chosen.map(({ id }) => Number(id)),
    audit_record: long ? every : [...new Set(chosen.map(({ change_set_id: id }) => Number(id)))],
  }
}

function someOf(changes: readonly Raw[], mainCampaignId: number): readonly Raw[] {
  const byEntity = Map.groupBy(changes, ({ entity_type: type }) => type)
  const three = new Set([...byEntity.values()].flatMap((each) => threeOf(each, mainCampaignId)))
  const chosen = changes.filter(({ id }) => three.has(Number(id)))
  const held = new Set(chosen.flatMap((change) => [...wordsIn(JSON.stringify(change))]))
  for (const change of changes) {
    const lacking = [...wordsIn(JSON.stringify(change))].filter((word) => !held.has(word))
    if (lacking.length === 0) continue
    chosen.push(change)
    for (const word of lacking) held.add(word)
  }
  return chosen
}

type Raw = Readonly<Record<string, unknown>>

/**
 * At most three: one that is open to the player, the one that holds most of what is not theirs, and one of another
 * campaign. They are told apart by the words that stand in them and not by what the product thinks of them.
 */
function threeOf(rows: readonly Raw[], mainCampaignId: number): number[] {
  const theirs = new Set(wordsFor('player'))
  const judged = rows.map((row) => {
    const found = [...wordsIn(JSON.stringify(row))]
    const open = found.filter((word) => theirs.has(word)).length
    const campaignId = row.campaign_id ?? row.id
    return { id: Number(row.id), foreign: campaignId !== mainCampaignId, open, secret: found.length - open }
  })
  const inside = judged.filter(({ foreign }) => !foreign)
  const chosen = [
    best(
      inside.filter(({ secret }) => secret === 0),
      ({ open }) => open,
    ),
    best(inside, ({ secret, id }) => (secret === 0 ? id / 1e9 : secret)),
    best(
      judged.filter(({ foreign }) => foreign),
      ({ secret }) => secret,
    ),
  ]
  return [...new Set(chosen.flatMap((each) => (each === undefined ? [] : [each.id])))]
}

function best<T extends { readonly id: number }>(rows: readonly T[], score: (row: T) => number): T | undefined {
  return rows.toSorted((a, b) => score(b) - score(a) || a.id - b.id)[0]
}
