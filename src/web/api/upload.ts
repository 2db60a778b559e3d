import { CallError, type Detail, uuid } from './call.ts'

export interface Upload<T> {
  readonly answer: Promise<T>
  /** Gives up; the server stops as soon as it notices, unless it may not stop any more. */
  cancel(): void
}

/** Sends a form whose file is large, or a document as the body that it is, telling how much of it has gone. Fetch cannot tell. Rejects with CallError. */
export function upload<T>(path: string, body: FormData | File, onSent: (part: number) => void): Upload<T> {
  const request = new XMLHttpRequest()
  const answer = new Promise<T>((resolve, reject) => {
    request.open('POST', `/api/v1${path}`)
    request.responseType = 'json'
    request.setRequestHeader('accept', 'application/json')
    request.setRequestHeader('idempotency-key', uuid())
    request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0)
    request.upload.onload = () => onSent(1)
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) {
        resolve(request.response as T)
        return
      }
      const error = (request.response as { error?: { code?: string; message?: string; details?: Detail[] } } | null)
        ?.error
      const message = error?.message ?? 'The server answered something this page does not understand.'
      reject(new CallError(request.status, error?.code ?? 'internal_error', message, error?.details ?? []))
    }
    request.onerror = () =>
      reject(new CallError(0, 'offline', 'The connection broke off. Nothing was changed; try again.'))
    request.onabort = () => reject(new CallError(0, 'cancelled', 'Stopped. Nothing was changed.'))
    if (body instanceof File) request.setRequestHeader('content-type', 'application/json')
    request.send(body)
  })
  return { answer, cancel: () => request.abort() }
}
