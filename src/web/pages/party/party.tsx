import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { systemOf } from '../../../rules/systems.ts'
import type { Output } from '../../api/contract.ts'
import { Portrait } from '../../kit/avatar.tsx'
import { Button, LinkButton } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { count, number } from '../../kit/format.ts'
import { Nothing } from '../../kit/list-page.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import { LoadError, Loading, PageHeader, Section } from '../../kit/page.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { useAction } from '../../shell/actions.ts'
import { useApp, useCampaign, useMe, usePages, usePageTitle, useQuery } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { useShortcuts } from '../../shell/navigation.tsx'
import '../dice/styles.ts'
import { Bag } from './bag.tsx'
import { BringDialog } from './bring.tsx'
import { Purse } from './purse.tsx'
import { bandWords, Chips, HitPoints, Strokes } from './signs.tsx'

type Party = Output<'get_party'>
type One = Party['characters'][number]

export function PartyPage(): JSX.Element {
  const { campaignId, campaign, isDm, mayWrite } = useCampaign()
  const { data: party, error, retry } = useQuery('get_party', { campaignId })
  const [resting, setResting] = useState(false)
  const [bringing, setBringing] = useState(false)
  usePageTitle('The party', campaign.name)
  useShortcuts(isDm && mayWrite ? [{ key: 'r', run: () => setResting(true) }] : [])
  if (party === undefined) return error ? <LoadError error={error} retry={retry} /> : <Loading />
  const added = mayWrite && (
    <>
      <LinkButton icon="plus" to={sectionPath(campaignId, 'characters', 'new')}>
        {isDm ? 'New character' : 'My character'}
      </LinkButton>
      <Button icon="put" onClick={() => setBringing(true)}>
        Bring a sheet along
      </Button>
    </>
  )
  const brought = bringing && <BringDialog onClose={() => setBringing(false)} />
  if (party.characters.length === 0)
    return (
      <>
        <PageHeader title="The party" />
        <Nothing
          title="Nobody has come yet"
          text="A character is a sheet with hit points, skills and a bag. Players make their own, or bring one along."
          action={added}
        />
        <SetAside />
        {brought}
      </>
    )
  return (
    <>
      <PageHeader title="The party" sub={count(party.characterCount, 'character')}>
        {added}
        {isDm && mayWrite && (
          <Button variant="primary" icon="night" onClick={() => setResting(true)}>
            Call a rest
          </Button>
        )}
      </PageHeader>
      <Folk party={party} />
      <div class="two-columns section">
        <div>
          <Purse />
          <Bag title="In the cart" characterId={null} people={party.characters} />
        </div>
        <aside class="side-column">
          <Experience party={party} />
          <SetAside />
        </aside>
      </div>
      {resting && <RestDialog party={party} onClose={() => setResting(false)} />}
      {brought}
    </>
  )
}

