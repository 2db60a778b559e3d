import type { Entity } from '../kernel/entity.ts'
import type { JournalChange } from '../kernel/journal.ts'

type Change = Pick<JournalChange, 'kind' | 'fields'>

/**
 * Why a change can never be taken back, as its entity is declared; null where it can, as long as nothing later depends on it.
 * What has no trash is no content but a right: a role, a consent, a code, a decision. None of these comes back this way.
 */
export function whyFinal(entity: Entity, { kind, fields }: Change): string | null {
  if (kind === 'purge') return 'what was deleted for good cannot come back'
  if (entity.journal !== 'full') return `no values are kept of a ${entity.label}`
  if (!entity.trash) return `what is done to a ${entity.label} is done for good`
  // Going to the trash and coming back is no part of what has a way back of its own.
  if (entity.undoneBy !== null && (kind === 'create' || kind === 'update')) return sentenceInside(entity.undoneBy)
  if (kind !== 'update') {
    return entity.scope === 'root' ? `a ${entity.label} itself is made, deleted and restored by hand alone` : null
  }
  const decision = fields.find((field) => entity.fields[field]?.marks.decision)
  if (decision !== undefined) return `${decision} is a person's decision`
  if (followsOnly(entity, { kind, fields })) return null
  const isKept = fields.some((field) => entity.fields[field]?.marks.journal !== 'name')
  return isKept ? null : `no values are kept of ${fields.join(', ')}`
}

/** Whether a change is of nothing but what follows from other rows: it is worked out anew after an undo. */
export function followsOnly(entity: Entity, { kind, fields }: Change): boolean {
  return kind === 'update' && fields.every((field) => entity.fields[field]?.marks.derived)
}

/** A person's decision that an earlier version of a row would bring back; null where it holds none that differs. */
export function decisionIn(
  entity: Entity,
  current: Readonly<Record<string, unknown>>,
  earlier: Readonly<Record<string, unknown>>,
): string | null {
  const differs = (field: string): boolean => field in earlier && earlier[field] !== current[field]
  return Object.keys(entity.fields).find((field) => entity.fields[field]?.marks.decision && differs(field)) ?? null
}

/** As it stands behind a colon, with the full stop that comes after it. */
function sentenceInside(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1).replace(/[.]$/, '')}`
}
