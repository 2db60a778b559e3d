import { randomBytes } from 'node:crypto'
import { fail } from '../kernel/errors.ts'
import { type Actor, type Credential, viewerOf } from '../kernel/viewer.ts'
import { fieldsOfPredicate } from '../kernel/visibility.ts'
import { isNoticedBy, type RowChange, sameValue, type WholeRow } from '../storage/change-set.ts'
import { termsOf } from '../storage/consent-terms.ts'
import { revisionFor, seesRow } from '../storage/reader.ts'
import type { Store } from '../storage/store.ts'
import { roleIn } from '../storage/unit.ts'

/** What a subscriber is told: that something changed, never how. */
export interface LiveEvent {
  readonly id: string
  readonly kind: 'changed' | 'removed' | 'reset'
  readonly entityType: string | null
  readonly entityId: number | null
  readonly revision: number | null
}

/** An open stream of events, of whatever kind. */
export interface OpenStream {
  readonly actor: Actor
  close(): void
}

/** A stream of a campaign's changes. */
export interface Subscriber extends OpenStream {
  readonly campaignId: number
  /** Through whose eyes its actor looks, where not through their own (kernel/looking-as.ts). */
  readonly eyes?: Actor
  send(event: LiveEvent): void
}

/** Who works out by themself what of a change is for them. */
export interface Watcher {
  changed(): void
  close(): void
}

export interface Hub {
  announce(changes: readonly RowChange[]): void
  /** Starts a stream; what came after `lastEventId` is sent again, or `reset` where it is too long ago. Returns how to end it. */
  subscribe(subscriber: Subscriber, lastEventId: string | null): () => void
  /**
   * Throws `rate_limited` where the person, or the credential alone, has as many streams as one may have. It is the new one
   * that is refused: a client whose oldest were ended would open it again at once, and end the next.
   */
  requireRoom(actor: Actor): void
  /** Keeps a stream of something else, so that it ends as the others do. Returns how to forget it. */
  attach(stream: OpenStream): () => void
  /** Tells somebody outside of all campaigns that something changed, and when all streams end. Returns how to leave. */
  watch(watcher: Watcher): () => void
  /** Ends the streams of a user whose session, token, role or account ended. */
  endUser(userId: number, only?: Pick<Credential, 'kind' | 'id'>): void
  /** Tells everybody to read everything anew; after a restore nothing before it is a place to resume from. */
  reset(): void
  endAll(): void
  count(): number
  /** How many people have a campaign open. */
  people(): number
}

/** Open streams of one person, and of one session, token or app: an app cannot use up what its owner's browsers need. */
const mostOfPerson = 40
const mostOfCredential = 20

/** How many changes can be resumed behind. */
const kept = 500

const tooManyStreams =
  'Too many live streams are open for this person. Close a tab or end a program that listens; all else works without.'

/** A place in the stream. Its id is random: counted ones would tell how much a subscriber did not see. */
interface StreamPosition {
  readonly id: string
  /** Null: where the stream begins. */
  readonly change: RowChange | null
}

/** Texts and values longer than this are not kept to be sent again. In characters of JSON. */
const longestKept = 400

/**
 * A change as it is kept for who comes back: without what is long in it, of which it only matters whether it changed. The rows
 * of 500 changes, before and after, would be fifty megabytes of texts.
 */
export function lightened(change: RowChange): RowChange {
  const { entity, before, after } = change
  const deciding = [entity.visible, entity.readsAll].flatMap(fieldsOfPredicate)
  const light = (row: WholeRow | null, other: WholeRow | null, mark: string): WholeRow | null => {
    if (row === null) return null
    const kept: Record<string, unknown> = { ...row }
    for (const [key, value] of Object.entries(row)) {
      if (!isLong(value) || deciding.includes(key)) continue
      kept[key] = other !== null && sameValue(value, other[key]) ? 'long' : mark
    }
    return kept
  }
  return { ...change, before: light(before, after, 'long before'), after: light(after, before, 'long after') }
}

function isLong(value: unknown): boolean {
  if (typeof value === 'string') return value.length > longestKept
  if (typeof value !== 'object' || value === null || (Array.isArray(value) && value.length === 0)) return false
  return JSON.stringify(value).length > longestKept
}

/** Ids of positions. Asking for nine random bytes costs as much as asking for thousands, and each change asks. */
function positionIds(): () => string {
  const length = 9
  let pool: Buffer = Buffer.alloc(0)
  let at = 0
  return () => {
    if (at === pool.length) {
      pool = randomBytes(400 * length)
      at = 0
    }
    at += length
    return pool.toString('base64url', at - length, at)
  }
}

