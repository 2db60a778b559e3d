import './styles.ts'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button, MoreLink } from '../../kit/button.tsx'
import { AreaField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { Icon, type IconName } from '../../kit/icon.tsx'
import { EmptyState, LoadError, Loading, Section } from '../../kit/page.tsx'
import { useAction, useWrite } from '../../shell/actions.ts'
import { useApp, useCampaign, usePages, usePageTitle, useQuery } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { type Seat, SeatLimits } from './limits.tsx'
import { Turn } from './turn.tsx'

const states: Readonly<Record<Seat['state'], { readonly word: string; readonly tone: string }>> = {
  off: { word: 'Empty', tone: 'faint' },
  no_provider: { word: 'No AI lives here yet', tone: 'faint' },
  paused: { word: 'Silent', tone: 'bad' },
  still: { word: 'Silent, the table is still', tone: 'bad' },
  working: { word: 'At work', tone: 'brass' },
  spent: { word: 'Its allowance is spent', tone: 'brass' },
  ready: { word: 'Listening', tone: 'ok' },
}

const titles: Readonly<Record<Seat['mode'], string>> = {
  off: 'An empty seat',
  co_dm: 'A seat beside you',
  driver: 'At the head of the table',
}

/** Where an AI sits with the table: everybody sees what it is and does, and stops it; a Dungeon Master asks it and sets its limits. */
export function SeatPage(): JSX.Element {
  const { campaignId, campaign, isDm, mayWrite } = useCampaign()
  const act = useAction()
  const seat = useQuery('get_ai_seat', { campaignId })
  const turns = usePages('list_ai_turns', { campaignId, limit: 20 })
  usePageTitle('AI seat', campaign.name)
  if (!seat.data) return seat.error ? <LoadError error={seat.error} retry={seat.retry} /> : <Loading />
  const { mode, state, says, pausedAt, pauseReason, provider } = seat.data
  const { word, tone } = states[state]
  const mayAsk = isDm && mayWrite
  const where = provider.external ? 'It reads only what its author agreed to' : 'It answers on this server'
  return (
    <>
      <header class="seat-head">
        <div>
          <p class="line">
            <span class={`word ${tone}`}>{word}</span>
            {mode !== 'off' && provider.ready && <span class="small soft">{where}</span>}
          </p>
          <h1>{isDm || mode === 'off' ? titles[mode] : 'The AI at your table'}</h1>
          <p class="sub">{says}</p>
        </div>
        {mode !== 'off' && pausedAt === null && (
          <button type="button" class="seat-stop" onClick={() => void act('pause_ai_seat', { campaignId })}>
            <Icon name="pause" />
            <span>
              <strong>Stop it now</strong>
              <small>Anybody at the table may, and needs no reason</small>
            </span>
          </button>
        )}
      </header>
      {pausedAt !== null && (
        <div class="banner bad" role="status">
          <Icon name="pause" />
          <span class="grow">
            <strong>It is silent.</strong>
            <span class="secondary">
              Somebody stopped it{pauseReason ? `: ${pauseReason}` : ''}. What it was saying was thrown away.
            </span>
          </span>
          {mayAsk && <Button onClick={() => void act('resume_ai_seat', { campaignId })}>Let it go on</Button>}
        </div>
      )}
      {mayAsk && <Modes seat={seat.data} />}
      <div class="two-columns">
        <div>
          <Section
            title="What it said and did"
            end={isDm && <MoreLink to={sectionPath(campaignId, 'scribe')}>The scribe</MoreLink>}
          >
            {mayAsk && mode !== 'off' && <Ask seat={seat.data} />}
            {turns.error && turns.items.length === 0 ? (
              <LoadError error={turns.error} retry={turns.retry} within />
            ) : turns.items.length === 0 && !turns.waiting ? (
              <EmptyState title="Nothing yet" drawing="window">
                {isDm
                  ? 'Put it beside you, then ask it for something: three smells, a name, what the clerk wants.'
                  : 'When your Dungeon Master asks it for something, what it does stands here.'}
              </EmptyState>
            ) : (
              <ol class="seat-log">
                {turns.items.map((turn) => (
                  <Turn key={turn.id} turn={turn} onTakenBack={turns.retry} />
                ))}
              </ol>
            )}
            {turns.more && (
              <Button variant="quiet" onClick={turns.loadMore} busy={turns.loading}>
                Older ones
              </Button>
            )}
          </Section>
        </div>
        <SeatLimits seat={seat.data} />
      </div>
    </>
  )
}

const modes: readonly {
  readonly mode: Seat['mode']
  readonly icon: IconName
  readonly name: string
  readonly hint: string
}[] = [
  { mode: 'off', icon: 'x', name: 'Off', hint: 'The seat is empty. Nothing is sent, nothing is read' },
  { mode: 'co_dm', icon: 'seat', name: 'Beside you', hint: 'It tells and proposes. Changes wait in your inbox' },
  {
    ...{ mode: 'driver', icon: 'dice', name: 'At the head of the table' },
    hint: 'It acts by itself, within what you tick, while you play',
  },
]

function Modes({ seat: { mode } }: { seat: Seat }): JSX.Element {
  const { campaignId } = useCampaign()
  const { confirmations } = useApp()
  const act = useAction()
  const choose = async (next: Seat['mode']) => {
    const question = {
      title: 'Let it act by itself?',
      text: 'What it does happens at once, without asking. It never removes anything, and each change can be put back.',
      yes: 'Let it act',
    }
    if (next !== 'driver' || (await confirmations.ask(question)))
      await act('update_ai_seat', { campaignId, mode: next })
  }
  return (
    <fieldset class="pick">
      <legend class="visually-hidden">Where it sits</legend>
      {modes.map(({ mode: its, icon, name, hint }) => (
        <label key={its}>
          <Icon name={icon} />
          <input
            type="radio"
            name="seat-mode"
            checked={mode === its}
            onChange={(event) => {
              // It stands where the server says, until that says otherwise.
              event.currentTarget.checked = mode === its
              if (mode !== its) void choose(its)
            }}
          />
          <span>
            <strong>{name}</strong>
            <small>{hint}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function Ask({ seat: { mode, state, says } }: { seat: Seat }): JSX.Element {
  const { campaignId } = useCampaign()
  const write = useWrite()
  const submitting = useSubmit()
  const [prompt, setPrompt] = useState('')
  const send = async () => {
    if (await submitting.run(() => write('narrate', { campaignId, prompt: prompt.trim() }))) setPrompt('')
  }
  const listens = state === 'ready'
  const label = mode === 'driver' ? 'Ask it to do something' : 'Ask it for something'
  const hint = listens ? 'Players do not see what you ask' : says
  return (
    <Form operation="narrate" submitting={submitting} onSubmit={() => void send()} class="panel stack">
      <AreaField label={label} name="prompt" hint={hint} rows={2} value={prompt} onValue={setPrompt} />
      <FormError error={submitting.error} />
      <div class="line">
        <Button
          type="submit"
          variant="primary"
          icon="quill"
          busy={submitting.busy}
          disabled={!listens || prompt.trim() === ''}
        >
          Ask
        </Button>
      </div>
    </Form>
  )
}
