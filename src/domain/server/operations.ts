import * as z from 'zod'
import { instant, userId } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'

const serverRecord = z.object({
  id: z.int(),
  at: instant(),
  operation: z.string(),
  effect: z.string(),
  door: z.string(),
  actorUserId: z.int().nullable(),
  actorName: z.string().nullable(),
  credentialKind: z.string().nullable(),
  credentialId: z.int().nullable(),
  clientId: z.string().nullable(),
  reason: z.string().nullable(),
  facts: z.record(z.string(), z.unknown()),
})

/**
 * The server itself, for its administrators. What is chosen at the start stands in the environment and the settings file
 * (config.ts); a setting that is changed while the server runs is an entity of scope `server` in this folder, and its
 * operations stand here.
 */
export const serverAuditOperations = {
  list_server_audit: defineOperation({
    name: 'list_server_audit',
    title: 'List the audit records of the server',
    description:
      'What changed outside campaigns, newest first: sign-ins, users, tokens, connected apps, replayed OAuth tokens, restores.',
    toolset: 'server',
    access: 'admin',
    effect: 'read',
    route: 'GET /audit',
    mcp: { none: 'The history of the server is its administrators’ to read, in the web app.' },
    input: z.strictObject({
      ...pageInput,
      operation: z.string().min(1).max(100).optional(),
      actorUserId: userId().optional(),
    }),
    output: pageOf(serverRecord),
    example: () => ({}),
    handle: (context, { operation, actorUserId, ...page }) =>
      context.journal.serverRecords({ operation, actorUserId }, page),
  }),
}
