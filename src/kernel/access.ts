/**
 * Least right a call needs. `dm+propose`: a Dungeon Master directly, a player through a proposal. `owner`: who owns it, or
 * a Dungeon Master; what nobody owns is any player's. `author`: who owns it and nobody else. `author+dm`: or a Dungeon
 * Master. `controller`: who plays it, or a Dungeon Master; what nobody plays is the Dungeon Masters'. `turn`: who plays the
 * one that acts now, or a Dungeon Master. What owning, playing and acting mean, an entity declares (ownership.ts).
 */
export type Access =
  | 'public'
  | 'user'
  | 'session'
  | 'viewer'
  | 'player'
  | 'dm'
  | 'owner'
  | 'author'
  | 'author+dm'
  | 'controller'
  | 'turn'
  | 'dm+propose'
  | 'admin'

export type Effect = 'read' | 'write' | 'destroy'

/** How a call came in. */
export type Door = 'rest' | 'mcp' | 'seat' | 'system'
