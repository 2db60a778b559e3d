import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter-preact'
import type { RelationGraph } from '../../api/contract.ts'
import { Button, IconButton } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Icon } from '../../kit/icon.tsx'
import { LoadError, Loading } from '../../kit/page.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { useCampaign, usePageTitle, useQuery } from '../../shell/context.ts'
import { campaignPath, entityPath, sectionPath } from '../../shell/links.ts'
import { useShortcuts } from '../../shell/navigation.tsx'
import { BindDialog, isRelatable, type Relatable } from './bind-dialog.tsx'
import { BondList } from './bond-list.tsx'
import { BondPanel } from './bond-panel.tsx'
import { type Bond, mostAround, otherEnd, type Soul, webOf } from './bonds.ts'
import { Face } from './face.tsx'
import { BondWeb } from './web.tsx'
import './styles.ts'

/** Who is in the middle, by the address: `?around=npc-12`. */
function useMiddle(): { readonly aroundType: Relatable; readonly aroundId: number } | null {
  const [type = '', id = ''] = (new URLSearchParams(useSearch()).get('around') ?? '').split('-')
  return isRelatable(type) && /^[1-9]\d{0,14}$/.test(id) ? { aroundType: type, aroundId: Number(id) } : null
}

export function RelationsPage(): JSX.Element {
  const { campaignId } = useCampaign()
  const middle = useMiddle()
  const input = middle === null ? { campaignId } : { campaignId, ...middle, depth: 1 }
  const { data: graph, error, retry } = useQuery('get_relation_graph', input)
  if (graph === undefined) return error ? <LoadError error={error} retry={retry} /> : <Loading />
  return <Page graph={graph} middleKey={middle && `${middle.aroundType} ${middle.aroundId}`} />
}

