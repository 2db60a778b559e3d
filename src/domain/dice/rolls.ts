import type * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { type DiceResult, rollDice } from '../../kernel/dice.ts'
import { DiceError } from '../../kernel/dice-parse.ts'
import type { NewRowOf } from '../../kernel/entity.ts'
import { invalid } from '../../kernel/errors.ts'
import type { RollMode } from '../../rules/life.ts'
import type { Check } from '../../rules/sheet.ts'
import type { RuleSystem } from '../../rules/system.ts'
import { type CharacterRow, lifeOf, sheetOf } from '../sheets.ts'
import { diceRoll, type rollVisibility } from './entity.ts'

/** Rolls what somebody wrote. Throws `validation_failed` with the place of what cannot be read. */
export function rolled(context: Context, expression: string): DiceResult {
  try {
    return rollDice(expression, (from, to) => context.random.integer(from, to))
  } catch (fault) {
    if (!(fault instanceof DiceError)) throw fault
    throw invalid('expression', `${fault.message} (at character ${fault.position + 1})`)
  }
}

type NewRoll = NewRowOf<typeof diceRoll>

/** Keeps a roll of the caller. Returns its id; who may see it is another matter. */
export function keepRoll(
  context: Context,
  expression: string,
  { total, natural, terms }: DiceResult,
  more: Omit<NewRoll, 'expression' | 'total' | 'natural' | 'terms' | 'userId'>,
): number {
  return context.write(diceRoll).insert({
    ...more,
    userId: context.actor.userId,
    expression,
    total,
    natural,
    terms: terms.map((term) => ({ ...term, dice: term.dice.map((die) => ({ ...die })) })),
  })
}

/** The checks of a character as they stand now. Throws `validation_failed` for one that there is not. */
export function checkOf(system: RuleSystem, row: CharacterRow, checkId: string): Check {
  const checks = system.checks(sheetOf(row), lifeOf(system, row).conditions)
  const found = checks.find(({ id }) => id === checkId)
  if (found !== undefined) return found
  throw invalid(
    'checkId',
    'not on this sheet',
    `${row.name} has no check ${checkId}. list_checks has them; the first are ${checks
      .slice(0, 8)
      .map(({ id }) => id)
      .join(', ')}.`,
  )
}

export interface CheckCall {
  readonly mode: RollMode
  readonly bonus: number
  readonly difficulty: number | null
  readonly difficultyShown: boolean
  readonly visibility: z.output<typeof rollVisibility>
  readonly label: string | null
  /** The request that it answers. */
  readonly checkRequestId?: number
}

/** Rolls a check of a character by the rules, with what their conditions do to it, and keeps it. */
export function rollCheck(
  context: Context,
  system: RuleSystem,
  row: CharacterRow,
  check: Check,
  call: CheckCall,
): number {
  const mode = system.combineModes([check.mode, call.mode])
  const { expression, label } = system.checkThrow(check, mode, call.bonus)
  const result = rolled(context, expression)
  const outcome = call.difficulty === null ? null : system.outcome(result, call.difficulty, check.kind)
  const isUnder = call.difficulty !== null && check.compare === 'at-most'
  const passed = isUnder ? result.total <= (call.difficulty ?? 0) : (outcome?.passed ?? false)
  const degree = check.fails ? 'failure' : isUnder ? (passed ? 'success' : 'failure') : (outcome?.degree ?? null)
  const says = check.fails
    ? `Fails: ${check.reasons.join(', ')}`
    : isUnder
      ? passed
        ? 'Success'
        : 'Failure'
      : (outcome?.says ?? null)
  return keepRoll(context, expression, result, {
    characterId: row.id,
    checkRequestId: call.checkRequestId ?? null,
    label: call.label ?? label,
    visibility: call.visibility,
    difficulty: call.difficulty,
    difficultyShown: call.difficultyShown,
    outcome: degree,
    outcomeSays: says,
  })
}
