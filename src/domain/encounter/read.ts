import * as z from 'zod'
import { turnKey } from '../../combat/fight.ts'
import type { Context } from '../../kernel/context.ts'
import type { VisibleRowOf } from '../../kernel/entity.ts'
import { cleared } from '../../kernel/projection.ts'
import { character } from '../character/entity.ts'
import { lifeOf, rulesOf } from '../sheets.ts'
import { combatant, encounter, encounterEvent } from './entity.ts'
import { mostCombatants } from './fight.ts'

// What is told of a fight, through the viewer's eyes.

/** Somebody in the order of the round. */
export const inOrder = combatant.listed.omit({ statblock: true, notes: true })

const who = z.object({ combatantId: combatant.id, name: z.string(), controllerUserId: z.int().nullable() })

export const turnOutput = z.object({
  encounterId: encounter.id,
  status: encounter.fields.status.schema,
  round: z.int(),
  /** For expectedTurn; null where nobody acts whom the reader sees. */
  turn: z.string().nullable(),
  /** Null while nobody acts whom the reader sees. */
  acting: who.nullable(),
  /** Who comes after, in order, up to a round. */
  next: z.array(who),
  /** Conditions of the one that acts which end with this turn. */
  ending: z.array(z.object({ combatantId: combatant.id, name: z.string(), condition: z.string() })),
})

export const encounterDetail = encounter.output.extend({
  turn: turnOutput.shape.turn,
  /** In the order of the round; those that left it are not among them. */
  combatants: z.array(inOrder),
  combatantCount: z.int(),
})

type SeenCombatant = VisibleRowOf<typeof combatant>
type Cleared = { readonly [cleared]?: Readonly<Record<string, unknown>> }

/** Characters with what their sheets say of them: it is kept there alone. */
export function withSheets<R extends Pick<SeenCombatant, 'characterId'>>(context: Context, rows: readonly R[]): R[] {
  const ids = rows.flatMap(({ characterId }) => (characterId === null ? [] : [characterId]))
  if (ids.length === 0) return [...rows]
  const rules = rulesOf(context)
  const sheets = new Map(
    context
      .read(character)
      .page({ where: { id: ids }, limit: 200 })
      .items.map((each) => [Number(each.id), each]),
  )
  return rows.map((row) => {
    const sheet = row.characterId === null ? undefined : sheets.get(row.characterId)
    if (sheet === undefined) return row
    const life = lifeOf(rules, sheet)
    const { hp, hpMax, hpTemp, state, marks, conditions, concentration } = life
    const open = { lifeState: state, conditions: [...conditions], concentration }
    const told = {
      hp,
      hpMax: sheet.hpMax === null ? null : hpMax,
      hpTemp,
      marks,
      band: rules.life.band(life),
      ac: sheet.ac,
      resources: sheet.resources,
      slots: sheet.spellSlots,
    }
    // What the viewer may read of the row they may read of the sheet: it is the whole table's.
    const may = (row as Cleared)[cleared] ?? {}
    const seen = Object.fromEntries(Object.entries(told).filter(([key]) => key in may))
    return { ...row, ...open, ...seen, [cleared]: { ...may, ...seen } }
  })
}

export function combatantSeen(context: Context, combatantId: number): SeenCombatant {
  const row = context.read(combatant).get(combatantId)
  return withSheets(context, [row])[0] ?? row
}

/** Who is in a fight, in the order of the round, as the viewer sees them. */
export function combatantsOf(context: Context, encounterId: number): SeenCombatant[] {
  const { items } = context
    .read(combatant)
    .page({ where: { encounterId, removed: false }, order: [['place', 'asc']], limit: mostCombatants })
  return withSheets(context, items)
}

export function detailOf(context: Context, encounterId: number) {
  const row = context.read(encounter).get(encounterId)
  const combatants = combatantsOf(context, encounterId)
  const { status, round, actingCombatantId } = row
  return {
    ...row,
    turn: turnKey({ status, round, actingId: actingCombatantId, turns: 0 }),
    combatants,
    combatantCount: combatants.length,
  }
}

