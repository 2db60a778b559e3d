import * as z from 'zod'
import { fail } from '../../kernel/errors.ts'
import { instant } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { session } from '../session/entity.ts'
import { sessionShare } from './entity.ts'
import { expiryOf } from './rules.ts'

const ofSession = { sessionId: session.id }

export const sessionShareOperations = {
  list_session_shares: defineOperation({
    name: 'list_session_shares',
    title: 'List shared recaps',
    description: 'Without their addresses.',
    toolset: 'journal',
    access: 'dm',
    effect: 'read',
    route: 'GET /sessions/{sessionId}/shares',
    input: z.strictObject({ ...ofSession, ...pageInput }),
    output: pageOf(sessionShare.output),
    example: (world) => ({ sessionId: world.id('session') }),
    handle: (context, { sessionId, ...page }) =>
      context.read(sessionShare).page({ where: { sessionId, revokedAt: null }, order: [['id', 'desc']], ...page }),
  }),
  create_session_share: defineOperation({
    name: 'create_session_share',
    title: 'Share a recap',
    description: 'Secret address where anybody reads the recap until expiresAt. Shown once.',
    toolset: 'journal',
    access: 'dm',
    effect: 'write',
    route: 'POST /sessions/{sessionId}/shares',
    creates: true,
    secretAnswer: true,
    tells: ['path'],
    input: z.strictObject({ ...ofSession, ...sessionShare.create('label'), expiresAt: instant() }),
    output: sessionShare.output.extend({ token: z.string(), path: z.string() }),
    example: (world) => ({
      sessionId: world.id('session'),
      label: 'For my sister',
      expiresAt: '2026-12-24T18:00:00Z',
    }),
    handle(context, { sessionId, label, expiresAt }) {
      if (context.read(session).get(sessionId).recap === null)
        throw fail('invalid_state', 'This session has no published recap. publish_session_recap comes first.')
      const { value, hash, hint } = context.secrets.mint('tks')
      const until = expiryOf(expiresAt, context.now)
      const id = context.write(sessionShare).insert({ sessionId, label, tokenHash: hash, hint, expiresAt: until })
      return { ...context.read(sessionShare).get(id), token: value, path: `/share/${value}` }
    },
  }),
  revoke_session_share: defineOperation({
    name: 'revoke_session_share',
    title: 'Stop sharing a recap',
    description: 'Make a public address useless.',
    toolset: 'journal',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /session-shares/{shareId}',
    byPerson: 'an address is ended at once',
    input: z.strictObject({ shareId: sessionShare.id }),
    output: z.object({ revoked: z.object({ shareId: z.int(), revokedAt: instant() }) }),
    example: (world) => ({ shareId: world.id('session_share') }),
    handle(context, { shareId }) {
      context.write(sessionShare).update(shareId, { revokedAt: context.now })
      return { revoked: { shareId, revokedAt: context.now } }
    },
  }),
}
