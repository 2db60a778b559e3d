import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { when } from '../../kit/format.ts'
import { LoadError, PageHeader } from '../../kit/page.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, usePages, usePageTitle } from '../../shell/context.ts'
import { useShortcuts } from '../../shell/navigation.tsx'
import { AskDialog } from './ask-dialog.tsx'
import { Asked } from './asked.tsx'
import { OddsPlot } from './odds.tsx'
import { Pips } from './pips.tsx'
import './styles.ts'
import { Sealed, Tray } from './throw.tsx'

export function DicePage(): JSX.Element {
  const { campaign, isDm, mayWrite, role } = useCampaign()
  const [asking, setAsking] = useState(false)
  usePageTitle('Dice', campaign.name)
  useShortcuts(isDm ? [{ key: 'a', run: () => setAsking(true) }] : [])
  return (
    <>
      <PageHeader title="Dice">
        {isDm && mayWrite && (
          <Button icon="bell" onClick={() => setAsking(true)}>
            Ask for a check
          </Button>
        )}
      </PageHeader>
      <div class="throws">
        {mayWrite ? (
          <Tray plot={(text) => <OddsPlot text={text} />} />
        ) : (
          <p class="soft">Whoever plays throws here. You see what falls.</p>
        )}
        <div>
          {role !== 'viewer' && <Asked />}
          <Log />
        </div>
      </div>
      {asking && <AskDialog onClose={() => setAsking(false)} />}
    </>
  )
}

function Log(): JSX.Element {
  const { campaignId, mayWrite } = useCampaign()
  const act = useAction()
  const [view, setView] = useState<'all' | 'sealed'>('all')
  const list = usePages('list_dice_rolls', { campaignId, limit: 50 })
  const shown = view === 'all' ? list.items : list.items.filter(({ visibility }) => visibility !== 'party')
  return (
    <section class="section">
      <div class="section-head">
        <h2>Thrown</h2>
        <span class="end">
          <ToggleGroup
            label="Which"
            variant="chips"
            options={[
              { value: 'all', word: 'All' },
              { value: 'sealed', word: 'Sealed' },
            ]}
            value={view}
            onValue={setView}
          />
        </span>
      </div>
      {list.error && <LoadError error={list.error} retry={list.retry} within />}
      {!list.waiting && shown.length === 0 && <p class="soft">Nothing has been thrown yet.</p>}
      <ol class="rows">
        {shown.map((roll) => (
          <li key={roll.id} class={roll.visibility === 'party' ? 'throw' : 'throw sealed'}>
            <output>{roll.total}</output>
            <span>
              <strong>{roll.character?.title ?? roll.user?.title ?? 'Somebody'}</strong> {roll.label ?? roll.expression}
              {roll.outcomeSays && <span class="soft">, {roll.outcomeSays}</span>}
            </span>
            <span class="when">{when(roll.createdAt)}</span>
            <div class="parts">
              <Pips terms={roll.terms} />
              {roll.visibility !== 'party' && <Sealed roll={roll} />}
              {roll.visibility !== 'party' && mayWrite && (
                <Button
                  variant="quiet"
                  onClick={() => void act('reveal_dice_roll', { rollId: roll.id }, { message: 'The table sees it.' })}
                >
                  Show the table
                </Button>
              )}
            </div>
          </li>
        ))}
      </ol>
      {list.more && (
        <Button variant="quiet" onClick={list.loadMore}>
          Earlier
        </Button>
      )}
    </section>
  )
}
