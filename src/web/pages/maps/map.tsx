import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import type { FogChange, MapDetail } from '../../api/contract.ts'
import { IconButton, LinkButton } from '../../kit/button.tsx'
import { HiddenBadge } from '../../kit/dm-only.tsx'
import { useReveal, useTrash } from '../../kit/entity-actions.tsx'
import { EntityPage } from '../../kit/entity-page.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Menu } from '../../kit/menu.tsx'
import { type EntityRef, useCampaign, useMe } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { LookAsIcon } from '../../shell/looking-as.tsx'
import { useShortcuts } from '../../shell/navigation.tsx'
import { useMapActs } from './acts.ts'
import { PinForm, TokenForm } from './forms.tsx'
import { AboutLeaf, Leaf, PinLeaf, TokenLeaf } from './leaf.tsx'
import { useLoaded } from './loaded.ts'
import { PinMark, TokenMark, titleOfPin, titleOfToken } from './marks.tsx'
import { usePane } from './pane.ts'
import { Sketch } from './sketch.tsx'
import { type Brush, FogPanel, Hint, MeasurePanel, type Tool, Toolbar } from './tools.tsx'
import { boxOf, moved, type Point } from './view.ts'
import './styles.ts'

export function MapPage({ id }: { id: number }): JSX.Element {
  return (
    <EntityPage kind="map" id={id}>
      {(one, entity) => <Chart key={id} one={one} entity={entity} />}
    </EntityPage>
  )
}

/** What is open in the leaf. */
type Open =
  | { readonly about: true }
  | { readonly pin: number; readonly edit?: boolean }
  | { readonly token: number; readonly edit?: boolean }
  | { readonly newPin: Point }
  | { readonly newToken: Point }
  | null

type Carried = { readonly pin: number } | { readonly token: number } | null

const arrows: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

