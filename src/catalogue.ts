import { aiProvider } from './domain/ai-provider/entity.ts'
import { aiSeat, aiTurn } from './domain/ai-seat/entity.ts'
import { aiSeatOperations } from './domain/ai-seat/operations.ts'
import { oauthClient, oauthGrant } from './domain/app/entity.ts'
import { appOperations } from './domain/app/operations.ts'
import { attachment } from './domain/attachment/entity.ts'
import { attachmentOperations } from './domain/attachment/operations.ts'
import { attendance } from './domain/attendance/entity.ts'
import { calendarFeedOperations } from './domain/calendar-feed/operations.ts'
import { campaign } from './domain/campaign/entity.ts'
import { campaignOperations } from './domain/campaign/operations.ts'
import { statisticsOperations } from './domain/campaign/statistics.ts'
import { travelOperations } from './domain/campaign/travel-operations.ts'
import { character } from './domain/character/entity.ts'
import { characterImportOperations } from './domain/character/import-operations.ts'
import { characterOperations } from './domain/character/operations.ts'
import { characterRestOperations } from './domain/character/rest-operations.ts'
import { characterStateOperations } from './domain/character/state-operations.ts'
import { charter, charterAcknowledgement } from './domain/charter/entity.ts'
import { charterOperations } from './domain/charter/operations.ts'
import { checkOperations as rollableOperations } from './domain/dice/check-operations.ts'
import { checkRequest, diceRoll } from './domain/dice/entity.ts'
import { rollOperations } from './domain/dice/roll-operations.ts'
import { display } from './domain/display/entity.ts'
import { displayOperations } from './domain/display/operations.ts'
import { draftOperations } from './domain/draft/operations.ts'
import { afterOperations } from './domain/encounter/after-operations.ts'
import { combatantOperations } from './domain/encounter/combatant-operations.ts'
import { encounterOperations } from './domain/encounter/encounter-operations.ts'
import { combatant, encounter, encounterEvent } from './domain/encounter/entity.ts'
import { harmOperations } from './domain/encounter/harm-operations.ts'
import { rosterOperations } from './domain/encounter/roster-operations.ts'
import { turnOperations } from './domain/encounter/turn-operations.ts'
import { faction, reputationChange } from './domain/faction/entity.ts'
import { factionOperations } from './domain/faction/operations.ts'
import { gameNight, rsvp } from './domain/game-night/entity.ts'
import { gameNightOperations } from './domain/game-night/operations.ts'
import { homebrew } from './domain/homebrew/entity.ts'
import { homebrewOperations } from './domain/homebrew/operations.ts'
import { inboxItem } from './domain/inbox/entity.ts'
import { inboxOperations } from './domain/inbox/operations.ts'
import { inventoryItem } from './domain/inventory/entity.ts'
import { inventoryOperations } from './domain/inventory/operations.ts'
import { invite } from './domain/invite/entity.ts'
import { inviteOperations } from './domain/invite/operations.ts'
import { location } from './domain/location/entity.ts'
import { locationOperations } from './domain/location/operations.ts'
import { fogStroke, map, mapToken, pin } from './domain/map/entity.ts'
import { fogOfMaps } from './domain/map/fog.ts'
import { mapOperations } from './domain/map/operations.ts'
import { pinOperations } from './domain/map/pin-operations.ts'
import { member } from './domain/member/entity.ts'
import { invitationOperations } from './domain/member/invitations.ts'
import { memberOperations } from './domain/member/operations.ts'
import { mentionOperations } from './domain/mention/operations.ts'
import { modelCall } from './domain/model-call/entity.ts'
import { aiUsageOperations } from './domain/model-call/operations.ts'
import { note } from './domain/note/entity.ts'
import { noteOperations } from './domain/note/operations.ts'
import { notification } from './domain/notification/entity.ts'
import { notificationOperations } from './domain/notification/operations.ts'
import { npc } from './domain/npc/entity.ts'
import { npcOperations } from './domain/npc/operations.ts'
import { objective } from './domain/objective/entity.ts'
import { objectiveOperations } from './domain/objective/operations.ts'
import { proposal } from './domain/proposal/entity.ts'
import { proposalOperations } from './domain/proposal/operations.ts'
import { quest } from './domain/quest/entity.ts'
import { questOperations } from './domain/quest/operations.ts'
import { randomTable, tableDraw } from './domain/random-table/entity.ts'
import { randomTableOperations } from './domain/random-table/operations.ts'
import { relation } from './domain/relation/entity.ts'
import { relationOperations } from './domain/relation/operations.ts'
import { reviewOperations } from './domain/review/operations.ts'
import { rulePack } from './domain/rule-pack/entity.ts'
import { rulePackOperations } from './domain/rule-pack/operations.ts'
import { safetySignal } from './domain/safety/entity.ts'
import { safetyOperations } from './domain/safety/operations.ts'
import { scribeRun, scribeSettings } from './domain/scribe/entity.ts'
import { serverAuditOperations } from './domain/server/operations.ts'
import { session } from './domain/session/entity.ts'
import { sessionOperations } from './domain/session/operations.ts'
import { scribeOperations } from './domain/session/scribe-operations.ts'
import { sessionShare } from './domain/session-share/entity.ts'
import { sessionShareOperations } from './domain/session-share/operations.ts'
import { signIn } from './domain/sign-in/entity.ts'
import { arcOperations } from './domain/story/arc-operations.ts'
import { beatOperations } from './domain/story/beat-operations.ts'
import { branchOperations } from './domain/story/branch-operations.ts'
import { arc, beat, branch } from './domain/story/entity.ts'
import { graphOperations } from './domain/story/graph-operations.ts'
import { supportPreference } from './domain/support-preference/entity.ts'
import { supportPreferenceOperations } from './domain/support-preference/operations.ts'
import { calendarOperations } from './domain/timeline/calendar.ts'
import { timelineEvent } from './domain/timeline/entity.ts'
import { timelineOperations } from './domain/timeline/operations.ts'
import { personalToken } from './domain/token/entity.ts'
import { tokenOperations } from './domain/token/operations.ts'
import { purse, purseEntry } from './domain/treasury/entity.ts'
import { treasuryOperations } from './domain/treasury/operations.ts'
import { user } from './domain/user/entity.ts'
import { userOperations } from './domain/user/operations.ts'
import { checkOperations } from './kernel/admission.ts'
import type { Consequence } from './kernel/consequence.ts'
import type { Entity } from './kernel/entity.ts'
import { documentKinds } from './kernel/fields.ts'
import { kindsThat } from './kernel/kinds.ts'
import type { AnyOperation } from './kernel/operation.ts'
import { checkTravel } from './kernel/travel.ts'

