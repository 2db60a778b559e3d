import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { CallError } from '../../api/call.ts'
import type { Item, Output } from '../../api/contract.ts'
import { type Upload, upload } from '../../api/upload.ts'
import { Button } from '../../kit/button.tsx'
import { Switch } from '../../kit/field.tsx'
import { number } from '../../kit/format.ts'
import { Progress, Section } from '../../kit/page.tsx'
import { useAction } from '../../shell/actions.ts'
import { useApp, useCampaign, useMe, useQuery } from '../../shell/context.ts'

type Pack = Item<'list_rule_packs'>

const entries = (many: number): string => (many === 1 ? 'one entry' : `${number(many)} entries`)

/** The books that are searched, whose they are, and for who administers the server putting one on and taking one off. */
export function Shelf({ packs }: { packs: readonly Pack[] }): JSX.Element {
  const isAdmin = useMe()?.admin === true
  return (
    <Section title="On the shelf" class="shelf">
      <ul class="rows">
        {packs.map((pack) => (
          <li key={pack.id} class="row">
            <Book pack={pack} packs={packs} isAdmin={isAdmin} />
          </li>
        ))}
      </ul>
      {packs.length === 0 && (
        <p class="soft">No book of rules is installed. What you write yourself is found all the same.</p>
      )}
      {isAdmin && <Install />}
    </Section>
  )
}

function Book({ pack, packs, isAdmin }: { pack: Pack; packs: readonly Pack[]; isAdmin: boolean }): JSX.Element {
  const { campaignId, isDm, mayWrite, settings } = useCampaign()
  const { confirmations } = useApp()
  const act = useAction()
  const [isOpen, setOpen] = useState(false)
  const chosen = settings?.rulePackIds ?? null
  const isRead = chosen === null || chosen.includes(pack.id)
  const put = (reads: boolean): void => {
    const all = chosen ?? packs.map(({ id }) => id)
    const next = reads ? [...all, pack.id] : all.filter((id) => id !== pack.id)
    // All of them is what a campaign begins with: books that come later are read too.
    const rulePackIds = packs.every(({ id }) => next.includes(id)) ? null : next
    void act('update_campaign_settings', { campaignId, rulePackIds })
  }
  const remove = async (): Promise<void> => {
    const yes = await confirmations.ask({
      title: `Take ${pack.title} off the server?`,
      text: 'Its entries are not found any more, in any campaign. What was copied out of it stays.',
      yes: 'Remove the pack',
      danger: true,
    })
    if (yes) await act('uninstall_rule_pack', { rulePackId: pack.id }, { message: `${pack.title} was removed.` })
  }
  return (
    <>
      <div class="grow">
        <strong>{pack.title}</strong>
        <span class="secondary">
          {`${entries(pack.entryCount)}, version ${pack.version}. `}
          <a href={pack.licenceUrl} rel="noreferrer noopener" target="_blank">
            {pack.licenceName}
          </a>
        </span>
        {isOpen && <Whose id={pack.id} />}
        <div class="line">
          <Button variant="quiet" class="outdent" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Less' : `Whose words are these`}
            <span class="visually-hidden">{`: ${pack.title}`}</span>
          </Button>
          {isAdmin && (
            <Button variant="danger-quiet" onClick={() => void remove()}>
              Remove
              <span class="visually-hidden">{` ${pack.title}`}</span>
            </Button>
          )}
        </div>
      </div>
      {isDm && mayWrite && (
        <Switch
          label={
            <>
              Read here<span class="visually-hidden">{`: ${pack.title}`}</span>
            </>
          }
          checked={isRead}
          onValue={put}
        />
      )}
    </>
  )
}

function Whose({ id }: { id: number }): JSX.Element | null {
  const { data: pack } = useQuery('get_rule_pack', { rulePackId: id })
  if (pack === undefined) return null
  return (
    <>
      {pack.description && <p class="shelf-licence small">{pack.description}</p>}
      <p class="shelf-licence small soft">{pack.attribution}</p>
    </>
  )
}

function Install(): JSX.Element {
  const { cache, toasts } = useApp()
  const input = useRef<HTMLInputElement>(null)
  const [running, setRunning] = useState<Upload<Output<'install_rule_pack'>> | null>(null)
  const [sent, setSent] = useState(0)
  const [problem, setProblem] = useState('')
  const send = async (file: File): Promise<void> => {
    setProblem('')
    setSent(0)
    const going = upload<Output<'install_rule_pack'>>('/rule-packs', file, setSent)
    setRunning(going)
    try {
      const pack = await going.answer
      cache.invalidateBy('install_rule_pack')
      toasts.say(`${pack.title} is on the shelf: ${entries(pack.entryCount)}.`)
      if (pack.notes.length > 0) setProblem(`Installed. ${pack.notes.join(' ')}`)
    } catch (error) {
      setProblem(error instanceof CallError ? error.message : 'This could not be read.')
    } finally {
      setRunning(null)
    }
  }
  return (
    <div class="shelf-install">
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        class="visually-hidden"
        tabIndex={-1}
        aria-label="The file of a rule pack"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? []
          event.currentTarget.value = ''
          if (file) void send(file)
        }}
      />
      {running ? (
        <>
          <Progress said={sent < 1 ? 'Sending it' : 'Reading it'} part={sent < 1 ? sent : null} />
          <Button onClick={() => running.cancel()}>Stop</Button>
        </>
      ) : (
        <Button variant="quiet" icon="plus" class="outdent" onClick={() => input.current?.click()}>
          Put a book on it
        </Button>
      )}
      {problem && (
        <p class="small" role="alert">
          {problem}
        </p>
      )}
      <p class="small soft">
        A rule pack is one JSON file of up to 64 MiB with its licence in it.{' '}
        <a href="/packs/rule-pack.schema.json" target="_blank" rel="noreferrer">
          How it is written
        </a>
      </p>
    </div>
  )
}