function Chart({ one, entity }: { one: MapDetail; entity: EntityRef }): JSX.Element {
  const { isDm, mayWrite, mayEdit } = useCampaign()
  const me = useMe()?.id ?? null
  const acts = useMapActs(one.id)
  const image = useLoaded(one.imageUrl)
  const fogUrl = isDm && one.fog.enabled ? one.imageUrl.replace('layer=whole', 'layer=fog') : null
  const fog = useLoaded(fogUrl)
  const [tool, setTool] = useState<Tool>('move')
  const [brush, setBrush] = useState<Brush>('rectangle')
  const [corners, setCorners] = useState<readonly Point[]>([])
  const [cursor, setCursor] = useState<Point | null>(null)
  const [open, setOpen] = useState<Open>(null)
  const [carried, setCarried] = useState<Carried>(null)
  /** Strokes whose fog has not come back yet. */
  const [pending, setPending] = useState<readonly (readonly Point[])[]>([])
  useEffect(() => setPending([]), [fog?.url])
  const size = image?.size ?? null
  const isBrush = tool === 'reveal' || tool === 'conceal'
  const brushing = isBrush && one.fog.enabled
  const draws = (brushing && brush === 'rectangle') || tool === 'measure'

  const pick = (next: Tool) => {
    setTool(next)
    setCorners([])
    setCarried(null)
    setCursor(null)
    if (next !== 'move') setOpen(null)
  }
  const stroke = (shape: readonly Point[], kind: Brush) => {
    setCorners([])
    const [from, to] = shape
    if (!from || !to) return
    const given = kind === 'rectangle' ? boxOf(from, to) : { points: [...shape] }
    if ('width' in given && given.width * given.height === 0) return
    const { x, y, width, height } = boxOf(from, to)
    const right = { x: x + width, y }
    setPending([
      ...pending,
      kind === 'polygon' ? shape : [{ x, y }, right, { x: x + width, y: y + height }, { x, y: y + height }],
    ])
    const change: FogChange = tool === 'reveal' ? { reveal: [given] } : { conceal: [given] }
    void acts.fog(change, tool === 'reveal' ? 'Uncovered.' : 'Covered.').then((done) => done ?? setPending([]))
  }
  const onTap = (at: Point) => {
    if (carried !== null) {
      setCarried(null)
      setCursor(null)
      void ('pin' in carried ? acts.movePin(carried.pin, at) : acts.moveToken(carried.token, at))
    } else if (tool === 'pin') setOpen({ newPin: at })
    else if (tool === 'token') setOpen({ newToken: at })
    else if (tool === 'measure') setCorners(corners.length === 1 ? [...corners, at] : [at])
    else if (brushing && brush === 'polygon') setCorners([...corners, at].slice(0, 200))
    else if (brushing && corners.length === 0) setCorners([at])
    else if (brushing) stroke([...corners.slice(0, 1), at], 'rectangle')
    else setOpen(null)
  }
  const onDraw = (from: Point, to: Point, done: boolean) => {
    if (done && brushing) stroke([from, to], 'rectangle')
    else setCorners([from, to])
  }
  const pane = usePane({ size, drawing: draws && carried === null, onTap, onDraw })
  const { view } = pane
  const aims = carried !== null || tool === 'pin' || tool === 'token' || tool === 'measure' || brushing
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) return
    const by = arrows[event.key]
    if (by !== undefined) {
      event.preventDefault()
      if (!aims) return pane.pan({ x: by.x * -60, y: by.y * -60 })
      const step = event.shiftKey ? 0.004 : 0.02
      setCursor(moved(cursor ?? { x: 0.5, y: 0.5 }, { x: by.x * step, y: by.y * step }))
    } else if (event.key === 'Enter' && aims) {
      event.preventDefault()
      if (brush === 'polygon' && brushing && event.shiftKey) stroke(corners, 'polygon')
      else if (cursor) onTap(cursor)
      else setCursor({ x: 0.5, y: 0.5 })
    } else if (event.key === '+' || event.key === '-') pane.zoom(event.key === '+' ? 1.4 : 1 / 1.4)
    else if (event.key === '0') pane.showAll()
  }
  useShortcuts([
    {
      key: 'escape',
      run: () => {
        if (corners.length > 0) setCorners([])
        else if (carried !== null) setCarried(null)
        else if (open !== null) close()
        else pick('move')
      },
    },
  ])
  /** The focus goes back to what was open. */
  const close = () => {
    const id = open && 'pin' in open ? `pin-${open.pin}` : open && 'token' in open ? `token-${open.token}` : null
    setOpen(null)
    if (id) document.getElementById(id)?.focus({ preventScroll: true })
  }
  const tools: Tool[] = ['move']
  if (mayEdit) tools.push('pin')
  if (isDm && mayWrite) tools.push('token', 'reveal', 'conceal')
  if (one.grid) tools.push('measure')
  const mayMoveToken = (playerUserId: number | null): boolean =>
    mayWrite && (isDm || (playerUserId !== null && playerUserId === me))
  const carry = (what: NonNullable<Carried>) => {
    setOpen(null)
    setCarried(what)
    pane.self.current?.focus({ preventScroll: true })
  }
  const pin = open && 'pin' in open ? one.pins.find(({ id }) => id === open.pin) : undefined
  const token = open && 'token' in open ? one.tokens.find(({ id }) => id === open.token) : undefined
  const isSheet = open !== null && (pin || token || 'about' in open || 'newPin' in open || 'newToken' in open)
  const columns = one.grid?.columns ?? null

  return (
    <div class={isSheet ? 'mapper with-leaf' : 'mapper'} data-tool={carried ? 'carry' : tool}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is a part of a form */}
      <div
        {...pane.on}
        ref={pane.self}
        class="map-pane"
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move the map, as a finger does
        tabIndex={0}
        aria-label={`Map of ${one.name}. Arrow keys move it, plus and minus make it larger and smaller.${aims ? ' With a tool in hand they move a mark, and Enter sets it.' : ''}`}
        onKeyDown={onKeyDown}
      >
        {view && size && image && (
          <div
            class="map-sheet"
            style={{
              width: `${size.width * view.scale}px`,
              height: `${size.height * view.scale}px`,
              transform: `translate(${view.x}px, ${view.y}px)`,
            }}
          >
            <img src={image.url} alt="" draggable={false} />
            {fog?.size && <div class="map-fog" style={{ maskImage: `url("${fog.url}")` }} />}
            <Sketch
              size={size}
              grid={one.grid?.shown ? one.grid.columns : null}
              corners={corners}
              shape={tool === 'measure' ? 'line' : brush}
              pending={pending}
              cursor={aims ? cursor : null}
              scale={view.scale}
            />
            {one.tokens.map((each) => (
              <TokenMark
                key={each.id}
                token={each}
                view={view}
                size={size}
                columns={columns}
                chosen={token?.id === each.id}
                onMove={mayMoveToken(each.playerUserId) ? (to) => void acts.moveToken(each.id, to) : null}
                onChoose={() => setOpen({ token: each.id })}
              />
            ))}
            {one.pins.map((each) => (
              <PinMark
                key={each.id}
                pin={each}
                view={view}
                size={size}
                chosen={pin?.id === each.id}
                onMove={isDm && mayWrite ? (to) => void acts.movePin(each.id, to) : null}
                onChoose={() => setOpen({ pin: each.id })}
              />
            ))}
          </div>
        )}
        {image && size === null && <NoPicture mapId={one.id} />}
      </div>
      <Top one={one} entity={entity} onAbout={() => setOpen({ about: true })} />
      {carried && <Hint onStop={() => setCarried(null)}>Tap where it should stand.</Hint>}
      {!carried && isBrush && (
        <FogPanel
          one={one}
          tool={tool}
          brush={brush}
          corners={corners}
          acts={acts}
          onBrush={(next) => {
            setBrush(next)
            setCorners([])
          }}
          onClose={() => stroke(corners, 'polygon')}
          onAnew={() => setCorners([])}
        />
      )}
      {!carried && tool === 'measure' && one.grid && size && (
        <MeasurePanel grid={one.grid} size={size} corners={corners} />
      )}
      {!carried && !isSheet && (tool === 'pin' || tool === 'token') && (
        <Hint onStop={() => pick('move')}>Tap the place where it should stand.</Hint>
      )}
      <Toolbar tools={tools} tool={tool} onTool={pick} onZoom={pane.zoom} onAll={pane.showAll} />
      {isDm && one.fog.enabled && tool === 'move' && !isSheet && (
        <p class="map-legend">
          <i aria-hidden="true" />
          Players have not seen this
        </p>
      )}
      {open && 'about' in open && (
        <AboutLeaf
          one={one}
          onPin={(id) => setOpen({ pin: id })}
          onToken={(id) => setOpen({ token: id })}
          onClose={close}
        />
      )}
      {open && 'newPin' in open && (
        <Leaf line="A new pin" title="What is here?" onClose={close}>
          <PinForm
            mapId={one.id}
            at={open.newPin}
            pin={null}
            onClose={close}
            onDone={(id) => {
              pick('move')
              setOpen(id === null ? null : { pin: id })
            }}
          />
        </Leaf>
      )}
      {open && 'newToken' in open && (
        <Leaf line="A new token" title="Who stands here?" onClose={close}>
          <TokenForm mapId={one.id} at={open.newToken} token={null} onClose={close} onDone={() => pick('move')} />
        </Leaf>
      )}
      {pin && open && 'pin' in open && !open.edit && (
        <PinLeaf
          key={pin.id}
          pin={pin}
          onMove={() => carry({ pin: pin.id })}
          onEdit={() => setOpen({ pin: pin.id, edit: true })}
          onClose={close}
        />
      )}
      {pin && open && 'pin' in open && open.edit && (
        <Leaf line="Pin" title={titleOfPin(pin)} onClose={close}>
          <PinForm
            mapId={one.id}
            at={pin}
            pin={pin}
            onClose={() => setOpen({ pin: pin.id })}
            onDone={() => setOpen({ pin: pin.id })}
          />
        </Leaf>
      )}
      {token && open && 'token' in open && !open.edit && (
        <TokenLeaf
          key={token.id}
          token={token}
          acts={acts}
          onMove={mayMoveToken(token.playerUserId) ? () => carry({ token: token.id }) : null}
          onEdit={() => setOpen({ token: token.id, edit: true })}
          onClose={close}
        />
      )}
      {token && open && 'token' in open && open.edit && (
        <Leaf line="Token" title={titleOfToken(token)} onClose={close}>
          <TokenForm
            mapId={one.id}
            at={token}
            token={token}
            onClose={() => setOpen({ token: token.id })}
            onDone={() => setOpen({ token: token.id })}
          />
        </Leaf>
      )}
    </div>
  )
}

