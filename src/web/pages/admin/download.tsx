import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { CallError } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { Complaint, Form, useSubmit } from '../../kit/form.tsx'
import { Icon } from '../../kit/icon.tsx'
import { useApp } from '../../shell/context.ts'

/** SPEC 8.1: where a browser cannot write straight to a file, at most this much passes through its memory. */
const MOST_IN_MEMORY = 512 * 1024 * 1024

interface FilePicker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<{
    createWritable(): Promise<WritableStream<Uint8Array>>
  }>
}

function nameIn(response: Response): string {
  const found = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')
  return found?.[1] ?? 'talekeeper-backup.zip'
}

async function save(keyPassphrase: string): Promise<void> {
  const picker = window as FilePicker
  const file = await picker.showSaveFilePicker?.({ suggestedName: 'talekeeper-backup.zip' })
  const response = await fetch('/api/v1/backup/download', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ keyPassphrase }),
  })
  if (!response.ok || !response.body) {
    const body = (await response.json().catch(() => null)) as { error?: { code: string; message: string } } | null
    throw new CallError(
      response.status,
      body?.error?.code ?? 'failed',
      body?.error?.message ?? 'The server made no backup. Try again.',
    )
  }
  if (file) {
    await response.body.pipeTo(await file.createWritable())
    return
  }
  if (Number(response.headers.get('content-length') ?? 0) > MOST_IN_MEMORY) {
    await response.body.cancel()
    throw new CallError(
      0,
      'too_large',
      'This backup is too large to pass through this browser. Open Talekeeper on its own computer, or take the backup without the key.',
    )
  }
  const address = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = address
  link.download = nameIn(response)
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

function strength(passphrase: string): string {
  if (passphrase.length < 12) return `${12 - passphrase.length} more`
  if (new Set(passphrase).size < 6) return 'Long enough, but easily guessed'
  return passphrase.length < 20 ? 'Good' : 'Strong'
}

/** The same backup with the key that opens the saved AI keys, sealed with a passphrase. */
export function KeyedDownload(): JSX.Element {
  const { toasts } = useApp()
  const submitting = useSubmit()
  const [passphrase, setPassphrase] = useState('')
  const download = async () => {
    const went = await submitting.run(async () => {
      await save(passphrase).catch((error: unknown) => {
        // Closing the file picker is no failure.
        if (error instanceof DOMException && error.name === 'AbortError') return
        throw error
      })
    })
    if (went) {
      setPassphrase('')
      toasts.say('Downloaded. Keep the passphrase somewhere else than the file.')
    }
  }
  return (
    <details class="hist">
      <summary>
        <Icon name="right" size="s" />
        With the AI keys, sealed by a passphrase
      </summary>
      <Form submitting={submitting} onSubmit={() => void download()}>
        <TextField
          label="Passphrase"
          name="keyPassphrase"
          type="password"
          autocomplete="new-password"
          required
          minLength={12}
          value={passphrase}
          onValue={setPassphrase}
          hint={`At least 12 characters${passphrase ? `. ${strength(passphrase)}` : ''}. Without it this backup cannot be put back.`}
        />
        <Complaint error={submitting.error} />
        <div class="line">
          <Button type="submit" icon="key" busy={submitting.busy}>
            {submitting.busy ? 'Packing' : 'Download with keys'}
          </Button>
        </div>
      </Form>
    </details>
  )
}
