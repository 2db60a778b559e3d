import { plain } from '../api/subjects.ts'
import type { IconName } from './icon.tsx'

const icons: Readonly<Record<string, IconName>> = {
  quest: 'quest',
  objective: 'check',
  npc: 'people',
  location: 'pin',
  session: 'book',
  note: 'pen',
  inboxitem: 'inbox',
  proposal: 'quill',
  attachment: 'image',
}

/** The drawing that stands for a kind of thing. */
export const entityIcon = (entityType: string): IconName => icons[plain(entityType)] ?? 'right'