/** What is told of somebody in a turn. */
const ofTurn = ['name', 'controllerUserId', 'characterId', 'conditions', 'lifeState'] as const

/** Those who come after the one that acts, up to a round; the dead are passed over, as long as anybody else is there. */
function comingAfter<R extends { readonly id: unknown; readonly lifeState: string }>(
  context: Context,
  encounterId: number,
  seen: ReadonlyMap<number, R>,
  seenActingId: number | null,
): readonly number[] {
  const { role } = context.viewer
  const where = { encounterId, removed: false }
  // A Dungeon Master sees everybody; to others those whom they do not see still stand in the line.
  const items =
    role === 'dm'
      ? [...seen].map(([id, { lifeState }]) => ({ id, lifeState }))
      : context
          .unfiltered(combatant)
          .page({ where, order: [['place', 'asc']], columns: ['lifeState'], limit: mostCombatants }).items
  const whole = role === 'dm' ? null : context.unfiltered(encounter)
  const actingId =
    whole === null
      ? seenActingId
      : (whole.first({ where: { id: encounterId }, columns: ['actingCombatantId'] })?.actingCombatantId ?? null)
  // How a character is stands on the sheet, which came along with who is seen.
  const isAlive = (each: (typeof items)[number]): boolean => (seen.get(each.id) ?? each).lifeState !== 'dead'
  const anybody = items.some(isAlive)
  const line = items.filter((each) => !anybody || isAlive(each) || each.id === actingId).map(({ id }) => id)
  const at = actingId === null ? -1 : line.indexOf(actingId)
  return [...line.slice(at + 1), ...line.slice(0, Math.max(0, at))]
}

/** Whose turn it is, and who comes next. Of a hidden one's turn others are told that nobody acts whom they see. */
export function turnOf(context: Context, encounterId: number): z.input<typeof turnOutput> {
  const row = context.read(encounter).get(encounterId)
  const { items } = context.read(combatant).page({
    where: { encounterId, removed: false },
    order: [['place', 'asc']],
    columns: [...ofTurn],
    limit: mostCombatants,
  })
  const seen = new Map(withSheets(context, items).map((each) => [Number(each.id), each]))
  const { status, round, actingCombatantId: actingId } = row
  const named = (each: Pick<SeenCombatant, 'id' | 'name' | 'controllerUserId'>) => ({
    combatantId: each.id,
    name: each.name,
    controllerUserId: each.controllerUserId,
  })
  const acting = actingId === null ? undefined : seen.get(actingId)
  const after = comingAfter(context, encounterId, seen, actingId)
  return {
    encounterId: row.id,
    status,
    round,
    turn: acting === undefined ? null : turnKey({ status, round, actingId, turns: 0 }),
    acting: acting === undefined ? null : named(acting),
    next: after.flatMap((id) => {
      const each = seen.get(id)
      return each === undefined ? [] : [named(each)]
    }),
    ending:
      acting?.conditions
        .filter(({ rounds }) => rounds === 1)
        .map(({ key }) => ({ combatantId: acting.id, name: acting.name, condition: key })) ?? [],
  }
}

/** What a command answers: whom it was about, as they are now, and what happened, as the caller may be told. */
export const doneOutput = combatant.output.extend({ events: z.array(encounterEvent.output) })

export function eventsSeen(context: Context, ids: readonly number[]) {
  // One command leaves no more than a few events for each of a hundred: pages of 200 hold them.
  const pages = Math.ceil(ids.length / 200)
  return Array.from({ length: pages }, (_, page) => ids.slice(200 * page, 200 * (page + 1))).flatMap((id) => [
    ...context.read(encounterEvent).page({ where: { id }, order: [['id', 'asc']], limit: 200 }).items,
  ])
}

export function doneTo(context: Context, combatantId: number, ids: readonly number[]) {
  return { ...combatantSeen(context, combatantId), events: eventsSeen(context, ids) }
}
