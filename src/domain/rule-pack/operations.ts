import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail } from '../../kernel/errors.ts'
import { idOf } from '../../kernel/fields.ts'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { firstPackEntryId, type PackSource, type RuleSearchPage, type StagedPack } from '../../kernel/rule-shelf.ts'
import { campaign } from '../campaign/entity.ts'
import { homebrew } from '../homebrew/entity.ts'
import { entryKind, keptBlock, ruleSystemKey } from '../stat-block.ts'
import { rulePack } from './entity.ts'
import { compareVersions, packFormat } from './format.ts'

const packFields = rulePack.output
/** In lists without the long texts. */
const packListed = packFields.omit({ description: true, attribution: true })
const installedOutput = packFields.extend({
  /** What an importer left out, in sentences. */
  notes: z.array(z.string()),
})

const ruleHit = z.object({
  id: z.int(),
  kind: z.string(),
  system: z.string(),
  name: z.string(),
  summary: z.string(),
  /** Text around the match; matched words stand between U+0002 and U+0003. */
  snippet: z.string(),
  /** Null for what the campaign has written itself. */
  rulePackId: z.int().nullable(),
  rulePackTitle: z.string().nullable(),
})

const ruleEntryOutput = z.object({
  id: z.int(),
  kind: entryKind,
  system: z.string(),
  name: z.string(),
  summary: z.string(),
  body: z.string().nullable(),
  /** The numbers, by the kind of the entry. */
  statblock: keptBlock.nullable(),
  /** The pack that it is from, and under which licence; null for what a campaign has written itself. */
  pack: packFields.pick({ id: true, title: true, licenceName: true, licenceUrl: true, attribution: true }).nullable(),
  /** Null for what is from a pack. */
  homebrew: homebrew.output.pick({ campaignId: true, revision: true, hidden: true, updatedAt: true }).nullable(),
  dmSecret: homebrew.output.shape.dmSecret,
})

const installRulePack = {
  name: 'install_rule_pack',
  title: 'Install rule pack',
  description: 'Or upgrade, from its JSON, or an Open5e page with licence and attribution beside results.',
  toolset: 'rules',
  access: 'admin',
  effect: 'write',
  route: 'POST /rule-packs',
  creates: true,
  output: installedOutput,
} as const

/** Writes what lies ready into the row of its pack: from then on it is read, and what was there before is not. */
export function putOnShelf(context: Context, staged: StagedPack) {
  const { head, edition, entryCount, kinds, systems, notes } = staged
  const { licence, description, authors, source, ...rest } = head
  const before = context.read(rulePack).first({ where: { key: head.key } })
  if (before !== null && compareVersions(head.version, before.version) < 0)
    throw fail(
      'invalid_state',
      `${before.title} ${before.version} is installed, which is newer than ${head.version}. Remove it first, if the older one is meant.`,
    )
  const values = {
    ...rest,
    description: description ?? null,
    authors: authors ?? [],
    source: source ?? null,
    licenceName: licence.name,
    licenceUrl: licence.url,
    systems,
    entryCount,
    kinds,
    edition,
  }
  const id = before?.id ?? context.write(rulePack).insert(values)
  if (before !== null) context.write(rulePack).update(before.id, values)
  return { ...context.read(rulePack).get(id), notes }
}

/** install_rule_pack for a document that came as a stream: REST runs this through the same pipeline. */
export function installOperation(source: PackSource) {
  return defineOperation({
    ...installRulePack,
    // The hash makes the document part of the input: an idempotency key used with another one is a conflict.
    input: z.strictObject({ documentSha256: z.string() }),
    example: () => ({ documentSha256: '0'.repeat(64) }),
    prepare: ({ services, signal }) => services.rulePacks.stage(source, signal),
    handle: (context: Context<StagedPack>) => putOnShelf(context, context.prepared),
  })
}

