import './styles.ts'
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { type CallError, uuid } from '../../api/call.ts'
import { type Upload, upload } from '../../api/upload.ts'
import { kindOf } from '../../kinds.ts'
import { Button } from '../../kit/button.tsx'
import { bytes, capitalize, count } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { BackLink, PageHeader, Progress, Section } from '../../kit/page.tsx'
import { useWrite } from '../../shell/actions.ts'
import { messageOf, useApp, usePageTitle } from '../../shell/context.ts'
import { campaignPath, paths } from '../../shell/links.ts'

interface Report {
  readonly name: string
  readonly madeBy: string | null
  readonly kinds: readonly { readonly entityType: string; readonly count: number; readonly leftOut: number }[]
  readonly pictures: { readonly found: number; readonly missing: number }
  readonly dropped: readonly {
    readonly entityType: string
    readonly member: string
    readonly count: number
    readonly reason: string
  }[]
  readonly plainMentions: number
  readonly unowned: number
}

interface Said {
  readonly text: string
  readonly mind: boolean
}

function sentencesOf({ kinds, pictures, dropped, plainMentions, unowned, madeBy }: Report): readonly Said[] {
  const words = (entityType: string, number: number): string => {
    const kind = kindOf(entityType)
    return kind === undefined ? `${number} ${entityType.replaceAll('_', ' ')}` : count(number, kind.one, kind.many)
  }
  const good = (text: string): Said => ({ text: capitalize(text), mind: false })
  const mind = (text: string): Said => ({ text: capitalize(text), mind: true })
  const rows = kinds.filter((kind) => kind.count > 0 && kind.entityType !== 'attachment')
  return [
    ...(rows.length === 0
      ? [mind('There is nothing in it but its name.')]
      : [good(`${rows.map((kind) => words(kind.entityType, kind.count)).join(', ')}.`)]),
    ...(madeBy === null ? [] : [good(`made by ${madeBy}.`)]),
    ...(pictures.found > 0
      ? [good(`${count(pictures.found, 'picture')} with ${pictures.found === 1 ? 'its file' : 'their files'}.`)]
      : []),
    ...(pictures.missing > 0
      ? [
          mind(
            `${count(pictures.missing, 'picture')} ${pictures.missing === 1 ? 'is' : 'are'} not in the file and cannot come along.`,
          ),
        ]
      : []),
    ...(unowned > 0
      ? [
          mind(
            `${count(unowned, 'thing')} somebody wrote or brought ${unowned === 1 ? 'becomes' : 'become'} yours: people of another server are nobody here.`,
          ),
        ]
      : []),
    ...(plainMentions > 0
      ? [
          mind(
            `${count(plainMentions, 'mention')} of what is not in the file ${plainMentions === 1 ? 'stays' : 'stay'} as plain words.`,
          ),
        ]
      : []),
    ...dropped.map(({ entityType, member, count: times, reason }) =>
      mind(
        `left out, ${times === 1 ? 'once' : `${times} times`}: ${[kindOf(entityType)?.one ?? entityType, member].filter(Boolean).join(', ')}. ${capitalize(reason)}.`,
      ),
    ),
  ]
}

const phases: Readonly<Record<string, string>> = {
  reading: 'Reading it',
  pictures: 'Looking at the pictures',
  writing: 'Writing it into the book',
}

interface Work {
  readonly said: string
  readonly part: number | null
}

const lookMs = 700

