import * as z from 'zod'
import { attachment } from '../domain/attachment/entity.ts'
import type { Entity } from '../kernel/entity.ts'
import { isProse } from '../kernel/fields.ts'
import type { RowReader } from '../kernel/reader.ts'
import { circleOf, eyesFor, type Profile, profiles } from '../kernel/travel.ts'
import type { Viewer } from '../kernel/viewer.ts'
import type { Images } from '../storage/images.ts'
import { readerFor, wholeRow } from '../storage/reader.ts'
import { isOpen } from '../storage/registry.ts'
import type { Store } from '../storage/store.ts'
import { reasons } from './left-out.ts'
import { namesFor } from './names.ts'
import { travellers } from './selection.ts'

const counts = z.object({ handoff: z.int(), publish: z.int(), backup: z.int() })

/** What each profile takes along of each kind of thing, as its own marks say. */
export const previewOutput = z.object({
  kinds: z.array(
    z.object({
      entityType: z.string(),
      /** Whom it is about: the tale, what the table agreed on and wrote to each other, or what people did. */
      about: z.enum(['tale', 'table', 'people']),
      /** How many the exporter reads. */
      total: z.int(),
      taken: counts,
    }),
  ),
  /** Texts for Dungeon Masters alone. */
  secrets: z.object({ total: z.int(), taken: counts }),
  pictures: z.object({
    total: z.int(),
    bytes: z.int(),
    taken: counts,
    /** Those that cannot go along, the first hundred: for whom, and why. */
    leftOut: z.array(
      z.object({ attachmentId: z.int(), name: z.string(), reason: z.string(), profiles: z.array(z.enum(profiles)) }),
    ),
  }),
  /** How many people get another name in what goes to others. */
  people: z.int(),
})

type Loose = RowReader<Entity, Readonly<Record<string, unknown>> & { readonly id: number }>

/** Counts for the page that asks which export is meant. It costs one count for each kind of thing and profile, and a look at each picture. */
export async function exportPreview(
  store: Store,
  images: Pick<Images, 'judge'>,
  viewer: Viewer,
  campaignId: number,
  signal: AbortSignal,
): Promise<z.output<typeof previewOutput>> {
  const reader = (entity: Entity, eyes: Viewer): Loose => readerFor(store, entity, eyes) as unknown as Loose
  const open = travellers(store).filter((entity) => isOpen(store.registry, entity, viewer.toolsets))
  const eyesOf = (entity: Entity, profile: Profile): Viewer | null =>
    eyesFor(profile, entity, store.registry.toolsetOf(entity.name), viewer)
  const kinds = open.map((entity) => {
    const taken = countsOf((profile) => {
      const eyes = eyesOf(entity, profile)
      return eyes === null ? 0 : reader(entity, eyes).count()
    })
    const about = circleOf(entity, store.registry.toolsetOf(entity.name))
    return { entityType: entity.name, about, total: taken.backup, taken }
  })
  let secrets = 0
  for (const entity of open) {
    for (const [key, field] of Object.entries(entity.fields)) {
      if (field.marks.readableBy === 'dm' && isProse(field))
        secrets += reader(entity, viewer).count({ [key]: { set: true } } as never)
    }
  }
  const bytes = store.get(
    'SELECT coalesce(sum(byte_size), 0) AS bytes FROM attachments WHERE campaign_id = @campaignId AND deleted_at IS NULL',
    { campaignId },
  )
  const pictures = kinds.find(({ entityType }) => entityType === attachment.name)
  const entity = open.find(({ name }) => name === attachment.name)
  const stay: { readonly id: number; readonly name: string; readonly why: keyof typeof reasons }[] = []
  for (const { id } of entity === undefined ? [] : Array.from(reader(entity, viewer).each({ columns: ['id'] }))) {
    signal.throwIfAborted()
    const row = wholeRow(store, attachment as never, id)
    if (row === null) continue
    const verdict = await images.judge({ fileKey: String(row.fileKey), sha256: String(row.sha256) })
    if (verdict !== 'clean') stay.push({ id, name: String(row.caption ?? row.fileName), why: verdict })
  }
  const leftOut = stay.map(({ id, name, why }) => ({
    ...{ attachmentId: id, name, reason: reasons[why] },
    profiles: profiles.filter((profile) => {
      const eyes = entity === undefined || (profile === 'backup' && why === 'unclean') ? null : eyesOf(entity, profile)
      return entity !== undefined && eyes !== null && reader(entity, eyes).find(id) !== null
    }),
  }))
  const without = (profile: Profile): number => leftOut.filter((each) => each.profiles.includes(profile)).length
  return {
    kinds: kinds.filter(({ entityType }) => entityType !== attachment.name),
    secrets: { total: secrets, taken: { handoff: secrets, publish: 0, backup: secrets } },
    pictures: {
      total: pictures?.total ?? 0,
      bytes: pictures === undefined ? 0 : Number(bytes?.bytes ?? 0),
      taken: countsOf((profile) => (pictures?.taken[profile] ?? 0) - without(profile)),
      leftOut: leftOut.slice(0, 100),
    },
    people: namesFor(store, campaignId, 'publish').count,
  }
}

function countsOf(count: (profile: Profile) => number): z.output<typeof counts> {
  return { handoff: count('handoff'), publish: count('publish'), backup: count('backup') }
}
