import { aiKinds } from './ai-kinds.ts'
import type { EntityName, IdMember, ListName, OperationName } from './api/contract.ts'
import { gameKinds, ruleKinds } from './game-kinds.ts'
import type { KindOf, KindWords } from './kind-words.ts'
import { kindsOfFights } from './kinds-of-fights.ts'
import { withDay } from './kit/format.ts'
import type { IconName } from './kit/icon.tsx'
import { tableKinds } from './table-kinds.ts'

// One line for each kind of thing that the server has: its words, icon, address, pages and operations. Routes, links,
// mentions, trash, history, proposals, search and the palette read it. An entity of the catalogue without its line, or
// with an operation that is not there or does not do what its member says, does not compile.

export const kinds = {
  campaign: {
    one: 'campaign',
    many: 'campaigns',
    icon: 'book',
    // It is where all other sections are.
    section: '',
    list: 'list_campaigns',
    get: 'get_campaign',
    create: 'create_campaign',
    update: 'update_campaign',
    delete: 'delete_campaign',
    titleOf: (row) => row.name,
  },
  quest: {
    one: 'quest',
    many: 'quests',
    icon: 'quest',
    section: 'quests',
    pages: {
      list: async () => (await import('./pages/quests/quests.tsx')).QuestsPage,
      one: async () => (await import('./pages/quests/quest.tsx')).QuestPage,
      edit: async () => (await import('./pages/quests/edit.tsx')).QuestEdit,
    },
    navigation: { group: 'tale', phone: true },
    madeBy: 'everybody',
    mentionable: true,
    news: true,
    list: 'list_quests',
    get: 'get_quest',
    create: 'create_quest',
    update: 'update_quest',
    delete: 'delete_quest',
    titleOf: (row) => row.title,
  },
  objective: {
    one: 'step',
    many: 'steps',
    icon: 'check',
    news: true,
    list: 'list_objectives',
    create: 'create_objective',
    update: 'update_objective',
    delete: 'delete_objective',
    titleOf: (row) => row.text,
  },
  arc: {
    one: 'arc',
    many: 'arcs',
    icon: 'thread',
    section: 'arcs',
    pages: { one: async () => (await import('./pages/story/story.tsx')).StoryOfArc },
    list: 'list_arcs',
    get: 'get_arc',
    create: 'create_arc',
    update: 'update_arc',
    delete: 'delete_arc',
    titleOf: (row) => row.title,
  },
  beat: {
    one: 'beat',
    many: 'beats',
    icon: 'thread',
    section: 'story',
    pages: {
      list: async () => (await import('./pages/story/story.tsx')).StoryPage,
      one: async () => (await import('./pages/story/story.tsx')).StoryAt,
    },
    navigation: { group: 'tale', word: { dm: 'Story', others: 'Story' }, dmOnly: true },
    list: 'list_beats',
    get: 'get_beat',
    create: 'create_beat',
    update: 'update_beat',
    delete: 'delete_beat',
    titleOf: (row) => row.title,
  },
  branch: {
    one: 'way out',
    many: 'ways out',
    icon: 'right',
    list: 'list_branches',
    create: 'create_branch',
    update: 'update_branch',
    delete: 'delete_branch',
    titleOf: (row) => row.label,
  },
  npc: {
    one: 'person',
    many: 'people',
    pronoun: 'them',
    icon: 'people',
    section: 'people',
    pages: {
      list: async () => (await import('./pages/people/people.tsx')).NpcsPage,
      one: async () => (await import('./pages/people/person.tsx')).NpcPage,
      edit: async () => (await import('./pages/people/edit.tsx')).NpcEdit,
    },
    navigation: { group: 'tale' },
    madeBy: 'everybody',
    mentionable: true,
    news: true,
    list: 'list_npcs',
    get: 'get_npc',
    create: 'create_npc',
    update: 'update_npc',
    delete: 'delete_npc',
    titleOf: (row) => row.name,
  },
  location: {
    one: 'place',
    many: 'places',
    icon: 'pin',
    section: 'places',
    pages: {
      list: async () => (await import('./pages/places/places.tsx')).LocationsPage,
      one: async () => (await import('./pages/places/place.tsx')).LocationPage,
      edit: async () => (await import('./pages/places/edit.tsx')).LocationEdit,
    },
    navigation: { group: 'tale' },
    madeBy: 'everybody',
    mentionable: true,
    news: true,
    list: 'list_locations',
    get: 'get_location',
    create: 'create_location',
    update: 'update_location',
    delete: 'delete_location',
    titleOf: (row) => row.name,
  },
  faction: {
    one: 'faction',
    many: 'factions',
    pronoun: 'them',
    icon: 'shield',
    section: 'factions',
    pages: {
      list: async () => (await import('./pages/factions/factions.tsx')).FactionsPage,
      one: async () => (await import('./pages/factions/faction.tsx')).FactionPage,
      edit: async () => (await import('./pages/factions/edit.tsx')).FactionEdit,
    },
    navigation: { group: 'tale' },
    madeBy: 'everybody',
    mentionable: true,
    news: true,
    list: 'list_factions',
    get: 'get_faction',
    create: 'create_faction',
    update: 'update_faction',
    delete: 'delete_faction',
    titleOf: (row) => row.name,
  },
  reputation_change: { one: 'change of standing', many: 'changes of standing', icon: 'shield' },
  ...gameKinds,
  relation: {
    one: 'bond',
    many: 'bonds',
    icon: 'link',
    section: 'relations',
    pages: { list: async () => (await import('./pages/relations/relations.tsx')).RelationsPage },
    list: 'list_relations',
    create: 'create_relation',
    update: 'update_relation',
    delete: 'delete_relation',
  },
  timeline_event: {
    one: 'event',
    many: 'events',
    icon: 'clock',
    section: 'timeline',
    pages: {
      list: async () => (await import('./pages/timeline/timeline.tsx')).TimelinePage,
      one: async () => (await import('./pages/timeline/event.tsx')).TimelineEventPage,
      edit: async () => (await import('./pages/timeline/edit.tsx')).TimelineEventEdit,
    },
    navigation: { group: 'tale', word: { dm: 'Timeline', others: 'Timeline' } },
    madeBy: 'everybody',
    mentionable: true,
    news: true,
    list: 'list_timeline_events',
    get: 'get_timeline_event',
    create: 'create_timeline_event',
    update: 'update_timeline_event',
    delete: 'delete_timeline_event',
    titleOf: (row) => row.title,
  },
  map: {
    one: 'map',
    many: 'maps',
    icon: 'map',
    section: 'maps',
    pages: {
      list: async () => (await import('./pages/maps/maps.tsx')).MapsPage,
      one: async () => (await import('./pages/maps/map.tsx')).MapPage,
      edit: async () => (await import('./pages/maps/edit.tsx')).MapEdit,
    },
    navigation: { group: 'tale' },
    madeBy: 'dm',
    mentionable: true,
    news: true,
    list: 'list_maps',
    get: 'get_map',
    create: 'create_map',
    update: 'update_map',
    delete: 'delete_map',
    titleOf: (row) => row.name,
  },
  pin: {
    one: 'pin',
    many: 'pins',
    icon: 'pin',
    list: 'list_map_pins',
    create: 'create_map_pin',
    update: 'update_map_pin',
    delete: 'delete_map_pin',
    titleOf: (row) => row.label ?? row.entity?.title ?? 'A pin',
  },
  map_token: { one: 'token', many: 'tokens', icon: 'me' },
  fog_stroke: { one: 'stroke of fog', many: 'strokes of fog', icon: 'brush' },
  session: {
    one: 'session',
    many: 'sessions',
    icon: 'book',
    section: 'sessions',
    pages: {
      list: async () => (await import('./pages/sessions/sessions.tsx')).SessionsPage,
      one: async () => (await import('./pages/sessions/session.tsx')).SessionPage,
      edit: async () => (await import('./pages/sessions/edit.tsx')).SessionEdit,
      below: {
        recap: async () => (await import('./pages/sessions/recap.tsx')).RecapRead,
        'recap/edit': async () => (await import('./pages/sessions/recap-edit.tsx')).RecapEdit,
      },
    },
    navigation: { group: 'tale' },
    madeBy: 'dm',
    mentionable: true,
    news: true,
    list: 'list_sessions',
    get: 'get_session',
    create: 'create_session',
    update: 'update_session',
    delete: 'delete_session',
    titleOf: (row) => row.title ?? `Session ${row.number}`,
  },
  attendance: { one: 'attendance', many: 'attendances', icon: 'people' },
  game_night: {
    one: 'game night',
    many: 'game nights',
    icon: 'night',
    section: 'nights',
    pages: {
      list: async () => (await import('./pages/nights/nights.tsx')).NightsPage,
      one: async () => (await import('./pages/nights/night.tsx')).NightPage,
      edit: async () => (await import('./pages/nights/edit.tsx')).NightEdit,
    },
    navigation: { group: 'table' },
    madeBy: 'dm',
    news: true,
    list: 'list_game_nights',
    get: 'get_game_night',
    create: 'create_game_night',
    update: 'update_game_night',
    titleOf: (row) => row.title ?? withDay(`Game night of ${row.localDate}`),
  },
  rsvp: { one: 'answer', many: 'answers', icon: 'night' },
  ...kindsOfFights,
  note: {
    one: 'note',
    many: 'notes',
    icon: 'pen',
    section: 'notes',
    pages: {
      list: async () => (await import('./pages/notes/notes.tsx')).NotesPage,
      one: async () => (await import('./pages/notes/note.tsx')).NotePage,
    },
    navigation: { group: 'tale', phone: true },
    news: true,
    list: 'list_notes',
    get: 'get_note',
    create: 'create_note',
    update: 'update_note',
    delete: 'delete_note',
  },
  inbox_item: {
    one: 'note to the DM',
    many: 'notes to the DM',
    icon: 'inbox',
    section: 'inbox',
    pages: {
      list: async () => (await import('./pages/inbox/inbox.tsx')).Inbox,
      one: async () => (await import('./pages/inbox/inbox.tsx')).InboxItemPage,
    },
    navigation: { group: 'table', word: { dm: 'Inbox', others: 'With the DM' }, counted: true, playersOnly: true },
    list: 'list_inbox_items',
    get: 'get_inbox_item',
    create: 'submit_inbox_item',
    delete: 'delete_inbox_item',
  },
  proposal: {
    one: 'proposal',
    many: 'proposals',
    icon: 'quill',
    section: 'proposals',
    pages: { one: async () => (await import('./pages/inbox/proposal.tsx')).ProposalPage },
    news: true,
    list: 'list_proposals',
    get: 'get_proposal',
    create: 'create_proposal',
    update: 'revise_proposal',
    titleOf: (row) => row.title,
  },
  member: {
    one: 'member',
    many: 'members',
    icon: 'me',
    section: 'members',
    pages: { list: async () => (await import('./pages/members/members.tsx')).MembersPage },
    navigation: { group: 'table' },
    list: 'list_members',
    create: 'add_member',
    update: 'update_member',
    delete: 'remove_member',
    titleOf: (row) => row.username,
  },
  invite: {
    one: 'invitation',
    many: 'invitations',
    icon: 'link',
    list: 'list_invites',
    create: 'create_invite',
    delete: 'revoke_invite',
  },
  ...ruleKinds,
  attachment: {
    one: 'picture',
    many: 'pictures',
    icon: 'image',
    news: true,
    list: 'list_attachments',
    get: 'get_attachment',
    create: 'create_attachment',
    update: 'update_attachment',
    delete: 'delete_attachment',
  },
  ...tableKinds,
  ...aiKinds,
} as const satisfies { readonly [N in EntityName]: KindOf<N> }

