import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { systemOf } from '../../../rules/systems.ts'
import type { Output } from '../../api/contract.ts'
import { Button, IconButton } from '../../kit/button.tsx'
import { DmOnly } from '../../kit/dm-only.tsx'
import { capitalize } from '../../kit/format.ts'
import { Prose } from '../../kit/prose.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, useQuery } from '../../shell/context.ts'
import type { FightActs } from './acts.ts'
import { Face } from './face.tsx'
import { Spend } from './spend.tsx'
import { bandWords, conditionWords, type Fight, type Fighter } from './words.ts'

type ActionDone = Output<'use_combatant_action'>
type Action = NonNullable<Output<'get_combatant'>['statblock']>['actions']

interface BlockProps {
  readonly fight: Fight
  readonly one: Fighter
  readonly acts: FightActs
  readonly onHurt: () => void
  readonly onHeal: () => void
  readonly onCondition: () => void
  readonly onReveal: () => void
}

/** Whoever is looked at: how they stand, what they can do, and against whom. */
export function Block({ fight, one, acts, onHurt, onHeal, onCondition, onReveal }: BlockProps): JSX.Element {
  const { mayWrite } = useCampaign()
  const change = useAction()
  const whole = useQuery('get_combatant', { combatantId: one.id }).data
  const sheet = useQuery('get_character', one.characterId === null ? null : { characterId: one.characterId }).data
  const running = fight.status === 'running'
  const statblock = whole?.statblock
  const remove = (condition: Fighter['conditions'][number]) => {
    const { key, source } = condition
    void change('set_combatant_conditions', {
      combatantId: one.id,
      remove: [{ key, ...(source === undefined ? {} : { source }) }],
    })
  }
  return (
    <article class="runner-block" aria-label={one.name}>
      <div class="top">
        <Face one={one} size="m" />
        <div class="grow">
          <h2>{one.name}</h2>
          <p class="soft">{factsOf(one, statblock)}</p>
        </div>
        {one.hp !== undefined && one.hpMax != null && (
          <p class="big">
            {one.hp}
            <small>{` / ${one.hpMax}${one.hpTemp ? ` +${one.hpTemp}` : ''}`}</small>
          </p>
        )}
        {running && mayWrite && (
          <div class="line">
            <Button class="hurts" onClick={onHurt}>
              Hurt <kbd>d</kbd>
            </Button>
            <Button class="heals" onClick={onHeal}>
              Heal <kbd>h</kbd>
            </Button>
          </div>
        )}
      </div>
      <div class="chips">
        {one.concentration && <span class="chip brass">{`Concentrating on ${one.concentration}`}</span>}
        {one.conditions.map((each) => (
          <span key={`${each.key} ${each.source ?? ''}`} class="chip bad">
            {conditionWords(each)}
            {mayWrite && fight.status !== 'ended' && (
              <IconButton icon="x" label={`No longer ${each.key}`} onClick={() => remove(each)} />
            )}
          </span>
        ))}
        {(whole?.statblock?.defences?.conditionImmunities ?? []).map((key) => (
          <span key={key} class="chip">{`Cannot be ${key}`}</span>
        ))}
        {one.kind !== 'character' && <span class="chip dm">{shownWords(one)}</span>}
        {mayWrite && running && (
          <Button variant="quiet" icon="plus" onClick={onCondition}>
            Condition <kbd>c</kbd>
          </Button>
        )}
        {mayWrite && one.kind !== 'character' && (
          <Button variant="quiet" icon={one.hidden ? 'eye' : 'eyeoff'} onClick={onReveal}>
            {one.hidden ? 'Show to players' : 'Hide'} <kbd>r</kbd>
          </Button>
        )}
      </div>
      {one.recoveryDue && running && mayWrite && (
        <Button variant="primary" onClick={() => void acts.save(one)}>
          Roll for their life
        </Button>
      )}
      {running && mayWrite && <Spend one={one} acts={acts} />}
      {statblock?.abilities && <Abilities abilities={statblock.abilities} />}
      <Actions
        fight={fight}
        one={one}
        actions={sheet?.actions ?? statblock?.actions ?? []}
        mayUse={running && mayWrite}
      />
      <Counted one={one} mayUse={running && mayWrite} />
      {statblock?.says && <Prose text={statblock.says} />}
      {whole?.notes && (
        <DmOnly>
          <Prose text={whole.notes} />
        </DmOnly>
      )}
      {fight.dmSecret && (
        <DmOnly>
          <Prose text={fight.dmSecret} />
        </DmOnly>
      )}
    </article>
  )
}

function factsOf(one: Fighter, statblock: Output<'get_combatant'>['statblock']): string {
  const speed = statblock?.speeds?.walk
  return [
    capitalize([statblock?.size, statblock?.type].filter(Boolean).join(' ')),
    one.ac == null ? '' : `AC ${one.ac}`,
    speed === undefined ? '' : `speed ${speed} ft`,
    one.controllerUser?.title,
  ]
    .filter(Boolean)
    .join(', ')
}

