import { execute } from '../kernel/execute.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import type { System } from '../kernel/system.ts'
import type { Actor } from '../kernel/viewer.ts'
import type { Protocol } from './protocol.ts'
import type { Selection } from './toolsets.ts'

/** The part of a logger that is used here. */
export interface Log {
  info(facts: object, message: string): void
  error(facts: object, message: string): void
}

/** Who sent one HTTP request and what they want to see. */
export interface Caller {
  readonly actor: Actor
  readonly selection: Selection
  readonly requestId: string
  /** Aborts when they go away. */
  readonly signal: AbortSignal
  /** Told of a call of an anonymous operation. */
  onAnonymous(): void
  /** Told of a call that changes something, or would. */
  onChange(): void
}

export interface McpParts {
  /** Asked for each request: a restore replaces it. */
  system(): System
  readonly operations: ReadonlyMap<string, AnyOperation>
  readonly version: string
  readonly log: Log
  /** Gives the protocol's library, which is loaded when it is first needed. */
  loadProtocol(): Promise<Protocol>
}

/** Runs a read as the caller; null where the catalogue has no such operation. Throws what the operation throws. */
export type Read = (operation: string, input: object) => Promise<unknown>

export function readAs({ system, operations }: McpParts, { actor, requestId }: Caller): Read {
  return async (name, input) => {
    const operation = operations.get(name)
    if (operation === undefined) return null
    const call = { actor, door: 'mcp', idempotencyKey: null, reason: null, requestId } as const
    const { output } = await execute(system(), operation, input, call)
    return output
  }
}
