import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import type {
  EntityName,
  Input,
  LinkedThing,
  ListOf,
  Location,
  Member,
  Npc,
  Quest,
  Reference,
  RowOf,
} from '../api/contract.ts'
import { entityLabel, kinds, type PagedKind } from '../kinds.ts'
import { useCampaign, usePages } from '../shell/context.ts'
import { entityPath } from '../shell/links.ts'
import { SelectField } from './field.tsx'

/** Kinds with a list of all of them in a campaign. */
type ListedKind = {
  [N in EntityName]: [ListOf<N>] extends [never] ? never : Input<ListOf<N>> extends { campaignId: number } ? N : never
}[EntityName]

/** All of a kind in the campaign: for choosing one, and for the names of many at once. */
export function useAllOf<N extends ListedKind>(kind: N): readonly RowOf<N>[] {
  const { campaignId } = useCampaign()
  const input = { campaignId, limit: 200 } as Input<ListOf<N>>
  return usePages(kinds[kind].list as ListOf<N>, input, { all: true }).items as readonly RowOf<N>[]
}

export const useNpcs = (): readonly Npc[] => useAllOf('npc')
export const useLocations = (): readonly Location[] => useAllOf('location')
export const useQuests = (): readonly Quest[] => useAllOf('quest')
export const useMembers = (): readonly Member[] => useAllOf('member')

export function ReferenceField({
  label,
  name,
  none,
  value,
  onValue,
  options,
}: {
  label: string
  name: string
  /** The word for no choice. */
  none: string
  value: number | null
  onValue: (id: number | null) => void
  options: readonly { readonly id: number; readonly word: string }[]
}): JSX.Element {
  return (
    <SelectField
      label={label}
      name={name}
      value={value === null ? '' : String(value)}
      onValue={(id) => onValue(id === '' ? null : Number(id))}
      options={[{ value: '', word: none }, ...options.map(({ id, word }) => ({ value: String(id), word }))]}
    />
  )
}

/** Places as a list in the order of their tree, deeper ones set in. `without` leaves out one place and all within it. */
export function locationOptions(places: readonly Location[], without?: number): { id: number; word: string }[] {
  const out: { id: number; word: string }[] = []
  const known = new Set<number>(places.map((place) => place.id))
  const add = (parent: number | null, depth: number) => {
    for (const place of places) {
      const above = place.parentLocationId !== null && known.has(place.parentLocationId) ? place.parentLocationId : null
      if (above !== parent || place.id === without) continue
      out.push({ id: place.id, word: `${'\u2003'.repeat(depth)}${place.name}` })
      add(place.id, depth + 1)
    }
  }
  add(null, 0)
  return out
}

/** A link to what an answer refers to, by the name that it has for the reader; nothing where it is not theirs to see. */
export function ReferenceLink({
  kind,
  reference,
}: {
  kind: PagedKind
  reference: Reference | null
}): JSX.Element | null {
  const { campaignId } = useCampaign()
  if (reference === null) return null
  return (
    <Link href={entityPath(campaignId, kind, reference.id) ?? ''}>{reference.title || `A ${kinds[kind].one}`}</Link>
  )
}

/** A link to the thing that something is about: `About Marta Quill`. */
export function AboutLink({ word, entity }: { word: string; entity: LinkedThing | null }): JSX.Element | null {
  const { campaignId } = useCampaign()
  const path = entity && entityPath(campaignId, entity.entityType, entity.entityId)
  return path ? (
    <Link href={path}>
      {word} {entity.title || `a ${entityLabel(entity.entityType)}`}
    </Link>
  ) : null
}

/** What somebody is called who may have left. */
export const nameOf = (user: Reference | null): string => user?.title || 'Somebody who left'
