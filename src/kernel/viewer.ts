/** Roles of a campaign, weakest first. A scope is the same ladder used as a cap (SPEC 5.4). */
export const roles = ['viewer', 'player', 'dm'] as const
export type Role = (typeof roles)[number]

export const writeModes = ['read', 'propose', 'direct'] as const
export type WriteMode = (typeof writeModes)[number]

/** Ready-made selections of tools for MCP clients that take few, and `compact`, in which three tools find and call the rest. */
export const toolPresets = ['dm-core', 'session', 'player', 'compact'] as const
export type ToolPreset = (typeof toolPresets)[number]

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
  /** Which tools an app is shown that asks for no selection of its own, as chosen at consent; it narrows no right. */
  readonly toolPreset?: ToolPreset | null
  /**
   * Of the scribe and the AI seat alone: whatever is read goes to the model of this server, through the eyes of nobody in
   * particular (`modelEyes` in model-port.ts). `external`: that model is outside of this server.
   */
  readonly model?: { readonly external: boolean }
}

/** Who calls: a user behind a credential. `admin` is the user's server-admin right as far as the credential carries it. */
export interface Actor {
  readonly userId: number
  readonly username: string
  readonly admin: boolean
  readonly credential: Credential
  /** The user who looks through this one's eyes (kernel/looking-as.ts); absent where people look with their own. */
  readonly onlooker?: number
}

/** Through whose eyes rows are read. `role` is the membership role capped by the credential. */
export interface Viewer {
  readonly userId: number
  readonly campaignId: number | null
  readonly role: Role | null
  readonly admin: boolean
  readonly door: Door
  /** Whose texts an outside AI gets beside those of its own person; null where a person reads. */
  readonly ai: ConsentTerms | null
  /** The toolsets whose things are open to the credential; null opens all. */
  readonly toolsets: readonly string[] | null
  /**
   * The Dungeon Master who looks through these eyes. They see what both may: what the player wrote for themself alone, or for
   * somebody else, stays theirs.
   */
  readonly onlooker?: number
}

/** The Dungeon Master who looks through somebody's eyes, with their own; null where nobody does. */
export function onlookerOf(viewer: Viewer): Viewer | null {
  if (viewer.onlooker === undefined) return null
  const { onlooker, ...same } = viewer
  return { ...same, userId: onlooker, role: 'dm' }
}

/** What a campaign gives to outside AIs of what its members write for each other (SPEC 2.2, 3 and appendix). */
export interface ConsentTerms {
  readonly policy: 'member_consent' | 'disabled'
  /** Members who agreed; nobody under the policy `disabled`, nor who has left. */
  readonly agreed: ReadonlySet<number>
}

/** Outside of campaigns nobody has agreed to anything. */
const noTerms: ConsentTerms = { policy: 'member_consent', agreed: new Set() }

/** A campaign, as one of its members is in it. */
export interface Seat {
  readonly campaignId: number
  /** The role of the membership; the credential caps it here. */
  readonly role: Role
  /** Asked only where an outside AI reads. */
  terms(): ConsentTerms
}

/**
 * Who reads behind a credential at a door, in a campaign or (null) outside of any. The one place that decides whether they
 * are an outside AI and which toolsets are closed to them: everything that is read follows from it (storage/visibility-sql.ts
 * and `sees`), whatever the operation.
 */
export function viewerOf(actor: Actor, door: Door, seat: Seat | null): Viewer {
  const { userId, admin, credential } = actor
  const viewer: Viewer = {
    userId: credential.model === undefined ? userId : 0,
    campaignId: seat?.campaignId ?? null,
    role: seat && capRole(seat.role, credential.scope),
    admin,
    door,
    ai: isOutsideAi(actor, door) ? (seat?.terms() ?? noTerms) : null,
    toolsets: credential.toolsets,
  }
  return actor.onlooker === undefined ? viewer : { ...viewer, onlooker: actor.onlooker }
}

/** The same one in another campaign. */
export function viewerIn(viewer: Viewer, { campaignId, role, terms }: Seat): Viewer {
  return { ...viewer, campaignId, role, ai: viewer.ai && terms() }
}

/** A person with a role and nothing else: what anybody of that role sees. */
export function personIn(campaignId: number | null, role: Role, userId = 0): Viewer {
  return { userId, campaignId, role, admin: false, door: 'system', ai: null, toolsets: null }
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, player: 1, dm: 2 }

export function rank(role: Role): number {
  return ranks[role]
}

export function atLeast(role: Role | null, floor: Role): boolean {
  return role !== null && rank(role) >= rank(floor)
}

/** The weaker of the two: a token never widens its owner (SPEC 5.4). */
export function capRole(role: Role, scope: Role): Role {
  return rank(role) <= rank(scope) ? role : scope
}

/**
 * Whether what is read leaves for an AI outside of this server: over MCP, or with the token of a connected app, whatever the
 * door (SPEC appendix 3). A session is a person, and so is a personal token over REST. The seat counts as outside, unless the
 * model behind it is on this server (appendix 5).
 */
export function isOutsideAi({ credential }: Pick<Actor, 'credential'>, door: Door): boolean {
  if (credential.model !== undefined) return credential.model.external
  return door === 'mcp' || door === 'seat' || credential.kind === 'oauth'
}

/** A credential that is not a person at the keyboard: an AI client, an OAuth grant. It cannot take decisions that are a human's. */
export function isMachine(actor: Actor, door: Door): boolean {
  return door === 'mcp' || actor.credential.kind === 'oauth' || actor.credential.kind === 'system'
}
