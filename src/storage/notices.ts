import type { Entity } from '../kernel/entity.ts'
import type { JournalChange } from '../kernel/journal.ts'
import type { Notice } from '../kernel/notices.ts'
import { ownerOf } from '../kernel/ownership.ts'
import { type Role, rank } from '../kernel/viewer.ts'
import { accessRowOf, wholeRow } from './reader.ts'
import type { NewMention } from './search.ts'
import type { Store } from './store.ts'

interface Changed {
  readonly entity: Entity
  readonly id: number
  readonly campaignId: number | null
  readonly kind: JournalChange['kind']
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>> | null
  readonly isPublic: boolean
}

interface Change {
  readonly changes: readonly Changed[]
  readonly mentioned: readonly NewMention[]
  /** Whose doing it is; null where nobody is named. */
  readonly by: number | null
  /** Who approved it, where that is somebody else: they know. */
  readonly alsoBy: number | null
  readonly now: string
}

/** How many notices of a campaign somebody keeps. */
const mostKept = 200

/**
 * Tells people of what changed, as the changed entities declare it (`tells`), and whoever owns a thing that a text names.
 * The Dungeon Masters own the world: they hear where somebody else names a part of it. What there is to tell is written with
 * the change; it is no part of the change's history. Whether somebody sees what they are told of is asked when they look.
 * Answers the notices that are read by it, to be announced.
 */
export function writeNotices(store: Store, change: Change): readonly Changed[] {
  if (store.registry.find('notification') === undefined) return []
  const seen =
    change.alsoBy === null
      ? []
      : change.changes.flatMap((each) => seenBy(store, each, change.alsoBy as number, change.now))
  for (const { entity, id, campaignId, kind, before, after } of change.changes) {
    if (kind === 'purge' && campaignId !== null)
      store.run('DELETE FROM notifications WHERE entity_type = @type AND entity_id = @id', { type: entity.name, id })
    if (entity.tells === null || campaignId === null || after === null || (kind !== 'create' && kind !== 'update'))
      continue
    for (const notice of entity.tells(before, after))
      tell(store, change, { entityType: entity.name, entityId: id, campaignId }, notice)
  }
  for (const { from, to } of change.mentioned) {
    if (from.entity.title === null) continue
    const about = { entityType: from.entity.name, entityId: from.id, campaignId: from.campaignId, mentioned: to }
    for (const notice of noticesOfMention(store, change, to, from.campaignId)) tell(store, change, about, notice)
  }
  return seen
}

/**
 * Whoever changes a thing, or a part of it, has seen it: what they were told of it is read. Decided proposals, answered nights
 * and charters that were agreed to ask for nothing more.
 */
function seenBy(
  store: Store,
  { entity, id, campaignId, after }: Changed,
  userId: number,
  now: string,
): readonly Changed[] {
  const owner = Object.entries(entity.fields).find(([, { marks }]) => marks.owned)
  const owned =
    owner === undefined || after === null ? null : { name: owner[1].marks.references, id: Number(after[owner[0]]) }
  const about = entity.tells !== null ? { name: entity.name, id } : owned
  if (campaignId === null || about?.name === undefined || store.registry.get(about.name).tells === null) return []
  const notification = store.registry.get('notification')
  const unread = store.all(
    'SELECT id FROM notifications WHERE entity_type = @type AND entity_id = @about AND user_id = @userId AND read_at IS NULL',
    { type: about.name, about: about.id, userId },
  )
  return unread.flatMap((row): readonly Changed[] => {
    const noticeId = Number(row.id)
    const before = wholeRow(store, notification, noticeId)
    store.run(
      `UPDATE notifications SET read_at = @now, updated_at = @now, public_updated_at = @now, revision = revision + 1,
         public_revision = public_revision + 1 WHERE id = @noticeId`,
      { now, noticeId },
    )
    const read = wholeRow(store, notification, noticeId)
    return [{ entity: notification, id: noticeId, campaignId, kind: 'update', before, after: read, isPublic: true }]
  })
}

function noticesOfMention(store: Store, { by }: Change, to: NewMention['to'], campaignId: number): readonly Notice[] {
  const entity = store.registry.kinds('mention').find(({ name }) => name === to.entityType)
  const row = entity === undefined ? null : accessRowOf(store, entity, to.entityId)
  if (entity === undefined || row === null || row.campaignId !== campaignId || by === null) return []
  const rowOf = (name: string, id: number) => {
    const target = store.registry.get(name)
    const found = accessRowOf(store, target, id)
    return found === null ? null : { entity: target, row: found }
  }
  const owner = ownerOf({ entity, row }, rowOf)
  const author = store.get(
    'SELECT role FROM memberships WHERE user_id = @by AND campaign_id = @campaignId AND deleted_at IS NULL',
    { by, campaignId },
  )
  return [
    ...(owner === null ? [] : [{ kind: 'mention', to: { userId: owner } } as const]),
    ...(author?.role === 'dm' ? [] : [{ kind: 'mention', to: { least: 'dm' } } as const]),
  ]
}

interface About {
  readonly entityType: string
  readonly entityId: number
  readonly campaignId: number
  readonly mentioned?: NewMention['to']
}

function tell(store: Store, { by, alsoBy, now }: Change, about: About, { kind, to, own = false }: Notice): void {
  const { entityType, entityId, campaignId, mentioned } = about
  const people = store.all(
    `SELECT user_id, role FROM memberships WHERE campaign_id = @campaignId AND deleted_at IS NULL AND accepted = 1`,
    { campaignId },
  )
  for (const { user_id, role } of people) {
    const userId = Number(user_id)
    const isMeant = 'userId' in to ? userId === to.userId : rank(role as Role) >= rank(to.least)
    if (!isMeant || (!own && (userId === by || userId === alsoBy))) continue
    // What is new takes the place of what they have not read yet about the same thing.
    store.run(
      `DELETE FROM notifications WHERE campaign_id = @campaignId AND user_id = @userId AND entity_type = @entityType
         AND entity_id = @entityId AND read_at IS NULL AND deleted_at IS NULL`,
      { campaignId, userId, entityType, entityId },
    )
    store.run(
      `INSERT INTO notifications (campaign_id, created_at, updated_at, public_updated_at, user_id, kind, entity_type, entity_id, about_type, about_id, by_user_id)
       VALUES (@campaignId, @now, @now, @now, @userId, @kind, @entityType, @entityId, @aboutType, @aboutId, @by)`,
      {
        campaignId,
        now,
        userId,
        kind,
        entityType,
        entityId,
        aboutType: mentioned?.entityType ?? null,
        aboutId: mentioned?.entityId ?? null,
        by,
      },
    )
    store.run(
      `DELETE FROM notifications WHERE campaign_id = @campaignId AND user_id = @userId AND deleted_at IS NULL AND id <=
         (SELECT id FROM notifications WHERE campaign_id = @campaignId AND user_id = @userId AND deleted_at IS NULL ORDER BY id DESC LIMIT 1 OFFSET @mostKept)`,
      { campaignId, userId, mostKept },
    )
  }
}
