import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { systemOf } from '../../../rules/systems.ts'
import { Button, IconButton } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { count, joinNames, number, time } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import { Section } from '../../kit/page.tsx'
import { useAction, useWrite } from '../../shell/actions.ts'
import { useApp, useCampaign, useQuery } from '../../shell/context.ts'
import { Face } from './face.tsx'
import type { Aftermath, Fight } from './words.ts'

interface Found {
  readonly key: number
  readonly name: string
  readonly quantity: number | null
}

/** What they get for a fight: experience, coins and things, all of it by one button and once. */
export function Rewards({ fight, after }: { fight: Fight; after: Aftermath }): JSX.Element {
  return (
    <Section title="What they get">
      {after.rewards === null ? <Give fight={fight} after={after} /> : <Given fight={fight} given={after.rewards} />}
    </Section>
  )
}

function Give({ fight, after }: { fight: Fight; after: Aftermath }): JSX.Element {
  const { campaignId, campaign, mayWrite } = useCampaign()
  const rules = systemOf(campaign.ruleSystem)
  const write = useWrite()
  const submitting = useSubmit()
  const rows = useRef(0)
  const party = useQuery('get_party', { campaignId }).data?.characters ?? []
  const [xp, setXp] = useState<number | null>(after.experience)
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set())
  const [things, setThings] = useState<readonly Found[]>([])
  const [coins, setCoins] = useState<Readonly<Record<string, number | null>>>({})
  const getting = after.characters.filter(({ id }) => !left.has(id))
  const each = xp === null ? 0 : rules.experienceShare(xp, getting.length)
  const rising = getting.filter(({ id, level }) => {
    const now = party.find((one) => one.id === id)
    return now !== undefined && rules.levels?.award(level, now.experience, each).ready
  })
  const given = Object.entries(coins).flatMap(([key, value]) =>
    value === null || value === 0 ? [] : [[key, value] as const],
  )
  const items = things.filter(({ name }) => name.trim() !== '')
  const nothing = !xp && given.length === 0 && items.length === 0
  const toggle = (id: number) => {
    const next = new Set(left)
    if (!next.delete(id)) next.add(id)
    setLeft(next)
  }
  const change = (key: number, patch: Partial<Found>) =>
    setThings(things.map((one) => (one.key === key ? { ...one, ...patch } : one)))
  const run = () =>
    submitting.run(() =>
      write('apply_encounter_rewards', {
        encounterId: fight.id,
        ...(xp ? { xp, characterIds: getting.map(({ id }) => id) } : {}),
        ...(given.length === 0 ? {} : { coins: Object.fromEntries(given) }),
        ...(items.length === 0
          ? {}
          : { items: items.map(({ name, quantity }) => ({ name: name.trim(), quantity: quantity ?? 1 })) }),
      }),
    )
  if (!mayWrite) return <p class="soft">Nothing has been given yet.</p>
  return (
    <Form operation="apply_encounter_rewards" submitting={submitting} class="to-give" onSubmit={() => void run()}>
      <div class="give-xp">
        {after.experience !== null && (
          <div>
            <span class="share">{number(each)}</span>
            <span class="small soft">{`each, of ${number(xp ?? 0)}`}</span>
          </div>
        )}
        <div class="give-hands">
          {after.characters.map(({ id, name }) => (
            <button key={id} type="button" aria-pressed={!left.has(id)} onClick={() => toggle(id)}>
              <Face one={{ name, characterId: id }} />
              {name}
            </button>
          ))}
        </div>
      </div>
      <NumberField label="Experience in all" name="xp" value={xp} onValue={setXp} min={0} max={1_000_000} />
      {rising.length > 0 && (
        <div class="banner">
          <Icon name="up" />
          <p class="grow">
            <strong>{`This takes ${joinNames(rising.map(({ name }) => name))} to another level.`}</strong> It waits on
            their sheets until they take it.
          </p>
        </div>
      )}
      {rules.coins.length > 0 && (
        <fieldset class="give-coins bare">
          <legend class="label">Coins, to the purse</legend>
          {[...rules.coins].reverse().map(({ key, name }) => (
            <NumberField
              key={key}
              label={name}
              name={`coins.${key}`}
              value={coins[key] ?? null}
              onValue={(value) => setCoins({ ...coins, [key]: value })}
              min={0}
              max={1_000_000}
            />
          ))}
        </fieldset>
      )}
      {things.map(({ key, name, quantity }, index) => (
        <div key={key} class="field-pair found-thing">
          <TextField
            label="What they found"
            name={`items.${index}.name`}
            value={name}
            onValue={(value) => change(key, { name: value })}
            maxLength={200}
          />
          <NumberField
            label="How many"
            value={quantity}
            onValue={(value) => change(key, { quantity: value })}
            min={1}
            max={1_000_000}
          />
          <IconButton
            icon="x"
            label={`Leave ${name || 'it'} away`}
            onClick={() => setThings(things.filter((one) => one.key !== key))}
          />
        </div>
      ))}
      <Button
        variant="quiet"
        icon="plus"
        onClick={() => {
          rows.current += 1
          setThings([...things, { key: rows.current, name: '', quantity: 1 }])
        }}
      >
        {things.length === 0 ? 'Something they found, to the cart' : 'Something else they found'}
      </Button>
      <FormError error={submitting.error} />
      <div class="give-dock">
        <span>
          <strong>{summary(each, given, items.length)}</strong>
          <span class="small soft">Nothing has been given yet.</span>
        </span>
        <Button type="submit" variant="primary" disabled={nothing} busy={submitting.busy}>
          Give all of it, once
        </Button>
      </div>
    </Form>
  )
}

function summary(each: number, coins: readonly (readonly [string, number])[], things: number): string {
  const parts = [
    each > 0 ? `${number(each)} each` : '',
    ...coins.map(([key, value]) => `${number(value)} ${key}`),
    things > 0 ? count(things, 'thing') : '',
  ].filter(Boolean)
  return parts.length === 0 ? 'Nothing yet' : parts.join(', ')
}

/** It was given: once, by the record of it, which is what takes it back. */
function Given({ fight, given }: { fight: Fight; given: NonNullable<Aftermath['rewards']> }): JSX.Element {
  const { campaignId, mayWrite } = useCampaign()
  const { client, toasts } = useApp()
  const act = useAction()
  const takeBack = async () => {
    const found = await client.read('list_audit_records', {
      campaignId,
      operation: 'apply_encounter_rewards',
      entityType: 'encounter',
      entityId: fight.id,
      limit: 5,
    })
    const record = found.items.find(({ revertible }) => revertible)
    if (record === undefined) return toasts.say('Something has built on it since. History says what.')
    await act('revert_change', { auditRecordId: record.id }, { message: 'Taken back. Nothing of it was given.' })
  }
  const said = summary(
    given.each,
    Object.entries(given.coins).filter(([, value]) => value > 0),
    0,
  )
  return (
    <div class="banner ok">
      <Icon name="check" />
      <p class="grow">
        <strong>{`Given at ${time(given.at)}.`}</strong>{' '}
        {[said === 'Nothing yet' ? '' : said, ...given.items].filter(Boolean).join(', ')}. It cannot be given twice.
      </p>
      {mayWrite && (
        <Button icon="undo" onClick={() => void takeBack()}>
          Take it back
        </Button>
      )}
    </div>
  )
}
