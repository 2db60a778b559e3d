import { type Command, decide } from '../../combat/decide.ts'
import type { Decision, Fight, Fighter, FightPatch, Happening, Judge, Roll } from '../../combat/fight.ts'
import { patchBetween, takeBack } from '../../combat/patch.ts'
import type { Context } from '../../kernel/context.ts'
import { rollDice } from '../../kernel/dice.ts'
import type { RowOf } from '../../kernel/entity.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { refuseWhileStill } from '../safety-state.ts'
import { rulesOf } from '../sheets.ts'
import { type CombatantRow, fighterFrom, type Sheets, sheetsFor, writeFighter } from './bodies.ts'
import { combatant, encounter, encounterEvent } from './entity.ts'

// A fight as it is kept: read whole, decided by src/combat, written back with an event for everything that happened.

/** As many as a fight can have. */
export const mostCombatants = 100

export interface KeptFight {
  readonly row: RowOf<typeof encounter>
  readonly combatants: readonly CombatantRow[]
  readonly sheets: Sheets
  readonly fight: Fight
  readonly judge: Judge
}

/** Chance of the running program; the one place where a fight takes it. */
function rollOf({ random }: Pick<Context, 'random'>): Roll {
  return (expression) => rollDice(expression, (from, to) => random.integer(from, to))
}

export function keptFight(context: Context, encounterId: number): KeptFight {
  const row = context.unfiltered(encounter).get(encounterId)
  const rules = rulesOf(context)
  const { items: combatants } = context
    .unfiltered(combatant)
    .page({ where: { encounterId }, order: [['place', 'asc']], limit: 2 * mostCombatants })
  const sheets = sheetsFor(context, combatants)
  const { status, round, turns, actingCombatantId: actingId } = row
  return {
    row,
    combatants,
    sheets,
    fight: { status, round, turns, actingId, fighters: combatants.map((each) => fighterFrom(rules, each, sheets)) },
    judge: { rules, roll: rollOf(context), by: context.viewer.role === 'dm' ? 'dm' : 'player' },
  }
}

/** Whose fight somebody is in. */
export function encounterOf(context: Context, combatantId: number): number {
  const found = context.read(combatant).first({ where: { id: combatantId }, columns: ['encounterId'] })
  return (found ?? context.read(combatant).get(combatantId)).encounterId
}

/** Throws `invalid_state`, or `validation_failed` where a member of the input is what cannot be. */
export function refuse({ refused, path }: { readonly refused: string; readonly path?: string | undefined }): Error {
  return path === undefined ? fail('invalid_state', refused) : invalid(path, refused, refused)
}

/**
 * What takes a fight further. What is put right in it is no part of that: hit points, conditions, who is in it, a turn taken
 * back and its end are how a table answers whoever asked to stop.
 */
function goesOn(command: Command): boolean {
  const further: readonly Command['do'][] = ['begin', 'reopen', 'next', 'act', 'death-save', 'roll-initiative']
  return further.includes(command.do) || (command.do === 'turn' && command.delaying !== undefined)
}

/** Does what somebody asks for in a fight. Answers the ids of its events, in order. Throws `invalid_state` for what waits while the table is still. */
export function carryOut(context: Context, encounterId: number, command: Command): readonly number[] {
  if (goesOn(command)) refuseWhileStill(context)
  const kept = keptFight(context, encounterId)
  return keep(context, kept, decide(kept.judge, kept.fight, command))
}

/** Writes what was decided. Throws why it was refused. */
export function keep(context: Context, kept: KeptFight, decision: Decision): readonly number[] {
  if (decision.refused !== null) throw refuse(decision)
  writeFight(context, kept, decision.fight)
  return writeEvents(context, kept, decision.fight, decision.events)
}

/** Whoever ends a turn moves it on to somebody whom they may not see: what rules do is written with the rights of the table. */
const asTable = (context: Context): Context => context.within(context.campaignId, 'dm') as Context

function writeFight(context: Context, { row, combatants, sheets, fight, judge }: KeptFight, after: Fight): void {
  const patch = patchBetween(fight, after)
  const table = asTable(context)
  for (const { id, after: changed } of patch.fighters) {
    const fighter = after.fighters.find((each) => each.id === id) as Fighter
    const kept = combatants.find((each) => each.id === id) as CombatantRow
    writeFighter(table, judge.rules, kept, sheets, fighter, changed)
  }
  if (patch.fight === null) return
  const { actingId, ...rest } = patch.fight.after
  const begun = rest.status === 'running' && row.startedAt === null ? { startedAt: context.now } : {}
  const ended = rest.status === undefined ? {} : { endedAt: rest.status === 'ended' ? context.now : null }
  const acting = actingId === undefined ? {} : { actingCombatantId: actingId }
  table.write(encounter).update(row.id, { ...rest, ...acting, ...begun, ...ended })
}