function shownWords({ hidden, hpShown, band }: Fighter): string {
  if (hidden) return 'Players do not see it'
  if (hpShown === 'hidden') return 'Players see no hit points'
  return hpShown === 'exact' ? 'Players see the numbers' : `Players see “${bandWords[band ?? 'unhurt'].word}”`
}

function Abilities({ abilities }: { abilities: Readonly<Record<string, number>> }): JSX.Element {
  const { campaign } = useCampaign()
  const system = systemOf(campaign.ruleSystem)
  return (
    <dl class="abil">
      {system.abilities.map(({ key, short }) => (
        <div key={key}>
          <dt>{short}</dt>
          <dd>{abilities[key] ?? '–'}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Every action with its numbers, against whom is chosen; what was rolled stands below until the next. */
function Actions({
  fight,
  one,
  actions = [],
  mayUse,
}: {
  fight: Fight
  one: Fighter
  actions: Action
  mayUse: boolean
}): JSX.Element | null {
  const { mayWrite } = useCampaign()
  const change = useAction()
  const [targetIds, setTargets] = useState<readonly number[]>([])
  const [fallen, setFallen] = useState<ActionDone | null>(null)
  if (actions.length === 0) return null
  const others = fight.combatants.filter(({ id, lifeState }) => id !== one.id && lifeState !== 'dead')
  const use = async (key: string) => {
    const written = await change('use_combatant_action', {
      combatantId: one.id,
      action: key,
      targetIds: [...targetIds],
    })
    if (written?.kind === 'done') setFallen(written.value)
  }
  const toggle = (id: number) =>
    setTargets(targetIds.includes(id) ? targetIds.filter((each) => each !== id) : [...targetIds, id])
  return (
    <section class="runner-actions" aria-label="Actions">
      {mayUse && others.length > 0 && (
        <fieldset class="chips bare" aria-label="Against whom">
          <span class="small faint" aria-hidden="true">
            Against
          </span>
          {others.map(({ id, name }) => (
            <button
              key={id}
              type="button"
              class="btn aim"
              aria-pressed={targetIds.includes(id)}
              onClick={() => toggle(id)}
            >
              {name}
            </button>
          ))}
        </fieldset>
      )}
      {actions.map((action) => (
        <div key={action.key} class="hit">
          <p>
            <strong>{action.name}.</strong> {action.says}{' '}
            {action.rechargeFrom !== undefined && (
              <span class={one.spent?.includes(action.key) ? 'chip bad' : 'chip'}>
                {one.spent?.includes(action.key)
                  ? `Comes back on ${action.rechargeFrom}`
                  : `Recharge ${action.rechargeFrom}+`}
              </span>
            )}
          </p>
          {mayUse && mayWrite && <Button onClick={() => void use(action.key)}>{numbersOf(action)}</Button>}
        </div>
      ))}
      {fallen && (
        <div class="echo" role="status" aria-live="polite">
          <strong>{fallen.action}</strong>
          {fallen.rolls.map((each) => (
            <span key={each.label}>{`${each.label}: ${each.text} = ${each.total}`}</span>
          ))}
          {fallen.results.map((each) => (
            <span key={each.targetId}>
              {[each.name, each.outcome, each.damage === null ? null : `${each.damage} damage`]
                .filter(Boolean)
                .join(', ')}
            </span>
          ))}
        </div>
      )}
    </section>
  )
}

function numbersOf({ attack, save, damage, heals }: NonNullable<Action>[number]): string {
  const words = [
    attack === undefined ? '' : `${attack < 0 ? '−' : '+'}${Math.abs(attack)} to hit`,
    save === undefined ? '' : `DC ${save.difficulty}`,
    ...(damage ?? []).map(({ expression }) => expression),
    heals === undefined ? '' : `heals ${heals}`,
  ].filter(Boolean)
  return words.length === 0 ? 'Use it' : words.join(', ')
}

/** What is counted: legendary actions, charges, slots. */
function Counted({ one, mayUse }: { one: Fighter; mayUse: boolean }): JSX.Element | null {
  const change = useAction()
  const rows = [
    ...(one.resources ?? []).map(({ key, name, left, max }) => ({ key, name, left, max })),
    ...(one.slots ?? []).map(({ level, max, used }) => ({
      key: `slot.${level}`,
      name: `Slots of level ${level}`,
      left: max - used,
      max,
    })),
  ]
  if (rows.length === 0) return null
  const adjust = (key: string, delta: number) =>
    void change('adjust_combatant_resource', { combatantId: one.id, key, delta })
  return (
    <ul class="counted" aria-label="What is counted">
      {rows.map(({ key, name, left, max }) => (
        <li key={key} class="line">
          <span class="grow">{name}</span>
          {mayUse && (
            <IconButton icon="minus" label={`Spend ${name}`} disabled={left === 0} onClick={() => adjust(key, -1)} />
          )}
          <span>{`${left} of ${max}`}</span>
          {mayUse && (
            <IconButton icon="plus" label={`Regain ${name}`} disabled={left === max} onClick={() => adjust(key, 1)} />
          )}
        </li>
      ))}
    </ul>
  )
}
