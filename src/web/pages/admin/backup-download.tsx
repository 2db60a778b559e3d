import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Client } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Section } from '../../kit/page.tsx'
import { useApp } from '../../shell/context.ts'
import { type ArchiveJobControl, ArchiveJobProgress, isCancelled } from './archive-job.tsx'
import './styles.ts'

/**
 * Has a backup made, and follows the link to it, which works once: the browser writes what comes straight to disk, and
 * nothing passes through this page. Throws CallError.
 */
async function take(client: Client, body: { keyPassphrase?: string }): Promise<void> {
  const { path } = await client.send<{ path: string }>({ method: 'POST', path: '/backup/links', body, once: true })
  const link = document.createElement('a')
  link.href = path
  link.download = ''
  link.click()
}

function strength(passphrase: string): string {
  if (passphrase.length < 12) return `${12 - passphrase.length} more`
  if (new Set(passphrase).size < 6) return 'Long enough, but easily guessed'
  return passphrase.length < 20 ? 'Good' : 'Strong'
}

/** A backup that is made now, for another disk: without the AI keys, or with them under a passphrase. */
export function BackupDownload({
  job,
  downloading,
  onDownloading,
}: {
  job: ArchiveJobControl
  /** A download of this page is being packed. */
  downloading: boolean
  onDownloading: (downloading: boolean) => void
}): JSX.Element {
  const { client, toasts } = useApp()
  const plain = useSubmit()
  const keyed = useSubmit()
  const [passphrase, setPassphrase] = useState('')
  const busy = downloading || job.work !== null

  const download = async (body: { keyPassphrase?: string }): Promise<void> => {
    onDownloading(true)
    try {
      await take(client, body)
      toasts.say('Packed and read back. Your browser saves the file now.')
    } catch (error) {
      if (!isCancelled(error)) throw error
      toasts.say('Stopped. Nothing was downloaded.')
    } finally {
      onDownloading(false)
    }
  }
  const downloadKeyed = async () => {
    if (await keyed.run(() => download({ keyPassphrase: passphrase }))) setPassphrase('')
  }
  return (
    <Section title="Take it all with you">
      <p class="prose soft">
        One file with everything: all campaigns, people, notes and pictures. Keep it on another disk. It is safe to take
        while others are playing.
      </p>
      {downloading ? (
        <div class="packing">
          <ArchiveJobProgress job={job} brief />
          <p class="small soft">
            Your browser saves the file by itself once it is packed and read back. Leave this page open until then.
          </p>
        </div>
      ) : (
        <div class="line">
          <Button icon="get" busy={busy || plain.busy} onClick={() => void plain.run(() => download({}))}>
            Download a backup
          </Button>
        </div>
      )}
      <FormError error={plain.error} />
      <details class="disclosure">
        <summary>
          <Icon name="right" size="s" />
          With the AI keys, sealed by a passphrase
        </summary>
        <Form operation={null} submitting={keyed} onSubmit={() => void downloadKeyed()}>
          <p class="prose soft">
            The server packs everything, seals the AI keys with the passphrase and forgets it. Keep the passphrase
            somewhere else than the file.
          </p>
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
          <FormError error={keyed.error} />
          <div class="line">
            <Button type="submit" icon="key" busy={busy || keyed.busy}>
              Download with keys
            </Button>
          </div>
        </Form>
      </details>
    </Section>
  )
}
