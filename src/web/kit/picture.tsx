import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Attachment } from '../api/contract.ts'
import { messageOf, useApp, useCampaign } from '../shell/context.ts'
import { pictureUrl } from '../shell/links.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

const ACCEPTED = 'image/png,image/jpeg,image/webp,image/gif,image/avif'
const MOST_BYTES = 32 * 1024 * 1024

/** Chooses a picture and sends it. It is kept whole; the window only shows its middle. */
export function PictureField({
  label,
  kind,
  value,
  onValue,
  arched,
  unlisted,
  caption,
}: {
  label: string
  kind: 'portrait' | 'image' | 'map'
  value: number | null
  onValue: (attachmentId: number | null) => void
  /** Somebody in the tale. */
  arched?: boolean
  /** Players do not find it among the pictures: they see it where it is used. */
  unlisted?: boolean
  caption: string
}): JSX.Element {
  const { client, toasts } = useApp()
  const { campaignId } = useCampaign()
  const input = useRef<HTMLInputElement>(null)
  const [local, setLocal] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  useEffect(() => () => (local ? URL.revokeObjectURL(local) : undefined), [local])

  const send = async (file: File | undefined) => {
    if (!file) return
    if (file.size > MOST_BYTES) {
      toasts.fail('This picture is larger than 32 MB. Make it smaller, then choose it again.')
      return
    }
    setLocal(URL.createObjectURL(file))
    setBusy(true)
    const body = new FormData()
    body.set('kind', kind)
    if (caption) body.set('caption', caption)
    if (unlisted) body.set('hidden', 'true')
    body.set('file', file)
    try {
      const path = `/campaigns/${campaignId}/attachments`
      const made = await client.send<Attachment>({ method: 'POST', path, body })
      onValue(made.id)
    } catch (error) {
      setLocal(null)
      toasts.fail(messageOf(error))
    } finally {
      setBusy(false)
      if (input.current) input.current.value = ''
    }
  }

  const shown = local ?? (value === null ? null : pictureUrl(value, 'medium'))
  return (
    <div class="field picture">
      <span class="label">{label}</span>
      <div class="line">
        <span class="frame">{shown ? <img src={shown} alt="All of it" /> : <Icon name="image" size="l" />}</span>
        {arched && shown && <img class="portrait portrait-l" src={shown} alt="As the others see it" />}
        <div class="stack">
          <label class="btn">
            <Icon name="put" />
            {busy ? 'Sending' : shown ? 'Choose another' : 'Choose a picture'}
            <input
              ref={input}
              class="visually-hidden"
              type="file"
              accept={ACCEPTED}
              disabled={busy}
              onChange={(event) => void send(event.currentTarget.files?.[0])}
            />
          </label>
          {value !== null && (
            <Button
              variant="danger-quiet"
              onClick={() => {
                setLocal(null)
                onValue(null)
              }}
            >
              Take it away
            </Button>
          )}
          <span class="hint">PNG, JPEG, WebP, GIF or AVIF, up to 32 MB.</span>
        </div>
      </div>
    </div>
  )
}
