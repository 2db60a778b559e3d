import type { Toolset } from '../kernel/operation.ts'
import { capRole, type Role, toolPresets, writeModes } from '../kernel/viewer.ts'
import type { Store } from '../storage/store.ts'
import { type Choice, lastChoice } from './grants.ts'
import type { Parameters } from './parameters.ts'
import type { OauthPorts } from './ports.ts'
import type { AuthorizationRequest } from './requests.ts'
import { scopesUpTo } from './scopes.ts'

export interface Membership {
  readonly id: number
  readonly name: string
  readonly role: Role
}

/** Without it a client could not find the ids that all others take. */
export const alwaysOpen: Toolset = 'campaign'

/** A person of many campaigns chooses among the ones that changed last, or takes all. */
const mostCampaigns = 200

/** The campaigns of a user, the one that changed last first; none from the trash. */
export function campaignsOf(store: Store, userId: number): readonly Membership[] {
  return store
    .all(
      `SELECT c.id, c.name, m.role FROM memberships m JOIN campaigns c ON c.id = m.campaign_id AND m.accepted = 1
       WHERE m.user_id = @userId AND m.deleted_at IS NULL AND c.deleted_at IS NULL
       ORDER BY c.updated_at DESC, c.id DESC LIMIT @most`,
      { userId, most: mostCampaigns },
    )
    .map((row) => ({ id: Number(row.id), name: String(row.name), role: row.role as Role }))
}

/**
 * What stands in the form at first: what this person chose for this client before, as far as it was asked for now. Else
 * their present campaign, everything that was asked for, and changes that wait for them.
 */
export function firstChoice(
  store: Store,
  userId: number,
  { clientId, scope }: Pick<AuthorizationRequest, 'clientId' | 'scope'>,
  campaigns: readonly Membership[],
): Choice {
  const before = lastChoice(store, userId, clientId)
  if (before === null) {
    return { scope, campaignId: campaigns[0]?.id ?? null, writeMode: 'propose', toolsets: null, toolPreset: null }
  }
  const known = before.campaignId === null || campaigns.some(({ id }) => id === before.campaignId)
  return {
    ...before,
    scope: capRole(before.scope, scope),
    campaignId: known ? before.campaignId : (campaigns[0]?.id ?? null),
  }
}

/** The choice in a form that was sent; a string says what is missing. Nothing in it can be more than was asked for. */
export function readChoice(
  form: Parameters,
  request: Pick<AuthorizationRequest, 'scope'>,
  campaigns: readonly Membership[],
  toolsets: OauthPorts['toolsets'],
): Choice | string {
  const scope = scopesUpTo(request.scope).find((known) => known === form.get('scope'))
  if (scope === undefined) return 'Choose how much it may see.'
  const writeMode = writeModes.find((mode) => mode === form.get('write_mode'))
  if (writeMode === undefined) return 'Choose what it may change.'
  const campaign = form.get('campaign')
  const campaignId = campaign === 'all' ? null : campaigns.find(({ id }) => String(id) === campaign)?.id
  if (campaignId === undefined) return 'Choose one of your campaigns, or all of them.'
  const asked = new Set(form.getAll('toolset'))
  const chosen = toolsets.filter(({ name }) => name === alwaysOpen || asked.has(name)).map(({ name }) => name)
  const shown = form.get('shown') ?? 'all'
  const toolPreset = toolPresets.find((name) => name === shown) ?? null
  if (toolPreset === null && shown !== 'all') return 'Choose how many tools it is shown.'
  return { scope, writeMode, campaignId, toolsets: chosen.length === toolsets.length ? null : chosen, toolPreset }
}
