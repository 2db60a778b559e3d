import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { BeatDetail, BeatStatus, StoryGraph, Way } from '../../api/contract.ts'
import { Button, IconButton } from '../../kit/button.tsx'
import { DmOnly } from '../../kit/dm-only.tsx'
import { useTrash } from '../../kit/entity-actions.tsx'
import { InlineSelect } from '../../kit/field.tsx'
import { Icon, type IconName } from '../../kit/icon.tsx'
import { beatStatuses } from '../../kit/labels.ts'
import { Menu } from '../../kit/menu.tsx'
import { LoadError, Loading } from '../../kit/page.tsx'
import { Prose } from '../../kit/prose.tsx'
import { useCampaign, useQuery } from '../../shell/context.ts'
import { entityPath } from '../../shell/links.ts'
import { useStoryActs } from './acts.ts'
import { BeatForm, WayForm } from './forms.tsx'
import { byArc, stepFrom } from './layout.ts'

type Open = 'beat' | 'way' | number | null

/** What is known of the chosen beat, and what can be done about it. `inPlace`: its title stands above it already. */
export function BeatLeaf({
  graph,
  beatId,
  inPlace = false,
  onChoose,
}: {
  graph: StoryGraph
  beatId: number
  inPlace?: boolean
  onChoose: (beatId: number | null) => void
}): JSX.Element {
  const { mayWrite } = useCampaign()
  const { data: beat, error, retry } = useQuery('get_beat', { beatId })
  const [open, setOpen] = useState<Open>(null)
  if (!beat) return error ? <LoadError error={error} retry={retry} within /> : <Loading />
  if (open === 'beat')
    return (
      <BeatForm
        graph={graph}
        beat={beat}
        arcId={beat.arcId}
        onDone={() => setOpen(null)}
        onClose={() => setOpen(null)}
      />
    )
  return (
    <>
      <Head beat={beat} graph={graph} inPlace={inPlace} onEdit={() => setOpen('beat')} onGone={() => onChoose(null)} />
      {beat.body ? <Prose text={beat.body} class="prose beat-body" /> : null}
      <Ways graph={graph} beat={beat} open={open} setOpen={setOpen} />
      {beat.dmSecret && (
        <DmOnly>
          <Prose text={beat.dmSecret} />
        </DmOnly>
      )}
      <About beat={beat} />
      {!mayWrite && <p class="micro faint">This tale is closed: nothing in it changes.</p>}
    </>
  )
}

const saidOf: Readonly<Record<BeatStatus, string>> = {
  planned: 'is to come',
  active: 'is now',
  done: 'is told',
  skipped: 'was not taken',
}

function Head({
  beat,
  graph,
  inPlace,
  onEdit,
  onGone,
}: {
  beat: BeatDetail
  graph: StoryGraph
  inPlace: boolean
  onEdit: () => void
  onGone: () => void
}): JSX.Element {
  const { mayWrite } = useCampaign()
  const acts = useStoryActs()
  const trash = useTrash()
  const beats = byArc(graph.beats).get(beat.arcId) ?? []
  const [earlier, later] = [stepFrom(beats, beat.id, -1), stepFrom(beats, beat.id, 1)]
  const at = graph.arcs.findIndex(({ id }) => id === beat.arcId)
  const lastOf = (arcId: number) => graph.beats.findLast((one) => one.arcId === arcId)?.id ?? null
  const toArc = (by: -1 | 1) => {
    const arc = graph.arcs[at + by]
    return (
      arc !== undefined && {
        icon: by === -1 ? ('up' as const) : ('down' as const),
        word: `To “${arc.title}”`,
        run: () => acts.move(beat, arc.id, lastOf(arc.id)),
      }
    )
  }
  return (
    <>
      <p class="line leaf-line">
        {!inPlace && <span>{beat.arc.title}</span>}
        {mayWrite ? (
          <InlineSelect
            label="How far it has come"
            words={beatStatuses}
            value={beat.status}
            onValue={(status) => void acts.setStatus(beat, status, `${beat.title} ${saidOf[status]}.`)}
          />
        ) : (
          <span>{beatStatuses[beat.status]}</span>
        )}
        {mayWrite && (
          <span class="end line">
            <IconButton icon="pen" label="Edit this beat" onClick={onEdit} />
            <Menu
              label="More about this beat"
              items={
                [
                  earlier && {
                    icon: 'left',
                    word: 'Earlier in its arc',
                    run: () => acts.move(beat, beat.arcId, earlier.afterBeatId),
                  },
                  later && {
                    icon: 'right',
                    word: 'Later in its arc',
                    run: () => acts.move(beat, beat.arcId, later.afterBeatId),
                  },
                  toArc(-1),
                  toArc(1),
                  {
                    icon: 'trash' as const,
                    word: 'Throw it away',
                    danger: true,
                    run: async () => {
                      if (await trash({ entityType: 'beat', entityId: beat.id, label: beat.title })) onGone()
                    },
                  },
                ].map((item) => item || false) as Parameters<typeof Menu>[0]['items']
              }
            />
          </span>
        )}
      </p>
      {!inPlace && <h2>{beat.title}</h2>}
    </>
  )
}

