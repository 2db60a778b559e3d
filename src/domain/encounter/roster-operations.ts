import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { line, name } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { type Candidate, rosterFor } from '../../rules/roster.ts'
import type { RuleSystem } from '../../rules/system.ts'
import { familyOf } from '../../rules/systems.ts'
import { campaign } from '../campaign/entity.ts'
import { homebrew } from '../homebrew/entity.ts'
import { rulesOf } from '../sheets.ts'
import { creatureBlock } from '../stat-block.ts'
import { difficultyOutput, partyOf, ratedAgainst } from './after-operations.ts'
import { addCreatures } from './combatant-operations.ts'
import { encounter } from './entity.ts'
import { detailOf } from './read.ts'

/** Creatures that are looked at for one roster. */
const mostCandidates = 2000

interface Wanted {
  readonly environment?: string | undefined
  readonly creatureType?: string | undefined
}

/** What may be chosen: creatures of the packs that the campaign reads, and its own. */
function candidatesFor(context: Context, rules: RuleSystem, wanted: Wanted): readonly Candidate[] {
  const { rulePackIds } = context.read(campaign).get(context.campaignId)
  const family = familyOf(rules)
  const [environment, type] = [wanted.environment, wanted.creatureType].map((each) => each?.toLowerCase() || undefined)
  const packed = context.rules.creatures({ system: family, rulePackIds, environment, type, limit: mostCandidates })
  const own = context
    .read(homebrew)
    .page({ where: { kind: 'creature', system: family }, order: [['id', 'asc']], limit: 200 })
    .items.flatMap(({ id, name: called, statblock }) => {
      const block = creatureBlock.safeParse(statblock ?? {}).data
      if (block === undefined) return []
      const fits =
        (type === undefined || block.type?.toLowerCase() === type) &&
        (environment === undefined || block.environments?.includes(environment))
      const { rating = null, experience } = block
      return fits ? [{ id: Number(id), name: called, rating, experience }] : []
    })
  return [...own, ...packed]
}

/** How many of something, as a name is made of it: "Two wolves" is more than it can say, "2 × Wolf" is not. */
const named = (foes: readonly { readonly name: string; readonly count: number }[]): string =>
  foes
    .map((each) => (each.count === 1 ? each.name : `${each.count} × ${each.name}`))
    .join(', ')
    .slice(0, 200)

export const rosterOperations = {
  generate_encounter: defineOperation({
    name: 'generate_encounter',
    title: 'Generate encounter',
    description: 'Foes as hard as asked, from packs and homebrew. The same seed draws the same; save makes a fight.',
    toolset: 'combat',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/encounters/generate',
    input: z.strictObject({
      campaignId: campaign.id,
      /** A tier of the campaign's rules, as get_encounter_difficulty names them. */
      difficulty: name(40),
      environment: line(60).optional(),
      creatureType: line(60).optional(),
      maxCreatures: z.int().min(1).max(30).optional(),
      seed: name(100).optional(),
      save: z.boolean().optional(),
    }),
    output: z.object({
      /** Draws the same again. */
      seed: z.string(),
      roster: z.array(
        z.object({
          ruleEntryId: z.int(),
          name: z.string(),
          count: z.int(),
          rating: z.number().nullable(),
          experienceEach: z.int().nullable(),
        }),
      ),
      difficulty: difficultyOutput,
      /** The fight that was made of it. */
      encounter: encounter.output.pick({ id: true, name: true, status: true }).nullable(),
    }),
    tells: ['roster', 'seed', 'encounter'],
    example: (world) => ({
      campaignId: world.id('campaign'),
      difficulty: 'moderate',
      seed: 'rimefall nine',
      save: true,
    }),
    handle(context, { difficulty, environment, creatureType, maxCreatures = 8, seed: word, save = false }) {
      const rules = rulesOf(context)
      const tier = tierOf(rules, difficulty)
      const party = partyOf(context, null).map(({ level }) => level)
      if (rules.tiers.length > 0 && party.length === 0)
        throw fail('invalid_state', 'There is no active character to measure against. create_character makes one.')
      const candidates = candidatesFor(context, rules, { environment, creatureType })
      const seed = word ?? context.random.id().slice(0, 8)
      const roster = rosterFor(rules, candidates, { party, tier, mostFoes: maxCreatures, seed })
      if (roster === null)
        throw fail(
          'invalid_state',
          candidates.length === 0
            ? 'No creature on the shelf is like that. Ask for another place or kind, or install a rule pack with creatures of this game.'
            : 'Nothing on the shelf comes to that. Ask for another difficulty, for more creatures, or for less of a kind.',
        )
      const { foes } = roster
      const rated = ratedAgainst(
        rules,
        party,
        foes.map(({ rating, ...foe }) => ({ ...foe, rating: rating ?? 0 })),
      )
      return {
        seed,
        roster: foes.map(({ id, name: called, count, rating }, index) => ({
          ruleEntryId: id,
          name: called,
          count,
          rating,
          experienceEach: rated.foes[index]?.experienceEach ?? null,
        })),
        difficulty: rated,
        encounter: save ? kept(context, foes) : null,
      }
    },
  }),
}

/** The tier that is meant, by its key or its name. Throws `validation_failed` with those there are. */
function tierOf({ tiers, title }: RuleSystem, word: string): string {
  const asked = word.trim().toLowerCase()
  const found = tiers.find(({ key, name: called }) => key === asked || called.toLowerCase() === asked)
  if (found !== undefined) return found.key
  if (tiers.length === 0) return ''
  const known = tiers.map(({ key }) => key).join(', ')
  throw invalid('difficulty', `one of ${known}`, `${title} knows no difficulty ${word}. There are ${known}.`)
}

function kept(context: Context, foes: readonly (Candidate & { readonly count: number })[]) {
  const id = context.write(encounter).insert({ name: named(foes) })
  for (const { id: ruleEntryId, count } of foes)
    addCreatures(context, { encounterId: id, kind: 'monster', ruleEntryId, count })
  return detailOf(context, id)
}
