import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Button, IconButton, LinkButton } from '../../kit/button.tsx'
import { DmOnly } from '../../kit/dm-only.tsx'
import { number } from '../../kit/format.ts'
import { BackLink, Section } from '../../kit/page.tsx'
import { Prose } from '../../kit/prose.tsx'
import { useAction } from '../../shell/actions.ts'
import { useApp, useCampaign, useQuery } from '../../shell/context.ts'
import { entityPath, sectionPath } from '../../shell/links.ts'
import { useShortcuts } from '../../shell/navigation.tsx'
import { useFightActs } from './acts.ts'
import { AddField } from './add-field.tsx'
import { AddDialog } from './dialogs.tsx'
import { Drawn } from './drawn.tsx'
import { Face } from './face.tsx'
import { type FoeGroup, groupsOf, type Rated } from './foes.ts'
import { Verdict } from './verdict.tsx'
import type { Fight, Fighter } from './words.ts'

/** A fight that is being planned: who stands against the party, how hard that is, and what the dice would choose. */
export function Build({ fight }: { fight: Fight }): JSX.Element {
  const { campaignId, mayWrite } = useCampaign()
  const acts = useFightActs(fight)
  const [adding, setAdding] = useState(false)
  const rated = useQuery('get_encounter_difficulty', { encounterId: fight.id }).data
  const groups = groupsOf(fight)
  const beside = fight.combatants.filter(({ kind, ally }) => kind === 'character' || ally)
  const edit = `${entityPath(campaignId, 'encounter', fight.id)}/edit`
  const isReady = fight.combatants.length > 0
  useShortcuts(
    mayWrite
      ? [
          { key: 'b', run: () => isReady && void acts.begin() },
          { key: 'a', run: () => document.querySelector<HTMLInputElement>('.add-field input')?.focus() },
        ]
      : [],
    { first: true },
  )
  return (
    <div class="build">
      <BackLink to={sectionPath(campaignId, 'fights')}>Fights</BackLink>
      <header class="head">
        <div>
          <h1>{fight.name}</h1>
          <p class="sub line">
            <span class="chip">Being planned</span>
            <Where fight={fight} />
          </p>
        </div>
        {mayWrite && (
          <div class="actions">
            <LinkButton icon="pen" to={edit}>
              Change
            </LinkButton>
            <Button variant="primary" icon="swords" disabled={!isReady} onClick={() => void acts.begin()}>
              Begin the fight <kbd>b</kbd>
            </Button>
          </div>
        )}
      </header>
      <div class="two-columns">
        <div>
          <Section title="Who stands against them">
            <ul class="roster">
              {groups.map((group) => (
                <Group key={group.name} group={group} rated={rated} />
              ))}
            </ul>
            {mayWrite && <AddField fight={fight} onOwn={() => setAdding(true)} />}
          </Section>
          <Section title="And beside them">
            <Beside beside={beside} fight={fight} />
          </Section>
          {mayWrite && <Drawn fight={fight} groups={groups} />}
          <Section title="What the place does">
            {fight.body ? <Prose text={fight.body} /> : <p class="soft">Light, noise, what is in the way.</p>}
            <p class="small soft">Everybody may read this once the fight begins.</p>
            {fight.dmSecret && (
              <DmOnly>
                <Prose text={fight.dmSecret} />
              </DmOnly>
            )}
          </Section>
        </div>
        <aside class="side-column">{rated && <Verdict rated={rated} />}</aside>
      </div>
      {mayWrite && (
        <div class="build-dock">
          <span>
            <strong>{rated?.foeCount ? rated.says : fight.name}</strong>
            <span class="small soft">{dockWords(groups)}</span>
          </span>
          <Button variant="primary" icon="swords" disabled={!isReady} onClick={() => void acts.begin()}>
            Begin
          </Button>
        </div>
      )}
      {adding && <AddDialog fight={fight} onClose={() => setAdding(false)} />}
    </div>
  )
}

function dockWords(groups: readonly FoeGroup[]): string {
  const all = groups.flatMap(({ members }) => members)
  const hidden = all.filter((one) => one.hidden).length
  const seen = all.length - hidden
  return `${seen === 1 ? 'One foe' : `${seen} foes`}${hidden === 0 ? '' : ` and ${hidden} hidden`}`
}

function Where({ fight }: { fight: Fight }): JSX.Element | null {
  const { campaignId } = useCampaign()
  const { location, quest } = fight
  if (!location && !quest) return null
  const to = (kind: 'location' | 'quest', id: number) => entityPath(campaignId, kind, id) ?? ''
  return (
    <span>
      {location && (
        <>
          In <Link href={to('location', location.id)}>{location.title}</Link>
          {quest && ', '}
        </>
      )}
      {quest && (
        <>
          {location ? 'for ' : 'For '}
          <Link href={to('quest', quest.id)}>{quest.title}</Link>
        </>
      )}
    </span>
  )
}

