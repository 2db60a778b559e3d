import './styles.ts'
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { CallError } from '../../api/call.ts'
import { kindOf } from '../../kinds.ts'
import { Button } from '../../kit/button.tsx'
import { FormError } from '../../kit/form.tsx'
import { bytes, count } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { LoadError, Loading, PageHeader, Progress } from '../../kit/page.tsx'
import { useApp, useCampaign, usePageTitle } from '../../shell/context.ts'
import { SettingsTabs } from '../campaign/settings-tabs.tsx'
import { fetchFile, follow, isTooMuch, save } from './download.ts'

const ways = {
  handoff: [
    'Hand it on',
    'For the friend who will be the next DM. The whole story and your secrets, nobody’s account.',
  ],
  publish: ['Show it to the world', 'What players know, with other names for everybody at your table.'],
  backup: ['Keep all of it', 'Everything you may read yourself, to come home to.'],
} as const
type Way = keyof typeof ways

const shapes = {
  markdown: ['Pages to read', 'A folder of Markdown, zipped. It opens in any editor, and as a vault in Obsidian.'],
  zip: ['A file to come home to', 'With its pictures; Talekeeper brings it in again, whole.'],
  json: ['The words alone', 'One JSON document, without the pictures.'],
} as const
type Shape = keyof typeof shapes

type Counts = Readonly<Record<Way, number>>
interface Preview {
  readonly kinds: readonly {
    readonly entityType: string
    readonly about: 'tale' | 'table' | 'people'
    readonly total: number
    readonly taken: Counts
  }[]
  readonly secrets: { readonly total: number; readonly taken: Counts }
  readonly pictures: {
    readonly total: number
    readonly bytes: number
    readonly taken: Counts
    readonly leftOut: readonly {
      readonly attachmentId: number
      readonly name: string
      readonly reason: string
      readonly profiles: readonly Way[]
    }[]
  }
  readonly people: number
}

interface Line {
  readonly title: string
  readonly why: string
  readonly total: number
  readonly taken: Counts
  readonly secret?: boolean
}

const wordsFor = (entityType: string, number: number): string => {
  const kind = kindOf(entityType)
  return kind === undefined ? `${number} ${entityType.replaceAll('_', ' ')}` : count(number, kind.one, kind.many)
}

function linesOf({ kinds, secrets, pictures, people }: Preview): readonly Line[] {
  const about = (which: Preview['kinds'][number]['about'], title: string, why: string): Line => {
    const own = kinds.filter((kind) => kind.about === which && kind.total > 0)
    const sum = (of: (kind: (typeof own)[number]) => number): number => own.reduce((all, kind) => all + of(kind), 0)
    const most = [...own].sort((a, b) => b.total - a.total).slice(0, 5)
    const listed = most.map(({ entityType, total }) => wordsFor(entityType, total)).join(', ')
    return {
      title,
      why: [listed, why].filter(Boolean).join('. '),
      total: sum(({ total }) => total),
      taken: {
        handoff: sum(({ taken }) => taken.handoff),
        publish: sum(({ taken }) => taken.publish),
        backup: sum(({ taken }) => taken.backup),
      },
    }
  }
  return [
    about('tale', 'The tale', 'The world gets what players know'),
    {
      title: 'Your secrets',
      why: 'The world sees nothing blue, nor that it was there',
      total: secrets.total,
      taken: secrets.taken,
      secret: true,
    },
    about(
      'table',
      'What the table wrote and agreed on',
      'Private notes and whispers belong to who wrote them: of others’, not even you can take those',
    ),
    {
      title: 'Pictures and maps',
      why: 'Place and hour are wiped from whatever goes to others',
      total: pictures.total,
      taken: pictures.taken,
    },
    about(
      'people',
      'Nights, and who came',
      `They are of your friends, and not of the tale. ${people === 0 ? '' : `${people === 1 ? 'One name becomes another' : `${people} names become others`} in what the world reads.`}`,
    ),
  ]
}

function Taken({ line: { total, taken }, way }: { line: Line; way: Way }): JSX.Element {
  const number = taken[way]
  if (total === 0) return <span class="none">nothing there</span>
  if (number === 0) return <span class="none">none</span>
  return number === total ? (
    <span class="all">{`all ${total}`}</span>
  ) : (
    <span class="some">{`${number} of ${total}`}</span>
  )
}

/** Pictures that cannot go along, by their names. */
function StayBehind({ pictures }: { pictures: Preview['pictures']['leftOut'] }): JSX.Element | null {
  if (pictures.length === 0) return null
  return (
    <div class="banner section" role="note">
      <Icon name="warn" />
      <div class="grow">
        <strong>{`${count(pictures.length, 'picture')} cannot go along.`}</strong>
        <ul class="small">
          {pictures.map(({ attachmentId, name, reason }) => (
            <li key={attachmentId}>{`${name}: ${reason}.`}</li>
          ))}
        </ul>
      </div>
    </div>
  )
}

