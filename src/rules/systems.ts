import { anyGame, genericFamily } from './generic/system.ts'
import type { RuleSystem, SystemFamily } from './system.ts'

/** Every game whose rules are known. */
export const families: readonly SystemFamily[] = [genericFamily]

/** The rules that a campaign plays by, from what it says of them in its own words; those of no game where they mean none. */
export function systemOf(words: string | null): RuleSystem {
  for (const family of families) {
    const meant = words === null ? null : family.recognises(words)
    if (meant !== null) return meant
  }
  return anyGame
}
