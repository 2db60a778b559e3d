import type * as z from 'zod'
import type { Catalogue, EntityName, ServerCatalogue } from '../../catalogue.ts'
import type { VisibleId } from '../../kernel/entity.ts'
import type { LinkedThing, Reference } from '../../kernel/linked-things.ts'
import type { Role } from '../../kernel/viewer.ts'

/** What each operation takes and answers, from the catalogue itself; nothing but types reaches the browser. */

export type { EntityName, LinkedThing, Reference, Role }

type Operations = Catalogue & ServerCatalogue
export type OperationName = keyof Operations
export type Input<K extends OperationName> = z.input<Operations[K]['input']>
export type Output<K extends OperationName> = z.output<Operations[K]['output']>

export interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
  /** How many there are in all, counted to a thousand; where it was asked for. */
  readonly total?: number | undefined
  /** What the server did not look at, in sentences. */
  readonly incomplete?: string | null
}

/** Operations that answer a page of items. */
export type ListName = {
  [K in OperationName]: Output<K> extends Page<unknown> ? K : never
}[OperationName]
export type Item<K extends ListName> = Output<K> extends Page<infer T> ? T : never

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S
/** The member of an input that names one of a kind: `inboxItemId`. */
export type IdMember<N extends EntityName> = `${Camel<N>}Id`

type Identified<N extends EntityName> = { readonly id: VisibleId<N> }
/** Operations on a route of this method that answer rows like `Row`. */
type Answering<Method extends string, Row> = {
  [K in OperationName]: Operations[K]['route'] extends `${Method} ${string}`
    ? Output<K> extends Row
      ? K
      : never
    : never
}[OperationName]
type Taking<K extends OperationName, Member extends string> = K extends OperationName
  ? Member extends keyof Input<K>
    ? K
    : never
  : never
/** The operation that bears the usual name where there is one, else any that would do. */
type Preferred<Usual extends string, Any extends OperationName> =
  Extract<OperationName, Usual> extends never ? Any : Extract<OperationName, Usual>

/** Operations that answer a page of rows of this entity. */
export type ListOf<N extends EntityName> = {
  [K in ListName]: Item<K> extends Identified<N> ? K : never
}[ListName]
/** Operations that answer one row of this entity by its id. */
export type GetOf<N extends EntityName> = Taking<Preferred<`get_${N}`, Answering<'GET', Identified<N>>>, IdMember<N>>
/** Operations that make one of this entity and answer it. */
export type CreateOf<N extends EntityName> = Preferred<`create_${N}`, Answering<'POST', Identified<N>>>
/** Operations that change one of this entity by its id. */
export type UpdateOf<N extends EntityName> = Taking<
  Preferred<`update_${N}`, Answering<'PATCH', Identified<N>>>,
  IdMember<N>
>
/** Operations that take one of this entity away by its id. */
export type DeleteOf<N extends EntityName> = Taking<Preferred<`delete_${N}`, Answering<'DELETE', unknown>>, IdMember<N>>
/** A row of this entity as a list of it gives it. */
export type RowOf<N extends EntityName> = Item<ListOf<N>>

export type Campaign = Item<'list_campaigns'>
export type CampaignDetail = Output<'get_campaign'>
export type CampaignStatus = Campaign['status']
export type CampaignSettings = Output<'get_campaign_settings'>
export type Change = Item<'list_recent_changes'>
export type SearchHit = Item<'search_campaign'>

export type Quest = Item<'list_quests'>
export type QuestDetail = Output<'get_quest'>
export type QuestStatus = Quest['status']
export type Objective = QuestDetail['objectives'][number]
export type StoryGraph = Output<'get_story_graph'>
export type StoryArc = StoryGraph['arcs'][number]
export type ArcStatus = StoryArc['status']
export type StoryBeat = StoryGraph['beats'][number]
export type BeatStatus = StoryBeat['status']
export type BeatDetail = Output<'get_beat'>
export type Way = BeatDetail['branches'][number]
export type Npc = Item<'list_npcs'>
export type Disposition = Npc['disposition']
export type NpcStatus = Npc['status']
export type Location = Item<'list_locations'>
export type Faction = Item<'list_factions'>
export type FactionDetail = Output<'get_faction'>
export type Relation = Item<'list_relations'>
export type RelationGraph = Output<'get_relation_graph'>
export type TimelineEvent = Item<'list_timeline_events'>
export type TimelineEventDetail = Output<'get_timeline_event'>
export type TableMap = Item<'list_maps'>
export type MapDetail = Output<'get_map'>
export type MapPin = MapDetail['pins'][number]
export type MapToken = MapDetail['tokens'][number]
export type FogChange = Omit<Input<'set_map_fog'>, 'mapId'>
export type WorldCalendar = Output<'get_world_calendar'>
export type LocationDetail = Output<'get_location'>
export type Discovery = Location['discovery']

export type Session = Item<'list_sessions'>
export type GameNight = Item<'list_game_nights'>
export type GameNightDetail = Output<'get_game_night'>
export type RsvpAnswer = Input<'set_rsvp'>['answer']
export type RecapDraft = Output<'draft_session_recap'>
export type Note = Item<'list_notes'>
export type NoteDetail = Output<'get_note'>
export type NoteVisibility = Note['visibility']
export type InboxItem = Item<'list_inbox_items'>

export type Member = Item<'list_members'>
export type MintedInvite = Output<'create_invite'>
export type Proposal = Item<'list_proposals'>
export type ProposalDetail = Output<'get_proposal'>
export type ProposedChange = ProposalDetail['changes'][number]
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
  /** What a link names. */
  readonly beforeTitle?: string | null | undefined
  readonly afterTitle?: string | null | undefined
}