/** A whole pack, the smallest that says all that one has to. */
export const examplePack = {
  format: packFormat,
  key: 'salt-road',
  title: 'Creatures of the salt road',
  version: '1.0.0',
  licence: { name: 'Creative Commons Attribution 4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  attribution: 'By the table of the orchard.',
  entries: [
    {
      key: 'salt-hound',
      kind: 'creature',
      system: 'dnd5e',
      name: 'Salt hound',
      text: 'It tastes the wind for water.',
      statblock: { rating: 1, armourClass: { value: 13 }, hitPoints: { value: 22, dice: '4d8+4' } },
    },
  ],
}

/** Which packs a search goes through: those that are named, else those that the campaign reads, else all. */
function packsFor(
  chosen: readonly number[] | undefined,
  campaigns: readonly number[] | null,
): readonly number[] | null {
  if (chosen === undefined) return campaigns
  return campaigns === null ? chosen : chosen.filter((id) => campaigns.includes(id))
}

export const rulePackOperations = {
  list_rule_packs: defineOperation({
    name: 'list_rule_packs',
    title: 'List rule packs',
    description: 'Installed ones, with licence and count.',
    toolset: 'rules',
    access: 'user',
    effect: 'read',
    route: 'GET /rule-packs',
    input: z.strictObject(pageInput),
    output: pageOf(packListed),
    example: () => ({}),
    handle: (context, page) => context.read(rulePack).page({ order: [['title', 'asc']], ...page }),
  }),
  get_rule_pack: defineOperation({
    name: 'get_rule_pack',
    title: 'Get rule pack',
    description: 'Whose, under which licence.',
    toolset: 'rules',
    access: 'user',
    effect: 'read',
    route: 'GET /rule-packs/{rulePackId}',
    input: z.strictObject({ rulePackId: rulePack.id }),
    output: packFields,
    example: (world) => ({ rulePackId: world.id('rule_pack') }),
    handle: (context, { rulePackId }) => context.read(rulePack).get(rulePackId),
  }),
  install_rule_pack: defineOperation({
    ...installRulePack,
    input: z.strictObject({ document: z.record(z.string(), z.unknown()) }),
    example: () => ({ document: examplePack }),
    prepare: ({ services, signal }, { document }) => services.rulePacks.stage({ value: document }, signal),
    handle: (context: Context<StagedPack>) => putOnShelf(context, context.prepared),
  }),
  uninstall_rule_pack: defineOperation({
    name: 'uninstall_rule_pack',
    title: 'Uninstall rule pack',
    description: 'Only when no campaign enables it. Installed again, ids return.',
    toolset: 'rules',
    access: 'admin',
    effect: 'destroy',
    route: 'DELETE /rule-packs/{rulePackId}',
    input: z.strictObject({ rulePackId: rulePack.id }),
    output: z.object({ removed: z.object({ id: z.int(), title: z.string() }) }),
    example: (world) => ({ rulePackId: world.id('rule_pack', 'spare') }),
    handle(context, { rulePackId }) {
      const { title } = context.read(rulePack).get(rulePackId)
      const campaigns = context.rules.campaignsWith(rulePackId)
      if (campaigns > 0)
        throw fail(
          'invalid_state',
          `${campaigns === 1 ? 'A campaign reads' : `${campaigns} campaigns read`} ${title}. Their Dungeon Masters take it off their shelf first.`,
        )
      context.write(rulePack).remove(rulePackId)
      return { removed: { id: rulePackId, title } }
    },
  }),
  search_rules: defineOperation({
    name: 'search_rules',
    title: 'Search rules',
    description: 'Packs and, with campaignId, homebrew. Empty query: all of a kind.',
    toolset: 'rules',
    access: 'user',
    effect: 'read',
    route: 'GET /rules/search',
    input: z.strictObject({
      query: z.string().trim().max(limits.query),
      kind: entryKind.optional(),
      system: ruleSystemKey.optional(),
      rulePackIds: z.array(idOf('rule_pack')).max(50).optional(),
      campaignId: campaign.id.optional(),
      ...pageInput,
    }),
    output: pageOf(ruleHit).extend({ incomplete: z.string().nullable() }),
    example: () => ({ query: 'salt' }),
    async prepare(context, { query, kind, system, rulePackIds, campaignId, ...page }): Promise<RuleSearchPage> {
      const shelf = campaignId === undefined ? null : context.read(campaign).get(campaignId).rulePackIds
      return context.searchRules({
        query,
        kind,
        system,
        rulePackIds: packsFor(rulePackIds, shelf),
        // Who asks for packs by name does not ask for anything else.
        withHomebrew: campaignId !== undefined && rulePackIds === undefined,
        page,
      })
    },
    handle: (context: Context<RuleSearchPage>) => context.prepared,
  }),
  get_rule_entry: defineOperation({
    name: 'get_rule_entry',
    title: 'Get rule entry',
    description: 'Creature, spell, item, condition or rule. campaignId for homebrew.',
    toolset: 'rules',
    access: 'user',
    effect: 'read',
    route: 'GET /rule-entries/{ruleEntryId}',
    input: z.strictObject({ ruleEntryId: z.int().min(1), campaignId: campaign.id.optional() }),
    output: ruleEntryOutput,
    example: (world) => ({ ruleEntryId: world.id('rule_entry', 'pack') }),
    handle(context, { ruleEntryId, campaignId }) {
      if (ruleEntryId < firstPackEntryId) return ownEntry(context, ruleEntryId, campaignId)
      const entry = context.rules.entry(ruleEntryId)
      if (entry === null) throw fail('not_found', 'There is no such rule entry. search_rules finds ids.')
      const { id, kind, system, name, summary, body, statblock, rulePackId } = entry
      const pack = context.read(rulePack).get(rulePackId)
      const known = { kind: kind as z.output<typeof entryKind>, statblock: statblock as Record<string, unknown> | null }
      return { id, system, name, summary, body, ...known, pack, homebrew: null }
    },
  }),
}

/** What a campaign wrote itself: of that campaign, or of any in which the caller is. */
function ownEntry(context: Context, id: number, campaignId: number | undefined) {
  const row = campaignId === undefined ? context.across(homebrew).find(id) : context.read(homebrew).find(id)
  if (row === null)
    throw fail('not_found', 'There is no such rule entry, or you may not see it. search_rules finds ids.')
  const { kind, system, name, summary, body, statblock, dmSecret } = row
  const own = { id: row.id as number, kind, system, name, summary: summary ?? '', body, statblock }
  return { ...own, pack: null, homebrew: row, ...(dmSecret === undefined ? {} : { dmSecret }) }
}
