import type { Item, Output } from '../../api/contract.ts'

export type Fight = Output<'get_encounter'>
export type Fighter = Fight['combatants'][number]
export type Aftermath = Output<'get_encounter_aftermath'>
export type FightEvent = Item<'list_encounter_events'>

/** How somebody stands, in a word, and how grave it looks. */
export const bandWords = {
  unhurt: { word: 'Healthy', look: '' },
  hurt: { word: 'Hurt', look: '' },
  bloodied: { word: 'Bloodied', look: 'hurt' },
  critical: { word: 'Critical', look: 'dire' },
  down: { word: 'Down', look: 'down' },
  dead: { word: 'Dead', look: 'down' },
} as const

export const statusWords = { planning: 'Planned', running: 'Running', ended: 'Over' } as const

/** What lies on somebody, in words: `Poisoned, 2 rounds`. */
export function conditionWords({ key, level, rounds }: Fighter['conditions'][number]): string {
  const name = key.charAt(0).toUpperCase() + key.slice(1).replaceAll('-', ' ')
  const much = level === undefined ? '' : ` ${level}`
  return rounds === undefined ? `${name}${much}` : `${name}${much}, ${rounds === 1 ? 'one round' : `${rounds} rounds`}`
}

/** What stands below a name: what lies on them, and what they wait for. */
export function signsOf(one: Fighter): string {
  return [
    one.concentration === null ? '' : `Concentrating on ${one.concentration}`,
    ...one.conditions.map(conditionWords),
    one.delaying ? 'Waits' : '',
    one.readied ? `Ready: ${one.readied}` : '',
  ]
    .filter(Boolean)
    .join(' · ')
}

/** What happened, as a line of the log. Who it is about stands before it. */
export function eventWords({ kind, says, numbers, target, combatant }: FightEvent): { who: string; what: string } {
  const who = kind === 'action' || target === null ? combatant?.title : target.title
  const by = target !== null && combatant !== null && combatant.id !== target.id && kind !== 'action'
  const what = kind === 'turn' && says === '' ? 'Their turn.' : says
  const against = kind === 'action' && target !== null ? `against ${target.title}:` : ''
  return {
    who: who ?? '',
    what: [against, what, numbers ?? '', by ? `(${combatant.title})` : ''].filter(Boolean).join(' '),
  }
}

/** What screen readers are told when the turn changes. */
export function turnWords(fight: Pick<Fight, 'status' | 'round'>, acting: Fighter | undefined): string {
  if (fight.status === 'planning') return 'The fight has not begun.'
  if (fight.status === 'ended') return 'The fight is over.'
  return acting === undefined
    ? `Round ${fight.round}. Somebody else acts.`
    : `Round ${fight.round}. ${acting.name} acts.`
}
