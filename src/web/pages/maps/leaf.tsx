import type { ComponentChildren, JSX } from 'preact'
import type { LinkedThing, MapDetail, MapPin, MapToken } from '../../api/contract.ts'
import { entityLabel, idMember, kindOf, type PagedKind } from '../../kinds.ts'
import { Button, IconButton, LinkButton } from '../../kit/button.tsx'
import { DmOnly, HiddenBadge } from '../../kit/dm-only.tsx'
import { useReveal, useTrash } from '../../kit/entity-actions.tsx'
import { capitalize } from '../../kit/format.ts'
import { Menu } from '../../kit/menu.tsx'
import { Prose } from '../../kit/prose.tsx'
import { nameOf, ReferenceLink } from '../../kit/references.tsx'
import { useCampaign, useQuery } from '../../shell/context.ts'
import { entityPath } from '../../shell/links.ts'
import type { MapActs } from './acts.ts'
import { titleOfPin, titleOfToken, whyUnseen } from './marks.tsx'
import { PinIcon } from './pin-icon.tsx'

/** What lies on the map beside it: on a phone at its foot. */
export function Leaf({
  line,
  title,
  onClose,
  children,
}: {
  line: ComponentChildren
  title: string
  onClose: () => void
  children: ComponentChildren
}): JSX.Element {
  return (
    <aside class="map-leaf" aria-label={title}>
      <p class="line small soft">
        {line}
        <IconButton class="end" icon="x" label="Close" onClick={onClose} />
      </p>
      <h2>{title}</h2>
      {children}
    </aside>
  )
}

const unseenWords = { 'hidden from players': 'Hidden from players', 'under fog': 'Players have not seen this yet' }

function Unseen({ mark }: { mark: { hidden: boolean; underFog: boolean } }): JSX.Element | null {
  const why = whyUnseen(mark)
  return why === null ? null : <HiddenBadge>{unseenWords[why as keyof typeof unseenWords]}</HiddenBadge>
}

export function PinLeaf({
  pin,
  onMove,
  onEdit,
  onClose,
}: {
  pin: MapPin
  onMove: () => void
  onEdit: () => void
  onClose: () => void
}): JSX.Element {
  const { campaignId, isDm, mayWrite } = useCampaign()
  const visibility = useReveal()
  const trash = useTrash()
  const { entity } = pin
  const title = titleOfPin(pin)
  const path = entity && entityPath(campaignId, entity.entityType, entity.entityId)
  const ref = { entityType: 'pin', entityId: pin.id, label: title } as const
  const isMap = entity?.entityType === 'map'
  return (
    <Leaf
      line={
        <>
          <PinIcon name={pin.icon} />
          {entity ? capitalize(entityLabel(entity.entityType)) : 'Pin'}
        </>
      }
      title={title}
      onClose={onClose}
    >
      <Unseen mark={pin} />
      {entity && !isMap && <Words thing={entity} part="body" />}
      {isDm && pin.entityId !== null && entity === null && <p class="soft">What was here has been thrown away.</p>}
      {path && entity && (
        <p class="line">
          <LinkButton variant="primary" icon={isMap ? 'map' : 'right'} to={path}>
            {isMap ? 'Go in' : `Open the ${entityLabel(entity.entityType)}`}
          </LinkButton>
        </p>
      )}
      {isDm && mayWrite && (
        <p class="line">
          <Button icon="pin" onClick={onMove}>
            Move it
          </Button>
          <Menu
            label={`More about ${title}`}
            items={[
              { icon: 'pen', word: 'Change it', run: onEdit },
              pin.hidden
                ? { icon: 'eye', word: 'Show it to the party', run: () => visibility.reveal(ref) }
                : { icon: 'eyeoff', word: 'Hide it from players', run: () => visibility.hide(ref) },
              { icon: 'trash', word: 'Take it out', danger: true, run: () => trash(ref) },
            ]}
          />
        </p>
      )}
      {isDm && entity && !isMap && <Words thing={entity} part="dmSecret" />}
    </Leaf>
  )
}

