import type { Entity } from '../kernel/entity.ts'
import type { Facts, JournalChange } from '../kernel/journal.ts'
import type { ChangeSetHead, OpenChangeSet } from '../kernel/system.ts'
import { atLeast, personIn, type Viewer } from '../kernel/viewer.ts'
import { fieldsOfPredicate } from '../kernel/visibility.ts'
import { campaignOf, columnsOf, homeColumns } from './columns.ts'
import { writeNotices } from './notices.ts'
import { seesRow } from './reader.ts'
import { bringRecent } from './recent-changes.ts'
import { followsOnly, whyFinal } from './reversibility.ts'
import { imageFor, mayRead } from './row-image.ts'
import { indexRow } from './search.ts'
import type { Store } from './store.ts'

export type WholeRow = Readonly<Record<string, unknown>>

/** One changed row with its whole images, as the transaction sees it. */
export interface RowChange {
  readonly entity: Entity
  readonly id: number
  /** Null for rows of the server and of a person. */
  readonly campaignId: number | null
  readonly kind: JournalChange['kind']
  readonly before: WholeRow | null
  readonly after: WholeRow | null
  /** Whether anybody below the Dungeon Masters could notice it, to whom the row does not belong. */
  readonly isPublic: boolean
}

/** Collects what one executed operation changes; `record` writes it to the journal and the search index. */
export interface ChangeSet extends OpenChangeSet {
  readonly id: number
  readonly now: string
  readonly changes: readonly RowChange[]
  /** Whether it can be taken back, as long as nothing later depends on it; known when it is recorded. */
  readonly isRevertible: boolean
  add(change: RowChange): void
  /** Writes what was added to the journal, and what of it can be searched to the index. */
  record(): void
}

export function beginChangeSet(store: Store, head: ChangeSetHead, now: string): ChangeSet {
  const { operation, campaignId, actor, door, reason, proposal, facts } = head
  // Bookkeeping is nobody's history: there is no record that its changes would be of.
  const recorded = !operation.unrecorded
  const { id } = !recorded
    ? { id: 0 }
    : store.run(
        `INSERT INTO change_sets (campaign_id, at, operation, effect, door, actor_user_id, credential_kind, credential_id, client_id, proposal_id, proposed_by_user_id, reason, revertible)
     VALUES (@campaignId, @now, @operation, @effect, @door, @actor, @kind, @credential, @client, @proposal, @proposer, @reason, @revertible)`,
        {
          campaignId,
          now,
          operation: operation.name,
          effect: operation.effect,
          door,
          actor: actor?.userId ?? null,
          kind: actor?.credential.kind ?? null,
          credential: actor?.credential.id ?? null,
          client: actor?.credential.clientId ?? null,
          proposal: proposal?.proposalId ?? null,
          proposer: proposal?.proposedByUserId ?? null,
          reason,
          revertible: 1,
        },
      )
  const changes: RowChange[] = []
  let isRevertible = false
  const isFinal = ({ entity, kind, before, after }: RowChange): boolean =>
    whyFinal(entity, { kind, fields: kind === 'update' ? [...changedFields(entity, before, after)] : [] }) !== null
  return {
    id,
    now,
    changes,
    attribute({ userId, credential }) {
      store.run(
        'UPDATE change_sets SET actor_user_id = @userId, credential_kind = @kind, credential_id = @credential, client_id = @clientId WHERE id = @id',
        { id, userId, kind: credential.kind, credential: credential.id, clientId: credential.clientId },
      )
    },
    get size() {
      return changes.length
    },
    get isRevertible() {
      return isRevertible
    },
    unseenBy: (viewer, from = 0) => unseenIn(store, changes.slice(from), viewer),
    touched: (from = 0, to) => changes.slice(from, to).map(touchedRow),
    add(change) {
      if (actor !== null && change.entity.journal === 'anonymous' && change.kind === 'create')
        throw new Error(`${operation.name} makes a ${change.entity.label} and is not anonymous`)
      if ((change.entity.journal === 'none') !== (operation.unrecorded ?? false))
        throw new Error(
          `${operation.name} writes a ${change.entity.label}: what has no journal is for unrecorded operations alone`,
        )
      changes.push(change)
    },
    record() {
      if (!recorded) return
      foldWhatFollows(changes)
      const isForGood = changes.length === 0 || changes.some(isFinal)
      if (isForGood) store.run('UPDATE change_sets SET revertible = 0 WHERE id = @id', { id })
      isRevertible = !isForGood && changes.some(({ entity }) => entity.journal !== 'anonymous')
      for (const change of changes) recordChange(store, id, change)
      const said = { ...factsOf(changes.filter((change) => change.campaignId === null)), ...facts }
      if (Object.keys(said).length > 0)
        store.run('UPDATE change_sets SET facts = @facts WHERE id = @id', { id, facts: JSON.stringify(said) })
      const outdated = changes.filter(outdatesIndex)
      const touched = new Map(outdated.map((change) => [`${change.entity.name}:${change.id}`, change]))
      const mentioned = Array.from(touched.values(), ({ entity, id: rowId }) => indexRow(store, entity, rowId)).flat()
      const told = writeNotices(store, {
        changes,
        mentioned,
        by: proposal?.proposedByUserId ?? actor?.userId ?? null,
        alsoBy: actor?.userId ?? null,
        now,
      })
      // The journal is written: these are for whoever listens alone.
      changes.push(...told)
    },
  }
}

