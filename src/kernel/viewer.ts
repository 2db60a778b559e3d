/** Roles of a campaign, weakest first. A scope is the same ladder used as a cap (SPEC 5.4). */
export const roles = ['viewer', 'player', 'dm'] as const
export type Role = (typeof roles)[number]

export const writeModes = ['read', 'propose', 'direct'] as const
export type WriteMode = (typeof writeModes)[number]

export type Effect = 'read' | 'write' | 'destroy'
/** How a call came in. */
export type Door = 'rest' | 'mcp' | 'seat' | 'system'

/** How somebody proved who they are. `id` names the session, token or grant row; it is never a secret. */
export interface Credential {
  readonly kind: 'session' | 'token' | 'oauth' | 'system'
  readonly id: number
  /** The most this credential can be, whatever its owner's role is. */
  readonly scope: Role
  /** The only campaign it sees; null sees all of its owner's. */
  readonly campaignId: number | null
  readonly writeMode: WriteMode
  /** OAuth client id, for the audit. */
  readonly clientId: string | null
  /** The toolsets that its owner opened to an app at consent; null opens all. */
  readonly toolsets: readonly string[] | null
}

/** Who calls: a user behind a credential. `admin` is the user's server-admin right as far as the credential carries it. */
export interface Actor {
  readonly userId: number
  readonly username: string
  readonly admin: boolean
  readonly credential: Credential
}

/** Through whose eyes rows are read. `role` is the membership role capped by the credential. */
export interface Viewer {
  readonly userId: number
  readonly campaignId: number | null
  readonly role: Role | null
  readonly admin: boolean
  readonly door: Door
}

export function rank(role: Role): number {
  return roles.indexOf(role)
}

export function atLeast(role: Role | null, floor: Role): boolean {
  return role !== null && rank(role) >= rank(floor)
}

/** The weaker of the two: a token never widens its owner (SPEC 5.4). */
export function capRole(role: Role, scope: Role): Role {
  return rank(role) <= rank(scope) ? role : scope
}

/** A credential that is not a person at the keyboard: an AI client, an OAuth grant. It cannot take decisions that are a human's. */
export function isMachine(actor: Actor, door: Door): boolean {
  return door === 'mcp' || actor.credential.kind === 'oauth' || actor.credential.kind === 'system'
}
