import * as z from 'zod'
import type { Entity } from '../kernel/entity.ts'
import { isProse } from '../kernel/fields.ts'
import type { RowReader } from '../kernel/reader.ts'
import { circleOf, eyesFor, profiles } from '../kernel/travel.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { readerFor } from '../storage/reader.ts'
import { isOpen } from '../storage/registry.ts'
import type { Store } from '../storage/store.ts'
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
  pictures: z.object({ total: z.int(), bytes: z.int(), taken: counts }),
  /** How many people get another name in what goes to others. */
  people: z.int(),
})

type Loose = RowReader<Entity, Readonly<Record<string, unknown>> & { readonly id: number }>

/** Counts for the page that asks which export is meant. It costs one count for each kind of thing and profile. */
export function exportPreview(store: Store, viewer: Viewer, campaignId: number): z.output<typeof previewOutput> {
  const reader = (entity: Entity, eyes: Viewer): Loose => readerFor(store, entity, eyes) as unknown as Loose
  const open = travellers(store).filter((entity) => isOpen(store.registry, entity, viewer.toolsets))
  const kinds = open.map((entity) => {
    const toolset = store.registry.toolsetOf(entity.name)
    const taken = Object.fromEntries(
      profiles.map((profile) => {
        const eyes = eyesFor(profile, entity, toolset, viewer)
        return [profile, eyes === null ? 0 : reader(entity, eyes).count()]
      }),
    ) as z.output<typeof counts>
    return { entityType: entity.name, about: circleOf(entity, toolset), total: taken.backup, taken }
  })
  let secrets = 0
  for (const entity of open) {
    for (const [key, field] of Object.entries(entity.fields)) {
      if (field.marks.readableBy === 'dm' && isProse(field))
        secrets += reader(entity, viewer).count({ [key]: { set: true } } as never)
    }
  }
  const pictures = kinds.find(({ entityType }) => entityType === 'attachment')
  const bytes = store.get(
    'SELECT coalesce(sum(byte_size), 0) AS bytes FROM attachments WHERE campaign_id = @campaignId AND deleted_at IS NULL',
    { campaignId },
  )
  return {
    kinds: kinds.filter(({ entityType }) => entityType !== 'attachment'),
    secrets: { total: secrets, taken: { handoff: secrets, publish: 0, backup: secrets } },
    pictures: {
      total: pictures?.total ?? 0,
      bytes: pictures === undefined ? 0 : Number(bytes?.bytes ?? 0),
      taken: pictures?.taken ?? { handoff: 0, publish: 0, backup: 0 },
    },
    people: namesFor(store, campaignId, 'publish').count,
  }
}
