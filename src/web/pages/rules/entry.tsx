import type { JSX } from 'preact'
import { useLocation } from 'wouter-preact'
import type { CreatureBlock } from '../../../domain/stat-block.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { DmOnly, HiddenBadge } from '../../kit/dm-only.tsx'
import { capitalize } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { LoadError, Loading } from '../../kit/page.tsx'
import { Prose } from '../../kit/prose.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, useQuery } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { Creature, Figure } from './creature.tsx'
import { IntoFight } from './into-fight.tsx'
import { type RuleEntry as Entry, type Statblock, systemWord } from './words.ts'

/** One entry to read: its numbers, its words, and whose they are. */
export function RuleEntry({ id, heading: Heading = 'h2' }: { id: number; heading?: 'h1' | 'h2' }): JSX.Element {
  const { campaignId } = useCampaign()
  const { data: entry, error, retry } = useQuery('get_rule_entry', { ruleEntryId: id, campaignId })
  if (entry === undefined)
    return <div class="rule-entry">{error ? <LoadError error={error} retry={retry} /> : <Loading />}</div>
  const { name, summary, system, kind, body, statblock, homebrew, dmSecret } = entry
  return (
    <article class="rule-entry" aria-label={name}>
      <Heading>{name}</Heading>
      <p class="soft">
        {`${summary}. ${systemWord(system)}`} {homebrew?.hidden && <HiddenBadge>Hidden from players</HiddenBadge>}
      </p>
      {statblock && kind !== 'creature' && <Figures block={statblock} />}
      {body && <Prose text={body} />}
      {statblock && kind === 'creature' && <Creature block={statblock as CreatureBlock} system={system} />}
      {dmSecret && (
        <DmOnly>
          <Prose text={dmSecret} />
        </DmOnly>
      )}
      <Does entry={entry} />
      <Licence entry={entry} />
    </article>
  )
}

/** What a spell, a thing or a condition says in numbers and single words. */
function Figures({ block }: { block: Statblock }): JSX.Element | null {
  const shown = figuresOf(block)
  if (shown.length === 0) return null
  return (
    <dl class="rule-figures">
      {shown.map(([name, value]) => (
        <Figure key={name} name={name}>
          {value}
        </Figure>
      ))}
    </dl>
  )
}

interface Thing {
  readonly castingTime?: string
  readonly range?: string
  readonly area?: string
  readonly duration?: string
  readonly concentration?: boolean
  readonly components?: string
  readonly damage?: readonly { readonly dice: string; readonly type?: string }[]
  readonly heals?: string
  readonly save?: { readonly ability: string; readonly half?: boolean }
  readonly cost?: string
  readonly weight?: number
  readonly weapon?: { readonly damage: Thing['damage']; readonly twoHanded?: string; readonly properties?: string[] }
  readonly armour?: { readonly base: number; readonly dexterityAtMost?: number; readonly strength?: number }
}

function figuresOf(block: Statblock): readonly (readonly [string, string])[] {
  const thing = block as Thing
  const hurt = (damage: Thing['damage']) =>
    damage?.map(({ dice, type }) => [dice, type].filter(Boolean).join(' ')).join(', ')
  const { weapon, armour, save } = thing
  const all: readonly (readonly [string, string | undefined])[] = [
    ['To cast', thing.castingTime],
    ['Range', thing.range],
    ['Area', thing.area],
    [thing.concentration ? 'Lasts, with concentration' : 'Lasts', thing.duration],
    ['Damage', hurt(thing.damage ?? weapon?.damage)],
    ['In two hands', weapon?.twoHanded],
    ['Save', save && `${capitalize(save.ability)}${save.half ? ', for half' : ''}`],
    ['Heals', thing.heals],
    ['Armour class', armour && `${armour.base}${armourDexterity(armour.dexterityAtMost)}`],
    ['Strength', armour?.strength === undefined ? undefined : String(armour.strength)],
    ['Costs', thing.cost],
    ['Weighs', thing.weight === undefined ? undefined : `${thing.weight} lb`],
    ['Needs', thing.components],
    ['Is', weapon?.properties?.join(', ')],
  ]
  return all.flatMap(([name, value]) => (value ? [[name, value] as const] : []))
}

function armourDexterity(most: number | undefined): string {
  if (most === undefined) return ' + Dex'
  return most === 0 ? '' : ` + Dex, ${most} at most`
}

/** A Dungeon Master changes what the campaign wrote, and takes what is from a pack as a beginning. */
function Does({ entry }: { entry: Entry }): JSX.Element | null {
  const { campaignId, isDm, mayWrite } = useCampaign()
  const act = useAction()
  const [, navigate] = useLocation()
  if (!isDm || !mayWrite) return null
  const { id, kind, name, system, body, statblock, homebrew } = entry
  const copy = async (): Promise<void> => {
    const own = { kind, name, system, ...(body ? { body } : {}), ...(statblock ? { statblock } : {}) }
    const written = await act('create_homebrew', { campaignId, ...own }, { message: 'Copied. It is yours to change.' })
    if (written?.kind === 'done') navigate(sectionPath(campaignId, 'rules', written.value.id, 'edit'))
  }
  return (
    <div class="rule-does">
      {kind === 'creature' && <IntoFight id={id} name={name} />}
      {homebrew ? (
        <LinkButton icon="pen" to={sectionPath(campaignId, 'rules', id, 'edit')}>
          Edit
        </LinkButton>
      ) : (
        <Button icon="copy" onClick={() => void copy()}>
          Copy as ours
        </Button>
      )}
    </div>
  )
}

function Licence({ entry: { pack } }: { entry: Entry }): JSX.Element {
  return (
    <div class="rule-licence">
      <Icon name={pack ? 'book' : 'pen'} />
      {pack ? (
        <span>
          From {pack.title}, under{' '}
          <a href={pack.licenceUrl} rel="noreferrer noopener" target="_blank">
            {pack.licenceName}
          </a>
          . Whose words these are stands with the book, on the shelf below.
        </span>
      ) : (
        <span>Our own, written for this campaign.</span>
      )}
    </div>
  )
}
