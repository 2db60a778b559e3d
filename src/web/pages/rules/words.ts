import type { Item, Output } from '../../api/contract.ts'

export type RuleHit = Item<'search_rules'>
export type RuleEntry = Output<'get_rule_entry'>
export type EntryKind = RuleEntry['kind']
export type Statblock = NonNullable<RuleEntry['statblock']>

export const kindWords = {
  creature: { one: 'Creature', many: 'Creatures' },
  spell: { one: 'Spell', many: 'Spells' },
  item: { one: 'Thing', many: 'Things' },
  condition: { one: 'Condition', many: 'Conditions' },
  rule: { one: 'Rule', many: 'Rules' },
} as const satisfies Readonly<Record<EntryKind, { readonly one: string; readonly many: string }>>

const systemWords: Readonly<Record<string, string>> = {
  dnd5e: 'Fifth edition',
  pathfinder2e: 'Pathfinder, second edition',
  generic: 'Any system',
}
export const systemWord = (system: string): string => systemWords[system] ?? system

/** A number with its sign, as it is said at the table. */
export const signed = (value: number): string => (value < 0 ? `−${-value}` : `+${value}`)

const fractions: Readonly<Record<string, string>> = { '0.125': '1/8', '0.25': '1/4', '0.5': '1/2' }
export const ratingWord = (rating: number): string => fractions[String(rating)] ?? String(rating)
