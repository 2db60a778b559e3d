import { useAction } from '../../shell/actions.ts'
import { useApp } from '../../shell/context.ts'
import type { Fight, Fighter } from './words.ts'

/** What is done in a fight with one press. */
export function useFightActs(fight: Fight) {
  const act = useAction()
  const { toasts, client } = useApp()
  const encounterId = fight.id
  /** What the table has to hear of it: who fell, what was lost. */
  const tell = (events: readonly { readonly says: string; readonly target: { readonly title: string } | null }[]) => {
    const said = events.filter(({ says, target }) => target !== null && !/^(Hurt|Healed|Shielded)[^.]*[.]$/.test(says))
    if (said.length > 0) toasts.say(said.map(({ says, target }) => `${target?.title}: ${says}`).join(' '))
  }
  /** Hit points that move by so many are shown at once, where nothing stands in front of them. */
  const ahead = (one: Fighter, delta: number) => {
    const { hp, hpMax } = one
    if (hp === undefined || hpMax == null || one.lifeState !== 'up') return {}
    const after = Math.max(0, Math.min(hpMax, hp + delta))
    if (after === 0 || (delta < 0 && one.hpTemp !== 0)) return {}
    return {
      ahead: {
        what: 'The change',
        show: (cache: ReturnType<typeof useApp>['cache']) => [
          cache.one('get_encounter', { encounterId }).overlay((now) => ({
            ...now,
            combatants: now.combatants.map((each) => (each.id === one.id ? { ...each, hp: after } : each)),
          })),
        ],
      },
    }
  }
  return {
    next: () => act('next_turn', { encounterId, ...(fight.turn === null ? {} : { expectedTurn: fight.turn }) }),
    back: () => act('previous_turn', { encounterId }),
    begin: () => act('begin_encounter', { encounterId }),
    end: (outcome: string) => act('end_encounter', { encounterId, ...(outcome === '' ? {} : { outcome }) }),
    reopen: () => act('reopen_encounter', { encounterId }),
    /** Undoes the newest of what was done; a turn goes back by itself. */
    async undo() {
      const answer = await client.read('list_encounter_events', { encounterId, limit: 50 })
      const course = ['begin', 'turn', 'turn_end', 'end', 'reopen', 'join']
      const newest = answer.items.find(({ undone }) => !undone)
      if (newest === undefined) return toasts.say('There is nothing to take back.')
      if (newest.kind === 'turn' || newest.kind === 'turn_end')
        return void act('previous_turn', { encounterId }, { message: 'One turn back.' })
      const last = answer.items.find(({ undone, kind }) => !undone && !course.includes(kind))
      if (last === undefined) return toasts.say('There is nothing to take back.')
      await act('undo_encounter_event', { eventId: last.id }, { message: `Taken back: ${last.says}` })
    },
    async hurt(one: Fighter, amount: number, type = '') {
      if (amount <= 0) return
      const input = { combatantId: one.id, amount, ...(type === '' ? {} : { type }) }
      const written = await act('damage_combatant', input, type === '' ? ahead(one, -amount) : {})
      if (written?.kind === 'done') tell(written.value.events)
    },
    async heal(one: Fighter, amount: number, temporary = false) {
      if (amount <= 0) return
      const input = { combatantId: one.id, amount, temporary }
      const written = await act('heal_combatant', input, temporary ? {} : ahead(one, amount))
      if (written?.kind === 'done') tell(written.value.events)
    },
    save: (one: Fighter) => act('roll_death_save', { combatantId: one.id }),
    spend: (one: Fighter, part: { readonly key: string; readonly left: number }) => {
      const member = (
        { action: 'action', turn: 'action', bonus: 'bonusAction', reaction: 'reaction', movement: 'movement' } as const
      )[part.key as 'action']
      return member === undefined ? null : act('set_combatant_turn', { combatantId: one.id, [member]: part.left })
    },
  }
}

export type FightActs = ReturnType<typeof useFightActs>
