import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import { Portrait } from '../../kit/avatar.tsx'
import { Button, MoreLink } from '../../kit/button.tsx'
import { count } from '../../kit/format.ts'
import { HpBar } from '../../kit/hp-bar.tsx'
import { BackLink, Section } from '../../kit/page.tsx'
import { useCampaign, usePages, useQuery } from '../../shell/context.ts'
import { entityPath, sectionPath } from '../../shell/links.ts'
import { useFightActs } from './acts.ts'
import { Log } from './log.tsx'
import { Rewards } from './rewards.tsx'
import { type Aftermath, bandWords, type Fight, type FightEvent } from './words.ts'

/** A fight that is over: what happened, what they get for it, who fell, and the way back into it. */
export function After({ fight }: { fight: Fight }): JSX.Element {
  const { campaignId, mayWrite } = useCampaign()
  const acts = useFightActs(fight)
  const after = useQuery('get_encounter_aftermath', { encounterId: fight.id }).data
  return (
    <div class="after-fight">
      <BackLink to={sectionPath(campaignId, 'fights')}>Fights</BackLink>
      <header class="head">
        <div>
          <h1>{fight.outcome || 'The fight is over'}</h1>
          <p class="sub">{`${fight.name}. ${count(fight.round, 'round')}.`}</p>
        </div>
        {mayWrite && (
          <div class="actions">
            <Button icon="undo" onClick={() => void acts.reopen()}>
              Take it up again
            </Button>
          </div>
        )}
      </header>
      <div class="two-columns">
        <div>
          <Moments fight={fight} />
          {after && <Rewards key={after.rewards?.at ?? ''} fight={fight} after={after} />}
          <details class="section every-blow">
            <summary>Every blow</summary>
            <Log fight={fight} />
          </details>
        </div>
        <aside class="side-column">{after && <Margin fight={fight} after={after} />}</aside>
      </div>
    </div>
  )
}

const grave = /\b(Dead|Down|dying|Unconscious|Steady|asleep|Up again|Awake|Dying)\b/i

/** What is worth telling of a round: who fell, who got up, who left. */
function tellingOf(events: readonly FightEvent[]): readonly (readonly [string, string])[] {
  return events.flatMap(({ kind, says, target, combatant, undone }) => {
    if (undone) return []
    const who = (target ?? combatant)?.title
    if (who === undefined) return []
    if (kind === 'removal') return [[who, 'leaves the fight.'] as const]
    if (kind === 'death_save') return [[who, says] as const]
    if ((kind === 'damage' || kind === 'heal') && grave.test(says)) {
      const by = combatant && target && combatant.id !== target.id ? ` (${combatant.title})` : ''
      const what = says.replace(/^(Hurt|Healed)[^.]*[.] ?/, '').replace(/^Dead[.]$/, 'Falls.')
      return [[who, `${what}${by}`] as const]
    }
    return []
  })
}

function Moments({ fight }: { fight: Fight }): JSX.Element {
  const { items } = usePages('list_encounter_events', { encounterId: fight.id, limit: 200 }, { all: true })
  const rounds = Array.from({ length: fight.round }, (_, index) => index + 1)
  const told = rounds
    .map((round) => ({ round, moments: tellingOf(items.filter((each) => each.round === round).toReversed()) }))
    .filter(({ moments }) => moments.length > 0)
  return (
    <Section title="What happened">
      {told.length === 0 ? (
        <p class="soft">Nobody fell.</p>
      ) : (
        <ol class="timeline moments">
          {told.map(({ round, moments }) => (
            <li key={round} class={round === fight.round ? 'big' : undefined}>
              <span class="when">{`Round ${round}`}</span>
              {moments.map(([who, what], index) => (
                <span key={index}>
                  <strong>{who}.</strong> {what}{' '}
                </span>
              ))}
            </li>
          ))}
        </ol>
      )}
    </Section>
  )
}

function Margin({ fight, after }: { fight: Fight; after: Aftermath }): JSX.Element {
  const { campaignId } = useCampaign()
  const fallen = after.foes.filter((each) => each.fallen > 0)
  const standing = new Map(fight.combatants.map((one) => [one.characterId, one]))
  const quest = after.quest && after.questId !== null ? entityPath(campaignId, 'quest', after.questId) : null
  return (
    <>
      {fallen.length > 0 && (
        <section>
          <h2 class="h3">Who fell</h2>
          <ul class="roster">
            {fallen.map(({ name, count: there, fallen: fell }) => (
              <li key={name}>
                <Portrait name={name} attachmentId={null} size="s" />
                <span class="grow">
                  <strong>{name}</strong>
                  {there > 1 && <span class="line2">{`${fell} of ${there}`}</span>}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {after.characters.length > 0 && (
        <section>
          <h2 class="h3">How they stand</h2>
          <ul class="stood">
            {after.characters.map(({ id, name, hp, hpMax }) => {
              const one = standing.get(id)
              const word =
                one?.band === undefined || one.band === 'unhurt' ? '' : bandWords[one.band].word.toLowerCase()
              return (
                <li key={id}>
                  <span class="nm">
                    {name}
                    <span>{[`${hp} of ${hpMax}`, word].filter(Boolean).join(', ')}</span>
                  </span>
                  {one && <HpBar one={one} />}
                </li>
              )
            })}
          </ul>
          <MoreLink to={sectionPath(campaignId, 'characters')}>Call a rest</MoreLink>
        </section>
      )}
      {(quest || after.beats.length > 0) && (
        <section>
          <h2 class="h3">What it changes</h2>
          <ul class="plain-list">
            {quest && (
              <li>
                <Link href={quest}>{after.quest?.title}</Link>
              </li>
            )}
            {after.beats.slice(0, 5).map(({ id, title }) => (
              <li key={id}>
                <Link href={sectionPath(campaignId, 'story')}>{title}</Link>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