export type Kinds = typeof kinds
/** The segments of the addresses that kinds have of their own. */
export type KindSection = Exclude<
  { [N in EntityName]: Kinds[N] extends { readonly section: infer S extends string } ? S : never }[EntityName],
  ''
>
/** Kinds that have a page for each of them. */
export type PagedKind = {
  [N in EntityName]: Kinds[N] extends { readonly pages: { readonly one: unknown } } ? N : never
}[EntityName]

/** Kinds whose rows can be changed by an operation of their own. */
export type UpdatableKind = {
  [N in EntityName]: Kinds[N] extends { readonly update: OperationName } ? N : never
}[EntityName]
/** Kinds whose rows can be taken away by an operation of their own. */
export type DeletableKind = {
  [N in EntityName]: Kinds[N] extends { readonly delete: OperationName } ? N : never
}[EntityName]
/** Kinds with a form for a new one and for one there is. */
export type EditableKind = {
  [N in EntityName]: Kinds[N] extends { readonly pages: { readonly edit: unknown } } ? N : never
}[EntityName]

/** A line of the table, whichever it is. */
export interface Kind extends KindWords {
  readonly name: EntityName
  readonly list?: ListName
  readonly get?: OperationName
  readonly create?: OperationName
  readonly update?: OperationName
  readonly delete?: OperationName
  titleOf?(row: never): string
}

