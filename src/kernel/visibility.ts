import { atLeast, onlookerOf, type Viewer } from './viewer.ts'

/**
 * Who sees a row. A predicate is data, so that one declaration gives both the SQL (storage/visibility-sql.ts) and the
 * TypeScript test below; a property test holds the two equal on random rows.
 */
export type Predicate =
  | { readonly is: 'everyone' }
  | { readonly is: 'dm' }
  | { readonly is: 'admin' }
  | { readonly is: 'field'; readonly field: string; readonly in: readonly (string | number | boolean | null)[] }
  | { readonly is: 'self'; readonly field: string; readonly through?: string }
  | { readonly is: 'parent'; readonly field: string; readonly entity: string }
  | { readonly is: 'linked'; readonly type: string; readonly id: string }
  | { readonly is: 'agreed'; readonly field: string; readonly never?: Predicate; readonly on?: string }
  | { readonly is: 'opened'; readonly field: string }
  | { readonly is: 'any' | 'all'; readonly of: readonly Predicate[] }

/** Every member of the row's campaign. */
export const everyone: Predicate = { is: 'everyone' }
/** Dungeon Masters of the row's campaign. */
export const dungeonMasters: Predicate = { is: 'dm' }
/** Server administrators, for rows that belong to no campaign. */
export const administrators: Predicate = { is: 'admin' }

/** Rows whose field holds one of the values; null where it holds none. */
export function where(field: string, ...values: readonly (string | number | boolean | null)[]): Predicate {
  return { is: 'field', field, in: values }
}

/**
 * Rows whose field names the viewer's own user id, or a row that they own. In the latter case the declaration of the entity
 * writes into `through` which entity that is; its owner is followed whether it is in the trash or not.
 */
export function self(field: string): Predicate {
  return { is: 'self', field }
}

/** Rows whose referenced row is visible too: what hangs on a hidden thing is hidden. */
export function withParent(field: string, entity: string): Predicate {
  return { is: 'parent', field, entity }
}

/**
 * Rows whose link names a thing that is visible too. A thing that is itself visible only by a link counts as hidden here, so
 * that links cannot lead in a circle.
 */
export function withLinked(type: string, id: string): Predicate {
  return { is: 'linked', type, id }
}

/**
 * Every person, and an outside AI where the field names its own user, or a member who agreed to outside AI under a policy
 * that allows it (SPEC 2.2). `never`: rows that no consent covers. `on`: a field with their yes for this very row, which then
 * counts in place of the general one. Where the field names nobody there are no words of anybody.
 */
export function agreedBy(
  field: string,
  { never, on }: { readonly never?: Predicate | undefined; readonly on?: string | undefined } = {},
): Predicate {
  return { is: 'agreed', field, ...(never === undefined ? {} : { never }), ...(on === undefined ? {} : { on }) }
}

/** Rows whose field lists toolsets that are all open to the credential: what is about several kinds of things at once. */
export function inOpenToolsets(field: string): Predicate {
  return { is: 'opened', field }
}

export function anyOf(...of: readonly Predicate[]): Predicate {
  return { is: 'any', of }
}

export function allOf(...of: readonly Predicate[]): Predicate {
  return { is: 'all', of }
}

/** The usual rule of a thing that a Dungeon Master can hide. */
export const unlessHidden: Predicate = anyOf(dungeonMasters, where('hidden', false))

/** The names of the fields that a predicate looks at. Predicates are declared once and asked about at every change. */
export function fieldsOfPredicate(predicate: Predicate): readonly string[] {
  const known = fieldsKnown.get(predicate)
  if (known !== undefined) return known
  const fields = namesIn(predicate)
  fieldsKnown.set(predicate, fields)
  return fields
}

const fieldsKnown = new WeakMap<Predicate, readonly string[]>()

function namesIn(predicate: Predicate): readonly string[] {
  switch (predicate.is) {
    case 'everyone':
    case 'dm':
    case 'admin':
      return []
    case 'field':
    case 'self':
    case 'parent':
    case 'opened':
      return [predicate.field]
    case 'agreed':
      return [
        predicate.field,
        ...(predicate.on === undefined ? [] : [predicate.on]),
        ...(predicate.never === undefined ? [] : fieldsOfPredicate(predicate.never)),
      ]
    case 'linked':
      return [predicate.type, predicate.id]
    case 'any':
    case 'all':
      return predicate.of.flatMap(fieldsOfPredicate)
  }
}

/**
 * Fetches the row that a field names, in the trash or not; null where it is absent, or no kind that a link can name.
 */
export type ParentOf = (
  entity: string,
  id: number,
  by: 'parent' | 'linked',
) => {
  readonly row: Readonly<Record<string, unknown>>
  readonly visible: Predicate
  readonly isOwn: Predicate | null
} | null

/**
 * The TypeScript twin of the SQL: whether `viewer` may see `row`, and whoever looks through their eyes too. Membership of the
 * campaign is checked before.
 */
export function sees(
  predicate: Predicate,
  row: Readonly<Record<string, unknown>>,
  viewer: Viewer,
  parentOf: ParentOf,
): boolean {
  const onlooker = onlookerOf(viewer)
  return holds(predicate, row, viewer, parentOf) && (onlooker === null || holds(predicate, row, onlooker, parentOf))
}

function holds(
  predicate: Predicate,
  row: Readonly<Record<string, unknown>>,
  viewer: Viewer,
  parentOf: ParentOf,
  byLink = false,
): boolean {
  switch (predicate.is) {
    case 'everyone':
      return true
    case 'dm':
      return atLeast(viewer.role, 'dm')
    case 'admin':
      return viewer.admin
    case 'field':
      return predicate.in.some((value) => value === row[predicate.field])
    case 'self': {
      const id = row[predicate.field]
      if (predicate.through === undefined) return id === viewer.userId
      const owned = typeof id === 'number' ? parentOf(predicate.through, id, 'parent') : null
      return owned !== null && owned.isOwn !== null && holds(owned.isOwn, owned.row, viewer, parentOf)
    }
    case 'parent': {
      const id = row[predicate.field]
      const parent = typeof id === 'number' ? parentOf(predicate.entity, id, 'parent') : null
      return (
        parent !== null && parent.row.deletedAt == null && holds(parent.visible, parent.row, viewer, parentOf, byLink)
      )
    }
    case 'linked': {
      const [type, id] = [row[predicate.type], row[predicate.id]]
      if (byLink || typeof type !== 'string' || typeof id !== 'number') return false
      const target = parentOf(type, id, 'linked')
      return (
        target !== null && target.row.deletedAt == null && holds(target.visible, target.row, viewer, parentOf, true)
      )
    }
    case 'agreed': {
      const author = row[predicate.field]
      if (viewer.ai === null || author === null || author === viewer.userId) return true
      const { policy, agreed } = viewer.ai
      const yes = predicate.on === undefined ? agreed.has(Number(author)) : row[predicate.on] === true
      if (!yes || policy !== 'member_consent') return false
      return predicate.never === undefined || !holds(predicate.never, row, viewer, parentOf, byLink)
    }
    case 'opened': {
      const { toolsets } = viewer
      const needed = row[predicate.field]
      return toolsets === null || !Array.isArray(needed) || needed.every((toolset) => toolsets.includes(toolset))
    }
    case 'any':
      return predicate.of.some((inner) => holds(inner, row, viewer, parentOf, byLink))
    case 'all':
      return predicate.of.every((inner) => holds(inner, row, viewer, parentOf, byLink))
  }
}