/** What is written about the thing that a pin is of. */
function Words({ thing, part }: { thing: LinkedThing; part: 'body' | 'dmSecret' }): JSX.Element | null {
  const kind = kindOf(thing.entityType)
  const input = { [idMember(kind?.name ?? 'location')]: thing.entityId } as { locationId: number }
  const { data } = useQuery((kind?.get ?? 'get_location') as 'get_location', kind?.get ? input : null)
  const text = data?.[part]
  if (!text) return null
  return part === 'body' ? (
    <Prose text={text} />
  ) : (
    <DmOnly>
      <Prose text={text} />
    </DmOnly>
  )
}

export function TokenLeaf({
  token,
  acts,
  onMove,
  onEdit,
  onClose,
}: {
  token: MapToken
  acts: MapActs
  /** Null where it is not for this reader to move. */
  onMove: (() => void) | null
  onEdit: () => void
  onClose: () => void
}): JSX.Element {
  const { isDm, mayWrite } = useCampaign()
  const title = titleOfToken(token)
  const remove = async () => {
    if (await acts.removeToken(token.id, title)) onClose()
  }
  return (
    <Leaf line="Token" title={title} onClose={onClose}>
      <Unseen mark={token} />
      <dl class="facts">
        {token.npc && (
          <>
            <dt>Who it is</dt>
            <dd>
              <ReferenceLink kind="npc" reference={token.npc} />
            </dd>
          </>
        )}
        <dt>Who moves it</dt>
        <dd>{token.playerUserId === null ? 'The DM' : nameOf(token.playerUser)}</dd>
      </dl>
      <p class="line">
        {onMove && (
          <Button variant="primary" icon="me" onClick={onMove}>
            Move it
          </Button>
        )}
        {isDm && mayWrite && (
          <>
            <Button icon="pen" onClick={onEdit}>
              Change it
            </Button>
            <Button variant="danger-quiet" onClick={() => void remove()}>
              Take it off
            </Button>
          </>
        )}
      </p>
    </Leaf>
  )
}

/** The words about the map, and all that stands on it as a list. */
export function AboutLeaf({
  one,
  onPin,
  onToken,
  onClose,
}: {
  one: MapDetail
  onPin: (id: number) => void
  onToken: (id: number) => void
  onClose: () => void
}): JSX.Element {
  const { isDm } = useCampaign()
  return (
    <Leaf line={one.kind ?? 'Map'} title={one.name} onClose={onClose}>
      {one.location && (
        <p class="small">
          It shows <ReferenceLink kind={'location' satisfies PagedKind} reference={one.location} />.
        </p>
      )}
      {one.body && <Prose text={one.body} />}
      {isDm && one.dmSecret && (
        <DmOnly>
          <Prose text={one.dmSecret} />
        </DmOnly>
      )}
      {one.pins.length + one.tokens.length === 0 && <p class="soft">Nothing stands on it yet.</p>}
      <ul class="rows map-things">
        {one.pins.map((pin) => (
          <li key={pin.id}>
            <button type="button" class="row" onClick={() => onPin(pin.id)}>
              <PinIcon name={pin.icon} />
              <span class="grow">
                <strong>{titleOfPin(pin)}</strong>
              </span>
              <Unseen mark={pin} />
            </button>
          </li>
        ))}
        {one.tokens.map((token) => (
          <li key={token.id}>
            <button type="button" class="row" onClick={() => onToken(token.id)}>
              <PinIcon name="person" />
              <span class="grow">
                <strong>{titleOfToken(token)}</strong>
              </span>
              <Unseen mark={token} />
            </button>
          </li>
        ))}
      </ul>
      {(one.pinCount > one.pins.length || one.tokenCount > one.tokens.length) && (
        <p class="soft small">The first 200 of each are on the map.</p>
      )}
    </Leaf>
  )
}
