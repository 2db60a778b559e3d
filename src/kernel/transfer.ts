import type * as z from 'zod'
import type { Access, AnyOperation, PathNames, Route, World } from './operation.ts'
import type { Actor, Effect } from './viewer.ts'

/** An uploaded file, spooled to a temporary file that is deleted when the transfer ends. */
export interface Upload {
  readonly path: string
  readonly fileName: string
  readonly byteSize: number
  /** The other members of the form, as text. */
  readonly fields: Readonly<Record<string, string>>
}

export interface StreamHead {
  readonly mimeType: string
  /** Offered as the name of a download; without it the browser shows the bytes. */
  readonly downloadName?: string
  /** In bytes, when it is known before the stream ends. */
  readonly byteSize?: number
  readonly cacheControl?: string
  /** Somebody uploaded these bytes: whatever a browser takes them for, it runs nothing and loads nothing. */
  readonly sandboxed?: boolean
}

/** One server-sent event. `id` lets a client resume behind it. */
export interface StreamEvent {
  readonly event: string
  readonly data: unknown
  readonly id?: string
}

/** The request and response that a transfer works with; http/ implements it. */
export interface TransferContext {
  readonly actor: Actor | null
  readonly requestId: string
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal
  /** The caller's address, as far as it may be trusted. */
  readonly address: string
  readonly userAgent: string | null
  /** The address of this server as the caller typed it, such as `http://192.168.1.20:8020`. */
  readonly origin: string
  /** A direct call from this machine: loopback peer, no forwarding header, no foreign Origin. */
  readonly loopback: boolean
  readonly idempotencyKey: string | null
  readonly reason: string | null
  /** See Call. */
  readonly viewAs?: number | undefined
  readonly lastEventId: string | null
  readonly session: {
    /** The value of the session cookie, if one was sent. */
    readonly secret: string | null
    set(secret: string): void
    clear(): void
  }
  /** The cookie by which a browser is known that somebody has signed in with. It lets nobody in. */
  readonly device: { readonly value: string | null; set(value: string): void }
  /** Takes the one file of a multipart body; of a transfer that carries a document, the body itself too. Throws `too_large`, `validation_failed`. */
  receive(options: { readonly fileField: string; readonly mostBytes: number }): Promise<Upload>
  /** Answers with bytes. The promise settles when they are sent or the caller has gone. */
  send(head: StreamHead, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Answers with server-sent events until `close` is called or the caller goes. */
  events(): { send(event: StreamEvent): void; close(): void; readonly closed: Promise<void> }
}

/**
 * A route that is more than one JSON in and one JSON out: byte streams, cookies, live events. Same access words, errors
 * and documents as an operation; what it changes in a campaign it changes through one.
 */
export interface Transfer<R extends Route = Route, I extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly access: Access
  readonly effect: Effect
  readonly route: R
  /** Path, query and JSON body members. */
  readonly input: I
  /** What travels besides JSON. `document`: a body of any size that is not parsed here, or the file of a form. */
  readonly carries?: 'multipart' | 'document' | 'bytes' | 'events'
  /** The operation of the same route that takes its bytes through this transfer on REST, where it has no route of its own. */
  readonly carriesBytesOf?: string
  readonly output?: z.ZodType
  readonly creates?: boolean
  /** The bytes are given once: a HEAD, as link previews send it, is answered without asking for them. */
  readonly once?: boolean
  /** A Dungeon Master may ask for it through the eyes of a player (kernel/looking-as.ts). */
  readonly throughEyes?: boolean
  example(world: World): z.input<I>
  handle(context: TransferContext, input: z.output<I>): Promise<unknown>
}

/** Declares a transfer. A path that names a member the input lacks is a compile error that says so. */
export function defineTransfer<const R extends Route, I extends z.ZodObject>(
  transfer: Transfer<R, I> & PathNames<R, z.output<I>>,
): Transfer<R, I> {
  return transfer
}

export type AnyTransfer = Transfer<Route, z.ZodObject>

/**
 * The names of the operations that transfers take the place of on REST. Throws where a transfer says so of what has another
 * route, and where it takes the route of an operation without saying so.
 */
export function carriedOperations(
  operations: Iterable<Pick<AnyOperation, 'name' | 'route'>>,
  transfers: readonly Pick<AnyTransfer, 'name' | 'route' | 'carriesBytesOf'>[],
): ReadonlySet<string> {
  const routes = new Map(Array.from(operations, ({ name, route }) => [name, route]))
  const names = new Map(Array.from(routes, ([name, route]) => [route, name]))
  for (const { name, route, carriesBytesOf } of transfers) {
    const alike = names.get(route)
    if (alike !== carriesBytesOf) {
      throw new Error(`${name}: carriesBytesOf is ${carriesBytesOf}, and the operation of its route is ${alike}`)
    }
  }
  return new Set(transfers.flatMap(({ carriesBytesOf }) => carriesBytesOf ?? []))
}
