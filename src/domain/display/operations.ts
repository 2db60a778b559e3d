import * as z from 'zod'
import { fail } from '../../kernel/errors.ts'
import { instant } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { display } from './entity.ts'

const inCampaign = { campaignId: campaign.id }
const mcp = { none: 'What stands on a screen in the room a person puts there, and takes away.' }
const byPerson = 'what a screen in the room shows a person decides'
/** Addresses of one campaign that are open at once. */
const mostDisplays = 20

export const displayOperations = {
  list_displays: defineOperation({
    name: 'list_displays',
    title: 'List displays',
    description: 'Addresses for televisions that were not taken back, newest first. They are not shown again.',
    toolset: 'table',
    access: 'dm',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/displays',
    mcp,
    input: z.strictObject({ ...inCampaign, ...pageInput }),
    output: pageOf(display.output),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle: (context, page) =>
      context.read(display).page({ where: { revokedAt: null }, order: [['id', 'desc']], ...page }),
  }),
  create_display: defineOperation({
    name: 'create_display',
    title: 'Create display',
    description: 'Secret address for a television: the fight and a map as everybody sees them. Shown once.',
    toolset: 'table',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/displays',
    mcp,
    byPerson,
    creates: true,
    secretAnswer: true,
    input: z.strictObject({ ...inCampaign, ...display.create('label', 'mapId') }),
    output: display.output.extend({ code: z.string(), path: z.string() }),
    example: (world) => ({ campaignId: world.id('campaign'), label: 'Over the fireplace' }),
    handle(context, { campaignId: _, ...values }) {
      if (context.read(display).count({ revokedAt: null }) >= mostDisplays)
        throw fail('invalid_state', `${mostDisplays} displays are the most. Take one back with revoke_display first.`)
      const { value, hash, hint } = context.secrets.mint('tkv')
      const id = context.write(display).insert({ ...values, codeHash: hash, hint })
      return { ...context.read(display).get(id), code: value, path: `/display/${value}` }
    },
  }),
  update_display: defineOperation({
    name: 'update_display',
    title: 'Update display',
    description: 'Which map a display shows; null is that of the place where the fight is.',
    toolset: 'table',
    access: 'dm',
    effect: 'write',
    route: 'PATCH /displays/{displayId}',
    mcp,
    byPerson,
    input: z.strictObject({ displayId: display.id, ...display.update('label', 'mapId') }),
    output: display.output,
    example: (world) => ({ displayId: world.id('display'), mapId: world.id('map') }),
    handle(context, { displayId, expectedRevision, ...patch }) {
      context.write(display).update(displayId, patch, expectedRevision)
      return context.read(display).get(displayId)
    },
  }),
  revoke_display: defineOperation({
    name: 'revoke_display',
    title: 'Revoke display',
    description: 'Take an address back: the screen goes dark at once.',
    toolset: 'table',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /displays/{displayId}',
    mcp,
    byPerson,
    input: z.strictObject({ displayId: display.id }),
    output: z.object({ revoked: z.object({ displayId: z.int(), revokedAt: instant() }) }),
    example: (world) => ({ displayId: world.id('display') }),
    handle(context, { displayId }) {
      context.write(display).update(displayId, { revokedAt: context.now })
      return { revoked: { displayId, revokedAt: context.now } }
    },
  }),
}
