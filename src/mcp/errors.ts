import type { Transport } from '@modelcontextprotocol/server'
import { type ErrorBody, type ErrorCode, errorBody, errorTable, Failure, fail } from '../kernel/errors.ts'

/** Codes of JSON-RPC 2.0 (its section 5.1). */
export const rpcCodes = { methodNotFound: -32601, invalidParams: -32602, internalError: -32603 } as const

/** Thrown by a handler of the protocol's library, it is answered as an error with this code and these data. */
export class ProtocolError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** The error member of a JSON-RPC answer. */
export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Code of JSON-RPC -> code of ours, for errors that the protocol's library makes. What is not here was a bad request. */
const codes: Readonly<Record<number, ErrorCode>> = {
  [rpcCodes.methodNotFound]: 'not_found',
  [rpcCodes.internalError]: 'internal_error',
}
const codesByStatus: Readonly<Record<number, ErrorCode>> = {
  405: 'method_not_allowed',
  413: 'too_large',
  415: 'unsupported_media_type',
}

/** A failure outside a tool call as a JSON-RPC error whose data is the error object (SPEC 2.6). Unknown ones say nothing of what was thrown. */
export function protocolError(thrown: unknown, requestId: string): ProtocolError {
  if (thrown instanceof ProtocolError) return thrown
  const body = errorBody(thrown, requestId)
  const code = thrown instanceof Failure ? rpcCodes.invalidParams : rpcCodes.internalError
  return new ProtocolError(code, body.error.message, body)
}

export function invalidParams(code: ErrorCode, message: string, data: object = {}): ProtocolError {
  return new ProtocolError(rpcCodes.invalidParams, message, { ...data, ...errorBody(fail(code, message)) })
}

/** The same error with the error object added to its data, where it is not there yet. */
export function withErrorObject<E extends RpcError>(error: E, httpStatus = 200): E & { readonly data: ErrorBody } {
  const data = typeof error.data === 'object' && error.data !== null ? error.data : {}
  if ('error' in data) return { ...error, data: data as ErrorBody }
  const code = codesByStatus[httpStatus] ?? codes[error.code] ?? 'validation_failed'
  const status = httpStatus < 400 ? errorTable[code].status : httpStatus
  return { ...error, data: { ...data, error: { status, code, message: error.message } } }
}

/** Adds the error object to what the library itself refuses of a request: unknown methods, malformed parameters. */
export function describeErrors(transport: Transport): Transport {
  const send = transport.send.bind(transport)
  transport.send = (message, options) =>
    send('error' in message ? { ...message, error: withErrorObject(message.error) } : message, options)
  return transport
}