/** Bringing a campaign home: a file, what would become of it, and then all of it or nothing. */
export function BringHome(): JSX.Element {
  const { client, toasts, cache } = useApp()
  const [, navigate] = useLocation()
  const write = useWrite()
  const [file, setFile] = useState<File | null>(null)
  const [report, setReport] = useState<Report | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [work, setWork] = useState<Work | null>(null)
  const [over, setOver] = useState(false)
  const running = useRef<Upload<unknown> | null>(null)
  const shown = useRef<HTMLDivElement>(null)
  usePageTitle('Bring a tale home')
  useEffect(() => () => running.current?.cancel(), [])
  useEffect(() => {
    if (report !== null) shown.current?.focus()
  }, [report])

  /** Sends the file and follows what the server does with it. */
  const send = async <T,>(path: string, given: File): Promise<T | null> => {
    const job = uuid()
    const form = new FormData()
    form.append('job', job)
    form.append('file', given)
    setProblem(null)
    setWork({ said: 'Sending the file', part: 0 })
    let arrived = false
    const sending = upload<T>(path, form, (part) => {
      arrived = part >= 1
      if (!arrived) setWork({ said: 'Sending the file', part })
    })
    running.current = sending
    const look = setInterval(() => {
      if (!arrived) return
      client
        .send<{ work: { phase: string; done: number; total: number } | null }>({
          method: 'GET',
          path: `/campaigns/import/jobs/${job}`,
        })
        .then(({ work: now }) => {
          if (now !== null && running.current === sending)
            setWork({ said: phases[now.phase] ?? 'Working', part: now.total > 0 ? now.done / now.total : null })
        })
        .catch(() => {})
    }, lookMs)
    try {
      return await sending.answer
    } catch (error) {
      if ((error as CallError).code === 'cancelled') toasts.say('Stopped. Nothing came in.')
      else setProblem(messageOf(error))
      return null
    } finally {
      clearInterval(look)
      running.current = null
      setWork(null)
    }
  }
  const choose = async (given: File | undefined) => {
    if (given === undefined || work !== null) return
    setFile(given)
    setReport(null)
    setReport(await send<Report>('/campaigns/import/inspect', given))
  }
  const bring = async () => {
    if (file === null) return
    const made = await send<{ id: number; name: string }>('/campaigns/import', file)
    if (made === null) return
    cache.invalidateBy('import_campaign')
    toasts.say(`${made.name} has come home.`)
    navigate(campaignPath(made.id))
  }
  const trySample = async () => {
    setWork({ said: 'Setting the table', part: null })
    try {
      const made = await write('create_sample_campaign', {})
      if (made.kind === 'done') navigate(campaignPath(made.value.id))
    } catch (error) {
      setProblem(messageOf(error))
    } finally {
      setWork(null)
    }
  }
  return (
    <>
      <BackLink to={paths.campaigns}>Campaigns</BackLink>
      <PageHeader title="Bring a tale home" sub="It always becomes a new campaign. Nothing you have is touched." />
      {/* biome-ignore lint/a11y/useSemanticElements: it groups no fields of a form */}
      <div
        role="group"
        aria-label="A file to bring home"
        class={over ? 'lay-here over' : 'lay-here'}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          void choose(event.dataTransfer?.files[0])
        }}
      >
        <Icon name="put" />
        <p>
          <strong>Lay a file here</strong>
          <br />
          <span class="small soft">
            A campaign exported by Talekeeper, as zip or JSON; Kanka’s export; or an Obsidian folder as a zip.
          </span>
        </p>
        <label class="btn" aria-disabled={work !== null || undefined}>
          Choose one
          <input
            class="visually-hidden"
            type="file"
            accept=".zip,.json,application/zip,application/json"
            disabled={work !== null}
            onChange={(event) => {
              const [given] = event.currentTarget.files ?? []
              // So that the same file can be chosen again.
              event.currentTarget.value = ''
              void choose(given)
            }}
          />
        </label>
      </div>
      {work && (
        <div class="section">
          <Progress said={work.said} part={work.part} />
          {running.current !== null && (
            <Button variant="quiet" onClick={() => running.current?.cancel()}>
              Stop, and keep nothing
            </Button>
          )}
        </div>
      )}
      {problem && (
        <div class="banner bad section" role="alert">
          <Icon name="warn" />
          <span class="grow">
            <strong>Nothing came in, nothing was lost.</strong>
            <br />
            <span class="small">{problem}</span>
          </span>
        </div>
      )}
      {report && file && (
        <div ref={shown} class="home-report" tabIndex={-1}>
          <p class="small soft">
            You chose <code>{file.name}</code>, {bytes(file.size)}
          </p>
          <h2>{`This would become ${report.name}`}</h2>
          <p class="soft">Nothing is written yet.</p>
          <ul>
            {sentencesOf(report).map(({ text, mind }) => (
              <li key={text} class={mind ? 'caution' : undefined}>
                <Icon name={mind ? 'warn' : 'check'} />
                <span>{text}</span>
              </li>
            ))}
          </ul>
          <p class="line">
            <Button variant="primary" busy={work !== null} onClick={() => void bring()}>
              Bring it home
            </Button>
            <Button variant="quiet" disabled={work !== null} onClick={() => setReport(null)}>
              Cancel
            </Button>
          </p>
        </div>
      )}
      <Section title="Or look around first">
        <p class="soft prose">
          The Orchard in Winter: a village that sells its bad years, three evenings told and the fourth one prepared. It
          is yours to break.
        </p>
        <Button icon="book" disabled={work !== null} onClick={() => void trySample()}>
          Try the sample campaign
        </Button>
      </Section>
    </>
  )
}
