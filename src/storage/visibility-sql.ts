import type { Entity } from '../kernel/entity.ts'
import { atLeast, type Viewer } from '../kernel/viewer.ts'
import type { Predicate } from '../kernel/visibility.ts'
import { columnOf, encode, scopeSql } from './columns.ts'
import { isOpen, type Registry } from './registry.ts'

/** What of a viewer a predicate's text depends on; `@viewer` is bound at run time. */
export interface SqlViewer {
  readonly dm: boolean
  readonly admin: boolean
  /**
   * An outside AI, which gets what members agreed to give it: `some` of them did, or nobody but the viewer (`own`), so that
   * the index of authors finds what is theirs. Null for a person.
   */
  readonly ai: 'some' | 'own' | null
  /** See Viewer. */
  readonly toolsets: readonly string[] | null
  /** See Viewer; null where nobody looks through these eyes. Stands in the text, since few do and never for long. */
  readonly onlooker: number | null
}

export function sqlViewerOf(viewer: Viewer): SqlViewer {
  return {
    dm: atLeast(viewer.role, 'dm'),
    admin: viewer.admin,
    ai: viewer.ai && (isAlone(viewer.campaignId, viewer.userId, viewer.ai.agreed) ? 'own' : 'some'),
    toolsets: viewer.toolsets,
    onlooker: viewer.onlooker ?? null,
  }
}

/** Whether nobody else in their campaign agreed. Outside of campaigns each row's own says. */
function isAlone(campaignId: number | null, userId: number, agreed: ReadonlySet<number>): boolean {
  return campaignId !== null && agreed.size === (agreed.has(userId) ? 1 : 0)
}

/** A name of what the SQL for a viewer depends on, to keep it by. That of most is one of a few, which are not made anew. */
export function sqlViewerKey(viewer: SqlViewer): string {
  const { dm, admin, ai, toolsets, onlooker } = viewer
  if (toolsets !== null || onlooker !== null) return viewerKey(viewer)
  const index = (dm ? 1 : 0) + (admin ? 2 : 0) + (ai === null ? 0 : ai === 'own' ? 4 : 8)
  usualKeys[index] ??= viewerKey(viewer)
  return usualKeys[index]
}

const usualKeys: string[] = []

function viewerKey({ dm, admin, ai, toolsets, onlooker }: SqlViewer): string {
  return `${dm ? 'dm' : ''} ${admin ? 'admin' : ''} ${ai ?? ''} ${onlooker ?? ''} ${toolsets === null ? 'all' : JSON.stringify(toolsets.toSorted())}`
}

/** Kinds of viewer whose SQL is kept. There are a few; looking through somebody's eyes and closed toolsets make more. */
const viewersKept = 40

const kept = new WeakMap<Registry, Map<string, Map<string, string>>>()

/**
 * SQL that follows from the declarations and from what kind of viewer reads: made once, and the same text from then on, by
 * which its statement is found without reading it. `name` says what it is for.
 */
export function keptSql(registry: Registry, audience: SqlViewer, name: string, make: () => string): string {
  const viewers = kept.get(registry) ?? new Map<string, Map<string, string>>()
  kept.set(registry, viewers)
  const key = sqlViewerKey(audience)
  let texts = viewers.get(key)
  if (texts === undefined) {
    if (viewers.size >= viewersKept) viewers.clear()
    texts = new Map()
    viewers.set(key, texts)
  }
  const known = texts.get(name)
  if (known !== undefined) return known
  const made = make()
  texts.set(name, made)
  return made
}

/** The SQL of who sees a row of `alias`; its twin is `sees` in kernel/visibility.ts. Binds `@viewer`. */
export function visibleSql(registry: Registry, entity: Entity, alias: string, audience: SqlViewer): string {
  return keptSql(registry, audience, `visible ${entity.name} ${alias}`, () =>
    isOpen(registry, entity, audience.toolsets) ? predicateSql(registry, entity, entity.visible, alias, audience) : '0',
  )
}

/** The SQL of any predicate on rows of `alias`: `1` and `0` where it does not depend on the row. Binds `@viewer`. */
export function predicateSql(
  registry: Registry,
  entity: Entity,
  predicate: Predicate,
  alias: string,
  audience: SqlViewer,
): string {
  const seen = compile({ registry, audience, byLink: false, self: '@viewer' }, entity, predicate, alias)
  const { onlooker, toolsets } = audience
  if (onlooker === null || seen === '0') return seen
  const theirs: SqlViewer = { dm: true, admin: false, ai: null, toolsets, onlooker: null }
  return allSql(
    seen,
    compile({ registry, audience: theirs, byLink: false, self: String(onlooker) }, entity, predicate, alias),
  )
}

/** The SQL that holds where a row is the viewer's own. Binds `@viewer`. */
export function ownSql(registry: Registry, entity: Entity, alias: string, audience: SqlViewer): string {
  return entity.isOwn === null ? '0' : predicateSql(registry, entity, entity.isOwn, alias, audience)
}

/** The SQL that holds where the row that a reference names is there, in its scope, and seen. Binds `@viewer` and `@campaign`. */
export function targetSeenSql(registry: Registry, target: string, id: string, audience: SqlViewer): string {
  if (target === 'user') return '1'
  const entity = registry.get(target)
  return exists(
    entity,
    'target',
    id,
    allSql(visibleScopeSql(entity, 'target'), visibleSql(registry, entity, 'target', audience)),
  )
}

/** The same for a link, whose kind stands in the row. */
export function linkSeenSql(registry: Registry, type: string, id: string, audience: SqlViewer): string {
  const kinds = registry
    .kinds('linked')
    .map(({ name }) => ({ name, seen: targetSeenSql(registry, name, id, audience) }))
  return fold(
    kinds.map(({ name, seen }) => (seen === '0' ? '0' : `(${type} = '${name}' AND ${seen})`)),
    'any',
  )
}

