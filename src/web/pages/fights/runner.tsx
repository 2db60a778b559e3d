import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from '../../kit/button.tsx'
import { HpBar } from '../../kit/hp-bar.tsx'
import { Menu } from '../../kit/menu.tsx'
import { BackLink } from '../../kit/page.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign } from '../../shell/context.ts'
import { entityPath, sectionPath } from '../../shell/links.ts'
import { useShortcuts } from '../../shell/navigation.tsx'
import { type FightActs, useFightActs } from './acts.ts'
import { Block } from './block.tsx'
import { AddDialog, AmountDialog, ConditionDialog, EndDialog } from './dialogs.tsx'
import { Face } from './face.tsx'
import { Log } from './log.tsx'
import { TelevisionDialog } from './television.tsx'
import { Vitals } from './vitals.tsx'
import { type Fight, type Fighter, signsOf, turnWords } from './words.ts'

type Asked = 'hurt' | 'heal' | 'condition' | 'add' | 'end' | 'screen' | null

/** The Dungeon Master's page of a fight: the party above, the order left, whoever is looked at in the middle, what happened right. */
export function Runner({ fight }: { fight: Fight }): JSX.Element {
  const { campaignId, mayWrite } = useCampaign()
  const acts = useFightActs(fight)
  const change = useAction()
  const [picked, setPicked] = useState<number | null>(null)
  const [asked, setAsked] = useState<Asked>(null)
  const { combatants, status } = fight
  const running = status === 'running'
  const acting = combatants.find(({ id }) => id === fight.actingCombatantId)
  const one = combatants.find(({ id }) => id === picked) ?? acting ?? combatants[0]
  const walk = (by: number) => {
    const at = combatants.findIndex(({ id }) => id === one?.id)
    const to = combatants[(at + by + combatants.length) % combatants.length]
    if (to) setPicked(to.id)
  }
  const reveal = () =>
    one &&
    void change(
      'update_combatant',
      { combatantId: one.id, hidden: !one.hidden },
      { message: one.hidden ? `Players see ${one.name} now.` : `${one.name} is hidden from players.` },
    )
  const about = (what: Asked) => () => one && setAsked(what)
  const next = () => {
    setPicked(null)
    void acts.next()
  }
  useShortcuts(
    mayWrite
      ? [
          { key: 'a', run: () => setAsked('add') },
          { key: 'r', run: reveal },
          { key: 'arrowdown', run: () => walk(1) },
          { key: 'arrowup', run: () => walk(-1) },
          ...(running
            ? [
                { key: 'n', run: next },
                { key: 'd', run: about('hurt') },
                { key: 'h', run: about('heal') },
                { key: 'c', run: about('condition') },
                { key: 'z', run: () => void acts.undo() },
              ]
            : [{ key: 'b', run: () => status === 'planning' && void acts.begin() }]),
        ]
      : [],
    { first: true },
  )
  return (
    <div class="runner">
      <p class="visually-hidden" role="status" aria-live="polite">
        {turnWords(fight, acting)}
      </p>
      <header class="runner-bar">
        <BackLink to={sectionPath(campaignId, 'fights')}>Fights</BackLink>
        <h1>{fight.name}</h1>
        {running && <span class="chip brass">{`Round ${fight.round}`}</span>}
        {status === 'ended' && <span class="chip">{fight.outcome ?? 'Over'}</span>}
        {mayWrite && (
          <BarActs
            fight={fight}
            acts={acts}
            onNext={next}
            onEnd={() => setAsked('end')}
            onScreen={() => setAsked('screen')}
          />
        )}
      </header>
      {fight.body && <p class="soft runner-scene">{fight.body}</p>}
      <Party fighters={combatants.filter(({ kind }) => kind === 'character')} onPick={setPicked} />
      <div class="runner-columns">
        <section class="runner-order" aria-label="Order of the round">
          <ol>
            {combatants.map((each) => (
              <li key={each.id}>
                <Turn
                  one={each}
                  now={running && each.id === acting?.id}
                  picked={each.id === one?.id}
                  onPick={() => setPicked(each.id)}
                />
              </li>
            ))}
          </ol>
          {mayWrite && status !== 'ended' && (
            <Button variant="quiet" icon="plus" onClick={() => setAsked('add')}>
              Add to the fight <kbd>a</kbd>
            </Button>
          )}
        </section>
        {one ? (
          <Block
            key={one.id}
            fight={fight}
            one={one}
            acts={acts}
            onHurt={about('hurt')}
            onHeal={about('heal')}
            onCondition={about('condition')}
            onReveal={reveal}
          />
        ) : (
          <p class="runner-block soft">Nobody is in this fight yet. Add who fights, then begin.</p>
        )}
        <Log fight={fight} />
      </div>
      {mayWrite && running && <Keys />}
      {one && (asked === 'hurt' || asked === 'heal') && (
        <AmountDialog one={one} heals={asked === 'heal'} acts={acts} onClose={() => setAsked(null)} />
      )}
      {one && asked === 'condition' && <ConditionDialog one={one} onClose={() => setAsked(null)} />}
      {asked === 'add' && <AddDialog fight={fight} onClose={() => setAsked(null)} />}
      {asked === 'screen' && <TelevisionDialog onClose={() => setAsked(null)} />}
      {asked === 'end' && <EndDialog acts={acts} onClose={() => setAsked(null)} />}
    </div>
  )
}