/** Every operation of the product, by name. Everything that lists operations lists these, in this order. */
export const catalogue = Object.freeze({
  ...campaignOperations,
  ...statisticsOperations,
  ...travelOperations,
  ...questOperations,
  ...objectiveOperations,
  ...arcOperations,
  ...beatOperations,
  ...branchOperations,
  ...graphOperations,
  ...npcOperations,
  ...locationOperations,
  ...factionOperations,
  ...relationOperations,
  ...timelineOperations,
  ...calendarOperations,
  ...mapOperations,
  ...pinOperations,
  ...mentionOperations,
  ...characterOperations,
  ...characterImportOperations,
  ...characterStateOperations,
  ...characterRestOperations,
  ...inventoryOperations,
  ...treasuryOperations,
  ...rollOperations,
  ...rollableOperations,
  ...sessionOperations,
  ...sessionShareOperations,
  ...gameNightOperations,
  ...calendarFeedOperations,
  ...encounterOperations,
  ...turnOperations,
  ...combatantOperations,
  ...harmOperations,
  ...afterOperations,
  ...rosterOperations,
  ...noteOperations,
  ...inboxOperations,
  ...memberOperations,
  ...inviteOperations,
  ...charterOperations,
  ...safetyOperations,
  ...displayOperations,
  ...supportPreferenceOperations,
  ...proposalOperations,
  ...reviewOperations,
  ...randomTableOperations,
  ...rulePackOperations,
  ...homebrewOperations,
  ...attachmentOperations,
  ...draftOperations,
  ...aiUsageOperations,
  ...notificationOperations,
  ...scribeOperations,
  ...aiSeatOperations,
})

export type Catalogue = typeof catalogue

/**
 * What people and administrators do with the server itself: no tools, and not counted among them. They have routes, typed
 * calls, documents and their lines of the role matrix as those of the catalogue do.
 */
export const serverCatalogue = Object.freeze({
  ...userOperations,
  ...tokenOperations,
  ...appOperations,
  ...invitationOperations,
  ...serverAuditOperations,
})

export type ServerCatalogue = typeof serverCatalogue

function byName(operations: object): ReadonlyMap<string, AnyOperation> {
  return new Map(Object.entries(operations as Record<string, AnyOperation>))
}

export const operations = byName(catalogue)
export const serverOperations = byName(serverCatalogue)
/** Both: all that the pipeline runs. */
export const allOperations: ReadonlyMap<string, AnyOperation> = new Map([...operations, ...serverOperations])

/** Those that others point at need no order, SQLite resolves references late. */
const declared = [
  campaign,
  member,
  invite,
  quest,
  objective,
  arc,
  beat,
  branch,
  npc,
  location,
  faction,
  reputationChange,
  character,
  inventoryItem,
  purse,
  purseEntry,
  diceRoll,
  checkRequest,
  relation,
  timelineEvent,
  map,
  pin,
  mapToken,
  fogStroke,
  note,
  inboxItem,
  session,
  attendance,
  gameNight,
  rsvp,
  encounter,
  combatant,
  encounterEvent,
  attachment,
  randomTable,
  tableDraw,
  homebrew,
  proposal,
  sessionShare,
  display,
  charter,
  charterAcknowledgement,
  safetySignal,
  supportPreference,
  notification,
  scribeRun,
  scribeSettings,
  aiSeat,
  aiTurn,
  modelCall,
] as const

export type EntityName = (typeof declared)[number]['name']

/** Those of the server and of people: no kinds of things that a campaign has. */
const ofServer = [user, signIn, personalToken, oauthClient, oauthGrant, rulePack, aiProvider] as const

/** Every entity. */
export const entities: readonly Entity[] = [...ofServer, ...declared] as unknown as readonly Entity[]

/** What is brought up to date at the end of each change set. */
export const consequences: readonly Consequence[] = [fogOfMaps]

/**
 * The toolset of each kind of thing of a campaign: that of the operation that lists it. What nothing lists is of none, and so
 * closed to whoever may read some toolsets only.
 */
export function toolsetsOf(
  kinds: readonly Entity[],
  known: ReadonlyMap<string, Pick<AnyOperation, 'toolset'>>,
): ReadonlyMap<string, string> {
  return new Map(kindsThat(kinds, 'any').map(({ name, listedBy }) => [name, known.get(listedBy)?.toolset ?? '']))
}

const namesOf = (can: Parameters<typeof kindsThat>[1]): readonly string[] =>
  kindsThat(entities, can).map(({ name }) => name)
documentKinds({
  any: namesOf('any'),
  linked: namesOf('linked'),
  trash: namesOf('trash'),
  hide: namesOf('hide'),
  mention: namesOf('mention'),
})
checkOperations(allOperations.values(), entities)
checkTravel(entities)
