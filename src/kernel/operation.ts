import type * as z from 'zod'
import type { Context, PrepareContext } from './context.ts'
import type { Effect } from './viewer.ts'

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

export const toolsets = [
  'campaign',
  'story',
  'world',
  'maps',
  'party',
  'dice',
  'combat',
  'journal',
  'schedule',
  'table',
  'review',
  'rules',
  'files',
  'ai',
] as const
export type Toolset = (typeof toolsets)[number]

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Route = `${Method} /${string}`

/** Ids of a world in which every operation's example succeeds; the tests build one, the documentation uses made-up ones. */
export interface World {
  /** A row of this entity, or the one that a variant names: `id('note', 'own')`. */
  id(entity: string, variant?: string): number
  /** A code or name of the world: `text('invite')`. */
  text(what: string): string
}

/** The names between braces of a path. */
type Placeholders<P extends string> = P extends `${string}{${infer K}}${infer Rest}` ? K | Placeholders<Rest> : never
export type PathNames<P extends string, I> =
  Placeholders<P> extends keyof I ? unknown : { route: `the input lacks ${Exclude<Placeholders<P>, keyof I> & string}` }

export interface Operation<
  N extends string = string,
  R extends Route = Route,
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodType = z.ZodType,
  P = unknown,
> {
  readonly name: N
  readonly title: string
  /** At most 200 characters: every one of them is read by a language model, 277 times over. */
  readonly description: string
  /** `server` is none: what a person or an administrator does with the server itself, and no tool. */
  readonly toolset: Toolset | 'server'
  readonly access: Access
  readonly effect: Effect
  readonly route: R
  readonly input: I
  readonly output: O
  /**
   * The members of the input with the id, or ids, of what ownership is judged by where the path names nothing that is
   * owned. Every row that is named must be the caller's; where none is, it is nobody's.
   */
  readonly subject?: (keyof z.output<I> & string) | readonly (keyof z.output<I> & string)[]
  /** Nothing that is kept of a call joins it to who made it: journal, log, idempotency, events. */
  readonly anonymous?: boolean
  /** The caller's own bookkeeping, which is nobody's history: no record is kept of it. It writes only what has no journal. */
  readonly unrecorded?: boolean
  /** What write mode `propose` may call directly: it is how changes are asked for. */
  readonly proposes?: boolean
  /** Why a person makes this change and it never waits as a proposal, to stand behind "it cannot wait, since". */
  readonly byPerson?: string
  /** A call of it leaves this machine: for a provider, or for an address that somebody gave. */
  readonly callsOut?: boolean
  /** Answers 201 with what it made. */
  readonly creates?: boolean
  /** States of the campaign in which it works although they refuse writes. */
  readonly allowedWhen?: readonly ('archived' | 'trashed')[]
  /** A write that a token of scope `viewer` may do all the same. */
  readonly viewerMay?: boolean
  /** A player may call it about what is theirs alone; the operation itself refuses the rest. Only with access `dm`. */
  readonly playersOwn?: boolean
  /** The web page to go to where this input is a person's decision and a machine calls; null where it is not. */
  humanOnly?(input: z.output<I>): string | null
  /**
   * What a language model gets of the answer to a write besides the row's id, revision, title and changed fields: members
   * that the operation worked out.
   */
  readonly tells?: readonly string[]
  /** The answer holds a secret: an idempotency key does not keep it. */
  readonly secretAnswer?: boolean
  /** Why it is not an MCP tool. */
  readonly mcp?: { readonly none: string }
  /** An input that succeeds for the least role that may call it. */
  example(world: World): z.input<I>
  /**
   * Asynchronous work after authorisation and before the transaction. It only reads, calls out and computes; for a proposal
   * it runs when that is filed and again when it is approved.
   */
  prepare?(context: PrepareContext, input: z.output<I>): Promise<P>
  /** How long that may take, in milliseconds, where `limits.prepareMs` is not enough. */
  readonly prepareMs?: number
  handle(context: Context<P>, input: z.output<I>): z.input<O>
}

/** Declares an operation. A path that names a member the input lacks is a compile error that says so. */
export function defineOperation<
  const N extends string,
  const R extends Route,
  I extends z.ZodObject,
  O extends z.ZodType,
  P = undefined,
>(operation: Operation<N, R, I, O, P> & PathNames<R, z.output<I>>): Operation<N, R, I, O, P> {
  return operation
}

export type AnyOperation = Operation<string, Route, z.ZodObject, z.ZodType, never>

interface RouteParts {
  readonly method: Method
  readonly path: string
  readonly placeholders: readonly string[]
}

const routeParts = new Map<Route, RouteParts>()

/** Splits a route into its method and path. */
export function routeOf(route: Route): RouteParts {
  const known = routeParts.get(route)
  if (known) return known
  const [method, path] = route.split(' ') as [Method, string]
  const placeholders = Array.from(path.matchAll(/\{(\w+)\}/g), (match) => match[1] as string)
  const parts = { method, path, placeholders }
  routeParts.set(route, parts)
  return parts
}
