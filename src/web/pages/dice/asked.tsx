import type { JSX } from 'preact'
import type { Item } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, useMe, usePages } from '../../shell/context.ts'
import './styles.ts'

type Request = Item<'list_check_requests'>

/** Requests that were made together, those that wait first. */
function batchesOf(requests: readonly Request[]): readonly (readonly Request[])[] {
  const batches = new Map<string, Request[]>()
  for (const request of requests) {
    if (request.status === 'cancelled') continue
    batches.set(request.batch, [...(batches.get(request.batch) ?? []), request])
  }
  const waits = (batch: readonly Request[]): boolean => batch.some(({ status }) => status === 'open')
  const all = [...batches.values()]
  const [newest] = all
  return all.filter((batch) => waits(batch) || batch === newest)
}

/**
 * What players are asked to roll: answered on their phones, and seen coming in row by row. `mine`: no more than what waits for
 * whoever looks, where something else is the page.
 */
export function Asked({ mine = false }: { mine?: boolean }): JSX.Element | null {
  const { campaignId } = useCampaign()
  const me = useMe()?.id
  const list = usePages('list_check_requests', { campaignId, limit: 50 })
  const waits = ({ status, ownerUserId }: Request): boolean => status === 'open' && ownerUserId === me
  const batches = mine ? batchesOf(list.items).map((batch) => batch.filter(waits)) : batchesOf(list.items)
  const some = batches.filter((batch) => batch.length > 0)
  if (some.length === 0) return null
  return (
    <>
      {some.map((batch) => (
        <AskCard key={batch[0]?.batch} batch={batch} counted={!mine} />
      ))}
    </>
  )
}

function AskCard({ batch, counted }: { batch: readonly Request[]; counted: boolean }): JSX.Element | null {
  const { isDm, mayWrite } = useCampaign()
  const act = useAction()
  const [first] = batch
  if (first === undefined) return null
  const me = useMe()?.id
  const rolled = batch.filter(({ status }) => status === 'answered').length
  const open = batch.filter(({ status }) => status === 'open')
  const answer = (request: Request) => act('answer_check_request', { checkRequestId: request.id })
  return (
    <section class="ask-card" aria-live="polite">
      <div class="line">
        <h2 class="h3">{first.reason ? `${first.checkName}: ${first.reason}` : first.checkName}</h2>
        {counted && <span class="end small soft">{`${rolled} of ${batch.length} have rolled`}</span>}
      </div>
      {first.difficulty != null && (
        <p class={first.difficultyShown ? 'small soft' : 'dm-mark'}>
          {!first.difficultyShown && <Icon name="eyeoff" size="s" />}
          {first.difficultyShown
            ? `Against ${first.difficulty}.`
            : `Against ${first.difficulty}. They do not know the number.`}
        </p>
      )}
      {batch.map((request) => {
        const mine = request.ownerUserId === me
        return (
          <div class="answer-row" key={request.id}>
            <span>
              <strong>{request.character?.title}</strong>
              {request.secret && <span class="line2">Only the Dungeon Master sees what falls</span>}
            </span>
            <span />
            {request.roll ? (
              <span class="line">
                {request.roll.outcomeSays && (
                  <span class={request.roll.outcome?.includes('success') ? 'word ok' : 'word bad'}>
                    {request.roll.outcomeSays}
                  </span>
                )}
                <b>{request.roll.total}</b>
              </span>
            ) : request.status === 'answered' ? (
              <span class="word">Rolled</span>
            ) : mayWrite && (mine || isDm) ? (
              <Button variant={mine ? 'primary' : 'plain'} onClick={() => void answer(request)}>
                {mine ? 'Roll' : `Roll for ${request.character?.title ?? 'them'}`}
              </Button>
            ) : (
              <span class="word brass">Deciding</span>
            )}
          </div>
        )
      })}
      {isDm && mayWrite && open.length > 0 && (
        <Button
          variant="quiet"
          onClick={async () => {
            for (const request of open) await act('cancel_check_request', { checkRequestId: request.id })
          }}
        >
          Withdraw it
        </Button>
      )}
    </section>
  )
}