/** All kinds in the order in which people meet them. */
export const allKinds: readonly Kind[] = (Object.keys(kinds) as EntityName[]).map((name) => ({ name, ...kinds[name] }))

const byName: ReadonlyMap<string, Kind> = new Map(allKinds.map((kind) => [kind.name, kind]))

/** The kind of an entity type that the server names; undefined for one that this page is too old to know. */
export const kindOf = (entityType: string): Kind | undefined => byName.get(entityType)

/** The kinds whose changes are told as news. */
export const newsKinds: ReadonlySet<string> = new Set(allKinds.filter(({ news }) => news).map(({ name }) => name))

/** The line of a kind that there is. */
export const lineOf = (name: EntityName): Kind => byName.get(name) as Kind

/** The member of an input that names one of a kind: `inbox_item` -> `inboxItemId`. */
export const idMember = <N extends EntityName>(name: N): IdMember<N> =>
  `${name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}Id` as IdMember<N>

/** `npc` -> `person`; a type that is not known is read as it is written. */
export const entityLabel = (entityType: string): string => kindOf(entityType)?.one ?? entityType.replaceAll('_', ' ')

/** The drawing that stands for a kind of thing. */
export const entityIcon = (entityType: string): IconName => kindOf(entityType)?.icon ?? 'right'
