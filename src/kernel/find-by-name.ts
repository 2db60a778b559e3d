import { type KnownCall, viewerAt } from './admission.ts'
import { contextFor } from './call-context.ts'
import type { NameForId } from './input.ts'
import type { AnyOperation } from './operation.ts'
import { foldText } from './sort-key.ts'
import type { System } from './system.ts'

/**
 * Where the id of a name is found that stood in its place: the list to ask, and the id itself where exactly one thing that
 * the caller sees in that campaign goes by these words. Null for what has no list.
 */
export function findByName(
  system: System,
  operation: AnyOperation,
  raw: unknown,
  call: KnownCall,
  { entity: kind, text }: NameForId,
): string | null {
  return system.view((unit) => {
    const words = text.trim().slice(0, 80)
    const hint = `${unit.listedBy(kind)} finds it`
    const campaignId = (raw as { readonly campaignId?: unknown } | null)?.campaignId ?? call.actor.credential.campaignId
    if (words === '' || typeof campaignId !== 'number') return `${hint}.`
    const viewer = viewerAt(unit, call.actor, call.door, campaignId, operation)
    const entity = viewer === null ? null : unit.mentionable(kind)
    if (viewer === null || entity === null) return `${hint}.`
    const context = contextFor(system, unit, operation, viewer, call, undefined)
    const { items } = context.read(entity).list({ query: words, limit: 20 }, {})
    const found = items as unknown as readonly Readonly<Record<string, unknown>>[]
    const called = found.filter((row) => foldText(String(row[entity.title ?? 'id'])) === foldText(words))
    const [only, other] = called.length === 0 ? found : called
    return only !== undefined && other === undefined
      ? `The only one of that name has the id ${only.id}.`
      : `${hint} with {"campaignId": ${campaignId}, "query": ${JSON.stringify(words)}}.`
  })
}