function Folk({ party }: { party: Party }): JSX.Element {
  const seen = party.characters[0]?.computed.passives ?? []
  return (
    <table class="folk">
      <thead>
        <tr>
          <th scope="col">Who</th>
          <th scope="col">Hit points</th>
          <th scope="col">Armour</th>
          {seen.slice(0, 2).map(({ key, name }) => (
            <th key={key} scope="col">
              {name}
            </th>
          ))}
          <th scope="col">Left to spend</th>
          <th scope="col">How they are</th>
        </tr>
      </thead>
      <tbody>
        {party.characters.map((one) => (
          <Row key={one.id} one={one} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ one }: { one: One }): JSX.Element {
  const { campaignId } = useCampaign()
  const me = useMe()?.id
  const mine = one.ownerUserId !== null && one.ownerUserId === me
  const slots = one.spellSlots.reduce((sum, { max }) => sum + max, 0)
  const used = one.spellSlots.reduce((sum, row) => sum + row.used, 0)
  const [resource] = one.resources
  return (
    <tr>
      <th scope="row">
        <Link class="me" href={sectionPath(campaignId, 'characters', one.id)}>
          <Portrait name={one.name} attachmentId={one.portraitAttachmentId} />
          <span>
            <strong>{one.name}</strong>
            <span class="line2">
              {[`${one.className ?? 'Level'} ${one.level}`, mine ? 'You' : one.ownerUser?.title]
                .filter(Boolean)
                .join('. ')}
            </span>
          </span>
        </Link>
      </th>
      <td class="hpc">
        {one.computed.hpMax > 0 ? (
          <HitPoints one={one} />
        ) : (
          <span class="soft small">{bandWords[one.computed.band]}</span>
        )}
      </td>
      <td class="nr" data-l="AC">
        {one.computed.ac}
      </td>
      {one.computed.passives.slice(0, 2).map(({ key, name, value }, index) => (
        <td key={key} class={index === 0 ? 'nr' : 'nr c'} data-l={name}>
          {value}
        </td>
      ))}
      <td class="left">
        {slots > 0 ? (
          <>
            <Strokes most={slots} left={slots - used} small />
            {`${slots - used} of ${slots}`}
          </>
        ) : resource ? (
          <>
            <Strokes most={resource.max} left={resource.left} small />
            {`${resource.left} of ${resource.max} ${resource.name}`}
          </>
        ) : null}
      </td>
      <td class="st">
        <Chips one={one} />
      </td>
    </tr>
  )
}

function Experience({ party }: { party: Party }): JSX.Element | null {
  const { campaignId, campaign, isDm, mayWrite } = useCampaign()
  const act = useAction()
  const [amount, setAmount] = useState<number | null>(null)
  const [way, setWay] = useState<'each' | 'split'>('each')
  const { levels } = systemOf(campaign.ruleSystem)
  const award = async () => {
    if (amount === null || amount === 0) return
    const written = await act(
      'award_xp',
      { campaignId, amount, split: way === 'split' },
      { message: `${number(amount)} ${way === 'each' ? 'to each' : 'shared out'}.` },
    )
    if (written) setAmount(null)
  }
  if (levels === null && !isDm) return null
  return (
    <section>
      <h2 class="h3">Experience</h2>
      <ul class="rows">
        {party.characters.map((one) => {
          const next = levels?.experienceFor(one.level + 1) ?? null
          return (
            <li key={one.id}>
              <span class="line">
                <span class="grow">{one.name}</span>
                <strong>{number(one.experience)}</strong>
              </span>
              <p class="small soft">
                {one.computed.levelReady
                  ? ` Level ${one.level + 1} is waiting.`
                  : next === null
                    ? ''
                    : ` ${number(next - one.experience)} to level ${one.level + 1}`}
              </p>
            </li>
          )
        })}
      </ul>
      {isDm && mayWrite && (
        <form
          class="award"
          onSubmit={(event) => {
            event.preventDefault()
            void award()
          }}
        >
          <NumberField label="How much" value={amount} onValue={setAmount} min={-1_000_000} max={1_000_000} />
          <div class="line">
            <ToggleGroup
              label="How it is given"
              options={[
                { value: 'each', word: 'To each' },
                { value: 'split', word: 'Shared out' },
              ]}
              value={way}
              onValue={setWay}
            />
            <Button type="submit" disabled={amount === null || amount === 0}>
              Award
            </Button>
          </div>
        </form>
      )}
    </section>
  )
}

/** Who is not of the party just now. */
function SetAside(): JSX.Element | null {
  const { campaignId } = useCampaign()
  const list = usePages('list_characters', { campaignId, limit: 200 })
  const others = list.items.filter(({ status }) => status !== 'active')
  if (others.length === 0) return null
  return (
    <Section title="Set aside">
      <ul class="rows">
        {others.map((one) => (
          <li key={one.id}>
            <Link href={sectionPath(campaignId, 'characters', one.id)}>{one.name}</Link>{' '}
            <span class="small soft">{one.status}</span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function RestDialog({ party, onClose }: { party: Party; onClose: () => void }): JSX.Element {
  const { campaignId, campaign } = useCampaign()
  const act = useAction()
  const [awake, setAwake] = useState<ReadonlySet<number>>(new Set())
  const { rests } = systemOf(campaign.ruleSystem).face
  const resting = party.characters.filter(({ id }) => !awake.has(id))
  const rest = async (kind: 'short' | 'long', name: string) => {
    const input = { campaignId, characterIds: resting.map(({ id }) => id) }
    const written = kind === 'short' ? await act('take_short_rest', input) : await act('take_long_rest', input)
    if (written?.kind !== 'done') return
    onClose()
    const { refused } = written.value
    toasts.say(refused.length === 0 ? `${name} taken.` : refused.map((one) => `${one.name}: ${one.why}`).join(' '))
  }
  const { toasts } = useApp()
  return (
    <Dialog title="Call a rest" onClose={onClose}>
      <fieldset class="hands">
        <legend class="small soft">Who rests</legend>
        {party.characters.map((one) => (
          <button
            key={one.id}
            type="button"
            aria-pressed={!awake.has(one.id)}
            onClick={() => {
              const next = new Set(awake)
              if (!next.delete(one.id)) next.add(one.id)
              setAwake(next)
            }}
          >
            {one.name}
          </button>
        ))}
      </fieldset>
      {rests.map(({ key, kind, name, says }) => (
        <div key={key} class="rest">
          <div class="line">
            <span>
              <strong>{name}</strong>
              <br />
              <span class="small soft">{says}</span>
            </span>
            <Button
              variant={kind === 'long' ? 'primary' : 'plain'}
              disabled={resting.length === 0}
              onClick={() => void rest(kind, name)}
            >
              {name}
            </Button>
          </div>
        </div>
      ))}
    </Dialog>
  )
}
