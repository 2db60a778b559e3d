import type { JSX } from 'preact'
import type { GetOf, Input, UpdateOf } from '../api/contract.ts'
import { idMember, lineOf } from '../kinds.ts'
import { useWrite } from '../shell/actions.ts'
import { type EntityRef, useApp, useCampaign, useQuery } from '../shell/context.ts'
import { entityPath } from '../shell/links.ts'
import { Button, LinkButton } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { AreaField, TextField } from './field.tsx'
import { Form, FormError, useSubmit } from './form.tsx'
import { ToggleGroup } from './toggle-group.tsx'
import { useWords } from './words.ts'

const ways = { mend: 'Mend a word', add: 'Add a fact', ask: 'Ask a question' } as const
type Way = keyof typeof ways

/**
 * How a player begins to change something: a word that is wrong, a fact that is missing, or a question to the DM. Behind it
 * stands the long form with all there is.
 */
export function ProposeDialog({ entity, onClose }: { entity: EntityRef; onClose: () => void }): JSX.Element {
  const { campaignId } = useCampaign()
  const { toasts } = useApp()
  const write = useWrite()
  const submitting = useSubmit()
  const { entityType, entityId, label } = entity
  const { get, update } = lineOf(entityType)
  const id = { [idMember(entityType)]: entityId }
  // Whatever kind it is, its open text is called so.
  const { data } = useQuery(get as GetOf<'npc'>, id as Input<GetOf<'npc'>>)
  const words = useWords('propose', { way: 'mend' as Way, wrong: '', right: '', text: '' })
  const { way, wrong, right, text } = words.values
  const close = () => {
    words.forget()
    onClose()
  }
  const body = data?.body ?? ''
  const isThere = wrong !== '' && body.includes(wrong)

  const propose = async (next: string, reason: string) => {
    const input = { ...id, expectedRevision: data?.revision, body: next }
    await write(update as UpdateOf<'npc'>, input as Input<UpdateOf<'npc'>>, { reason })
    toasts.say('Sent to the DM as a proposal.')
  }
  const send = async () => {
    const went = await submitting.run(async () => {
      const said = text.trim()
      if (way === 'mend')
        await propose(
          body.replace(wrong, () => right.trim()),
          `“${wrong}” should be “${right.trim()}”`,
        )
      else if (way === 'add') await propose([body, said].filter(Boolean).join('\n\n'), 'Something to add')
      else {
        await write('submit_inbox_item', { campaignId, body: said, entityType, entityId })
        toasts.say('The DM has it. The answer comes with your notices.')
      }
    })
    if (went) close()
  }
  const isReady = way === 'mend' ? isThere && right.trim() !== '' : text.trim() !== ''
  return (
    <Dialog title={`What about ${label}?`} onClose={onClose}>
      <ToggleGroup
        variant="chips"
        label="What it is"
        options={(Object.keys(ways) as Way[]).map((value) => ({ value, word: ways[value] }))}
        value={way}
        onValue={(next) => words.set({ way: next })}
      />
      <Form operation="submit_inbox_item" ownWords submitting={submitting} onSubmit={() => void send()} class="stack">
        {way === 'mend' && (
          <>
            <TextField
              label="The word that is wrong"
              maxLength={200}
              hint={wrong && !isThere ? 'It does not stand there so. Write it just as it is on the page.' : undefined}
              value={wrong}
              onValue={(typed) => words.set({ wrong: typed })}
            />
            <TextField
              label="What it should be"
              maxLength={200}
              value={right}
              onValue={(typed) => words.set({ right: typed })}
            />
          </>
        )}
        {way !== 'mend' && (
          <AreaField
            key={way}
            name="body"
            label={way === 'add' ? 'What else is known' : 'Your question'}
            rows={4}
            mentions
            value={text}
            onValue={(typed) => words.set({ text: typed })}
          />
        )}
        <FormError error={submitting.error} />
        <div class="actions">
          <LinkButton variant="quiet" to={`${entityPath(campaignId, entityType, entityId)}/edit`}>
            The long form
          </LinkButton>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" type="submit" disabled={!isReady} busy={submitting.busy}>
            {way === 'ask' ? 'Ask the DM' : 'Propose it'}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