function Ways({
  graph,
  beat,
  open,
  setOpen,
}: {
  graph: StoryGraph
  beat: BeatDetail
  open: Open
  setOpen: (open: Open) => void
}): JSX.Element | null {
  const { mayWrite } = useCampaign()
  const acts = useStoryActs()
  const isTold = beat.branches.some(({ status }) => status === 'taken')
  const left = beat.branchCount - beat.branches.length
  const add = useRef<HTMLDivElement>(null)
  const before = useRef(open)
  useEffect(() => {
    // The form that had the focus is gone.
    if (before.current !== null && open === null) add.current?.querySelector('button')?.focus()
    before.current = open
  }, [open])
  if (beat.branches.length === 0 && !mayWrite) return null
  return (
    <>
      <h3 class="label ways-head">Ways out</h3>
      {beat.branches.length === 0 && open !== 'way' && (
        <p class="soft small">Ask yourself what they could do about it.</p>
      )}
      <ol class="ways">
        {beat.branches.map((way) => (
          <li key={way.id} class={way.status}>
            {open === way.id ? (
              <WayForm graph={graph} beat={beat} way={way} onClose={() => setOpen(null)} />
            ) : (
              <WayOut graph={graph} beat={beat} way={way} onEdit={() => setOpen(way.id)} />
            )}
          </li>
        ))}
      </ol>
      {left > 0 && <p class="soft small">And {left} more.</p>}
      {open === 'way' ? (
        <WayForm graph={graph} beat={beat} way={null} onClose={() => setOpen(null)} />
      ) : (
        mayWrite && (
          <div ref={add}>
            <Button variant="quiet" icon="plus" class="outdent" onClick={() => setOpen('way')}>
              {beat.branches.length === 0 ? 'A way out' : 'Another way out'}
            </Button>
          </div>
        )
      )}
      {mayWrite && !isTold && beat.branches.length > 0 && (
        <p class="micro faint">
          Choosing one tells this beat, strikes the others and lights the next. You can take it back for as long as you
          like.
        </p>
      )}
      {mayWrite && beat.branches.length === 0 && beat.status === 'active' && (
        <Button icon="check" onClick={() => void acts.setStatus(beat, 'done', `${beat.title} is told.`)}>
          It is told
        </Button>
      )}
    </>
  )
}

function WayOut({
  graph,
  beat,
  way,
  onEdit,
}: {
  graph: StoryGraph
  beat: BeatDetail
  way: Way
  onEdit: () => void
}): JSX.Element {
  const { mayWrite } = useCampaign()
  const acts = useStoryActs()
  const trash = useTrash()
  const next = graph.beats.find(({ id }) => id === way.toBeatId)
  const arc = next && next.arcId !== beat.arcId ? graph.arcs.find(({ id }) => id === next.arcId) : undefined
  const parts = [way.toBeat?.title ?? 'Nobody knows yet where to', arc && `in ${arc.title}`, way.condition]
  return (
    <>
      <span>
        <strong>{way.label}</strong>
        <span class="small soft">{parts.filter(Boolean).join(', ')}</span>
      </span>
      <span class="line">
        {way.status === 'open' && mayWrite ? (
          <Button aria-label={`They did: ${way.label}`} data-way onClick={() => void acts.take(beat.id, way)}>
            They did
          </Button>
        ) : (
          <span class={way.status === 'taken' ? 'word ok' : 'small faint'}>
            {way.status === 'taken' ? 'They did' : way.status === 'not_taken' ? 'Not taken' : ''}
          </span>
        )}
        {mayWrite && (
          <Menu
            label={`More about the way “${way.label}”`}
            items={[
              { icon: 'pen', word: 'Edit', run: onEdit },
              {
                icon: 'trash',
                word: 'Remove',
                danger: true,
                run: () => trash({ entityType: 'branch', entityId: way.id, label: way.label }),
              },
            ]}
          />
        )}
      </span>
    </>
  )
}

/** Where it happens, which quest it serves, and when. */
function About({ beat }: { beat: BeatDetail }): JSX.Element | null {
  const { campaignId } = useCampaign()
  const links = (
    [
      ['location', 'pin', beat.location],
      ['quest', 'quest', beat.quest],
      ['session', 'book', beat.session],
    ] as const satisfies readonly (readonly [string, IconName, unknown])[]
  ).flatMap(([kind, icon, to]) => (to ? [{ kind, icon, to }] : []))
  if (links.length === 0) return null
  return (
    <div class="rows">
      {links.map(({ kind, icon, to }) => (
        <Link key={kind} class="row" href={entityPath(campaignId, kind, to.id) ?? ''}>
          <Icon name={icon} />
          <span class="grow">
            <strong>{to.title}</strong>
          </span>
        </Link>
      ))}
    </div>
  )
}