/** Foes of one name, with how many there are and what they are worth. */
function Group({ group, rated }: { group: FoeGroup; rated: Rated | undefined }): JSX.Element {
  const { mayWrite } = useCampaign()
  const { client } = useApp()
  const act = useAction()
  const { name, members } = group
  const [first] = members
  const counted = rated?.foes.find((each) => each.name === name)
  const each = counted?.experienceEach ?? null
  const many = members.length > 1
  const more = async () => {
    const { kind, npcId, hpMax, ac, initiativeModifier, statblock, hidden, notes } = await client.read(
      'get_combatant',
      { combatantId: first.id },
    )
    const numbers = {
      ...(hpMax == null ? {} : { hpMax }),
      ...(ac == null ? {} : { ac }),
      ...(initiativeModifier == null ? {} : { initiativeModifier }),
      ...(statblock === undefined ? {} : { statblock }),
    }
    const own = { hidden, ...(npcId === null ? {} : { npcId }), ...(notes ? { notes } : {}) }
    await act('add_combatant', { encounterId: first.encounterId, kind, name, ...numbers, ...own })
  }
  const fewer = () => void act('remove_combatant', { combatantId: (members.at(-1) ?? first).id })
  const facts = [
    first.hpMax == null ? '' : `${first.hpMax} hit points${many ? ' each' : ''}`,
    first.ac == null ? '' : `AC ${first.ac}`,
  ].filter(Boolean)
  return (
    <li>
      <Face one={first} size="m" />
      <span class="grow">
        <strong>{name}</strong>
        <span class="line2">
          {facts.join(', ')}
          {counted && each !== null && `${facts.length > 0 ? '. ' : ''}${ratingOf(counted.rating)}`}
        </span>
        {first.hidden && <span class="line2 dm-words">Not on the board until you say so</span>}
      </span>
      {mayWrite ? (
        <span class="stepper">
          <IconButton icon="minus" label={many ? `One fewer ${name}` : `Without ${name}`} onClick={fewer} />
          <output>{members.length}</output>
          <IconButton icon="plus" label={`One more ${name}`} onClick={() => void more()} />
        </span>
      ) : (
        <span>{members.length}</span>
      )}
      {each !== null && (
        <span class="worth">
          <b>{number(each * members.length)}</b>
          {each === 0 ? 'not counted' : many ? `${number(each)} each` : 'worth'}
        </span>
      )}
    </li>
  )
}

const fractions: Readonly<Record<string, string>> = { '0.125': '1/8', '0.25': '1/4', '0.5': '1/2' }
const ratingOf = (rating: number): string => `Challenge ${fractions[String(rating)] ?? rating}`

/** The party, and whoever fights with it. */
function Beside({ beside, fight }: { beside: readonly Fighter[]; fight: Fight }): JSX.Element {
  const { campaignId, mayWrite } = useCampaign()
  const act = useAction()
  const party = useQuery('list_characters', { campaignId, status: 'active', limit: 200 }).data?.items ?? []
  const there = new Set(beside.map(({ characterId }) => characterId))
  const absent = party.filter(({ id }) => !there.has(id))
  const add = async (ids: readonly number[]) => {
    for (const characterId of ids) {
      const written = await act('add_combatant', { encounterId: fight.id, kind: 'character', characterId })
      if (written === null) return
    }
  }
  return (
    <>
      <ul class="roster">
        {beside.map((one) => (
          <li key={one.id}>
            <Face one={one} />
            <span class="grow">
              <strong>{one.name}</strong>
              <span class="line2">{one.hpMax == null ? '' : `${one.hp ?? one.hpMax} of ${one.hpMax} hit points`}</span>
            </span>
            {mayWrite && (
              <IconButton
                icon="x"
                label={`Without ${one.name}`}
                onClick={() => void act('remove_combatant', { combatantId: one.id })}
              />
            )}
          </li>
        ))}
      </ul>
      {mayWrite && absent.length > 0 && (
        <div class="chips">
          {absent.length > 1 && (
            <Button icon="people" onClick={() => void add(absent.map(({ id }) => id))}>
              {beside.length === 0 ? 'The whole party' : 'Everybody else'}
            </Button>
          )}
          {absent.slice(0, 8).map(({ id, name }) => (
            <Button key={id} variant="quiet" icon="plus" onClick={() => void add([id])}>
              {name}
            </Button>
          ))}
        </div>
      )}
    </>
  )
}
