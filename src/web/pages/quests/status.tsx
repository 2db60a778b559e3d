import type { JSX } from 'preact'
import type { QuestStatus } from '../../api/contract.ts'
import { Icon } from '../../kit/icon.tsx'
import { questStatuses } from '../../kit/labels.ts'

const looks: Readonly<Record<QuestStatus, string>> = {
  available: '',
  active: 'brass',
  on_hold: '',
  completed: 'ok',
  failed: 'bad',
  abandoned: '',
}

/** The state of a quest, as a word. */
export function QuestChip({ status }: { status: QuestStatus }): JSX.Element {
  return (
    <span class={`chip ${looks[status]}`}>
      {status === 'completed' && <Icon name="check" size="s" />}
      {questStatuses[status]}
    </span>
  )
}