function Page({ graph, middleKey }: { graph: RelationGraph; middleKey: string | null }): JSX.Element {
  const { campaignId, campaign, isDm, mayEdit } = useCampaign()
  const [, navigate] = useLocation()
  const [look, setLook] = useState<'web' | 'list'>('web')
  const [chosenKey, setChosen] = useState<string | null>(null)
  const [inList, setInList] = useState<string | null>(null)
  const [zoom, setZoom] = useState(1)
  const [binding, setBinding] = useState(false)
  const web = webOf(graph)
  const middle = middleKey === null ? null : (web.souls.get(middleKey) ?? null)
  const near = web.bonds.filter(({ ends }) => ends.some(({ key }) => key === middleKey))
  const around = middle === null ? [] : near.map((bond) => otherEnd(bond, middle.key))
  const bondBy = (key: string | null): Bond | undefined => web.bonds.find((bond) => bond.key === key)
  const chosen = bondBy(chosenKey)
  const title = middle === null ? 'Who is bound to whom' : `Around ${middle.title}`
  usePageTitle(title, campaign.name)
  const toMiddle = (soul: Soul) => {
    setChosen(null)
    navigate(`${sectionPath(campaignId, 'relations')}?around=${soul.entityType}-${soul.entityId}`)
  }
  const open = (soul: Soul) => navigate(entityPath(campaignId, soul.entityType, soul.entityId) ?? '')
  const focusedSoul = (): Soul | undefined => {
    const key = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.soul : undefined
    return web.souls.get(key ?? '') ?? (chosen && middle ? otherEnd(chosen, middle.key) : undefined)
  }
  useShortcuts([
    {
      key: 'm',
      run: () => {
        const soul = focusedSoul()
        if (soul) toMiddle(soul)
      },
    },
    ...(mayEdit ? [{ key: 'b', run: () => setBinding(true) }] : []),
  ])
  const isWeb = middle !== null && look === 'web'
  const changing = bondBy(inList)
  const bind = mayEdit && (
    <Button variant="primary" icon="plus" onClick={() => setBinding(true)}>
      Bind two together
    </Button>
  )
  return (
    <div class={isWeb && chosen ? 'bond-page with-panel' : 'bond-page'}>
      <header class="bond-head">
        <Link
          class="icon"
          href={middle ? (entityPath(campaignId, middle.entityType, middle.entityId) ?? '') : campaignPath(campaignId)}
          aria-label={middle ? `Back to ${middle.title}` : `Back to ${campaign.name}`}
        >
          <Icon name="left" />
        </Link>
        <h1>{title}</h1>
        {middle && around.length > 0 && (
          <span class="desktop-only">
            <ToggleGroup
              label="How to look at it"
              value={look}
              onValue={setLook}
              options={[
                { value: 'web', word: 'Web' },
                { value: 'list', word: 'List' },
              ]}
            />
          </span>
        )}
      </header>
      {middle && around.length === 0 ? (
        <Alone soul={middle} onBind={mayEdit ? () => setBinding(true) : undefined} />
      ) : (
        <>
          {isWeb && middle && (
            <BondWeb
              web={web}
              middle={middle}
              around={around}
              chosen={chosenKey}
              zoom={zoom}
              onChoose={(bond) => setChosen(bond.key)}
              onMiddle={toMiddle}
              onOpen={open}
            />
          )}
          <div class={isWeb ? 'bond-list phone-only' : 'bond-list'}>
            {web.bonds.length === 0 ? (
              <p class="soft">
                Nobody is bound to anybody yet. One line is enough to begin: who owes whom, and do they know it?
              </p>
            ) : (
              <BondList
                bonds={middle ? [...near, ...web.bonds.filter((bond) => !near.includes(bond))] : web.bonds}
                first={middleKey}
                onChange={(bond) => setInList(bond.key)}
              />
            )}
            {graph.truncated && (
              <p class="soft small">This is not all of it. Put somebody in the middle to see the rest.</p>
            )}
            {isDm && web.bonds.length > 0 && (
              <p class="small soft">
                Blue words are yours alone. When either of the two is hidden, players see no line at all.
              </p>
            )}
            {isWeb ? bind : null}
          </div>
        </>
      )}
      {isWeb && chosen && (
        <aside class="bond-panel desktop-only" aria-label="The chosen bond">
          <p class="line">
            What binds them
            <IconButton class="end" icon="x" label="Close" onClick={() => setChosen(null)} />
          </p>
          <h2>
            {chosen.ends[0].title} and {chosen.ends[1].title}
          </h2>
          <BondPanel key={chosen.key} bond={chosen} onGone={() => setChosen(null)} />
          <p class="key-hints line">
            <span>
              <kbd>←</kbd>
              <kbd>→</kbd>go round
            </span>
            <span>
              <kbd>Enter</kbd>open
            </span>
            <span>
              <kbd>m</kbd>to the middle
            </span>
            {mayEdit && (
              <span>
                <kbd>b</kbd>bind
              </span>
            )}
          </p>
        </aside>
      )}
      <div class={isWeb ? 'bond-tools' : 'bond-tools still'} role="toolbar" aria-label="The web">
        {!isWeb || around.length > 0 ? bind : null}
        {isWeb && (
          <>
            <IconButton icon="minus" label="Smaller" disabled={zoom <= 0.6} onClick={() => setZoom(zoom - 0.2)} />
            <IconButton icon="plus" label="Larger" disabled={zoom >= 1.6} onClick={() => setZoom(zoom + 0.2)} />
          </>
        )}
        {isWeb && (
          <span class="small soft">
            {around.length > mostAround
              ? `${mostAround} of ${around.length}, the list has all`
              : `${around.length + 1}, one step round`}
          </span>
        )}
      </div>
      {changing && (
        <Dialog title={`${changing.ends[0].title} and ${changing.ends[1].title}`} onClose={() => setInList(null)}>
          <BondPanel key={changing.key} bond={changing} onGone={() => setInList(null)} />
        </Dialog>
      )}
      {binding && <BindDialog from={middle} onClose={() => setBinding(false)} />}
    </div>
  )
}

function Alone({ soul, onBind }: { soul: Soul; onBind: (() => void) | undefined }): JSX.Element {
  return (
    <div class="empty bond-alone">
      <Face soul={soul} size="l" />
      <p class="h3">{soul.title} is bound to nobody</p>
      <p class="soft">One line is enough to begin: who do they owe, and do those know it?</p>
      {onBind && (
        <Button variant="primary" icon="plus" onClick={onBind}>
          Bind them to somebody
        </Button>
      )}
    </div>
  )
}
