import './styles.ts'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Input, Output } from '../../api/contract.ts'
import { Avatar } from '../../kit/avatar.tsx'
import { Button } from '../../kit/button.tsx'
import { AreaField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { capitalize, count, when } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { EmptyState, LoadError, Loading, PageHeader, Section } from '../../kit/page.tsx'
import { Prose } from '../../kit/prose.tsx'
import type { Offer } from '../../kit/toast.tsx'
import { useAction, useWrite } from '../../shell/actions.ts'
import { messageOf, useApp, useCampaign, useMe, usePageTitle, useQuery } from '../../shell/context.ts'
import { Versions } from './versions.tsx'
import { Wish } from './wish.tsx'

export type Charter = Output<'get_charter'>

export const charterParts = [
  { name: 'lines', title: 'Lines', hint: 'never, not even told about' },
  { name: 'veils', title: 'Veils', hint: 'it happens, the door is shut' },
  { name: 'houseRules', title: 'How we play', hint: null },
  { name: 'safetyTools', title: 'What we may use', hint: null },
] as const

/** One item a line, with or without the mark of a list. */
export function itemsOf(text: string | null): readonly string[] {
  return (text ?? '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '').trim())
    .filter(Boolean)
}

export function CharterPage(): JSX.Element {
  const { campaignId, campaign, isDm, mayWrite, role } = useCampaign()
  const charter = useQuery('get_charter', { campaignId })
  const [editing, setEditing] = useState(false)
  usePageTitle('Charter', campaign.name)
  if (!charter.data) return charter.error ? <LoadError error={charter.error} retry={charter.retry} /> : <Loading />
  const written = charter.data.revision > 0
  const mayEdit = isDm && mayWrite
  return (
    <>
      <PageHeader title="What we promised each other" sub={written && <Standing charter={charter.data} />}>
        {mayEdit && !editing && (
          <Button variant={written ? 'plain' : 'primary'} icon="pen" onClick={() => setEditing(true)}>
            {written ? 'Change the charter' : 'Write it together'}
          </Button>
        )}
      </PageHeader>
      {editing ? (
        <CharterForm charter={charter.data} onClose={() => setEditing(false)} />
      ) : written ? (
        <div class="two-columns">
          <Words charter={charter.data} />
          <aside class="side-column">
            <Readers charter={charter.data} />
            {isDm && charter.data.charterId !== null && <Versions charterId={charter.data.charterId} />}
          </aside>
        </div>
      ) : (
        <EmptyState title="Nothing is promised yet" drawing="book">
          Before the first evening a table says what it will not tell, what it hides behind a door, and how anybody
          stops it.
        </EmptyState>
      )}
      {!editing && <Stopping />}
      {!editing && role !== 'viewer' && <Wish />}
      {!editing && written && <Agree charter={charter.data} />}
    </>
  )
}

function Standing({ charter: { revision, updatedAt, acknowledgements, unacknowledged } }: { charter: Charter }) {
  const read = acknowledgements.filter(({ current }) => current).length
  const all = acknowledgements.length + unacknowledged.length
  return (
    <span>
      Version {revision}
      {updatedAt && `, ${when(updatedAt)}`}.{' '}
      {read === all ? 'Everybody has read it.' : `${read} of ${all} have read it.`}
    </span>
  )
}

function Words({ charter }: { charter: Charter }): JSX.Element {
  return (
    <div>
      {charter.tone && <p class="charter-tone">{charter.tone}</p>}
      <div class="vows">
        {charterParts.map(({ name, title, hint }) => {
          const items = itemsOf(charter[name])
          return items.length === 0 ? null : (
            <section key={name} class={`vow-${name}`}>
              <h2>
                {title}
                {hint && <small>{hint}</small>}
              </h2>
              <ul>
                {items.map((item) => (
                  <li key={item}>
                    <Prose text={item} class="inline-prose" />
                  </li>
                ))}
              </ul>
            </section>
          )
        })}
      </div>
    </div>
  )
}

function Readers({ charter: { revision, acknowledgements, unacknowledged } }: { charter: Charter }): JSX.Element {
  return (
    <section>
      <h2 class="label">Has read version {revision}</h2>
      <ul class="signed">
        {acknowledgements.map(({ userId, username, revision: read, acknowledgedAt, current }) => (
          <li key={userId}>
            <Avatar name={username} small />
            <span class="grow">{username}</span>
            {current ? (
              <span class="word ok">{capitalize(when(acknowledgedAt))}</span>
            ) : (
              <span class="word brass">Read version {read}</span>
            )}
          </li>
        ))}
        {unacknowledged.map(({ userId, username }) => (
          <li key={userId}>
            <Avatar name={username} small />
            <span class="grow">{username}</span>
            <span class="word faint">Not yet</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Whoever has not read the charter as it is says so here; on a phone it stays under the thumb. */
function Agree({ charter }: { charter: Charter }): JSX.Element | null {
  const { campaignId, campaign } = useCampaign()
  const act = useAction()
  const me = useMe()?.id
  const mine = charter.acknowledgements.find(({ userId }) => userId === me)
  if (mine?.current || campaign.status === 'archived') return null
  return (
    <div class="agree">
      {mine && <p class="small soft">It has changed since you read it.</p>}
      <Button
        variant="primary"
        icon="check"
        onClick={() =>
          void act(
            'acknowledge_charter',
            { campaignId, revision: charter.revision },
            { message: 'Thank you. The table knows.' },
          )
        }
      >
        I have read this
      </Button>
    </div>
  )
}

function Stopping(): JSX.Element {
  const { isDm } = useCampaign()
  return (
    <Section title="When somebody wants it to stop">
      <p class="soft prose">
        Two taps on any page, no reason asked. Every screen at the table goes still. Who tapped is not shown, not kept
        and not guessed.
      </p>
      {isDm && (
        <ul class="says">
          {[
            'Say “thank you, we leave it here”, and cut to the next thing',
            'Do not ask who. Do not look round',
            'Only a Dungeon Master lets the table go on. The signal is gone then; the history keeps that there was one, and nobody’s name',
          ].map((text) => (
            <li key={text}>
              <Icon name="check" />
              <span>{text}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

type Draft = Record<'tone' | (typeof charterParts)[number]['name'], string>

function CharterForm({ charter, onClose }: { charter: Charter; onClose: () => void }): JSX.Element {
  const { campaignId } = useCampaign()
  const { toasts } = useApp()
  const write = useWrite()
  const submitting = useSubmit()
  const [draft, setDraft] = useState<Draft>(() => ({
    tone: charter.tone ?? '',
    lines: itemsOf(charter.lines).join('\n'),
    veils: itemsOf(charter.veils).join('\n'),
    houseRules: itemsOf(charter.houseRules).join('\n'),
    safetyTools: itemsOf(charter.safetyTools).join('\n'),
  }))
  // The version that is open now, whatever others write meanwhile.
  const [began] = useState(charter)
  const { revision } = began
  /** Whoever writes it here has read it. */
  const keep = async (input: Input<'update_charter'>) => {
    const written = await write('update_charter', input)
    if (written.kind === 'done' && written.value.revision > 0)
      await write('acknowledge_charter', { campaignId, revision: written.value.revision })
    return written
  }
  /** A charter is no part of what a record takes back: its former words are written once more. */
  const undoOf = (now: number): Offer => ({
    word: 'Undo',
    async run() {
      const { tone, lines, veils, houseRules, safetyTools } = began
      try {
        await keep({ campaignId, expectedRevision: now, tone, lines, veils, houseRules, safetyTools })
        toasts.say('It is as it was.')
      } catch (error) {
        toasts.fail(messageOf(error))
      }
    },
  })
  const put = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const save = async () => {
    const listed = (text: string): string | null =>
      itemsOf(text)
        .map((item) => `- ${item}`)
        .join('\n') || null
    const input: Input<'update_charter'> = {
      campaignId,
      ...(revision === 0 ? {} : { expectedRevision: revision }),
      tone: draft.tone.trim() || null,
      lines: listed(draft.lines),
      veils: listed(draft.veils),
      houseRules: listed(draft.houseRules),
      safetyTools: listed(draft.safetyTools),
    }
    let undo: Offer | undefined
    const done = await submitting.run(async () => {
      const written = await keep(input)
      if (written.kind === 'done' && revision > 0) undo = undoOf(written.value.revision)
    })
    if (!done) return
    toasts.say('Written. Everybody is asked to read it.', undo)
    onClose()
  }
  return (
    <Form
      operation="update_charter"
      submitting={submitting}
      onSubmit={() => void save()}
      onCancel={onClose}
      class="stack form charter-form"
    >
      <AreaField
        label="What kind of tale it is"
        name="tone"
        rows={3}
        value={draft.tone}
        onValue={(tone) => put({ tone })}
      />
      {charterParts.map(({ name, title, hint }) => (
        <AreaField
          key={name}
          label={title}
          name={name}
          rows={4}
          hint={hint ? `${capitalize(hint)}. One to a line.` : 'One to a line.'}
          value={draft[name]}
          onValue={(text) => put({ [name]: text })}
        />
      ))}
      <FormError error={submitting.error} />
      <div class="line">
        <Button onClick={onClose}>Not now</Button>
        <Button variant="primary" type="submit" busy={submitting.busy}>
          Keep it
        </Button>
      </div>
      <p class="small soft">
        {charter.revision > 0
          ? `Who has read version ${charter.revision} (${count(charter.acknowledgements.length, 'member')}) is asked again.`
          : 'Everybody at the table is asked to read it.'}
      </p>
    </Form>
  )
}
