import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Output } from '../../api/contract.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { DmOnly } from '../../kit/dm-only.tsx'
import { useTrash } from '../../kit/entity-actions.tsx'
import { EntityPage } from '../../kit/entity-page.tsx'
import { Menu } from '../../kit/menu.tsx'
import { BackLink, Section, Tags } from '../../kit/page.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { useShortcuts } from '../../shell/navigation.tsx'
import './styles.ts'

type Table = Output<'get_random_table'>
type Row = Table['rows'][number]
type Draw = Table['drawn'][number]
type Step = NonNullable<Draw['steps']>[number]

export function TablePage({ id }: { id: number }): JSX.Element {
  return (
    <EntityPage kind="table" id={id}>
      {(one, entity) => <TableToRoll one={one} entity={entity} />}
    </EntityPage>
  )
}

function TableToRoll({ one, entity }: { one: Table; entity: Parameters<ReturnType<typeof useTrash>>[0] }): JSX.Element {
  const { campaignId, mayWrite } = useCampaign()
  const act = useAction()
  const trash = useTrash()
  const [last, setLast] = useState<readonly Step[] | null>(null)
  const [busy, setBusy] = useState(false)
  const draw = async (): Promise<void> => {
    if (busy) return
    setBusy(true)
    const written = await act('roll_random_table', { tableId: one.id })
    setBusy(false)
    if (written?.kind === 'done') setLast(written.value.draws[0]?.steps ?? null)
  }
  useShortcuts(mayWrite ? [{ key: 'r', run: () => void draw() }] : [])
  const path = (...rest: readonly (string | number)[]) => sectionPath(campaignId, 'tables', ...rest)
  return (
    <>
      <BackLink to={path()}>Random tables</BackLink>
      <section class="drawn-scene" aria-label="Drawn">
        <img src="/art/orchard.svg" alt="" />
        <div>
          <div aria-live="polite">
            {last === null ? (
              <p class="soft">Nothing drawn yet this time. Only you see what comes.</p>
            ) : (
              <Lines steps={last} />
            )}
          </div>
          {mayWrite && (
            <div class="line actions">
              <Button variant="primary" icon="swap" busy={busy} onClick={() => void draw()}>
                {last === null ? 'Draw a line' : 'Draw again'}
              </Button>
            </div>
          )}
        </div>
      </section>
      <div class="two-columns">
        <div>
          <header class="head">
            <div>
              <h1>{one.name}</h1>
              {one.description && <p class="sub">{one.description}</p>}
            </div>
            {mayWrite && (
              <div class="actions">
                <LinkButton icon="pen" to={path(one.id, 'edit')}>
                  Edit
                </LinkButton>
                <Menu
                  label={`More about ${one.name}`}
                  items={[{ icon: 'trash', word: 'Move to trash', danger: true, run: () => trash(entity, path()) }]}
                />
              </div>
            )}
          </header>
          <ol class="lots">
            {one.rows.map((row, index) => (
              <Lot key={index} one={one} row={row} index={index} isDrawn={last?.[0]?.row === index} path={path} />
            ))}
          </ol>
          {one.expression && <p class="small soft">Every number of {one.expression} has a line, and none has two.</p>}
        </div>
        <aside class="side-column">
          {one.drawn.length > 0 && (
            <Section title="Drawn before">
              <ol class="rows">
                {one.drawn.map((each) => (
                  <li key={each.id} class="row">
                    <span class="grow">{each.text}</span>
                  </li>
                ))}
              </ol>
              {one.drawnCount > one.drawn.length && (
                <p class="small soft">And {one.drawnCount - one.drawn.length} before that.</p>
              )}
            </Section>
          )}
          {one.leadsTo.length > 0 && (
            <Section title="Goes on to">
              <div class="rows">
                {one.leadsTo.map((next) => (
                  <Link key={next.id} class="row" href={path(next.id)}>
                    <span class="grow">
                      <strong>{next.name}</strong>
                      <span class="secondary">{next.expression ?? 'By weight'}</span>
                    </span>
                  </Link>
                ))}
              </div>
            </Section>
          )}
          <dl class="facts">
            <Tags tags={one.tags} list={sectionPath(campaignId, 'tables')} />
          </dl>
          <DmOnly>
            <p class="small">Tables are yours alone. Players learn of a line when you say it.</p>
          </DmOnly>
        </aside>
      </div>
    </>
  )
}

/** The line that was drawn, and those that it led to. */
function Lines({ steps }: { steps: readonly Step[] }): JSX.Element {
  return (
    <ol class="drawn-lines">
      {steps.map((step, index) => (
        <li key={index}>
          <span class="drawn-die" title={step.expression ?? 'By weight'}>
            {step.expression === null ? '·' : step.total}
          </span>
          <div>
            <p class={index === 0 ? 'first' : undefined}>
              {index > 0 && <span class="soft">{`${step.table}: `}</span>}
              {step.text}
            </p>
            {step.more && <p class="more-words">{step.more}</p>}
            {step.thrown.length > 0 && (
              <p class="soft small">
                {step.thrown.map(({ expression, total }) => `${expression} came to ${total}`).join(', ')}
              </p>
            )}
          </div>
        </li>
      ))}
    </ol>
  )
}

function Lot({
  one,
  row,
  index,
  isDrawn,
  path,
}: {
  one: Table
  row: Row
  index: number
  isDrawn: boolean
  path: (id: number) => string
}): JSX.Element {
  const next = one.leadsTo.find(({ id }) => id === row.tableId)
  return (
    <li class={isDrawn ? 'on' : undefined}>
      <span class="number">{one.expression === null ? index + 1 : rangeOf(row)}</span>
      <span>
        {isDrawn ? <strong>{dicedText(row.text)}</strong> : dicedText(row.text)}
        {row.more && <span class="secondary">{dicedText(row.more)}</span>}
        {row.tableId !== undefined && (
          <span class="secondary">
            {next ? (
              <>
                Then {row.times === undefined || row.times === 1 ? '' : `${row.times} times `}on{' '}
                <Link href={path(next.id)}>{next.name}</Link>
              </>
            ) : (
              'It led to a table that is gone.'
            )}
          </span>
        )}
      </span>
      <span class="odds">{isDrawn ? 'Drawn' : one.expression === null ? shareOf(one, row) : ''}</span>
    </li>
  )
}

/** Dice in a line as they are read: without the marks around them. */
const dicedText = (text: string): string => text.replaceAll(/\[\[([^\][]+)\]\]/g, '$1')

const rangeOf = ({ from = 0, to }: Row): string => (to === undefined || to === from ? String(from) : `${from}–${to}`)

function shareOf({ rows }: Table, { weight = 1 }: Row): string {
  return `${weight} in ${rows.reduce((sum, row) => sum + (row.weight ?? 1), 0)}`
}