export function createHub(store: () => Store): Hub {
  const subscribers = new Set<Subscriber>()
  const others = new Set<OpenStream>()
  const watchers = new Set<Watcher>()
  const nextId = positionIds()
  const positionOf = (change: RowChange | null): StreamPosition => ({ id: nextId(), change })
  const recent: StreamPosition[] = [positionOf(null)]

  const resetEvent = (): LiveEvent => ({
    id: recent.at(-1)?.id ?? '',
    kind: 'reset',
    entityType: null,
    entityId: null,
    revision: null,
  })

  const deliver = (subscriber: Subscriber, { id, change }: StreamPosition): void => {
    // What lies in no campaign is told of in every stream of those who see it.
    if (change === null || (change.campaignId !== null && change.campaignId !== subscriber.campaignId)) return
    const event = eventFor(store(), subscriber, change)
    if (event === 'end') end(subscriber)
    else if (event !== null) subscriber.send({ ...event, id })
  }
  /** What came since. Where the subscriber's own membership changed meanwhile, all of it is another world by now. */
  const catchUp = (subscriber: Subscriber, missed: readonly StreamPosition[]): void => {
    const isAnother = missed.some(
      ({ change }) => change?.campaignId === subscriber.campaignId && isOwnRole(subscriber.actor, change),
    )
    if (isAnother) subscriber.send(resetEvent())
    else for (const each of missed) deliver(subscriber, each)
  }
  const forget = (stream: OpenStream): boolean => subscribers.delete(stream as Subscriber) || others.delete(stream)
  const end = (stream: OpenStream): void => {
    if (forget(stream)) stream.close()
  }
  const all = (): readonly OpenStream[] => [...subscribers, ...others]

  return {
    announce(changes) {
      for (const change of changes) {
        const position = positionOf(change)
        recent.push({ ...position, change: lightened(change) })
        if (recent.length > kept) recent.shift()
        for (const subscriber of Array.from(subscribers)) deliver(subscriber, position)
      }
      for (const watcher of Array.from(watchers)) watcher.changed()
    },
    subscribe(subscriber, lastEventId) {
      subscribers.add(subscriber)
      const behind = recent.findIndex(({ id }) => id === lastEventId)
      if (lastEventId !== null && behind < 0) subscriber.send(resetEvent())
      else if (lastEventId !== null) catchUp(subscriber, recent.slice(behind + 1))
      return () => void forget(subscriber)
    },
    requireRoom({ userId, credential: { kind, id } }) {
      const theirs = all().filter(({ actor }) => actor.userId === userId)
      const own = theirs.filter(({ actor: { credential } }) => credential.kind === kind && credential.id === id)
      if (theirs.length < mostOfPerson && own.length < mostOfCredential) return
      throw fail('rate_limited', tooManyStreams, { retryAfterSeconds: 60 })
    },
    attach(stream) {
      others.add(stream)
      return () => void forget(stream)
    },
    watch(watcher) {
      watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
    endUser(userId, only) {
      for (const stream of all()) {
        const { userId: mine, credential } = stream.actor
        if (mine === userId && (only === undefined || (only.kind === credential.kind && only.id === credential.id)))
          end(stream)
      }
    },
    reset() {
      recent.length = 0
      recent.push(positionOf(null))
      for (const subscriber of Array.from(subscribers)) {
        // Whoever cannot even be told this is cut off, and reads anew when they come back.
        try {
          subscriber.send(resetEvent())
        } catch {
          end(subscriber)
        }
      }
    },
    endAll() {
      for (const stream of all()) end(stream)
      for (const watcher of Array.from(watchers)) watcher.close()
    },
    count: () => subscribers.size + others.size,
    people: () => new Set(Array.from(subscribers, ({ actor }) => actor.userId)).size,
  }
}

/** Null: nothing the subscriber could notice. `end`: their own membership changed, so what they see is another world now. */
function eventFor(
  store: Store,
  { actor, eyes, campaignId }: Subscriber,
  change: RowChange,
): Omit<LiveEvent, 'id'> | 'end' | null {
  const looksAs = eyes ?? actor
  if ([actor, looksAs].some((each) => isOwnRole(each, change))) return 'end'
  const role = roleIn(store, looksAs.userId, campaignId)
  if (role === null || (eyes !== undefined && roleIn(store, actor.userId, campaignId) !== 'dm')) return 'end'
  // What is of no campaign is a person's own.
  if (eyes !== undefined && change.campaignId === null) return null
  // Outside of campaigns nobody has a role: a predicate for Dungeon Masters holds for none.
  const seat = { campaignId, role, terms: () => termsOf(store, campaignId) }
  const viewer = viewerOf(looksAs, 'rest', change.campaignId === null ? null : seat)
  const visible = (image: WholeRow | null): boolean => image !== null && seesRow(store, change.entity, image, viewer)
  const [before, after] = [visible(change.before), visible(change.after)]
  if (!before && !after) return null
  if (before && after && !isNoticedBy(store, change, viewer)) return null
  const image = change.after ?? change.before
  const revision = image === null ? null : revisionFor(store, change.entity, image, viewer)
  return { kind: after ? 'changed' : 'removed', entityType: change.entity.name, entityId: change.id, revision }
}

/** Whether the change gave the actor another role in the campaign, or took their membership. */
function isOwnRole(actor: Actor, { entity, before, after }: RowChange): boolean {
  return entity.name === 'member' && before !== null && before.userId === actor.userId && before.role !== after?.role
}