/** The name of the map, the way back, and what else can be done with it. */
function Top({ one, entity, onAbout }: { one: MapDetail; entity: EntityRef; onAbout: () => void }): JSX.Element {
  const { campaignId, isDm, mayWrite } = useCampaign()
  const [, navigate] = useLocation()
  const visibility = useReveal()
  const trash = useTrash()
  const [above] = one.within
  const all = sectionPath(campaignId, 'maps')
  return (
    <header class="map-top">
      <Link
        class="icon"
        href={above ? sectionPath(campaignId, 'maps', above.id) : all}
        aria-label={above ? `Back to ${above.name}` : 'All maps'}
        title={above ? `Back to ${above.name}` : 'All maps'}
      >
        <Icon name="left" />
      </Link>
      <h1>{one.name}</h1>
      {one.hidden && isDm && <HiddenBadge>Hidden</HiddenBadge>}
      <IconButton icon="list" label="What is on it" onClick={onAbout} />
      <span class="desktop-only">
        <LookAsIcon />
      </span>
      {isDm && mayWrite && (
        <Menu
          label={`More about ${one.name}`}
          items={[
            { icon: 'pen', word: 'Edit', run: () => navigate(sectionPath(campaignId, 'maps', one.id, 'edit')) },
            one.hidden
              ? { icon: 'eye', word: 'Show it to the party', run: () => visibility.reveal(entity) }
              : { icon: 'eyeoff', word: 'Hide it from players', run: () => visibility.hide(entity) },
            { icon: 'trash', word: 'Move to trash', danger: true, run: () => trash(entity, all) },
          ]}
        />
      )}
    </header>
  )
}

/** A map that came without its picture, or lost it. */
function NoPicture({ mapId }: { mapId: number }): JSX.Element {
  const { campaignId, isDm, mayWrite } = useCampaign()
  return (
    <div class="empty">
      <p class="h3">There is no picture</p>
      <p class="soft">
        {isDm ? 'Nobody has added one yet, or it lies in the trash.' : 'The DM has not laid one on the table yet.'}
      </p>
      {isDm && mayWrite && (
        <LinkButton icon="image" to={sectionPath(campaignId, 'maps', mapId, 'edit')}>
          Add a picture
        </LinkButton>
      )}
    </div>
  )
}
