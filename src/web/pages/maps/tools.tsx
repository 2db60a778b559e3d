import type { ComponentChildren, JSX } from 'preact'
import type { MapDetail } from '../../api/contract.ts'
import { Button, IconButton } from '../../kit/button.tsx'
import { Icon, type IconName } from '../../kit/icon.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import type { MapActs } from './acts.ts'
import { type Point, type Size, squaresBetween } from './view.ts'

export type Tool = 'move' | 'pin' | 'token' | 'reveal' | 'conceal' | 'measure'
export type Brush = 'rectangle' | 'polygon'

const words: Readonly<Record<Tool, readonly [icon: IconName, word: string]>> = {
  move: ['hand', 'Move'],
  pin: ['pin', 'Pin'],
  token: ['me', 'Token'],
  reveal: ['sun', 'Uncover'],
  conceal: ['brush', 'Cover'],
  measure: ['ruler', 'Measure'],
}

/** What a press on the map does, and how large it is. */
export function Toolbar({
  tools,
  tool,
  onTool,
  onZoom,
  onAll,
}: {
  tools: readonly Tool[]
  tool: Tool
  onTool: (tool: Tool) => void
  onZoom: (factor: number) => void
  onAll: () => void
}): JSX.Element {
  return (
    <div class="map-tools" role="toolbar" aria-label="Map tools">
      {tools.length > 1 &&
        tools.map((each) => (
          <button
            key={each}
            type="button"
            class="btn"
            aria-pressed={each === tool}
            title={words[each][1]}
            onClick={() => onTool(each)}
          >
            <Icon name={words[each][0]} />
            <span>{words[each][1]}</span>
          </button>
        ))}
      <IconButton icon="minus" label="Smaller" onClick={() => onZoom(1 / 1.4)} />
      <IconButton icon="plus" label="Larger" onClick={() => onZoom(1.4)} />
      <IconButton icon="map" label="All of it" onClick={onAll} />
    </div>
  )
}

/** What the tool in hand can do besides, and how it is used. */
function Panel({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <div class="map-panel" role="status">
      {children}
    </div>
  )
}

export function Hint({ children, onStop }: { children: ComponentChildren; onStop: () => void }): JSX.Element {
  return (
    <Panel>
      <span>{children}</span>
      <Button onClick={onStop}>Cancel</Button>
    </Panel>
  )
}

export function FogPanel({
  one,
  tool,
  brush,
  corners,
  acts,
  onBrush,
  onClose,
  onAnew,
}: {
  one: MapDetail
  tool: 'reveal' | 'conceal'
  brush: Brush
  corners: readonly Point[]
  acts: MapActs
  onBrush: (brush: Brush) => void
  /** The shape is finished. */
  onClose: () => void
  onAnew: () => void
}): JSX.Element {
  if (!one.fog.enabled)
    return (
      <Panel>
        <span>There is no fog: players see all of it.</span>
        <Button variant="primary" onClick={() => void acts.fog({ enabled: true }, 'The map lies under fog.')}>
          Cover it with fog
        </Button>
      </Panel>
    )
  const what = tool === 'reveal' ? 'uncover' : 'cover'
  const hint =
    brush === 'rectangle'
      ? corners.length === 0
        ? `Drag over what to ${what}, or tap two corners.`
        : 'Now the corner across from it.'
      : corners.length < 3
        ? `Tap the corners of what to ${what}, one after the other.`
        : 'Tap on, or close the shape.'
  return (
    <Panel>
      <ToggleGroup
        label="Shape"
        options={[
          { value: 'rectangle', word: 'Rectangle' },
          { value: 'polygon', word: 'Any shape' },
        ]}
        value={brush}
        onValue={onBrush}
      />
      <span>{hint}</span>
      <span class="line">
        {corners.length > 0 && <Button onClick={onAnew}>Begin again</Button>}
        {brush === 'polygon' && corners.length > 2 && (
          <Button variant="primary" onClick={onClose}>
            Close the shape
          </Button>
        )}
        {corners.length === 0 && (
          <>
            <Button
              onClick={() =>
                void (tool === 'reveal'
                  ? acts.fog({ reveal: [{ x: 0, y: 0, width: 1, height: 1 }] }, 'All of it is uncovered.')
                  : acts.fog({ reset: true }, 'All of it is covered.'))
              }
            >
              {tool === 'reveal' ? 'Uncover all' : 'Cover all'}
            </Button>
            <Button onClick={() => void acts.fog({ enabled: false }, 'The fog is gone: players see all of it.')}>
              No fog
            </Button>
          </>
        )}
      </span>
    </Panel>
  )
}

export function MeasurePanel({
  grid,
  size,
  corners,
}: {
  grid: NonNullable<MapDetail['grid']>
  size: Size
  corners: readonly Point[]
}): JSX.Element {
  const [from, to] = corners
  const squares = from && to ? squaresBetween(from, to, grid.columns, size) : null
  const round = (value: number): string => (value < 10 ? value.toFixed(1) : value.toFixed(0)).replace(/\.0$/, '')
  return (
    <Panel>
      <span>
        {squares === null
          ? from
            ? 'Now where it ends.'
            : 'Drag from one place to the other, or tap both.'
          : [
              grid.distance !== undefined && `${round(squares * grid.distance)} ${grid.unit ?? ''}`.trim(),
              `${round(squares)} squares`,
            ]
              .filter(Boolean)
              .join(', ')}
      </span>
    </Panel>
  )
}
