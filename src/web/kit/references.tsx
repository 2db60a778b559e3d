import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import type { Location, Member, Npc, Quest } from '../api/contract.ts'
import { useCampaign, usePages, useQuery } from '../shell/context.ts'
import { entityPath } from '../shell/links.ts'
import { SelectField } from './field.tsx'

/** All people, places, quests and members of the campaign: for choosing one, and for the names of many at once. */
export const useNpcs = (): readonly Npc[] =>
  usePages('list_npcs', { campaignId: useCampaign().campaignId, limit: 200 }, { all: true }).items
export const useLocations = (): readonly Location[] =>
  usePages('list_locations', { campaignId: useCampaign().campaignId, limit: 200 }, { all: true }).items
export const useQuests = (): readonly Quest[] =>
  usePages('list_quests', { campaignId: useCampaign().campaignId, limit: 200 }, { all: true }).items
export const useMembers = (): readonly Member[] =>
  usePages('list_members', { campaignId: useCampaign().campaignId, limit: 200 }, { all: true }).items

/** The names of things by type and id, from the lists that are read anyway; null for what has no name or is not seen. */
export function useEntityTitle(): (entityType: string, entityId: number) => string | null {
  const { campaignId } = useCampaign()
  const people = useNpcs()
  const places = useLocations()
  const quests = useQuests()
  const sessions = usePages('list_sessions', { campaignId, limit: 200 }, { all: true }).items
  return (entityType, entityId) => {
    const byId = <T extends { readonly id: number }>(all: readonly T[]) => all.find((one) => one.id === entityId)
    if (entityType === 'npc') return byId(people)?.name ?? null
    if (entityType === 'location') return byId(places)?.name ?? null
    if (entityType === 'quest') return byId(quests)?.title ?? null
    if (entityType !== 'session') return null
    const session = byId(sessions)
    return session ? (session.title ?? `Session ${session.number}`) : null
  }
}

/** The name of a member of this campaign, or of somebody who has left. */
export function useMemberName(): (userId: number | null) => string {
  const members = useMembers()
  return (userId) => {
    const member = members.find((one) => one.userId === userId)
    return member?.username ?? 'Somebody who left'
  }
}

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

/** A link to a person, a place or a quest by its name; nothing when it is not there to be seen. */
export function NpcLink({ id }: { id: number | null }): JSX.Element | null {
  const { campaignId } = useCampaign()
  const npc = useQuery('get_npc', id === null ? null : { npcId: id }).data
  return npc ? <Link href={entityPath(campaignId, 'npc', npc.id) ?? ''}>{npc.name}</Link> : null
}

export function LocationLink({ id }: { id: number | null }): JSX.Element | null {
  const { campaignId } = useCampaign()
  const location = useQuery('get_location', id === null ? null : { locationId: id }).data
  return location ? <Link href={entityPath(campaignId, 'location', location.id) ?? ''}>{location.name}</Link> : null
}

export function QuestLink({ id }: { id: number | null }): JSX.Element | null {
  const { campaignId } = useCampaign()
  const quest = useQuery('get_quest', id === null ? null : { questId: id }).data
  return quest ? <Link href={entityPath(campaignId, 'quest', quest.id) ?? ''}>{quest.title}</Link> : null
}
