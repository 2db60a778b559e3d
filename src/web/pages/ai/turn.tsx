import type { JSX } from 'preact'
import type { Item } from '../../api/contract.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { count, time, when } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign } from '../../shell/context.ts'
import { entityPath } from '../../shell/links.ts'

type TurnItem = Item<'list_ai_turns'>
type Action = NonNullable<TurnItem['actions']>[number]

/** One turn: what was asked, what was said as plain text, and what was done, each with its way back. */
export function Turn({ turn, onTakenBack }: { turn: TurnItem; onTakenBack: () => void }): JSX.Element {
  const { createdAt, prompt, text, actions, state, message, steps, changeCount, inputTokens, outputTokens } = turn
  const shown = actions?.filter(({ outcome }) => outcome !== 'looked') ?? []
  const looked = (actions?.length ?? 0) - shown.length
  const tokens = inputTokens + outputTokens
  return (
    <li>
      <span class="clock" title={when(createdAt)}>
        {time(createdAt)}
      </span>
      <div>
        {prompt !== undefined && <p class="asked">{prompt}</p>}
        {text && <p class="told">{text}</p>}
        {state === 'running' && (
          <p class="ended" role="status">
            <span class="word brass">{steps === 0 ? 'Thinking' : `Thinking, step ${steps + 1}`}</span>
          </p>
        )}
        {actions === undefined && changeCount > 0 && (
          <p class="asked">{count(changeCount, 'change')} that your Dungeon Master sees.</p>
        )}
        {actions === undefined && state === 'done' && changeCount === 0 && (
          <p class="asked">It answered your Dungeon Master.</p>
        )}
        {shown.length > 0 && (
          <ul class="did">
            {shown.map((action, index) => (
              <Deed key={index} action={action} onTakenBack={onTakenBack} />
            ))}
          </ul>
        )}
        {state !== 'running' && state !== 'done' && (
          <p class="ended">
            <Icon name="pause" size="s" />
            {message ?? 'It stopped.'}
          </p>
        )}
        {state === 'done' && message && <p class="ended">{message}</p>}
        {tokens > 0 && (
          <p class="small faint">
            {turn.tokensEstimated ? 'About ' : ''}
            {count(Math.max(1, Math.round(tokens / 1000)), 'page')}
            {looked > 0 && `, looked ${looked === 1 ? 'once' : `${looked} times`}`}
          </p>
        )}
      </div>
    </li>
  )
}

function Deed({ action, onTakenBack }: { action: Action; onTakenBack: () => void }): JSX.Element {
  const { campaignId, isDm, mayWrite } = useCampaign()
  const act = useAction()
  const { title, says, outcome, auditRecordId, proposalId, encounterId, revertible, reverted } = action
  const icon =
    outcome === 'proposed' ? 'inbox' : outcome === 'refused' ? 'x' : encounterId === null ? 'check' : 'swords'
  const words = outcome === 'refused' ? `${title}: not done` : title
  const fight = encounterId === null ? null : entityPath(campaignId, 'encounter', encounterId)
  const proposal = proposalId === null ? null : entityPath(campaignId, 'proposal', proposalId)
  const putBack = async () => {
    if (auditRecordId === null) return
    if (await act('revert_change', { auditRecordId }, { message: 'Put back.' })) onTakenBack()
  }
  return (
    <li>
      <Icon name={icon} />
      <span>
        <span class={reverted ? 'undone' : undefined}>
          {words}
          {says && (
            <>
              {' '}
              <strong>{says}</strong>
            </>
          )}
        </span>
        {reverted && <span class="small soft"> Put back</span>}
      </span>
      {isDm && mayWrite && outcome === 'done' && revertible && (
        <Button variant="quiet" icon="undo" onClick={() => void putBack()}>
          Put back
        </Button>
      )}
      {isDm && outcome === 'done' && !revertible && !reverted && fight && (
        <LinkButton variant="quiet" to={fight}>
          Take back in the fight
        </LinkButton>
      )}
      {isDm && proposal && (
        <LinkButton variant="quiet" to={proposal}>
          Waits in the inbox
        </LinkButton>
      )}
    </li>
  )
}
