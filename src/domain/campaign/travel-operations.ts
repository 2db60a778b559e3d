import * as z from 'zod'
import type { ExportOffer, StagedCampaign } from '../../kernel/context.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { name } from '../../kernel/fields.ts'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { exportFormats, profiles } from '../../kernel/travel.ts'
import type { Actor } from '../../kernel/viewer.ts'
import { adopt, arrivedOutput } from './arrival.ts'
import { campaign } from './entity.ts'
import { sampleDocument } from './sample/document.ts'

// A campaign leaves, comes home, and is copied (SPEC 4.5, 4.6). What travels follows from the marks of the entities; the work
// is done beside the transaction (transfer/), and ends here.

/** Hundreds of pictures have to be looked at, one after the other. */
const longestImportMs = 60 * 60 * 1000

const importCampaign = {
  name: 'import_campaign',
  title: 'Import campaign',
  description: "From an export's JSON; the caller becomes its Dungeon Master.",
  toolset: 'campaign',
  access: 'user',
  effect: 'write',
  route: 'POST /campaigns/import',
  creates: true,
  prepareMs: longestImportMs,
  tells: ['report', 'name'],
  output: arrivedOutput,
} as const

/**
 * import_campaign for a document that came as a stream. `stage` is called once the caller is authorised; its hash makes the
 * file part of the input.
 */
export function importOperation(stage: (userId: number, signal: AbortSignal) => Promise<StagedCampaign>) {
  return defineOperation({
    ...importCampaign,
    input: z.strictObject({ contentSha256: z.string() }),
    example: () => ({ contentSha256: '0'.repeat(64) }),
    prepare: async ({ actor, signal }) => {
      refuseBound(actor)
      return stage(actor.userId, signal)
    },
    handle: adopt,
  })
}

/** A token bound to a campaign sees only that one: it would not see what it made. */
function refuseBound({ credential }: Actor): void {
  if (credential.campaignId !== null) throw fail('forbidden', 'This token is bound to one campaign.')
}

/** The smallest campaign there is. */
const exampleDocument = { format: 'talekeeper-campaign', version: 1, campaign: { name: 'The Ferry' }, rows: {} }

function parsedDocument(given: string | Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (typeof given !== 'string') return given
  let value: unknown
  try {
    value = JSON.parse(given)
  } catch {
    throw invalid('document', 'not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('document', 'not an object')
  return value as Readonly<Record<string, unknown>>
}

export const travelOperations = {
  duplicate_campaign: defineOperation({
    name: 'duplicate_campaign',
    title: 'Duplicate campaign',
    description: 'Copy without members; template: without what came of play.',
    toolset: 'campaign',
    access: 'dm',
    effect: 'write',
    byPerson: 'a whole campaign is copied at once',
    route: 'POST /campaigns/{campaignId}/duplicate',
    creates: true,
    prepareMs: longestImportMs,
    tells: ['name', 'report'],
    input: z.strictObject({ campaignId: campaign.id, name: name().optional(), asTemplate: z.boolean().optional() }),
    output: arrivedOutput,
    example: (world) => ({ campaignId: world.id('campaign'), name: 'The Orchard, once more', asTemplate: true }),
    async prepare({ actor, viewer, campaignId, services, signal }, { name: called, asTemplate = false }) {
      refuseBound(actor)
      return services.travel.stageCopy({ campaignId, viewer, name: called, anew: asTemplate, signal })
    },
    handle: adopt,
  }),
  export_campaign: defineOperation({
    name: 'export_campaign',
    title: 'Export campaign',
    description:
      'JSON (zip: with pictures) or Markdown: backup, handoff (next DM) or publish (the world). Large ones come as a link that works once.',
    toolset: 'campaign',
    access: 'dm',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/export',
    // A link that downloads all of it is a secret.
    secretAnswer: true,
    input: z.strictObject({
      campaignId: campaign.id,
      format: z.enum(exportFormats).optional(),
      profile: z.enum(profiles).optional(),
    }),
    output: z.object({
      /** The document as text; absent where it is too large to be read in one answer. */
      document: z.string().optional(),
      /** Below this server's address; it works once. */
      download: z.object({ path: z.string(), expiresAt: z.iso.datetime(), fileName: z.string() }).optional(),
    }),
    example: (world) => ({ campaignId: world.id('campaign') }),
    prepare: ({ campaignId, viewer, actor, services, signal }, { format = 'json', profile = 'backup' }) =>
      services.travel.offer({ campaignId, viewer, actor, format, profile, signal }),
    handle({ prepared }: { readonly prepared: ExportOffer }) {
      const { document, download } = prepared
      return { ...(document === null ? {} : { document }), ...(download === null ? {} : { download }) }
    },
  }),
  import_campaign: defineOperation({
    ...importCampaign,
    input: z.strictObject({
      document: z.union([z.record(z.string(), z.unknown()), z.string().max(limits.mcpBodyBytes)]),
    }),
    example: () => ({ document: exampleDocument }),
    async prepare({ actor, services, signal }, { document }) {
      refuseBound(actor)
      return services.travel.stageDocument(parsedDocument(document), { userId: actor.userId, signal })
    },
    handle: adopt,
  }),
  create_sample_campaign: defineOperation({
    name: 'create_sample_campaign',
    title: 'Create sample campaign',
    description: 'A small finished campaign to try things on.',
    toolset: 'campaign',
    access: 'user',
    effect: 'write',
    route: 'POST /campaigns/sample',
    creates: true,
    tells: ['name'],
    input: z.strictObject({}),
    output: arrivedOutput,
    example: () => ({}),
    async prepare({ actor, services, signal, now }) {
      refuseBound(actor)
      return services.travel.stageSample(sampleDocument(now), { userId: actor.userId, signal })
    },
    handle: adopt,
  }),
}