/**
 * What follows from a change of a row, in fields that are derived, is part of that change: nobody is told of the row as it
 * was in between, when it may have been theirs to see.
 */
function foldWhatFollows(changes: RowChange[]): void {
  const last = new Map<string, number>()
  for (let at = 0; at < changes.length; at++) {
    const change = changes[at] as RowChange
    const key = `${change.entity.name} ${change.id}`
    const earlier = last.get(key)
    const whole = earlier === undefined ? undefined : changes[earlier]
    const { kind, before, after } = change
    const follows =
      kind === 'update' &&
      followsOnly(change.entity, { kind, fields: [...changedFields(change.entity, before, after)] })
    if (earlier === undefined || whole?.after == null || !follows) {
      last.set(key, at)
      continue
    }
    changes[earlier] = { ...whole, after, isPublic: whole.isPublic || change.isPublic }
    changes.splice(at, 1)
    at -= 1
  }
}

/**
 * What the history of the server says of changes outside of campaigns: which row it was about and whose, what of it changed
 * and to what, and how many others of which kind changed with it. Of what the journal does not keep it says no value.
 */
function factsOf([about, ...others]: readonly RowChange[]): Facts {
  if (about === undefined) return {}
  const { entity, id, kind, before, after } = about
  const row = after ?? before ?? {}
  const fields = changedFields(entity, before, after)
  const owner = homeColumns[entity.scope]?.key === 'userId' ? { userId: row.userId } : {}
  const values = fields.filter((key) => isKept(entity, key)).map((key) => [key, row[key] ?? null] as const)
  const also: Record<string, number> = {}
  for (const { entity: its } of others) also[its.name] = (also[its.name] ?? 0) + 1
  return {
    [`${memberName(entity.name)}Id`]: id,
    ...owner,
    ...(kind === 'update' ? { fields } : {}),
    ...(entity.journal === 'full' ? Object.fromEntries(values) : {}),
    ...(others.length === 0 ? {} : { also }),
  }
}

