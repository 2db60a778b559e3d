/** The one table of what can go wrong: code -> HTTP status and the sentence a caller reads when no better one is given. */
export const errorTable = {
  validation_failed: { status: 400, message: 'The input is not valid.' },
  confirm_required: { status: 400, message: 'Set confirm to RESTORE to replace everything on this server.' },
  archive_invalid: { status: 400, message: 'This file is not a Talekeeper backup, or it is cut off or damaged.' },
  archive_format_unsupported: { status: 400, message: 'Only backups of format 3 can be restored.' },
  archive_checksum_mismatch: { status: 400, message: 'A file in the backup differs from what its manifest records.' },
  archive_count_mismatch: {
    status: 400,
    message: 'The backup holds another number of uploads than its manifest says.',
  },
  archive_entry_missing: { status: 400, message: 'A file that the manifest names is missing from the backup.' },
  archive_not_clean: { status: 400, message: 'The backup was not reconciled cleanly when it was made.' },
  archive_too_large: { status: 400, message: 'The backup is larger than a restore accepts.' },
  archive_unsafe_path: { status: 400, message: 'The backup holds a file name that is not safe.' },
  archive_schema_foreign: { status: 400, message: 'The database in the backup is not one this version can take over.' },
  passphrase_required: {
    status: 400,
    message: 'This backup holds an encrypted key file: give the passphrase it was made with.',
  },
  passphrase_wrong: { status: 400, message: 'The passphrase does not open the key file in this backup.' },
  unauthenticated: { status: 401, message: 'Sign in, or send a valid bearer token.' },
  forbidden: { status: 403, message: 'You may not do this.' },
  write_mode: { status: 403, message: 'This token may not write directly.' },
  human_needed: { status: 403, message: 'Only a person can decide this.' },
  not_found: { status: 404, message: 'There is no such thing, or you may not see it.' },
  method_not_allowed: { status: 405, message: 'This address does not take that method.' },
  stale_revision: { status: 409, message: 'Somebody changed this meanwhile. Read it again, then repeat your change.' },
  archive_busy: { status: 409, message: 'Another backup or restore is running. Try again when it has finished.' },
  last_dm: { status: 409, message: 'A campaign needs a Dungeon Master. Make somebody else one first.' },
  last_admin: { status: 409, message: 'The server needs an administrator. Make somebody else one first.' },
  invalid_state: { status: 409, message: 'This cannot be done in the present state.' },
  idempotency_conflict: { status: 409, message: 'This idempotency key was used with another input.' },
  already_done: { status: 409, message: 'This was already done. Its answer held a secret and is not shown again.' },
  cancelled: { status: 409, message: 'This was cancelled. Nothing was changed.' },
  too_large: { status: 413, message: 'This is larger than the server accepts.' },
  unsupported_media_type: { status: 415, message: 'This kind of content is not accepted here.' },
  misdirected: { status: 421, message: 'This server does not answer to that host name. Add it to ALLOWED_HOSTS.' },
  rate_limited: { status: 429, message: 'Too many requests. Wait a little and try again.' },
  internal_error: { status: 500, message: 'Something went wrong on the server.' },
  unavailable: { status: 503, message: 'The server is not ready. Try again in a moment.' },
  storage_unavailable: {
    status: 503,
    message: 'The server cannot reach its data, so nothing was changed. Whoever keeps the server finds why in its log.',
  },
  disk_full: {
    status: 507,
    message: 'The disk of the server is full, so nothing was changed. Whoever keeps the server has to make room on it.',
  },
} as const satisfies Record<string, { readonly status: number; readonly message: string }>

export type ErrorCode = keyof typeof errorTable

export interface ErrorDetail {
  readonly path: string
  readonly message: string
}

/** The object every interface answers with when it fails (SPEC 2.6). `details` on validation only. */
export interface ErrorBody {
  readonly error: {
    readonly status: number
    readonly code: ErrorCode
    readonly message: string
    readonly details?: readonly ErrorDetail[]
  }
}

interface FailOptions {
  readonly details?: readonly ErrorDetail[]
  readonly retryAfterSeconds?: number
  readonly cause?: unknown
}

/** A failure that is meant for the caller: its message may be shown, so it never holds a secret. */
export class Failure extends Error {
  readonly code: ErrorCode
  readonly details: readonly ErrorDetail[] | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, options: FailOptions) {
    super(message, { cause: options.cause })
    this.name = 'Failure'
    this.code = code
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  get status(): number {
    return errorTable[this.code].status
  }
}

/** Makes a failure; the caller throws it, so that control flow stays visible: `throw fail('not_found')`. */
export function fail(code: ErrorCode, message?: string, options: FailOptions = {}): Failure {
  return new Failure(code, message ?? errorTable[code].message, options)
}

/**
 * Input of the right form that is wrong all the same: which member, in short what is wrong with it, for a form to show beside
 * its field, and the whole sentence where there is more to say.
 */
export function invalid(path: string, message: string, sentence = `${path}: ${message}`): Failure {
  return fail('validation_failed', sentence, { details: [{ path, message }] })
}

/** Codes of Node and SQLite by which the storage says that it cannot do what was asked; for SQLite their beginnings. */
const systemCodes: readonly (readonly [ErrorCode, RegExp])[] = [
  ['disk_full', /^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)$/],
  ['unavailable', /^(EMFILE|ENFILE|SQLITE_BUSY.*|SQLITE_LOCKED.*)$/],
  [
    'storage_unavailable',
    /^(ENOENT|ENOTDIR|EACCES|EPERM|EROFS|EIO|ENODEV|ENXIO|ESTALE|SQLITE_(IOERR|CANTOPEN|READONLY|CORRUPT|NOTADB).*)$/,
  ],
]

/** The failure to answer with when a disk, a folder or the database did not do its work; null for every other error. */
export function storageFailure(thrown: unknown): Failure | null {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  const known = systemCodes.find(([, pattern]) => pattern.test(code))
  return known === undefined ? null : fail(known[0], undefined, { cause: thrown })
}

/** The answer for a failure. Unknown ones become `internal_error` with nothing of what was thrown. */
export function errorBody(thrown: unknown, requestId?: string): ErrorBody {
  const failure = thrown instanceof Failure ? thrown : storageFailure(thrown)
  if (failure !== null) {
    const { code, status, message, details } = failure
    return { error: { status, code, message, ...(details ? { details } : {}) } }
  }
  const { status, message } = errorTable.internal_error
  return {
    error: {
      status,
      code: 'internal_error',
      message: requestId ? `${message} Its log line has the id ${requestId}.` : message,
    },
  }
}
