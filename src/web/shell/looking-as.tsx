import type { JSX } from 'preact'
import { Avatar } from '../kit/avatar.tsx'
import { Button, IconButton } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Icon } from '../kit/icon.tsx'
import { roles } from '../kit/labels.ts'
import { useMembers } from '../kit/references.tsx'
import { useApp, useCampaign } from './context.ts'

// A Dungeon Master sees the campaign as one of its players does: every page is read again through that player's eyes, by the
// server. Nothing is hidden here, so nothing can be forgotten here.

/** Above every page while somebody looks through the eyes of a player. */
export function LookingBar(): JSX.Element | null {
  const { looking } = useApp()
  const as = looking.as.value
  if (as === null) return null
  return (
    <div class="viewas" role="status">
      <Icon name="eye" />
      <span>
        You see what <strong>{as.name}</strong> sees.
        <span class="desktop-only"> Nothing can be changed meanwhile. What is theirs alone stays theirs.</span>
      </span>
      <Button onClick={looking.end}>Stop</Button>
    </div>
  )
}

/** Opens the question through whose eyes to look; nothing for who is no DM. */
export function LookAsButton(): JSX.Element | null {
  const { isDm } = useCampaign()
  const { looking } = useApp()
  if (!isDm) return null
  return (
    <Button
      variant="quiet"
      icon="eye"
      class="look-as-way"
      aria-haspopup="dialog"
      onClick={() => {
        looking.asked.value = true
      }}
    >
      View as a player
    </Button>
  )
}

/** The same where there is no room for words. */
export function LookAsIcon(): JSX.Element | null {
  const { isDm } = useCampaign()
  const { looking } = useApp()
  if (!isDm) return null
  return (
    <IconButton
      icon="eye"
      label="View as a player"
      aria-haspopup="dialog"
      onClick={() => {
        looking.asked.value = true
      }}
    />
  )
}

export function LookAsDialog(): JSX.Element {
  const { looking } = useApp()
  const onClose = () => {
    looking.asked.value = false
  }
  const { campaignId } = useCampaign()
  const players = useMembers().filter(({ role, accepted }) => role !== 'dm' && accepted)
  return (
    <Dialog title="Through whose eyes?" onClose={onClose}>
      {players.length === 0 ? (
        <p class="soft">Nobody plays here yet. Once a player has come in, every page can be seen as they see it.</p>
      ) : (
        <div class="rows look-as">
          {players.map(({ id, userId, username, role }) => (
            <button
              key={id}
              type="button"
              class="row plain-button"
              onClick={() => {
                onClose()
                looking.begin({ campaignId, memberId: id, userId, name: username })
              }}
            >
              <Avatar name={username} small />
              <span class="grow">{username}</span>
              <span class="soft small">{roles[role]}</span>
            </button>
          ))}
        </div>
      )}
      <div class="actions">
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  )
}
