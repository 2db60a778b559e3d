import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Item } from '../../api/contract.ts'
import { Avatar } from '../../kit/avatar.tsx'
import { Button } from '../../kit/button.tsx'
import { AreaField, Switch } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { Section } from '../../kit/page.tsx'
import { useAction, useWrite } from '../../shell/actions.ts'
import { useApp, useCampaign, useMe, usePages } from '../../shell/context.ts'

/** What helps oneself at the table, with two separate yeses; and what others shared with a Dungeon Master. */
export function Wish(): JSX.Element | null {
  const { campaignId, isDm } = useCampaign()
  const list = usePages('list_support_preferences', { campaignId, limit: 100 })
  const members = usePages('list_members', { campaignId, limit: 200 }, { all: true }).items
  const me = useMe()?.id
  const mine = list.items.find(({ userId }) => userId === me)
  if (list.waiting) return null
  const others = list.items.filter(({ userId }) => userId !== me)
  return (
    <Section title="What helps you at the table" class="wish">
      <p class="soft prose">Yours to write, yours to take back. Nobody reads it until you say so.</p>
      <WishForm key={JSON.stringify(mine ?? null)} mine={mine} />
      {isDm && others.length > 0 && (
        <>
          <h3 class="label">Shared with you</h3>
          <ul class="helps">
            {others.map(({ id, userId, text: theirs, aiUseAllowed: allowed }) => {
              const name = members.find((member) => member.userId === userId)?.username ?? ''
              return (
                <li key={id}>
                  <Avatar name={name} small />
                  <span>
                    <strong>{name}</strong>: “{theirs}”{' '}
                    <span class={allowed ? 'word ok' : 'word faint'}>
                      {allowed ? 'An AI may use it' : 'No AI may use it'}
                    </span>
                  </span>
                </li>
              )
            })}
          </ul>
        </>
      )}
      {isDm && <p class="small soft">Whether anybody else wrote something, you are not told.</p>}
    </Section>
  )
}

/** It begins anew with what is kept: after saving, and when another of one's own devices changed it. */
function WishForm({ mine }: { mine: Item<'list_support_preferences'> | undefined }): JSX.Element {
  const { campaignId, isDm, mayWrite } = useCampaign()
  const { toasts } = useApp()
  const act = useAction()
  const write = useWrite()
  const submitting = useSubmit()
  const [text, setText] = useState(mine?.text ?? '')
  const [sharedWithDm, setShared] = useState(mine?.sharedWithDm ?? false)
  const [aiUseAllowed, setAllowed] = useState(mine?.aiUseAllowed ?? false)
  const changed =
    text.trim() !== (mine?.text ?? '') ||
    sharedWithDm !== (mine?.sharedWithDm ?? false) ||
    aiUseAllowed !== (mine?.aiUseAllowed ?? false)
  const save = async () => {
    const input = { campaignId, text: text.trim(), sharedWithDm, aiUseAllowed }
    if (await submitting.run(() => write('set_my_support_preference', input))) toasts.say('Kept.')
  }
  return (
    <Form
      operation="set_my_support_preference"
      submitting={submitting}
      onSubmit={() => void save()}
      class="panel stack"
    >
      <AreaField label="In your words" name="text" rows={3} value={text} onValue={setText} />
      <div class="switches">
        <Switch
          label={isDm ? 'Other Dungeon Masters may read this' : 'The Dungeon Master may read this'}
          hint="On this page, before the night begins"
          checked={sharedWithDm}
          onValue={setShared}
          disabled={!mayWrite}
        />
        <Switch
          label="An AI may take it into account"
          hint="Only where this table allows outside AI at all. What you said yes to elsewhere does not count here"
          checked={aiUseAllowed}
          onValue={setAllowed}
          disabled={!mayWrite}
        />
      </div>
      <FormError error={submitting.error} />
      {mayWrite && (
        <div class="line">
          <Button type="submit" busy={submitting.busy} disabled={!changed || text.trim() === ''}>
            Keep it
          </Button>
          {mine && !changed && <span class="word ok">Saved</span>}
          {mine && (
            <Button
              variant="danger-quiet"
              class="end"
              onClick={() =>
                void act('delete_my_support_preference', { campaignId }, { message: 'It is gone for good.' })
              }
            >
              Remove it
            </Button>
          )}
        </div>
      )}
    </Form>
  )
}
