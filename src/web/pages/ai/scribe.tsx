import './styles.ts'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Item, Output } from '../../api/contract.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { AreaField, SelectField, Switch, TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { count, number, when } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { BackLink, EmptyState, LoadError, Loading, PageHeader, Section } from '../../kit/page.tsx'
import { useAction, useWrite } from '../../shell/actions.ts'
import { useApp, useCampaign, usePages, usePageTitle, useQuery } from '../../shell/context.ts'
import { entityPath, sectionPath } from '../../shell/links.ts'
import { UsageSection } from './usage.tsx'

type Run = Item<'list_scribe_runs'>
type Scribe = Output<'list_scribe_runs'>

const states: Readonly<Record<Run['state'], { readonly word: string; readonly tone: string }>> = {
  queued: { word: 'Waits its turn', tone: 'faint' },
  running: { word: 'Writing', tone: 'brass' },
  drafted: { word: 'Drafted', tone: 'ok' },
  skipped: { word: 'Skipped', tone: 'faint' },
  no_material: { word: 'Nothing it may read', tone: 'faint' },
  failed: { word: 'Failed', tone: 'bad' },
  cancelled: { word: 'Stopped', tone: 'faint' },
}

/** After a session it drafts the recap and lays it in the inbox. It never publishes. For Dungeon Masters. */
export function ScribePage(): JSX.Element {
  const { campaignId, campaign, isDm, mayWrite } = useCampaign()
  const first = useQuery('list_scribe_runs', isDm ? { campaignId, limit: 1 } : null)
  const runs = usePages('list_scribe_runs', isDm ? { campaignId, limit: 20 } : null)
  usePageTitle('The scribe', campaign.name)
  if (!isDm)
    return (
      <EmptyState title="The scribe writes for the Dungeon Master" alone>
        What it drafts is for them to read first. You read the recap once they have published it.
      </EmptyState>
    )
  if (!first.data) return first.error ? <LoadError error={first.error} retry={first.retry} /> : <Loading />
  const { settings, provider } = first.data
  return (
    <>
      <BackLink to={sectionPath(campaignId, 'seat')}>AI seat</BackLink>
      <PageHeader
        title="The scribe"
        sub="It drafts the recap of a session and lays it in your inbox. It never publishes."
      />
      {!provider.ready && (
        <div class="banner" role="status">
          <Icon name="quill" />
          <span class="grow">
            <strong>It cannot write yet.</strong>
            <span class="secondary">{provider.missing}</span>
          </span>
        </div>
      )}
      <div class="two-columns">
        <div>
          <Section title="What it wrote">
            {mayWrite && <Begin />}
            {runs.items.length === 0 && !runs.waiting ? (
              <EmptyState title="Nothing yet" drawing="book">
                Choose a session that was played, and it reads what its people let it read.
              </EmptyState>
            ) : (
              <div class="scribe-runs">
                {runs.items.map((run, index) => (
                  <OneRun key={run.id} run={run} open={index === 0} />
                ))}
              </div>
            )}
            {runs.more && (
              <Button variant="quiet" onClick={runs.loadMore} busy={runs.loading}>
                Older ones
              </Button>
            )}
          </Section>
          <UsageSection />
        </div>
        <aside class="side-column">
          <Settings key={`${settings.language} ${settings.style}`} settings={settings} />
          <section>
            <h2 class="label">What it reads</h2>
            <p class="small soft">
              {provider.external
                ? 'Notes for the party and what was passed on, of those who said yes to an AI outside. '
                : 'Notes for the party and what was passed on. Nothing of it leaves this server. '}
              Never whispers, private notes or secrets.
            </p>
          </section>
        </aside>
      </div>
    </>
  )
}

/** Chooses a session that was played, the last one first. */
function Begin(): JSX.Element | null {
  const { campaignId } = useCampaign()
  const act = useAction()
  const sessions = usePages('list_sessions', { campaignId, limit: 50 }).items.filter(
    ({ status }) => status !== 'planned',
  )
  const [chosen, setChosen] = useState('')
  const [busy, setBusy] = useState(false)
  const [latest] = sessions
  if (latest === undefined) return <p class="soft">When a session was played, it can draft its recap.</p>
  const options = sessions.map(({ id, number: its, title }) => ({
    value: String(id),
    word: title ? `Session ${its}, ${title}` : `Session ${its}`,
  }))
  const draft = async () => {
    setBusy(true)
    await act('run_scribe', { campaignId, sessionId: Number(chosen || latest.id) })
    setBusy(false)
  }
  return (
    <div class="panel stack">
      <SelectField
        label="Session"
        name="sessionId"
        value={chosen || String(latest.id)}
        options={options}
        onValue={setChosen}
      />
      <div class="line">
        <Button variant="primary" icon="quill" busy={busy} onClick={() => void draft()}>
          Draft its recap
        </Button>
      </div>
    </div>
  )
}

