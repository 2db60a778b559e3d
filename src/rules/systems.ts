import { dnd5eFamily } from './dnd5e/system.ts'
import { anyGame, genericFamily } from './generic/system.ts'
import type { ForeignSheet } from './importing.ts'
import { pathfinder2eFamily } from './pathfinder2e/system.ts'
import type { RuleSystem, SystemFamily } from './system.ts'

/** Every game whose rules are known. Another one is a folder beside these and a word here. */
export const families: readonly SystemFamily[] = [dnd5eFamily, pathfinder2eFamily, genericFamily]

/** The rules that a campaign plays by, from what it says of them in its own words; those of no game where they mean none. */
export function systemOf(words: string | null): RuleSystem {
  for (const family of families) {
    const meant = words === null ? null : family.recognises(words)
    if (meant !== null) return meant
  }
  return anyGame
}

/** The name by which rule packs and homebrew mean a game, whichever edition of it: `dnd5e` of `dnd5e-2014`. */
export function familyOf({ id }: Pick<RuleSystem, 'id'>): string {
  return id.split('-')[0] ?? id
}

/** What sheets of other programs can be taken over. */
export const foreignSheets: readonly ForeignSheet[] = families.flatMap((family) => family.foreignSheets)
