import { CallError } from '../../api/call.ts'

/** More than this the browser's memory does not take (SPEC 8.1); the browser then downloads by itself. */
const mostInMemory = 512 * 1024 * 1024

export interface Taken {
  readonly blob: Blob
  readonly fileName: string
}

/** Fetches a file, telling how many bytes have come. Rejects with CallError; `cancelled` where it was stopped. */
export async function fetchFile(path: string, signal: AbortSignal, onBytes: (bytes: number) => void): Promise<Taken> {
  try {
    const response = await fetch(`/api/v1${path}`, { signal, credentials: 'same-origin', cache: 'no-store' })
    if (!response.ok || response.body === null) {
      const body = (await response.json().catch(() => null)) as { error?: { code?: string; message?: string } } | null
      throw new CallError(
        response.status,
        body?.error?.code ?? 'internal_error',
        body?.error?.message ?? 'It could not be made.',
      )
    }
    const pieces: BlobPart[] = []
    let bytes = 0
    const reader = response.body.getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      pieces.push(next.value)
      bytes += next.value.length
      if (bytes > mostInMemory) throw new CallError(0, 'too_large', 'This is more than a page can hold.')
      onBytes(bytes)
    }
    const type = response.headers.get('content-type') ?? 'application/octet-stream'
    const named = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
    return { blob: new Blob(pieces, { type }), fileName: named ?? 'campaign' }
  } catch (error) {
    if (signal.aborted) throw new CallError(0, 'cancelled', 'Stopped. Nothing was kept.')
    if (error instanceof CallError) throw error
    throw new CallError(0, 'offline', 'The connection broke off. Nothing was kept; try again.')
  }
}

/** Has the browser save what was fetched. */
export function save({ blob, fileName }: Taken): void {
  const address = URL.createObjectURL(blob)
  follow(address, fileName)
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** Has the browser fetch and save a file by itself. */
export function follow(address: string, fileName = ''): void {
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
}

export const isTooMuch = (bytes: number): boolean => bytes > mostInMemory * 0.9