/** The SQL of the rows that a call could see by where they lie. Whose rows of a person others see, their predicate alone says. */
export function visibleScopeSql(entity: Entity, alias: string): string {
  return entity.scope === 'user' ? '1' : scopeSql(entity, alias)
}

interface Compiling {
  readonly registry: Registry
  readonly audience: SqlViewer
  /** Inside the target of a link, where no further link is followed. */
  readonly byLink: boolean
  /** Who it is, in SQL. */
  readonly self: string
}

function compile(context: Compiling, entity: Entity, predicate: Predicate, alias: string): string {
  const { registry, audience, byLink, self } = context
  const column = (field: string): string => `${alias}.${columnOf(entity, field).column}`
  /** An alias that nothing around it has. */
  const inner = `${alias}_`
  switch (predicate.is) {
    case 'everyone':
      return '1'
    case 'dm':
      return audience.dm ? '1' : '0'
    case 'admin':
      return audience.admin ? '1' : '0'
    case 'field': {
      const { kind } = columnOf(entity, predicate.field)
      const values = predicate.in.filter((value) => value !== null).map((value) => literal(encode(kind, value)))
      const isOne = `${column(predicate.field)} IN (${values.join(', ')})`
      return predicate.in.includes(null) ? `(${column(predicate.field)} IS NULL OR ${isOne})` : isOne
    }
    case 'self': {
      if (predicate.through === undefined) return `${column(predicate.field)} IS ${self}`
      const owned = registry.get(predicate.through)
      const own = owned.isOwn === null ? '0' : compile(context, owned, owned.isOwn, inner)
      return `EXISTS (SELECT 1 FROM ${owned.table} ${inner} WHERE ${inner}.id = ${column(predicate.field)} AND ${own})`
    }
    case 'parent': {
      const parent = registry.get(predicate.entity)
      const seen = isOpen(registry, parent, audience.toolsets) ? compile(context, parent, parent.visible, inner) : '0'
      return exists(parent, inner, column(predicate.field), seen)
    }
    case 'linked': {
      if (byLink) return '0'
      const kinds = registry.kinds('linked').map((target) => {
        const seen = isOpen(registry, target, audience.toolsets)
          ? compile({ ...context, byLink: true }, target, target.visible, inner)
          : '0'
        const there = exists(target, inner, column(predicate.id), seen)
        return there === '0' ? '0' : `(${column(predicate.type)} = '${target.name}' AND ${there})`
      })
      return fold(kinds, 'any')
    }
    case 'agreed': {
      if (audience.ai === null) return '1'
      const author = column(predicate.field)
      const never = predicate.never === undefined ? '0' : compile(context, entity, predicate.never, alias)
      const covered = never === '0' ? '' : `NOT ${never} AND `
      const nobody = entity.fields[predicate.field]?.presence === 'nullable' ? `${author} IS NULL OR ` : ''
      if (audience.ai === 'own' && predicate.on === undefined)
        return nobody === '' ? `${author} IS ${self}` : `(${nobody}${author} IS ${self})`
      const campaign = `${alias}.campaign_id`
      const agreed =
        predicate.on === undefined
          ? agreedSql(author, campaign)
          : `${column(predicate.on)} = 1 AND ${allowedSql(campaign)}`
      return `(${nobody}${author} IS ${self} OR ${covered}${agreed})`
    }
    case 'opened': {
      if (audience.toolsets === null) return '1'
      const open = audience.toolsets.map((toolset) => literal(toolset)).join(', ')
      const needed = `json_each(${column(predicate.field)}) ${inner}`
      return `NOT EXISTS (SELECT 1 FROM ${needed} WHERE ${inner}.value NOT IN (${open}))`
    }
    case 'any':
    case 'all':
      return fold(
        predicate.of.map((each) => compile(context, entity, each, alias)),
        predicate.is,
      )
  }
}

/** The SQL that holds where a user agreed to outside AI as a member of a campaign whose policy allows it (SPEC 2.2). */
export function agreedSql(user: string, campaign: string): string {
  return `(EXISTS (SELECT 1 FROM memberships agreed
    WHERE agreed.campaign_id = ${campaign} AND agreed.user_id = ${user} AND agreed.deleted_at IS NULL AND agreed.ai_consent = 1)
    AND ${allowedSql(campaign)})`
}

/** The SQL that holds where the policy of a campaign lets texts of its members leave at all. */
function allowedSql(campaign: string): string {
  return `EXISTS (SELECT 1 FROM campaigns policed WHERE policed.id = ${campaign} AND policed.ai_content_policy = 'member_consent')`
}

function exists(entity: Entity, alias: string, id: string, test: string): string {
  if (test === '0') return '0'
  const also = test === '1' ? '' : ` AND ${test}`
  return `EXISTS (SELECT 1 FROM ${entity.table} ${alias} WHERE ${alias}.id = ${id} AND ${alias}.deleted_at IS NULL${also})`
}

// Constants are folded so that a DM's statement has no test left that is always true.
function fold(parts: readonly string[], kind: 'any' | 'all'): string {
  const decisive = kind === 'any' ? '1' : '0'
  if (parts.includes(decisive)) return decisive
  const open = parts.filter((part) => part !== '0' && part !== '1')
  if (open.length === 0) return kind === 'any' ? '0' : '1'
  return `(${open.join(kind === 'any' ? ' OR ' : ' AND ')})`
}

/** All of the tests, without those that always hold; `1` where none is left, `0` where one never holds. */
export function allSql(...tests: readonly string[]): string {
  return fold(Array.from(new Set(tests)), 'all')
}

function literal(value: string | number | null): string {
  if (value === null) return 'NULL'
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`
}
