import type { ComponentChildren, JSX } from 'preact'
import type { CreatureBlock } from '../../../domain/stat-block.ts'
import { modifierOf } from '../../../rules/dnd5e/statistics.ts'
import { capitalize } from '../../kit/format.ts'
import { ratingWord, signed } from './words.ts'

type Action = NonNullable<CreatureBlock['actions']>[number]

/** The numbers of a creature, in the order in which a fight asks for them. */
export function Creature({ block, system }: { block: CreatureBlock; system: string }): JSX.Element {
  const { armourClass, hitPoints, speeds, rating, experience, abilities = {}, actions = [], traits = [] } = block
  const [walk, ...ways] = Object.entries(speeds ?? {}).sort(([one]) => (one === 'walk' ? -1 : 1))
  const isScore = system === 'dnd5e'
  return (
    <>
      <dl class="rule-figures">
        {armourClass && <Figure name={armourClass.from ? `AC, ${armourClass.from}` : 'AC'}>{armourClass.value}</Figure>}
        {hitPoints && (
          <Figure name="Hit points">
            {hitPoints.value} {hitPoints.dice && <small>{hitPoints.dice}</small>}
          </Figure>
        )}
        {walk && (
          <Figure name={ways.map(([way, feet]) => `${way} ${feet} ft`).join(', ') || 'Speed'}>{`${walk[1]} ft`}</Figure>
        )}
        {rating !== undefined && (
          <Figure name={experience ? `Challenge, worth ${experience}` : isScore ? 'Challenge' : 'Level'}>
            {ratingWord(rating)}
          </Figure>
        )}
        {block.initiative !== undefined && <Figure name="Initiative">{signed(block.initiative)}</Figure>}
        {block.passivePerception !== undefined && <Figure name="Notices">{block.passivePerception}</Figure>}
      </dl>
      {Object.keys(abilities).length > 0 && (
        <dl class="rule-abilities">
          {Object.entries(abilities).map(([key, value]) => (
            <div key={key}>
              <dt>{capitalize(key)}</dt>
              <dd>{isScore ? <Score value={value} /> : signed(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      <dl class="facts">
        <Words name="Saves" words={bonuses(block.saves)} />
        <Words name="Skills" words={bonuses(block.skills)} />
        <Words name="Vulnerable to" words={defences(block.vulnerabilities)} />
        <Words name="Resists" words={defences(block.resistances)} />
        <Words name="Immune to" words={defences(block.immunities)} />
        <Words name="Cannot be" words={block.conditionImmunities?.join(', ')} />
        <Words name="Senses" words={block.senses?.join(', ')} />
        <Words name="Speaks" words={block.languages} />
      </dl>
      {traits.length > 0 && (
        <ul class="rule-acts">
          {traits.map(({ name, text }) => (
            <li key={name}>
              <div>
                <strong>{name}</strong>
                <p>{text}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
      {(['action', 'bonus', 'reaction', 'legendary', 'lair', 'free'] as const).map((cost) => (
        <Acts key={cost} title={titles[cost]} actions={actions.filter((each) => (each.cost ?? 'action') === cost)} />
      ))}
    </>
  )
}

const titles = {
  action: 'What it does',
  bonus: 'Besides',
  reaction: 'In others’ turns',
  legendary: 'Between turns',
  lair: 'In its lair',
  free: 'At any time',
} as const

function Score({ value }: { value: number }): JSX.Element {
  return (
    <>
      {value} <small>{signed(modifierOf(value))}</small>
    </>
  )
}

export function Figure({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Words({ name, words }: { name: string; words: string | undefined }): JSX.Element | null {
  if (!words) return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{words}</dd>
    </div>
  )
}

const bonuses = (values: Readonly<Record<string, number>> | undefined): string =>
  Object.entries(values ?? {})
    .map(([key, value]) => `${capitalize(key)} ${signed(value)}`)
    .join(', ')

const defences = (list: CreatureBlock['resistances']): string =>
  (list ?? [])
    .map(({ type, amount, except }) => [type, amount, except && `(not ${except})`].filter(Boolean).join(' '))
    .join(', ')

function Acts({ title, actions }: { title: string; actions: readonly Action[] }): JSX.Element | null {
  if (actions.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ul class="rule-acts">
        {actions.map((action) => (
          <li key={action.name}>
            <div>
              <strong>{action.name}</strong> {limitOf(action) && <span class="chip">{limitOf(action)}</span>}
              {saysOf(action) && <p>{saysOf(action)}</p>}
            </div>
            <Numbers action={action} />
          </li>
        ))}
      </ul>
    </>
  )
}

function limitOf({ recharge, uses, count }: Action): string {
  if (recharge) return recharge.from === 6 ? 'Comes back on 6' : `Comes back on ${recharge.from}–6`
  if (uses) return `${uses.count} a ${uses.per === 'short' || uses.per === 'long' ? `${uses.per} rest` : uses.per}`
  return count === undefined ? '' : `Costs ${count}`
}

function saysOf({ text, attack, area }: Action): string {
  const range = attack?.range?.join('/')
  const where = [
    attack?.reach && attack.reach > 5 ? `Reaches ${attack.reach} ft.` : '',
    range ? `Range ${range} ft.` : '',
    area ? `${capitalize(area)}.` : '',
  ]
  return [...where, text ?? ''].filter(Boolean).join(' ')
}

function Numbers({ action: { attack, damage = [], save } }: { action: Action }): JSX.Element | null {
  if (!attack && damage.length === 0 && !save) return null
  return (
    <div class="rule-numbers">
      {attack && (
        <span>
          {signed(attack.bonus)}
          <small>to hit</small>
        </span>
      )}
      {damage.map(({ dice, type }) => (
        <span key={`${dice} ${type}`}>
          {dice}
          <small>{type ?? 'damage'}</small>
        </span>
      ))}
      {save && (
        <span>
          {`${capitalize(save.ability)} ${save.dc}`}
          <small>{save.half || save.basic ? 'save for half' : 'save'}</small>
        </span>
      )}
    </div>
  )
}
