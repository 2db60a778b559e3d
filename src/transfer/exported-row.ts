import type { Entity } from '../kernel/entity.ts'
import type { Carry, Field } from '../kernel/fields.ts'
import { inTexts, withChangedIds } from '../kernel/inner-ids.ts'
import { carryOf, type Profile } from '../kernel/travel.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { wholeRow } from '../storage/reader.ts'
import { mayRead } from '../storage/row-image.ts'
import type { Store } from '../storage/store.ts'
import { withoutMentions } from './mention-text.ts'
import type { Names } from './names.ts'
import type { Selection } from './selection.ts'

/** A row as it stands in an export. */
export type ExportedRow = Readonly<Record<string, unknown>> & { readonly id: number }

/** What an export is made of. */
export interface Exporting {
  /** Shows one state of the database. */
  readonly store: Store
  readonly campaignId: number
  readonly profile: Profile
  /** Through which the campaign's own fields are read. */
  readonly eyes: Viewer
  readonly selection: Selection
  readonly names: Names
}

/** Stands where a text must be and the reader of the export may not have it. */
const withheld = '…'

/** One row for an export: what its marks let travel, as far as these eyes read it, naming nothing that does not go along. */
export function exportedRow(
  { store, profile, selection, names }: Exporting,
  entity: Entity,
  eyes: Viewer,
  id: number,
): ExportedRow | null {
  const row = wholeRow(store, entity, id)
  if (row === null) return null
  const goes = (kind: unknown, target: unknown): boolean =>
    typeof kind === 'string' && selection.get(kind)?.ids.has(target as number) === true
  const keeps = (key: string, { marks }: Field): boolean => {
    if (marks.references !== undefined) return row[key] === null || goes(marks.references, row[key])
    if (marks.link === undefined) return true
    const [type, target] = 'id' in marks.link ? [row[key], row[marks.link.id]] : [row[marks.link.type], row[key]]
    return goes(type, target)
  }
  const told: Record<string, unknown> = { id, createdAt: row.createdAt, updatedAt: row.updatedAt }
  for (const [key, field] of Object.entries(entity.fields)) {
    const carry = carryOf(entity, key)
    if (typeof carry === 'object' || carry === 'file') continue
    if (!mayRead(store, entity, key, row, eyes)) {
      if (field.presence === 'required') told[key] = withheld
      continue
    }
    const kept = keeps(key, field) ? row[key] : null
    const value =
      carry === 'remap' && typeof kept === 'object'
        ? withChangedIds(field.schema, kept, (kind, target) => (goes(kind, target) ? target : null))
        : kept
    told[key] = as(carry, value, profile, names, (text) =>
      withoutMentions(names.inText(text), (type, target) => goes(type, target)),
    )
    if (carry === 'own' && profile === 'publish') told[key] = madeUp(entity, id, value)
  }
  return told as ExportedRow
}

function as(carry: Carry, value: unknown, profile: Profile, names: Names, prose: (text: string) => string): unknown {
  if (carry === 'person' && profile !== 'backup') return typeof value === 'string' ? names.of(value) : value
  return carry === 'carry' || typeof value === 'object' ? inTexts(value, prose) : value
}

/** `attachment-12.png` for what the table called its file. */
function madeUp(entity: Entity, id: number, value: unknown): string {
  const ending = /\.[a-z0-9]{1,5}$/i.exec(String(value))?.[0].toLowerCase() ?? ''
  return `${entity.name.replaceAll('_', '-')}-${id}${ending}`
}