function BarActs({
  fight,
  acts,
  onNext,
  onEnd,
  onScreen,
}: {
  fight: Fight
  acts: FightActs
  onNext: () => void
  onEnd: () => void
  onScreen: () => void
}): JSX.Element {
  const { campaignId } = useCampaign()
  const [, navigate] = useLocation()
  const { status } = fight
  return (
    <div class="acts">
      {status === 'running' && (
        <Button icon="undo" onClick={() => void acts.undo()}>
          Undo <kbd>z</kbd>
        </Button>
      )}
      <Menu
        label={`More about ${fight.name}`}
        items={[
          {
            icon: 'pen',
            word: 'Change the fight',
            run: () => navigate(`${entityPath(campaignId, 'encounter', fight.id)}/edit`),
          },
          { icon: 'eye', word: 'On a television', run: onScreen },
          status === 'running' && { icon: 'left', word: 'One turn back', run: () => void acts.back() },
          status === 'running' && { icon: 'check', word: 'End the fight', run: onEnd },
          status === 'ended' && { icon: 'undo', word: 'Take the fight up again', run: () => void acts.reopen() },
        ]}
      />
      {status === 'running' && (
        <Button variant="primary" onClick={onNext}>
          Next turn <kbd>n</kbd>
        </Button>
      )}
      {status === 'planning' && (
        <Button variant="primary" disabled={fight.combatants.length === 0} onClick={() => void acts.begin()}>
          Begin <kbd>b</kbd>
        </Button>
      )}
    </div>
  )
}

/** The characters, whoever's turn it is: who is in trouble shows at a glance. */
function Party({
  fighters,
  onPick,
}: {
  fighters: readonly Fighter[]
  onPick: (id: number) => void
}): JSX.Element | null {
  if (fighters.length === 0) return null
  return (
    <section class="runner-party" aria-label="The party">
      {fighters.map((each) => (
        <button key={each.id} type="button" onClick={() => onPick(each.id)}>
          <Face one={each} />
          <span>
            <span class="nm">
              <strong>{each.name}</strong>
              {each.hp !== undefined && each.hpMax != null && (
                <span>
                  {each.hp}
                  <small>{` / ${each.hpMax}`}</small>
                </span>
              )}
            </span>
            <HpBar one={each} />
            <span class="meta">
              {[each.ac == null ? '' : `AC ${each.ac}`, lifeWords(each), signsOf(each)].filter(Boolean).join(' · ')}
            </span>
          </span>
        </button>
      ))}
    </section>
  )
}

const lifeWords = ({ lifeState }: Fighter): string =>
  ({ up: '', dying: 'Dying', stable: 'Steady, asleep', dead: 'Dead' })[lifeState]

function Turn({
  one,
  now,
  picked,
  onPick,
}: {
  one: Fighter
  now: boolean
  picked: boolean
  onPick: () => void
}): JSX.Element {
  const signs = [now ? 'Acts now' : '', one.hidden ? 'Hidden from players' : '', lifeWords(one), signsOf(one)]
  const look = `turn${now ? ' now' : ''}${picked ? ' picked' : ''}${one.lifeState === 'dead' ? ' gone' : ''}`
  return (
    <button type="button" class={look} aria-pressed={picked} aria-current={now ? 'step' : undefined} onClick={onPick}>
      <span class="count">{one.initiative ?? '–'}</span>
      <span>
        <strong>{one.name}</strong>
        <span class="secondary">{signs.filter(Boolean).join(' · ')}</span>
      </span>
      <Vitals one={one} />
    </button>
  )
}

const keyWords = [
  ['n', 'next turn'],
  ['d', 'hurt'],
  ['h', 'heal'],
  ['c', 'condition'],
  ['a', 'add'],
  ['r', 'reveal or hide'],
  ['z', 'undo'],
  ['↑ ↓', 'look at another'],
] as const

function Keys(): JSX.Element {
  return (
    <footer class="runner-keys">
      {keyWords.map(([key, word]) => (
        <span key={key}>
          <kbd>{key}</kbd>
          {word}
        </span>
      ))}
    </footer>
  )
}
