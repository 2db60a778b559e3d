import { ConfigError } from '../config.ts'
import { Failure } from '../kernel/errors.ts'
import { DamagedInstallation } from '../natives.ts'
import { UsageError } from './command-line.ts'

interface SystemError {
  readonly code?: string
  readonly message: string
  readonly path?: string
  readonly dest?: string
  readonly syscall?: string
  readonly port?: number
  readonly address?: string
  readonly hostname?: string
}

/** Codes of Node -> what to say of the path. */
const ofPaths: readonly (readonly [RegExp, (path: string) => string])[] = [
  [/^(ENOSPC|EDQUOT)$/, (path) => `The disk is full: ${path} cannot be written. Make room on it, then try again.`],
  [
    /^(EACCES|EPERM|EROFS)$/,
    (path) =>
      `Talekeeper may not use ${path}. Give its account the right to read and write there, or name another place.`,
  ],
  [/^ENOENT$/, (path) => `There is no ${path}.`],
  [
    /^(ENOTDIR|EEXIST|EISDIR|ELOOP|ENAMETOOLONG|EINVAL)$/,
    (path) => `${path} cannot be used: it is not what it has to be, a folder or a file. Name another place.`,
  ],
]

/** Errors whose message is for people. */
const told = [UsageError, ConfigError, Failure, DamagedInstallation]

/** What to say of an error, as one line without a stack. */
export function explain(error: unknown): string {
  return sentenceFor(error).replaceAll(/\s*\n\s*/g, ' ')
}

function sentenceFor(error: unknown): string {
  if (told.some((kind) => error instanceof kind)) return (error as Error).message
  if (!(error instanceof Error)) return String(error)
  const { code = '', path, dest, syscall, port, address, hostname } = error as SystemError
  if (syscall === 'listen' || syscall === 'getaddrinfo') return whyDeaf(code, port, address ?? hostname)
  if (code.startsWith('ERR_OSSL') || code.startsWith('ERR_TLS') || code.startsWith('ERR_CRYPTO'))
    return `TLS_CERT_FILE and TLS_KEY_FILE do not hold a certificate and its key in PEM form (${code}).`
  const known = ofPaths.find(([pattern]) => pattern.test(code))
  const place = dest ?? path
  if (known !== undefined && place !== undefined) return known[1](place)
  return `Talekeeper failed: ${error.message}`
}

function whyDeaf(code: string, port: number | undefined, host: string | undefined): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port ?? ''} is used by another program. Set PORT to another number, or stop that program.`
    case 'EACCES':
      return `Talekeeper may not listen on port ${port ?? ''}. Set PORT to a number above 1023.`
    default:
      return `HOST is ${host ?? 'set'}, which is no address of this machine (${code}). Set it to 127.0.0.1, or to 0.0.0.0 for the whole network.`
  }
}

/** How a command that failed in this way ends: 2 for a command line that makes no sense, else 1. */
export function exitCodeOf(error: unknown): number {
  return error instanceof UsageError ? 2 : 1
}