function OneRun({ run, open }: { run: Run; open: boolean }): JSX.Element {
  const { campaignId, mayWrite } = useCampaign()
  const act = useAction()
  const { state, session, sessionId, message, createdAt, endedAt, written, proposalId } = run
  const { word, tone } = states[state]
  const again = (extra: { readonly force?: boolean; readonly stop?: boolean } = {}) => {
    if (sessionId !== null) void act('run_scribe', { campaignId, sessionId, ...extra })
  }
  const draft = proposalId === null ? null : entityPath(campaignId, 'proposal', proposalId)
  const isAtWork = state === 'queued' || state === 'running'
  const asked = run.trigger === 'after_session' ? 'After the session' : 'Asked for'
  return (
    <details open={open || isAtWork}>
      <summary>
        <Icon name="right" size="s" />
        <span>
          <strong>{session?.title ?? 'A session that is gone'}</strong>
          <span class="secondary">
            {asked}, {when(endedAt ?? createdAt)}
          </span>
        </span>
        <span class={`word ${tone}`}>{word}</span>
      </summary>
      <div class="in">
        {isAtWork && (
          <div class="progress" role="status">
            <div class="said">
              <span>
                {state === 'queued'
                  ? 'It begins when the one before is done'
                  : `Has read ${count(run.included, 'note')}`}
              </span>
              <span>{written > 0 ? `${number(written)} letters` : ''}</span>
            </div>
            <div class="track">
              <i class="wander" />
            </div>
          </div>
        )}
        {/* What it was not given is said below, with how many of each. */}
        {message && !(state === 'no_material' && isWithheld(run)) && <p class="soft">{message}</p>}
        {state === 'failed' && <p class="soft">Nothing was lost and nothing was written.</p>}
        <Withheld run={run} />
        <p class="line">
          {draft && <LinkButton to={draft}>Read the draft</LinkButton>}
          {mayWrite && isAtWork && (
            <Button variant="quiet" onClick={() => again({ stop: true })}>
              Stop this one
            </Button>
          )}
          {mayWrite && state === 'drafted' && (
            <Button variant="quiet" onClick={() => again({ force: true })}>
              Draft it again
            </Button>
          )}
          {mayWrite && state === 'skipped' && (
            <Button onClick={() => again({ force: true })}>Draft it all the same</Button>
          )}
          {mayWrite && (state === 'failed' || state === 'cancelled') && (
            <Button onClick={() => again()}>Try again</Button>
          )}
          {mayWrite && state === 'no_material' && (
            <LinkButton icon="pen" to={sectionPath(campaignId, 'notes')}>
              Write three lines for it
            </LinkButton>
          )}
        </p>
      </div>
    </details>
  )
}

const isWithheld = ({ withheldNoConsent, withheldByPolicy }: Run) => withheldNoConsent + withheldByPolicy > 0

function Withheld({ run: { withheldNoConsent, withheldByPolicy } }: { run: Run }): JSX.Element | null {
  const lines = [
    { number: withheldNoConsent, why: 'Their authors have not said yes to the AI' },
    { number: withheldByPolicy, why: 'This campaign gives no member’s notes to an AI outside' },
  ].filter((each) => each.number > 0)
  if (lines.length === 0) return null
  return (
    <div>
      <h3 class="label">It did not read these</h3>
      <table class="withheld">
        <tbody>
          {lines.map(({ number: its, why }) => (
            <tr key={why}>
              <td>{its}</td>
              <td>
                {its === 1 ? 'note' : 'notes'}. <span class="soft">{why}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Settings({ settings }: { settings: Scribe['settings'] }): JSX.Element {
  const { campaignId, mayWrite } = useCampaign()
  const { toasts } = useApp()
  const act = useAction()
  const write = useWrite()
  const submitting = useSubmit()
  const [language, setLanguage] = useState(settings.language ?? '')
  const [style, setStyle] = useState(settings.style ?? '')
  const changed = language.trim() !== (settings.language ?? '') || style.trim() !== (settings.style ?? '')
  const save = async () => {
    const input = { campaignId, language: language.trim() || null, style: style.trim() || null }
    if (await submitting.run(() => write('update_scribe_settings', input))) toasts.say('Kept.')
  }
  return (
    <section>
      <h2 class="label">How and when it writes</h2>
      <Switch
        label="After each session, by itself"
        checked={settings.afterSession}
        disabled={!mayWrite}
        onValue={(afterSession) => void act('update_scribe_settings', { campaignId, afterSession })}
      />
      <Form operation="update_scribe_settings" submitting={submitting} onSubmit={() => void save()}>
        <TextField
          label="Language"
          name="language"
          hint="Where nothing stands, that of the notes"
          value={language}
          onValue={setLanguage}
          disabled={!mayWrite}
        />
        <AreaField label="How it sounds" name="style" rows={2} value={style} onValue={setStyle} />
        <FormError error={submitting.error} />
        {mayWrite && (
          <Button type="submit" busy={submitting.busy} disabled={!changed}>
            Keep it
          </Button>
        )}
      </Form>
    </section>
  )
}
