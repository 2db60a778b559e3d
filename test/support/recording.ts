import type { Context, PrepareContext } from '../../src/kernel/context.ts'
import type { Entity } from '../../src/kernel/entity.ts'
import type { KindAbility } from '../../src/kernel/fields.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import type { Predicate } from '../../src/kernel/visibility.ts'
import type { Registry } from '../../src/storage/registry.ts'

/**
 * What one operation touched while it ran. `searchable` stands for all that search looks into, `titled` for all that a
 * link to any kind of thing can name, `*` for whatever there is.
 */
export interface Touched {
  readonly reads: Set<string>
  readonly writes: Set<string>
  /** The entities that it asked for itself, without those that come along with their rows. */
  readonly asked: Set<string>
}

export const untouched = (): Touched => ({ reads: new Set(), writes: new Set(), asked: new Set() })

/** The operation, noting in `touched` which entities its handler reads and writes, and whether it searched. */
export function recorded(operation: AnyOperation, registry: Registry, touched: Touched): AnyOperation {
  const { prepare } = operation
  return {
    ...operation,
    ...(prepare && {
      prepare: (context: PrepareContext, input: never) =>
        prepare(
          listening(context, {
            search: () => touched.reads.add('searchable'),
            searchRules: () => readEntity(registry.get('rule_entry'), registry, touched.reads),
          }),
          input,
        ),
    }),
    handle: (context, input) => operation.handle(recordingContext(context, registry, touched) as Context<never>, input),
  }
}

type Member = keyof Context

/** Members of the context that say nothing about rows. */
const silent: ReadonlySet<Member> = new Set([
  'viewer',
  'actor',
  'door',
  'now',
  'reason',
  'authorRole',
  'campaignId',
  'prepared',
  'random',
  'secrets',
  'random',
  'appName',
])

/**
 * The context of a call with an ear at each of its members. One that is not known here is refused: whoever adds a member
 * says what it reads.
 */
function recordingContext(context: Context<never>, registry: Registry, touched: Touched): unknown {
  const { reads, writes, asked } = touched
  // Entities that the call looked up by a name in its input: they stand for any.
  const anyKind = new Set<Entity>()
  const read = (entity: Entity) => {
    asked.add(anyKind.has(entity) ? 'titled' : entity.name)
    if (anyKind.has(entity)) reads.add('titled')
    else readEntity(entity, registry, reads)
  }
  const write = (entity: Entity, owned = false) => {
    if (anyKind.has(entity)) writes.add('*')
    else writeEntity(entity, registry, writes, owned)
  }
  const heard: Partial<Record<Member, () => unknown>> = {
    read: () => (entity: Entity) => {
      read(entity)
      return context.read(entity)
    },
    unfiltered: () => (entity: Entity) => {
      read(entity)
      return context.unfiltered(entity)
    },
    write: () => (entity: Entity) => {
      write(entity)
      return listening(context.write(entity), {
        trash: () => write(entity, true),
        remove: () => write(entity, true),
      })
    },
    within: () => (campaignId: number, role: never) =>
      recordingContext(context.within(campaignId, role), registry, touched),
    across: () => (entity: never) => {
      read(entity)
      return context.across(entity)
    },
    byHash: () => (entity: Entity, field: string, hash: string) => {
      read(entity)
      return context.byHash(entity, field, hash)
    },
    memberships: () => (options?: { readonly trashed?: boolean }) => {
      read(registry.get('member'))
      read(registry.get('campaign'))
      return context.memberships(options)
    },
    users: () => {
      reads.add('user')
      return context.users
    },
    mentions: () => (entityType: string, entityId: number, page: never) => {
      reads.add('searchable')
      return context.mentions(entityType, entityId, page)
    },
    journal: () =>
      new Proxy(context.journal, {
        get(target, member) {
          // What changed of one row changes with that row.
          reads.add(member === 'changedSince' ? 'titled' : '*')
          if (member === 'revert' || member === 'restore') writes.add('*')
          return Reflect.get(target, member)
        },
      }),
    consentTerms: () => {
      read(registry.get('campaign'))
      return context.consentTerms
    },
    // A person gets all that there is: nothing is withheld from the web client, for which this is recorded.
    withheld: () => () => 0,
    rules: () => {
      read(registry.get('rule_pack'))
      return context.rules
    },
    trash: () => {
      reads.add('*')
      const all = () => writes.add('*')
      return listening(context.trash, { restore: all, purge: all, restoreCampaign: all })
    },
    pipeline: () => listening(context.pipeline, { apply: () => writes.add('*') }),
    findEntity: () => (name: string) => {
      const entity = context.findEntity(name)
      if (entity !== null) anyKind.add(entity)
      return entity
    },
    entity: () => (name: string, can?: KindAbility) => {
      const entity = context.entity(name, can)
      anyKind.add(entity)
      return entity
    },
  }
  return new Proxy(context, {
    get(target, member: Member) {
      const hear = heard[member]
      if (hear) return hear()
      if (!silent.has(member)) throw new Error(`test/support/recording.ts does not know what context.${member} reads`)
      return target[member]
    },
  })
}

/** The object, calling the ear of a method before the method. */
function listening<T extends object>(object: T, ears: Readonly<Record<string, () => unknown>>): T {
  return new Proxy(object, {
    get(target, member: keyof T & string) {
      ears[member]?.()
      const value = target[member]
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/**
 * A row that is read shows more than itself: links to others are null while those are not to be seen and bring their
 * names, and whether it is seen at all may depend on the row above it.
 */
function readEntity(entity: Entity, registry: Registry, reads: Set<string>): void {
  reads.add(entity.name)
  for (const name of parentsOf(entity.visible)) addWithParents(registry.get(name), registry, reads)
  for (const { marks } of Object.values(entity.fields)) {
    if (marks.link !== undefined) reads.add('titled')
    const linked = marks.references === undefined ? undefined : registry.find(marks.references)
    if (linked !== undefined) addWithParents(linked, registry, reads)
  }
}

function addWithParents(entity: Entity, registry: Registry, reads: Set<string>): void {
  if (reads.has(entity.name)) return
  reads.add(entity.name)
  for (const name of parentsOf(entity.visible)) addWithParents(registry.get(name), registry, reads)
}

function parentsOf(predicate: Predicate): readonly string[] {
  if (predicate.is === 'parent') return [predicate.entity]
  return predicate.is === 'any' || predicate.is === 'all' ? predicate.of.flatMap(parentsOf) : []
}

function writeEntity(entity: Entity, registry: Registry, writes: Set<string>, owned: boolean): void {
  writes.add(entity.name)
  if (!owned) return
  for (const each of registry.ownedBy(entity.name)) {
    if (!writes.has(each.entity.name)) writeEntity(each.entity, registry, writes, true)
  }
}
