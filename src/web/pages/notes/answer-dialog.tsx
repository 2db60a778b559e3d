import type { JSX } from 'preact'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { AreaField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { excerpt } from '../../kit/prose.tsx'
import { useWords } from '../../kit/words.ts'
import { useWrite } from '../../shell/actions.ts'
import { useApp, useCampaign } from '../../shell/context.ts'

interface Answered {
  readonly id: number
  readonly body?: string | null | undefined
  readonly authorUserId: number
  readonly entityType: string | null
  readonly entityId: number | null
}

/** Words back to whoever wrote, as a whisper about the same thing. */
export function AnswerDialog({
  to,
  name,
  onClose,
}: {
  to: Answered
  /** Who wrote it. */
  name: string
  onClose: () => void
}): JSX.Element {
  const { campaignId } = useCampaign()
  const { toasts } = useApp()
  const write = useWrite()
  const submitting = useSubmit()
  const words = useWords(`answer ${to.id}`, { body: '' })
  const { body } = words.values
  const send = async () => {
    const { entityType, entityId } = to
    const went = await submitting.run(() =>
      write('send_whisper', {
        campaignId,
        recipientUserId: to.authorUserId,
        body: body.trim(),
        ...(entityType === null || entityId === null ? {} : { entityType, entityId }),
      }),
    )
    if (!went) return
    words.forget()
    toasts.say(`Whispered to ${name}.`)
    onClose()
  }
  return (
    <Dialog title={`Answer ${name}`} onClose={onClose}>
      <Form operation="send_whisper" ownWords submitting={submitting} onSubmit={() => void send()} class="stack">
        <p class="soft">“{excerpt(to.body, 120)}”</p>
        <AreaField
          label="Your answer"
          name="body"
          rows={3}
          mentions
          hint={`Only ${name} and you read it.`}
          value={body}
          onValue={(text) => words.set({ body: text })}
        />
        <FormError error={submitting.error} />
        <div class="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" icon="whisper" busy={submitting.busy} disabled={!body.trim()}>
            Whisper it
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
