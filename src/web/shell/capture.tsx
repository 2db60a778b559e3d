import type { JSX } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { AreaField, Checkbox, type Option, SelectField } from '../kit/field.tsx'
import { Fits } from '../kit/form.tsx'
import type { EntityRef } from './context.ts'
import { type CurrentCampaign, messageOf, useApp, useMe, usePages } from './context.ts'

type Reader = 'dm' | 'private' | 'party' | 'one'

const STORAGE_KEY = 'talekeeper-capture'

/** One field for what must not be forgotten. It is kept on this device first and sent when the server can be reached. */
export function Capture({
  here,
  currentEntity,
  onClose,
}: {
  here: CurrentCampaign
  currentEntity: EntityRef | null
  onClose: () => void
}): JSX.Element {
  const { outbox, toasts } = useApp()
  const { campaignId, isDm } = here
  const me = useMe()
  const members = usePages('list_members', { campaignId, limit: 200 }, { all: true }).items
  const others = members.filter((member) => member.userId !== me?.id && member.role !== 'viewer')
  const place = `${STORAGE_KEY}-${campaignId}`
  const [body, setBody] = useState(() => sessionStorage.getItem(place) ?? '')
  const [reader, setReader] = useState<Reader>(isDm ? 'private' : 'dm')
  const [recipient, setRecipient] = useState('')
  const [about, setAbout] = useState(currentEntity !== null)
  const [busy, setBusy] = useState(false)

  // At once, and not after the next picture: a reload comes between.
  useLayoutEffect(() => sessionStorage.setItem(place, body), [place, body])

  const readers: Option<Reader>[] = [
    ...(isDm ? [] : [{ value: 'dm', word: 'To the DM' } as const]),
    { value: 'private', word: 'Only for me' },
    { value: 'party', word: 'For everyone at the table' },
    ...(others.length > 0 ? [{ value: 'one', word: 'A whisper to one person' } as const] : []),
  ]

  const send = async () => {
    const text = body.trim()
    if (!text || busy || !me) return
    setBusy(true)
    const link =
      about && currentEntity ? { entityType: currentEntity.entityType, entityId: currentEntity.entityId } : {}
    const common = { campaignId, body: text, ...link }
    try {
      const [kind, input] =
        reader === 'dm'
          ? (['submit_inbox_item', common] as const)
          : reader === 'one'
            ? (['send_whisper', { ...common, recipientUserId: Number(recipient || others[0]?.userId) }] as const)
            : (['create_note', { ...common, visibility: reader }] as const)
      const arrived = await outbox.post(me.id, kind, input)
      const there = reader === 'dm' ? 'The DM has it.' : reader === 'one' ? 'Whispered.' : 'Written down.'
      toasts.say(arrived ? there : 'No connection. It is kept on this device and goes out by itself.')
      sessionStorage.removeItem(place)
      onClose()
    } catch (error) {
      toasts.fail(messageOf(error))
      setBusy(false)
    }
  }

  return (
    <Dialog title="Write something down" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send()
        }}
      >
        <Fits operation="create_note">
          <AreaField
            label="What must not be forgotten?"
            name="body"
            rows={5}
            mentions
            autofocus
            value={body}
            onValue={setBody}
          />
          <SelectField label="Who reads it" value={reader} onValue={setReader} options={readers} />
          {reader === 'one' && (
            <SelectField
              label="To whom"
              value={recipient || String(others[0]?.userId ?? '')}
              onValue={setRecipient}
              options={others.map((member) => ({
                value: String(member.userId),
                word: member.username,
              }))}
            />
          )}
          {currentEntity && (
            <Checkbox label={`It is about ${currentEntity.label}`} checked={about} onValue={setAbout} />
          )}
          <div class="actions">
            <Button onClick={onClose}>Not now</Button>
            <Button variant="primary" type="submit" icon="quill" busy={busy} disabled={!body.trim()}>
              Keep it
            </Button>
          </div>
        </Fits>
      </form>
    </Dialog>
  )
}