/** `personal_token` -> `personalToken`. */
function memberName(entity: string): string {
  return entity.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/**
 * Fields that differ between two images, without what never leaves the storage. A link differs as a whole: half of one says
 * nothing.
 */
export function changedFields(entity: Entity, before: WholeRow | null, after: WholeRow | null): readonly string[] {
  const image = after ?? before
  const known = image === null ? undefined : compared.get(image)
  if (known !== undefined && known.before === before && known.after === after) return known.fields
  const fields = fieldsThatDiffer(entity, before, after)
  if (image !== null) compared.set(image, { before, after, fields })
  return fields
}

/** Images do not change, and the same two are asked about for the journal, the index, whoever listens and who is told. */
const compared = new WeakMap<
  WholeRow,
  { readonly before: WholeRow | null; readonly after: WholeRow | null; readonly fields: readonly string[] }
>()

function fieldsThatDiffer(entity: Entity, before: WholeRow | null, after: WholeRow | null): readonly string[] {
  const differs = (key: string): boolean => !sameValue(before?.[key] ?? null, after?.[key] ?? null)
  return columnsOf(entity)
    .filter(({ field }) => field !== null && !field.marks.internal)
    .filter(({ key, field }) => {
      const link = field?.marks.link
      return differs(key) || (link !== undefined && differs('id' in link ? link.id : link.type))
    })
    .map(({ key }) => key)
}

export function sameValue(one: unknown, other: unknown): boolean {
  return (
    one === other ||
    (typeof one === 'object' && typeof other === 'object' && JSON.stringify(one) === JSON.stringify(other))
  )
}

/** Whether somebody who is no Dungeon Master could notice a change, and to whom the row does not belong. */
export function isPublicUpdate(store: Store, entity: Entity, before: WholeRow, after: WholeRow): boolean {
  const { id, campaignId } = { id: Number(before.id), campaignId: campaignOf(entity, before) }
  const change = { entity, id, campaignId, kind: 'update', before, after, isPublic: true } as const
  return isNoticedBy(store, change, personIn(campaignId, 'player'))
}

/**
 * What of some changes a viewer does not see: a row, before or after, or a member that changed or was given a value. Places in
 * an order are nobody's to see. Null where they see all of it.
 */
export function unseenIn(store: Store, changes: readonly RowChange[], viewer: Viewer): string | null {
  for (const { entity, kind, before, after } of changes) {
    const fields = touchedFields(entity, before, after).filter((key) => !entity.fields[key]?.marks.place)
    if (kind === 'update' && fields.length === 0) continue
    // What went to the trash with what it belongs to hangs on nothing any more: a Dungeon Master sees it as they see the trash.
    const isTrash = kind === 'trash' && entity.journal === 'full' && atLeast(viewer.role, 'dm')
    const hidden = [before, after].find(
      (row) => row !== null && row.deletedAt === null && !isTrash && !seesRow(store, entity, row, viewer),
    )
    if (hidden !== undefined) return `a ${entity.label}`
    const row = after ?? before ?? {}
    const secret = fields.find((key) => !mayRead(store, entity, key, row, viewer))
    if (secret !== undefined) return `${secret} of a ${entity.label}`
    const seen = imageFor(store, entity, viewer, row, row)
    const lost = fields.find((key) => row[key] !== null && seen[key] === null)
    if (lost !== undefined) return `what ${lost} of a ${entity.label} names`
  }
  return null
}

/** Places in an order are left out: what is moved between others changes nothing of them. */
function touchedRow({ entity, id, kind, before, after }: RowChange): ReturnType<OpenChangeSet['touched']>[number] {
  const fields = changedFields(entity, before, after).filter((key) => !entity.fields[key]?.marks.place)
  const isNew = kind === 'create'
  return { entityType: entity.name, entityId: id, fields, isNew, whose: { entity, row: after ?? before ?? {} } }
}

/** Members that differ; of a new row those that hold another value than it begins with. */
function touchedFields(entity: Entity, before: WholeRow | null, after: WholeRow | null): readonly string[] {
  if (before !== null) return changedFields(entity, before, after)
  return changedFields(entity, null, after).filter(
    (key) => !sameValue(entity.fields[key]?.initial ?? null, after?.[key]),
  )
}

/**
 * Whether a change shows in what a viewer reads who sees the row before and after it. It does not where only members changed
 * that are not for them, or a link that reads as null to them both times. Members do not even learn that another one's consent
 * changed (SPEC appendix 4).
 */
export function isNoticedBy(store: Store, change: RowChange, viewer: Viewer): boolean {
  const { entity, kind, before, after } = change
  if (kind !== 'update' || before === null || after === null) return true
  const changed = changedFields(entity, before, after)
  if (changed.some((key) => isPlain(entity, key))) return true
  // What was named and what is named now are two things: whoever sees one of them sees a difference.
  const shows = (row: WholeRow, key: string): boolean =>
    row[key] !== null && imageFor(store, entity, viewer, row, { [key]: row[key] })[key] !== null
  const named = changed.filter((key) => isOpenReference(entity, key))
  if (named.some((key) => shows(after, key) || shows(before, key))) return true
  // Who reads a member can change with another member, so that it comes or goes without having changed itself.
  const asked = new Set([
    ...changed,
    ...Object.keys(entity.fields).filter((key) => entity.fields[key]?.marks.readableBy !== undefined),
  ])
  const readOf = (row: WholeRow): WholeRow => {
    const image = Object.fromEntries(Object.entries(row).filter(([key]) => asked.has(key)))
    return imageFor(store, entity, viewer, row, image)
  }
  const [was, is] = [readOf(before), readOf(after)]
  return Array.from(asked).some((key) => key in was !== key in is || !sameValue(was[key], is[key]))
}

/** A member that everybody reads as it is who sees the row: it names nothing that could be hidden. */
function isPlain(entity: Entity, key: string): boolean {
  const { readableBy, internal, references, owned, link } = entity.fields[key]?.marks ?? {}
  if (readableBy !== undefined || internal || link !== undefined) return false
  return references === undefined || references === 'user' || owned === true
}

/** A reference that everybody reads who sees what it names. */
function isOpenReference(entity: Entity, key: string): boolean {
  const { readableBy, internal, references, link } = entity.fields[key]?.marks ?? {}
  return references !== undefined && link === undefined && readableBy === undefined && !internal
}

/** Whether a change is one of what the index holds. What lies in the trash stays in it: every search asks the row. */
function outdatesIndex({ entity, kind, before, after }: RowChange): boolean {
  if (kind === 'trash' || kind === 'restore') return false
  // Where a document lies follows from who sees the row (search-places.ts).
  const placing = fieldsOfPredicate(entity.visible)
  return (
    kind !== 'update' ||
    changedFields(entity, before, after).some((key) => entity.fields[key]?.marks.search || placing.includes(key))
  )
}

/** Whether the journal keeps what a field held. Of what is large or hot, or follows from others, it keeps that it changed. */
export function isKept(entity: Entity, key: string): boolean {
  const { internal, journal, derived } = entity.fields[key]?.marks ?? {}
  return !internal && !derived && journal !== 'name'
}

function recordChange(store: Store, changeSetId: number, change: RowChange): void {
  const { entity, id, campaignId, kind, before, after } = change
  if (entity.journal === 'anonymous') return
  const fields = changedFields(entity, before, after)
  const kept = fields.filter((key) => isKept(entity, key))
  const image = (row: WholeRow | null): string | null =>
    entity.journal === 'full' && row !== null
      ? JSON.stringify(Object.fromEntries(kept.map((key) => [key, row[key] ?? null])))
      : null
  const { id: number } = store.run(
    `INSERT INTO changes (change_set_id, campaign_id, entity_type, entity_id, revision, kind, public, fields, before, after)
     VALUES (@set, @campaignId, @type, @id, @revision, @kind, @public, @fields, @before, @after)`,
    {
      set: changeSetId,
      campaignId,
      type: entity.name,
      id,
      revision: ((after ?? before)?.revision as number | undefined) ?? 1,
      kind,
      public: change.isPublic ? 1 : 0,
      fields: JSON.stringify(fields),
      before: kind === 'create' ? null : image(before),
      after: kind === 'purge' ? null : image(after),
    },
  )
  const isMoved = kind === 'update' && fieldsOfPredicate(entity.visible).some((key) => fields.includes(key))
  bringRecent(store, { entity, id, after, change: number, isPublic: change.isPublic, isMoved })
}
