import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from '../../kit/button.tsx'
import { when } from '../../kit/format.ts'
import { roles } from '../../kit/labels.ts'
import { useAction } from '../../shell/actions.ts'
import { campaignPath } from '../../shell/links.ts'
import { type Invitation, useServerList } from '../../shell/server.ts'

/** A card for each table at which somebody has laid a place for this person; until they answer they do not sit there. */
export function Invitations(): JSX.Element | null {
  const { data: waiting, refresh } = useServerList('list_my_invitations')
  if (!waiting || waiting.length === 0) return null
  return (
    <section class="stack" aria-label="Invitations">
      {waiting.map((invitation) => (
        <InvitationCard key={invitation.campaignId} invitation={invitation} onAnswer={refresh} />
      ))}
    </section>
  )
}

function InvitationCard({
  invitation: { campaignId, campaignName, role, addedByUser, addedAt },
  onAnswer,
}: {
  invitation: Invitation
  onAnswer: () => Promise<void>
}): JSX.Element {
  const act = useAction()
  const [, navigate] = useLocation()
  const [busy, setBusy] = useState(false)
  const by = addedByUser?.title ?? 'Somebody'
  const answer = async (name: 'accept_invitation' | 'decline_invitation', message: string): Promise<void> => {
    setBusy(true)
    const done = await act(name, { campaignId }, { message })
    setBusy(false)
    if (done && name === 'accept_invitation') navigate(campaignPath(campaignId))
    else await onAnswer()
  }
  return (
    <div class="banner">
      <span class="grow">
        <strong>
          <bdi>{by}</bdi> added you to “<bdi>{campaignName}</bdi>”
        </strong>
        <br />
        <span class="small soft">
          As {roles[role]}, {when(addedAt)}. You are not in it, and your AI does not see it, until you accept.
        </span>
      </span>
      <Button
        variant="primary"
        icon="check"
        busy={busy}
        onClick={() => void answer('accept_invitation', `You are in ${campaignName}.`)}
      >
        Accept
      </Button>
      <Button variant="quiet" onClick={() => void answer('decline_invitation', 'Declined.')}>
        Decline
      </Button>
    </div>
  )
}
