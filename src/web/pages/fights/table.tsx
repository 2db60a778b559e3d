import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { systemOf } from '../../../rules/systems.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { HpBar } from '../../kit/hp-bar.tsx'
import { BackLink } from '../../kit/page.tsx'
import { useCampaign, useMe } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { type FightActs, useFightActs } from './acts.ts'
import { Log } from './log.tsx'
import { Spend } from './spend.tsx'
import { Band, Vitals } from './vitals.tsx'
import { conditionWords, type Fight, type Fighter, signsOf, turnWords } from './words.ts'

/** The fight for whoever plays: whose turn it is, one's own hit points under the thumb, the foes, and the order. */
export function TableView({ fight }: { fight: Fight }): JSX.Element {
  const { campaignId, mayWrite } = useCampaign()
  const acts = useFightActs(fight)
  const me = useMe()?.id
  const { combatants, status } = fight
  const acting = combatants.find(({ id }) => id === fight.actingCombatantId)
  const mine = combatants.filter(({ controllerUserId }) => me !== undefined && controllerUserId === me)
  // Who plays two looks at the one that acts.
  const own = mine.find(({ id }) => id === acting?.id) ?? mine[0]
  const isMyTurn = own !== undefined && own.id === acting?.id
  const at = combatants.findIndex(({ id }) => id === acting?.id)
  const next = at < 0 ? [] : [1, 2].map((step) => combatants[(at + step) % combatants.length])
  const foes = combatants.filter(({ kind, ally }) => kind !== 'character' && !ally)
  return (
    <div class="at-the-fight">
      <p class="visually-hidden" role="status" aria-live="polite">
        {isMyTurn ? `Your turn, ${own.name}.` : turnWords(fight, acting)}
      </p>
      <BackLink to={sectionPath(campaignId, 'fights')}>Fights</BackLink>
      <p class="strip">{status === 'running' ? `Round ${fight.round}. ${fight.name}` : fight.name}</p>
      <section class="now" aria-label="Whose turn it is">
        {status === 'ended' ? (
          <>
            <h1>The fight is over</h1>
            {fight.outcome && <p class="soft">{fight.outcome}</p>}
          </>
        ) : (
          <>
            <h1>
              {isMyTurn
                ? `Your turn, ${own.name}`
                : acting === undefined
                  ? 'Somebody else acts'
                  : `${acting.name} acts`}
            </h1>
            {isMyTurn && mayWrite ? <Spend one={own} acts={acts} /> : own && <Wait fight={fight} own={own} />}
          </>
        )}
      </section>
      {status === 'running' && (
        <div class="after">
          <p>
            {next[0] && next[0].id !== acting?.id && (
              <>
                <span class="small faint">Next</span> <strong>{next[0].name}</strong>
              </>
            )}
            {next[1] && next[1].id !== acting?.id && <span class="small soft">{`then ${next[1].name}`}</span>}
          </p>
          {isMyTurn && mayWrite && (
            <Button variant="primary" class="at-table" onClick={() => void acts.next()}>
              End my turn
            </Button>
          )}
        </div>
      )}
      {own && <Own one={own} acts={acts} mayChange={mayWrite && status === 'running'} />}
      <section class="foes" aria-label="Foes">
        {foes.map((each) => (
          <div key={each.id} class="foe">
            <span>
              <strong>{each.name}</strong>
              <span class="secondary">{signsOf(each)}</span>
            </span>
            {each.band ? <Band band={each.band} /> : <Vitals one={each} />}
          </div>
        ))}
      </section>
      <section aria-label="Order of the round">
        <h2 class="h3">Order of the round</h2>
        <ol class="table-order">
          {combatants.map((each) => (
            <li
              key={each.id}
              class={`turn${each.id === acting?.id ? ' now' : ''}${each.lifeState === 'dead' ? ' gone' : ''}`}
              aria-current={each.id === acting?.id ? 'step' : undefined}
            >
              <span class="count">{each.initiative ?? '–'}</span>
              <span>
                <strong>{each.name}</strong>
                <span class="secondary">
                  {[each.controllerUserId !== null && each.controllerUserId === me ? 'You' : '', signsOf(each)]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </span>
              <Vitals one={each} />
            </li>
          ))}
        </ol>
      </section>
      <Log fight={fight} />
    </div>
  )
}

/** How far one's own turn is. */
function Wait({ fight, own }: { fight: Fight; own: Fighter }): JSX.Element | null {
  const { combatants, actingCombatantId } = fight
  const at = combatants.findIndex(({ id }) => id === actingCombatantId)
  if (at < 0) return null
  const mine = combatants.findIndex(({ id }) => id === own.id)
  const away = (mine - at + combatants.length) % combatants.length
  return <p class="soft">{away === 1 ? `${own.name} comes next.` : `${own.name} acts in ${away} turns.`}</p>
}

/** One's own hit points with one touch, a keypad for more, and the way back. */
function Own({ one, acts, mayChange }: { one: Fighter; acts: FightActs; mayChange: boolean }): JSX.Element {
  const { campaign } = useCampaign()
  const [pad, setPad] = useState(false)
  const [last, setLast] = useState<number | null>(null)
  const { face } = systemOf(campaign.ruleSystem)
  const change = async (delta: number) => {
    setLast(delta)
    await (delta < 0 ? acts.hurt(one, -delta) : acts.heal(one, delta))
  }
  const undo = async () => {
    if (last === null) return
    setLast(null)
    await (last < 0 ? acts.heal(one, -last) : acts.hurt(one, last))
  }
  const counted = one.hpMax != null && one.hp !== undefined
  return (
    <section class="vitals" aria-label="Hit points">
      {counted && (
        <fieldset class="pad bare" aria-label="Change hit points">
          {[-5, -1].map((delta) => (
            <button
              key={delta}
              type="button"
              class="minus"
              disabled={!mayChange}
              aria-label={`Lose ${-delta}`}
              onClick={() => void change(delta)}
            >{`−${-delta}`}</button>
          ))}
          <button
            type="button"
            class="value"
            disabled={!mayChange}
            aria-label={`${one.hp} / ${one.hpMax} hit points. Open the keypad`}
            onClick={() => setPad(true)}
          >
            {one.hp}
            <small>{` / ${one.hpMax}`}</small>
          </button>
          {[1, 5].map((delta) => (
            <button
              key={delta}
              type="button"
              class="plus"
              disabled={!mayChange}
              aria-label={`Heal ${delta}`}
              onClick={() => void change(delta)}
            >{`+${delta}`}</button>
          ))}
        </fieldset>
      )}
      <div class="line">
        <span class="grow">
          <HpBar one={one} />
        </span>
        {(one.hpTemp ?? 0) > 0 && <span class="small soft">{`+${one.hpTemp} temporary`}</span>}
        {last !== null && mayChange && one.lifeState === 'up' && (
          <Button variant="quiet" icon="undo" onClick={() => void undo()}>
            Take it back
          </Button>
        )}
      </div>
      {one.lifeState !== 'up' && (
        <p class="word bad" role="status">
          {{ dying: 'Dying', stable: 'Steady, asleep', dead: 'Dead' }[one.lifeState]}
          {face.marks
            .filter(({ key }) => (one.marks?.[key] ?? 0) > 0)
            .map(({ key, name }) => `. ${name}: ${one.marks?.[key]}`)
            .join('')}
        </p>
      )}
      {one.recoveryDue && mayChange && (
        <Button variant="primary" class="at-table" onClick={() => void acts.save(one)}>
          {face.recovery ?? 'Roll for your life'}
        </Button>
      )}
      <div class="chips">
        {one.concentration && <span class="chip brass">{`Concentrating on ${one.concentration}`}</span>}
        {one.conditions.map((each) => (
          <span key={`${each.key} ${each.source ?? ''}`} class="chip bad">
            {conditionWords(each)}
          </span>
        ))}
        {one.ac != null && <span class="chip">{`AC ${one.ac}`}</span>}
      </div>
      {pad && <Keypad one={one} onClose={() => setPad(false)} onChange={change} acts={acts} />}
    </section>
  )
}

function Keypad({
  one,
  acts,
  onChange,
  onClose,
}: {
  one: Fighter
  acts: FightActs
  onChange: (delta: number) => Promise<void>
  onClose: () => void
}): JSX.Element {
  const [typed, setTyped] = useState('')
  const amount = Number(typed || '0')
  const run = (what: () => unknown) => {
    onClose()
    void what()
  }
  return (
    <Dialog title={one.name} onClose={onClose}>
      <output class="keypad-value" aria-live="polite">
        {typed || '0'}
      </output>
      <div class="keypad">
        {['1', '2', '3', '4', '5', '6', '7', '8', '9', '⌫', '0'].map((key) => (
          <button
            key={key}
            type="button"
            aria-label={key === '⌫' ? 'Delete the last digit' : key}
            onClick={() => setTyped(key === '⌫' ? typed.slice(0, -1) : `${typed}${key}`.replace(/^0+/, '').slice(0, 5))}
          >
            {key}
          </button>
        ))}
        <button type="button" onClick={() => run(() => acts.heal(one, amount, true))} disabled={amount === 0}>
          Temp
        </button>
      </div>
      <div class="actions">
        <Button class="hurts" disabled={amount === 0} onClick={() => run(() => onChange(-amount))}>
          Lose
        </Button>
        <Button class="heals" disabled={amount === 0} onClick={() => run(() => onChange(amount))}>
          Heal
        </Button>
      </div>
    </Dialog>
  )
}
