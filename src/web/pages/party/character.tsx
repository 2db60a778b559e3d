import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { systemOf } from '../../../rules/systems.ts'
import type { Output } from '../../api/contract.ts'
import { Portrait } from '../../kit/avatar.tsx'
import { LinkButton } from '../../kit/button.tsx'
import { useTrash } from '../../kit/entity-actions.tsx'
import { EntityPage, EntitySecret } from '../../kit/entity-page.tsx'
import { Menu } from '../../kit/menu.tsx'
import { BackLink, Section } from '../../kit/page.tsx'
import { Prose } from '../../kit/prose.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, useMe, usePages, useQuery } from '../../shell/context.ts'
import { entityPath, pictureUrl, sectionPath } from '../../shell/links.ts'
import '../dice/styles.ts'
import { RelatedSections } from '../entity/related.tsx'
import { Acts } from './acts.tsx'
import { Bag } from './bag.tsx'
import { Echo, type Fallen, useThrow } from './echo.tsx'
import { Life } from './life.tsx'
import { Limits } from './limits.tsx'
import { OnMap } from './on-map.tsx'
import { bandWords, type Character, Chips } from './signs.tsx'

export function CharacterPage({ id }: { id: number }): JSX.Element {
  return (
    <EntityPage kind="character" id={id}>
      {(one, entity) => <SheetOf one={one} entity={entity} />}
    </EntityPage>
  )
}

interface SheetProps {
  readonly one: Character
  readonly entity: { readonly entityType: 'character'; readonly entityId: number; readonly label: string }
}

/** Whose it is plays from it, and so does a Dungeon Master; to everybody else it is a face, some words and how they stand. */
function SheetOf({
  one,
  entity,
}: {
  one: Character
  entity: { entityType: string; entityId: number; label: string }
}): JSX.Element {
  const { campaignId, isDm, mayWrite } = useCampaign()
  const me = useMe()?.id
  const mine = one.ownerUserId !== null && one.ownerUserId === me
  const mayPlay = mayWrite && (mine || isDm)
  const [fallen, setFallen] = useState<Fallen | null>(null)
  const about = entity as SheetProps['entity']
  return (
    <>
      <BackLink to={sectionPath(campaignId, 'characters')}>The party</BackLink>
      <Head one={one} mayPlay={mayPlay} entity={about} onThrown={setFallen} />
      {mayPlay || isDm ? (
        <div class="sheet">
          <div>
            <Acts one={one} mayPlay={mayPlay} onThrown={setFallen} />
            <Limits one={one} mayPlay={mayPlay} />
            <Carried one={one} mayPlay={mayPlay} />
            <Words one={one} entity={about} />
          </div>
          <aside>
            <Checks one={one} onThrown={setFallen} />
          </aside>
          {fallen && <Echo fallen={fallen} onThrown={setFallen} onGone={() => setFallen(null)} />}
        </div>
      ) : (
        <Words one={one} entity={about} />
      )}
    </>
  )
}

function Head({
  one,
  mayPlay,
  entity,
  onThrown,
}: SheetProps & { mayPlay: boolean; onThrown: (fallen: Fallen) => void }): JSX.Element {
  const { campaignId, campaign, isDm, mayWrite } = useCampaign()
  const act = useAction()
  const trash = useTrash()
  const throwCheck = useThrow(onThrown)
  const [placing, setPlacing] = useState(false)
  const { face } = systemOf(campaign.ruleSystem)
  const { computed } = one
  const status = (next: Character['status']) =>
    void act('set_character_status', { characterId: one.id, status: next }, { message: `${one.name}: ${next}.` })
  const walk = computed.speeds.walk
  return (
    <header class="sheet-head">
      {one.portraitAttachmentId === null ? (
        <Portrait name={one.name} attachmentId={null} size="l" />
      ) : (
        <a href={pictureUrl(one.portraitAttachmentId, 'original')} title="The whole picture">
          <Portrait name={one.name} attachmentId={one.portraitAttachmentId} size="l" />
        </a>
      )}
      <div class="grow">
        <h1>{one.name}</h1>
        <p class="sub">
          {[
            `${one.className ?? 'Level'} ${one.level}`,
            one.species,
            one.ownerUser && `${one.ownerUser.title} plays them`,
          ]
            .filter(Boolean)
            .join('. ')}
        </p>
        {mayPlay ? (
          <div class="figs">
            {face.armour && computed.ac !== null && (
              <div class="fig">
                <b>{computed.ac}</b>
                <span>{face.armour}</span>
              </div>
            )}
            <button
              type="button"
              class="fig"
              onClick={() =>
                void throwCheck({ kind: 'check', characterId: one.id, checkId: 'initiative', name: 'Initiative' })
              }
            >
              <b>{computed.initiative < 0 ? `−${-computed.initiative}` : `+${computed.initiative}`}</b>
              <span>Initiative</span>
            </button>
            {walk !== undefined && (
              <div class="fig">
                <b>{walk} ft</b>
                <span>Speed</span>
              </div>
            )}
            {computed.passives.map(({ key, name, value }) => (
              <div key={key} class="fig">
                <b>{value}</b>
                <span>{name}</span>
              </div>
            ))}
          </div>
        ) : (
          <p>
            <span class="word">{bandWords[computed.band]}</span> <Chips one={one} />
          </p>
        )}
        <div class="line actions">
          {mayPlay && (
            <LinkButton icon="pen" to={`${entityPath(campaignId, 'character', one.id)}/edit`}>
              Edit
            </LinkButton>
          )}
          {mayPlay && computed.levelReady && <LevelUp one={one} />}
          {mayPlay && (
            <Menu
              label={`More about ${one.name}`}
              items={[
                isDm && mayWrite && { icon: 'map', word: 'Put on a map', run: () => setPlacing(true) },
                one.status === 'active'
                  ? { icon: 'night', word: 'Set aside', run: () => status('inactive') }
                  : { icon: 'undo', word: 'Bring back', run: () => status('active') },
                one.status !== 'retired' && { icon: 'book', word: 'Retire', run: () => status('retired') },
                one.status !== 'dead' && { icon: 'x', word: 'Say that they are dead', run: () => status('dead') },
                isDm &&
                  mayWrite && {
                    icon: 'trash',
                    word: 'Move to trash',
                    danger: true,
                    run: () => trash(entity, sectionPath(campaignId, 'characters')),
                  },
              ]}
            />
          )}
        </div>
      </div>
      {mayPlay && <Life one={one} />}
      {placing && <OnMap one={one} onClose={() => setPlacing(false)} />}
    </header>
  )
}

