import { entities, operations } from '../../src/catalogue.ts'
import type { Entity } from '../../src/kernel/entity.ts'
import { Failure, fail } from '../../src/kernel/errors.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import { travels } from '../../src/kernel/travel.ts'
import { rolledBack } from './matrix.ts'
import type { Person, TestWorld } from './world.ts'

// What can be done with each kind of thing: read from the declarations, and from what the examples of operations do to rows.

export const kindsOfCampaigns: readonly Entity[] = entities.filter(
  ({ scope }) => scope === 'campaign' || scope === 'root',
)

type ChangeKind = 'create' | 'update' | 'trash' | 'restore' | 'purge'

/** That an operation's example changes a row of a kind of thing, and as whom it is called. */
export interface Doing {
  readonly operation: AnyOperation
  readonly person: Person
  readonly entityType: string
  readonly entityId: number
  readonly kind: ChangeKind
}

export const writes: readonly AnyOperation[] = [...operations.values()].filter(({ effect }) => effect !== 'read')

/** Runs an operation as the first who may, and answers who that was. */
export async function asWhoMay(
  world: TestWorld,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Promise<{ readonly person: Person; readonly answer: Awaited<ReturnType<TestWorld['as']>> }> {
  const refusals: string[] = []
  for (const person of ['dm', 'player', 'outsider', 'admin'] satisfies Person[]) {
    try {
      return { person, answer: await world.as(person, name, input) }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (!['not_found', 'forbidden'].includes(error.code)) throw error
      refusals.push(error.message)
    }
  }
  throw fail('forbidden', `${name} is refused to everybody: ${refusals.join(' ')}`)
}

/** Makes the example of every write, each on the world as it was, and notes what it did to which rows. */
export async function doingsOf(world: TestWorld): Promise<readonly Doing[]> {
  const store = world.server.app.store()
  const doings: Doing[] = []
  for (const operation of writes)
    await rolledBack(world, async () => {
      const last = Number(store.get('SELECT max(id) AS id FROM changes')?.id ?? 0)
      const { person } = await asWhoMay(world, operation.name, operation.example(world) as Record<string, unknown>)
      const rows = store.all('SELECT entity_type, entity_id, kind FROM changes WHERE id > @last ORDER BY id', { last })
      for (const { entity_type, entity_id, kind } of rows)
        doings.push({
          operation,
          person,
          entityType: String(entity_type),
          entityId: Number(entity_id),
          kind: kind as ChangeKind,
        })
    })
  return doings
}

/** Kinds of things that go to the trash with this one. */
export function ownedBy({ name }: Entity): readonly Entity[] {
  return kindsOfCampaigns.filter((each) =>
    Object.values(each.fields).some(({ marks }) => marks.owned && marks.references === name),
  )
}

/** Fields in whose texts words are looked for, and things may be mentioned. */
export function searchedIn({ fields, scope }: Entity): readonly string[] {
  // A campaign is where one searches.
  if (scope === 'root') return []
  return Object.keys(fields).filter((key) => fields[key]?.marks.search !== undefined)
}

export const abilities = [
  'made',
  'changed',
  'refused when stale',
  'trashed and restored',
  'with what it owns',
  'purged',
  'revisions',
  'reverted',
  'hidden and revealed',
  'found',
  'mentioned',
  'heard of',
  'brief lists',
  'lists by words',
  'travels',
] as const
export type Ability = (typeof abilities)[number]

/** By what each ability of a kind of thing is there; null where it is not. */
export function abilitiesOf(entity: Entity, doings: readonly Doing[]): Readonly<Record<Ability, string | null>> {
  const own = doings.filter(({ entityType }) => entityType === entity.name)
  const by = (kind: ChangeKind, more: (operation: AnyOperation) => boolean = () => true): string | null => {
    const names = own
      .filter((each) => each.kind === kind && more(each.operation))
      .map(({ operation }) => operation.name)
    return Array.from(new Set(names)).slice(0, 3).join(', ') || null
  }
  const list = operations.get(entity.listedBy)
  const takes = (member: string): string | null => (list !== undefined && member in list.input.shape ? list.name : null)
  const owned = ownedBy(entity).map(({ name }) => name)
  return {
    made: by('create'),
    changed: by('update'),
    'refused when stale': by('update', ({ input }) => 'expectedRevision' in input.shape),
    'trashed and restored': entity.trash
      ? (by('trash') ?? 'with what owns it, or when what made it is taken back')
      : null,
    'with what it owns': owned.join(', ') || null,
    purged: entity.trash ? 'purge_from_trash' : null,
    revisions: entity.journal === 'full' ? 'list_revisions' : null,
    reverted: entity.journal === 'full' && entity.trash && entity.undoneBy === null ? 'revert_change' : null,
    'hidden and revealed': entity.hide ? 'hide_entity, reveal_entity' : null,
    found: searchedIn(entity).join(', ') || null,
    mentioned: entity.mention ? 'list_mentions' : null,
    'heard of': entity.journal === 'anonymous' || entity.journal === 'none' ? null : 'events',
    'brief lists': takes('view'),
    'lists by words': takes('query'),
    travels: travels(entity) ? 'export_campaign, import_campaign' : null,
  }
}
