import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { LinkedThing } from '../../api/contract.ts'
import { Button, MoreLink } from '../../kit/button.tsx'
import { HiddenBadge } from '../../kit/dm-only.tsx'
import { ListFooter } from '../../kit/list.tsx'
import { Section } from '../../kit/page.tsx'
import { type EntityRef, useCampaign, usePages } from '../../shell/context.ts'
import { entityPath, sectionPath } from '../../shell/links.ts'
import { BindDialog, isRelatable } from './bind-dialog.tsx'
import './styles.ts'

/** What binds a thing to others, on its own page: their words of each other, and the way to bind one more. */
export function WithTheOthers({ entity }: { entity: EntityRef }): JSX.Element | null {
  const { campaignId, isDm, mayEdit } = useCampaign()
  const { entityType, entityId, label: title } = entity
  const [binding, setBinding] = useState(false)
  const list = usePages(
    'list_relations',
    isRelatable(entityType) ? { campaignId, entityType, entityId, limit: 20 } : null,
  )
  if (!isRelatable(entityType) || (list.items.length === 0 && !mayEdit)) return null
  return (
    <Section
      title="With the others"
      end={
        list.items.length > 0 && (
          <MoreLink to={`${sectionPath(campaignId, 'relations')}?around=${entityType}-${entityId}`}>The web</MoreLink>
        )
      }
    >
      <ul class="rows">
        {list.items.map((one) => {
          const isFrom = one.from?.entityType === entityType && one.from.entityId === entityId
          const other = isFrom ? one.to : one.from
          const [own, theirs] = isFrom ? [one.label, one.inverseLabel] : [one.inverseLabel, one.label]
          const { labelHidden = false, inverseLabelHidden = false } = one
          const [ownHidden, theirsHidden] = isFrom
            ? [labelHidden, inverseLabelHidden]
            : [inverseLabelHidden, labelHidden]
          return (
            <li key={one.id} class="row-line bond-line">
              <Other thing={other} />
              <span>
                {own && <Words who={title} hidden={ownHidden || one.hidden} text={own} />}
                {theirs && <Words who={other?.title ?? ''} hidden={theirsHidden || one.hidden} text={theirs} />}
              </span>
            </li>
          )
        })}
      </ul>
      <ListFooter list={list} shown={list.items.length} />
      {mayEdit && (
        <Button variant="quiet" class="outdent" icon="plus" onClick={() => setBinding(true)}>
          {isDm ? 'Bind to somebody' : 'Propose a bond'}
        </Button>
      )}
      {binding && <BindDialog from={{ entityType, entityId, title }} onClose={() => setBinding(false)} />}
    </Section>
  )
}

function Other({ thing }: { thing: LinkedThing | null }): JSX.Element | null {
  const { campaignId } = useCampaign()
  if (thing === null) return null
  return <Link href={entityPath(campaignId, thing.entityType, thing.entityId) ?? ''}>{thing.title}</Link>
}

function Words({ who, hidden, text }: { who: string; hidden: boolean; text: string }): JSX.Element {
  return (
    <span class={hidden ? 'dm-ink bond-words' : 'bond-words'}>
      {who} {text} {hidden && <HiddenBadge>only you</HiddenBadge>}
    </span>
  )
}