function LevelUp({ one }: { one: Character }): JSX.Element {
  const act = useAction()
  return (
    <button
      type="button"
      class="btn"
      onClick={() =>
        void act(
          'level_up_character',
          { characterId: one.id },
          { message: `${one.name} is of level ${one.level + 1}.` },
        )
      }
    >
      {`Take level ${one.level + 1}`}
    </button>
  )
}

function Carried({ one, mayPlay }: { one: Character; mayPlay: boolean }): JSX.Element {
  const { campaignId } = useCampaign()
  const { data: party } = useQuery('get_party', { campaignId })
  return <Bag title="In the bag" characterId={one.id} people={party?.characters ?? []} mayChange={mayPlay} />
}

function Words({ one, entity }: SheetProps): JSX.Element {
  return (
    <>
      {one.body ? (
        <Section title="Who they are">
          <Prose text={one.body} />
        </Section>
      ) : null}
      {one.notes && (
        <Section title="For the player">
          <Prose text={one.notes} />
        </Section>
      )}
      <EntitySecret kind="character" row={one} />
      <RelatedSections entity={entity} />
    </>
  )
}

type Check = Output<'list_checks'>['items'][number]
const signed = (value: number | null): string => (value === null ? 'Roll' : value < 0 ? `−${-value}` : `+${value}`)

function Checks({ one, onThrown }: { one: Character; onThrown: (fallen: Fallen) => void }): JSX.Element {
  const { campaign } = useCampaign()
  const list = usePages('list_checks', { characterId: one.id, limit: 200 })
  const throwCheck = useThrow(onThrown)
  const system = systemOf(campaign.ruleSystem)
  const roll = (check: Check) =>
    void throwCheck({ kind: 'check', characterId: one.id, checkId: check.id, name: check.name })
  const of = (kind: Check['kind']) => list.items.filter((check) => check.kind === kind)
  const saveOf = (ability: string) => of('save').find((check) => check.ability === ability)
  const button = (check: Check | undefined, word: string) =>
    check && (
      <button type="button" class="rb" onClick={() => roll(check)}>
        {signed(check.modifier)}
        <small>
          {word}
          <span class="visually-hidden">{` of ${check.name}`}</span>
        </small>
      </button>
    )
  const isGood = (check: Check) => check.rank !== null && check.rank !== system.ranks[0]?.key
  const named = (checks: readonly Check[], plain: boolean) => (
    <div class={plain ? 'cks plain' : 'cks'}>
      {checks.map((check) => (
        <button key={check.id} type="button" class="ck" title={check.reasons.join(', ')} onClick={() => roll(check)}>
          <span>
            {check.name}
            {check.mode !== 'plain' && <small>{check.mode === 'advantage' ? 'better of two' : 'worse of two'}</small>}
          </span>
          <b>{signed(check.modifier)}</b>
        </button>
      ))}
    </div>
  )
  const skills = [...of('perception'), ...of('skill')]
  const byAbility = of('ability').length > 0
  return (
    <>
      {system.abilities.length > 0 && (
        <Section title="Abilities" end={byAbility ? <span class="small soft">check, then save</span> : undefined}>
          <div class="abils">
            {system.abilities.map(({ key, name }) => (
              <div key={key}>
                <h3>
                  {name}
                  <span>
                    {system.face.abilities === 'score'
                      ? (one.abilities[key] ?? system.face.abilityBounds.usual)
                      : signed(one.abilities[key] ?? system.face.abilityBounds.usual)}
                  </span>
                </h3>
                {button(
                  of('ability').find(({ ability }) => ability === key),
                  'check',
                )}
                {byAbility && button(saveOf(key), 'save')}
              </div>
            ))}
          </div>
        </Section>
      )}
      {!byAbility && of('save').length > 0 && <Section title="Saves">{named(of('save'), false)}</Section>}
      {skills.some(isGood) && <Section title="Good at">{named(skills.filter(isGood), false)}</Section>}
      {skills.some((check) => !isGood(check)) && (
        <Section title="Everything else">
          {named(
            skills.filter((check) => !isGood(check)),
            true,
          )}
        </Section>
      )}
      {of('own').length > 0 && <Section title="Their own">{named(of('own'), false)}</Section>}
    </>
  )
}