function writeEvents(
  context: Context,
  { row, combatants }: KeptFight,
  after: Fight,
  events: readonly Happening[],
): readonly number[] {
  const table = asTable(context)
  const last = table
    .unfiltered(encounterEvent)
    .first({ where: { encounterId: row.id }, order: [['id', 'desc']], columns: ['step'] })
  const step = (last?.step ?? 0) + 1
  const rowOf = (id: number | null) => combatants.find((each) => each.id === id)
  return events.map(({ kind, fighterId, targetId, says, numbers, amount, rolls, patch }) => {
    const about = [rowOf(fighterId), rowOf(targetId)].filter((each) => each !== undefined)
    const told = rowOf(targetId) ?? rowOf(fighterId)
    return table.write(encounterEvent).insert({
      encounterId: row.id,
      kind,
      round: after.round,
      combatantId: fighterId,
      targetId,
      about: fighterId === null ? (targetId === null ? 'fight' : 'target') : targetId === null ? 'one' : 'two',
      says,
      numbers: numbers === '' ? null : numbers,
      amount,
      rolls: [...rolls],
      secret: about.some(({ hidden }) => hidden),
      open: told === undefined || told.hpShown === 'exact',
      controllerUserId: told?.controllerUserId ?? null,
      step,
      patch: { fight: patch.fight, fighters: [...patch.fighters] },
    })
  })
}

type EventRow = RowOf<typeof encounterEvent>

/** What belongs to the course of a fight has ways back of its own. */
const courseKinds: readonly EventRow['kind'][] = ['begin', 'turn', 'turn_end', 'end', 'reopen', 'join']

function eventsOfStep(context: Context, encounterId: number, step: number): readonly EventRow[] {
  return context.unfiltered(encounterEvent).all({ where: { encounterId, step }, order: [['id', 'asc']] })
}

/** The newest step that stands and passes, with its events. */
function newestStep(
  context: Context,
  encounterId: number,
  passes: (kinds: readonly EventRow['kind'][]) => boolean,
): readonly EventRow[] {
  const newest = context.unfiltered(encounterEvent).each({
    where: { encounterId, undone: false },
    order: [['id', 'desc']],
    columns: ['id', 'step'],
  })
  const seen = new Set<number>()
  for (const { step } of newest) {
    if (seen.has(step)) continue
    seen.add(step)
    const events = eventsOfStep(context, encounterId, step)
    if (passes(events.map(({ kind }) => kind))) return events
  }
  return []
}

const isCourse = (kinds: readonly EventRow['kind'][]): boolean =>
  kinds.some((kind) => courseKinds.includes(kind)) && !kinds.includes('removal')

/** Takes back all that one command did, the last of it first. */
function undoStep(context: Context, kept: KeptFight, events: readonly EventRow[], further: string): void {
  let fight = kept.fight
  for (const { patch } of events.toReversed()) {
    const back = takeBack(fight, patch as FightPatch)
    if ('builtOn' in back) throw fail('invalid_state', `What came after it has built on ${back.builtOn}. ${further}`)
    fight = back
  }
  writeFight(context, kept, fight)
  for (const { id } of events) asTable(context).write(encounterEvent).update(id, { undone: true })
}

function needRunning({ fight }: KeptFight): void {
  if (fight.status === 'ended') throw fail('invalid_state', 'This fight has ended. reopen_encounter takes it up again.')
  if (fight.status === 'planning')
    throw fail('invalid_state', 'This fight has not begun: there is nothing to take back.')
}

/** Undoes the newest thing that was done to somebody. Throws `invalid_state` where the event is another, or something has built on it. */
export function undoEvent(context: Context, eventId: number): number {
  const { encounterId, step, undone } = context.unfiltered(encounterEvent).get(eventId)
  const kept = keptFight(context, encounterId)
  needRunning(kept)
  if (undone) throw fail('invalid_state', 'This was taken back already.')
  const newest = newestStep(context, encounterId, (kinds) => !isCourse(kinds))
  const [first] = newest
  if (first?.step !== step) {
    const which = eventsOfStep(context, encounterId, step).map(({ kind }) => kind)
    throw fail(
      'invalid_state',
      isCourse(which)
        ? 'previous_turn takes back a turn; what begins or ends a fight has operations of its own.'
        : `Only the newest is taken back, and that is event ${first?.id ?? 0}. Begin with that one.`,
    )
  }
  undoStep(context, kept, newest, 'Take that back first; previous_turn takes back a turn.')
  return encounterId
}

/** Takes back the last turn, with all that its end and the beginning of the next did. */
export function stepBack(context: Context, encounterId: number): void {
  const kept = keptFight(context, encounterId)
  needRunning(kept)
  const newest = newestStep(context, encounterId, (kinds) => kinds.includes('turn'))
  if (!newest.some(({ kind }) => kind === 'turn_end'))
    throw fail('invalid_state', 'This is where the fight stands since it began: there is no turn to go back to.')
  undoStep(context, kept, newest, 'Take that back with undo_encounter_event first.')
}
