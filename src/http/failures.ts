import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorBody, type ErrorCode, errorBody, Failure, fail, storageFailure } from '../kernel/errors.ts'

/** What fastify itself refuses, in our terms. */
const ownErrors: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'validation_failed',
  FST_ERR_CTP_INVALID_JSON_BODY: 'validation_failed',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'validation_failed',
  FST_ERR_BAD_URL: 'validation_failed',
  FST_REQ_FILE_TOO_LARGE: 'too_large',
  FST_FILES_LIMIT: 'validation_failed',
  FST_PARTS_LIMIT: 'validation_failed',
  FST_FIELDS_LIMIT: 'validation_failed',
  FST_INVALID_MULTIPART_CONTENT_TYPE: 'unsupported_media_type',
}

/** Turns anything thrown into a failure for the caller; unknown ones are logged with the request's id and say nothing. */
export function toFailure(thrown: unknown, request: FastifyRequest): Failure | null {
  if (thrown instanceof Failure) return thrown
  const { code, statusCode } = thrown as Partial<FastifyError>
  const known = code === undefined ? undefined : ownErrors[code]
  // Operations take no other content.
  if (known === 'unsupported_media_type' && request.operation) return fail(known, 'Send this as application/json.')
  if (known !== undefined) return fail(known)
  if (statusCode === 400) return fail('validation_failed', 'The request is malformed.')
  request.log.error({ err: thrown, requestId: request.id }, 'unexpected failure')
  return storageFailure(thrown)
}

export function sendFailure(thrown: unknown, request: FastifyRequest, reply: FastifyReply): ErrorBody {
  const failure = toFailure(thrown, request)
  const body = errorBody(failure ?? thrown, request.id)
  reply.code(body.error.status)
  // RFC 6750 3: a refusal says which scheme would do; /mcp has set its longer challenge before.
  if (body.error.status === 401 && !reply.hasHeader('www-authenticate')) reply.header('www-authenticate', 'Bearer')
  if (failure?.retryAfterSeconds !== undefined)
    reply.header('retry-after', String(Math.max(1, Math.ceil(failure.retryAfterSeconds))))
  reply.header('cache-control', 'no-store')
  return body
}

/** Answers what is no HTTP request at all, or has too large a head; the connection ends with it. */
export function refuseMalformed(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [line, failure] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['413 Content Too Large', fail('too_large', 'The head of this request is larger than the server accepts.')]
      : ['400 Bad Request', fail('validation_failed', 'This is no valid HTTP request.')]
  const body = JSON.stringify(errorBody(failure))
  const head = ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`, 'connection: close']
  socket.end(`HTTP/1.1 ${line}\r\n${head.join('\r\n')}\r\n\r\n${body}`)
}
