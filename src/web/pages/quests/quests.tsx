import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Quest, QuestStatus } from '../../api/contract.ts'
import { Button, IconButton, LinkButton } from '../../kit/button.tsx'
import { HiddenBadge } from '../../kit/dm-only.tsx'
import { DragHandle } from '../../kit/drag-handle.tsx'
import { useKept } from '../../kit/hooks.ts'
import { questStatuses } from '../../kit/labels.ts'
import { groupBy, useSearchedList, withMoved } from '../../kit/list.tsx'
import { ListPage } from '../../kit/list-page.tsx'
import { ProgressDots } from '../../kit/page.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { WindowedList } from '../../kit/windowed-list.tsx'
import { useAction } from '../../shell/actions.ts'
import { counted, useCampaign, usePageTitle } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { QuestChip } from './status.tsx'

const views = {
  open: { word: 'Open', shows: ['active', 'available', 'on_hold'] },
  done: { word: 'Done with', shows: ['completed', 'failed', 'abandoned'] },
  all: { word: 'All', shows: Object.keys(questStatuses) },
} as const satisfies Record<string, { word: string; shows: readonly string[] }>

type View = keyof typeof views

const listInput = (campaignId: number) => ({ campaignId, limit: 200 })

/** The page sorts quests by state and puts those within others under them, so it needs all of them. */
export function QuestsPage(): JSX.Element {
  const { campaignId, campaign, isDm, mayEdit } = useCampaign()
  const list = useSearchedList('list_quests', listInput(campaignId), { all: true })
  const [view, setView] = useKept<View>('view', 'open')
  const [ordering, setOrdering] = useState(false)
  usePageTitle('Quests', campaign.name)

  const shows: readonly QuestStatus[] = views[view].shows as readonly QuestStatus[]
  const shown = list.shown.filter((quest) => shows.includes(quest.status))
  // A quest within another stands under it, as long as that one is shown too.
  const ids = new Set<number>(shown.map((quest) => quest.id))
  const top = shown.filter((quest) => quest.parentQuestId === null || !ids.has(quest.parentQuestId))
  const byParent = groupBy(shown, (quest) => quest.parentQuestId)
  const under = (id: number) => byParent.get(id) ?? []

  const action = mayEdit && (
    <LinkButton variant="primary" icon="plus" to={sectionPath(campaignId, 'quests', 'new')}>
      New quest
    </LinkButton>
  )
  return (
    <ListPage
      title="Quests"
      actions={
        <>
          {isDm && mayEdit && list.items.length > 1 && (
            <Button variant="quiet" aria-pressed={ordering} onClick={() => setOrdering(!ordering)}>
              {ordering ? 'Done ordering' : 'Order'}
            </Button>
          )}
          {action}
        </>
      }
      list={list}
      shown={shown}
      one="quest"
      many="quests"
      placeholder="Title, reward, anything said of it"
      views={
        <ToggleGroup
          label="Which quests"
          options={(Object.keys(views) as View[]).map((name) => ({ value: name, word: views[name].word }))}
          value={view}
          onValue={setView}
        />
      }
      noneInView="Nothing here. Look under the other words above."
      empty={{
        drawing: 'road',
        title: 'Nobody has asked for anything yet',
        text: 'A quest is one thing somebody wants, and the steps that lead there.',
        action,
      }}
    >
      <div class="rows quest-rows">
        <WindowedList items={top} narrowed={`${list.typed} ${view}`}>
          {(quest, index) => (
            <div key={quest.id} data-row>
              <QuestRow
                quest={quest}
                moves={ordering ? <Moves list={top} all={list.items} index={index} /> : undefined}
              />
              {under(quest.id).map((sub) => (
                <div key={sub.id} class="within">
                  <QuestRow quest={sub} />
                </div>
              ))}
            </div>
          )}
        </WindowedList>
      </div>
    </ListPage>
  )
}

function QuestRow({ quest, moves }: { quest: Quest; moves?: JSX.Element | undefined }): JSX.Element {
  const { campaignId } = useCampaign()
  return (
    <div class="row-line">
      <Link href={sectionPath(campaignId, 'quests', quest.id)} class="row">
        <span class="grow">
          <strong class="serif">{quest.title}</strong>
          <span class="secondary">{quest.excerpt}</span>
          {quest.hidden && <HiddenBadge />}
        </span>
        <ProgressDots {...quest.progress} />
        <QuestChip status={quest.status} />
      </Link>
      {moves}
    </div>
  )
}

/** Dragging to another place, and its twin for keyboards: one place up or down. */
function Moves({ list, all, index }: { list: readonly Quest[]; all: readonly Quest[]; index: number }): JSX.Element {
  const { campaignId } = useCampaign()
  const act = useAction()
  const self = list[index]
  const moveTo = (place: number) => {
    const other = list[place]
    if (!self || !other) return
    // Ahead of the other is right behind what stands before it, which may be a quest that this view does not show.
    const after = place > index ? other.id : all[all.indexOf(other) - 1]?.id
    void act(
      'reorder_quests',
      { campaignId, questIds: [self.id], ...(after === undefined ? {} : { afterQuestId: after }) },
      {
        ahead: {
          what: 'The new order',
          show: (cache) => [
            cache
              .pages('list_quests', counted(listInput(campaignId)))
              .overlay((now) => ({ ...now, items: withMoved(now.items, self.id, after) })),
          ],
        },
      },
    )
  }
  return (
    <span class="moves">
      <DragHandle onDrop={moveTo} />
      <IconButton icon="up" label={`${self?.title} up`} disabled={index === 0} onClick={() => moveTo(index - 1)} />
      <IconButton
        icon="down"
        label={`${self?.title} down`}
        disabled={index === list.length - 1}
        onClick={() => moveTo(index + 1)}
      />
    </span>
  )
}
