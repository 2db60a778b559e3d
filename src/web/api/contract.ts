import type * as z from 'zod'
import type { Catalogue, ServerCatalogue } from '../../catalogue.ts'
import type { Role } from '../../kernel/viewer.ts'

/** What each operation takes and answers, from the catalogue itself; nothing but types reaches the browser. */

export type { Role }

type Operations = Catalogue & ServerCatalogue
export type OperationName = keyof Operations
export type Input<K extends OperationName> = z.input<Operations[K]['input']>
export type Output<K extends OperationName> = z.output<Operations[K]['output']>

export interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
}

/** Operations that answer a page of items. */
export type ListName = {
  [K in OperationName]: Output<K> extends Page<unknown> ? K : never
}[OperationName]
export type Item<K extends ListName> = Output<K> extends Page<infer T> ? T : never

export type Campaign = Output<'get_campaign'>
export type CampaignStatus = Campaign['status']
export type CampaignSettings = Output<'get_campaign_settings'>
export type Change = Item<'list_recent_changes'>
export type SearchHit = Item<'search_campaign'>

export type Quest = Item<'list_quests'>
export type QuestDetail = Output<'get_quest'>
export type QuestStatus = Quest['status']
export type Objective = QuestDetail['objectives'][number]
export type Npc = Item<'list_npcs'>
export type Disposition = Npc['disposition']
export type NpcStatus = Npc['status']
export type Location = Item<'list_locations'>
export type Discovery = Location['discovery']

export type Session = Item<'list_sessions'>
export type RecapDraft = Output<'draft_session_recap'>
export type Note = Item<'list_notes'>
export type NoteVisibility = Note['visibility']
export type InboxItem = Item<'list_inbox_items'>

export type Member = Item<'list_members'>
export type MintedInvite = Output<'create_invite'>
export type Proposal = Item<'list_proposals'>
export type ProposalDetail = Output<'get_proposal'>
export type ProposalStatus = Proposal['status']
export type AuditRecord = Item<'list_audit_records'>
export type AuditChange = Output<'get_audit_record'>['changes'][number]
export type Trashed = Item<'list_trash'>
export type Attachment = Output<'get_attachment'>

/** One field before and after. */
export interface Difference {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}