/** Taking a campaign along: for whom, in what shape, and what of it goes. */
export function TakeAlong(): JSX.Element {
  const { campaignId, campaign, isDm } = useCampaign()
  const { client, toasts } = useApp()
  const [preview, setPreview] = useState<Preview | null>(null)
  const [problem, setProblem] = useState<CallError | null>(null)
  const [way, setWay] = useState<Way>('backup')
  const [shape, setShape] = useState<Shape>('markdown')
  const [fetched, setFetched] = useState<number | null>(null)
  const running = useRef<AbortController | null>(null)
  usePageTitle('Take it with you', campaign.name)
  const look = () => {
    setProblem(null)
    client
      .send<Preview>({ method: 'GET', path: `/campaigns/${campaignId}/export/preview` })
      .then(setPreview, (error: CallError) => setProblem(error))
  }
  useEffect(() => {
    if (isDm) look()
    return () => running.current?.abort()
  }, [campaignId, isDm])
  if (!isDm) return <LoadError error={new CallError(403, 'forbidden', 'This is for the DM of the campaign.')} />

  const expected = preview === null || shape === 'json' ? 0 : preview.pictures.bytes
  const make = async () => {
    const path = `/campaigns/${campaignId}/export?profile=${way}&format=${shape}`
    if (isTooMuch(expected)) return follow(`/api/v1${path}`)
    const stop = new AbortController()
    running.current = stop
    setProblem(null)
    setFetched(0)
    try {
      save(await fetchFile(path, stop.signal, setFetched))
      toasts.say('It is yours. Your browser saves the file now.')
    } catch (error) {
      if ((error as CallError).code === 'cancelled') toasts.say('Stopped. Nothing was kept.')
      else setProblem(error as CallError)
    } finally {
      setFetched(null)
    }
  }
  return (
    <>
      <PageHeader title="Settings" />
      <SettingsTabs />
      <h2>Take it with you</h2>
      <p class="soft prose">
        The tale is yours, also the day you stop using this. One file, readable without Talekeeper.
      </p>
      {problem && preview === null && <LoadError error={problem} retry={look} within />}
      {preview === null && problem === null && <Loading />}
      {preview && (
        <form
          class="section"
          onSubmit={(event) => {
            event.preventDefault()
            void make()
          }}
        >
          <fieldset class="ways-out">
            <legend class="h3">For whom</legend>
            {(Object.keys(ways) as Way[]).map((each) => (
              <label key={each}>
                <strong>{ways[each][0]}</strong>
                <input type="radio" name="way" value={each} checked={way === each} onChange={() => setWay(each)} />
                <small>{ways[each][1]}</small>
              </label>
            ))}
          </fieldset>
          <table class="goes-along">
            <caption class="visually-hidden">What goes along</caption>
            <thead>
              <tr>
                <th scope="col">What goes along</th>
                {(Object.keys(ways) as Way[]).map((each) => (
                  <th key={each} scope="col" class={each === way ? 'chosen-way' : undefined}>
                    {ways[each][0]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {linesOf(preview).map((line) => (
                <tr key={line.title}>
                  <th scope="row">
                    {line.secret ? <span class="for-dm">{line.title}</span> : line.title}
                    <small>{line.why}</small>
                  </th>
                  {(Object.keys(ways) as Way[]).map((each) => (
                    <td key={each} class={each === way ? 'chosen-way' : undefined}>
                      <Taken line={line} way={each} />
                    </td>
                  ))}
                </tr>
              ))}
              <tr>
                <th scope="row">Passwords, keys, sign-ins, members</th>
                {(Object.keys(ways) as Way[]).map((each) => (
                  <td key={each} class={each === way ? 'chosen-way' : undefined}>
                    <span class="none">never</span>
                  </td>
                ))}
              </tr>
            </tbody>
          </table>
          <StayBehind pictures={preview.pictures.leftOut.filter(({ profiles }) => profiles.includes(way))} />
          <fieldset class="ways-out section">
            <legend class="h3">In what shape</legend>
            {(Object.keys(shapes) as Shape[]).map((each) => (
              <label key={each}>
                <strong>{shapes[each][0]}</strong>
                <input
                  type="radio"
                  name="shape"
                  value={each}
                  checked={shape === each}
                  onChange={() => setShape(each)}
                />
                <small>{shapes[each][1]}</small>
              </label>
            ))}
          </fieldset>
          <FormError error={problem} />
          {fetched === null ? (
            <div class="take-it">
              <Button type="submit" variant="primary" icon="get">
                {expected > 0 ? `Make it, about ${bytes(expected)}` : 'Make it'}
              </Button>
            </div>
          ) : (
            <div class="section">
              <Progress
                said={`${bytes(fetched)} so far. You can go on playing.`}
                part={expected > 0 ? Math.min(0.99, fetched / expected) : null}
              />
              <Button variant="quiet" onClick={() => running.current?.abort()}>
                Stop, and keep nothing
              </Button>
            </div>
          )}
          <p class="small soft section">
            Nothing of it stays on the server. What you bring home with it later becomes a new campaign.
          </p>
        </form>
      )}
    </>
  )
}
