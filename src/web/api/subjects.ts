/**
 * What an operation is about: the entity types it shows or touches. A change of one of them makes what was read stale.
 * An operation that is not named here is about the noun in its own name (`update_npc`: npc).
 */
const about: Readonly<Record<string, string>> = {
  get_campaign_summary: 'campaign quest objective session inboxitem proposal',
  get_campaign_settings: 'campaign campaignsettings',
  update_campaign_settings: 'campaign campaignsettings',
  set_campaign_status: 'campaign',
  list_trashed_campaigns: 'campaign',
  create_sample_campaign: 'campaign',
  accept_invite: 'campaign member',
  leave_campaign: 'campaign member',
  search_campaign: '*',
  list_recent_changes: '*',
  list_mentions: '*',
  list_quests: 'quest objective',
  get_quest: 'quest objective',
  set_quest_status: 'quest',
  set_objective_done: 'objective quest',
  set_npc_disposition: 'npc',
  set_location_discovery: 'location',
  get_location: 'location npc',
  move_location: 'location',
  list_session_recaps: 'session',
  publish_session_recap: 'session',
  draft_session_recap: '*',
  send_whisper: 'note',
  get_my_ai_consent: 'member campaign',
  set_my_ai_consent: 'member',
  list_members: 'member user',
  remove_member: 'member character',
  reveal_entity: '*',
  hide_entity: '*',
  list_audit_records: '*',
  get_audit_record: '*',
  revert_change: '*',
  list_revisions: '*',
  get_revision: '*',
  restore_revision: '*',
  list_trash: '*',
  restore_from_trash: '*',
  purge_from_trash: '*',
  approve_proposals: '*',
}

/** Server, routes and pages write an entity type with or without underscores; compare them without. */
export const plain = (entityType: string): string => entityType.replaceAll('_', '').toLowerCase()

const singular = (noun: string): string => (noun.endsWith('ies') ? `${noun.slice(0, -3)}y` : noun.replace(/s$/, ''))

/** The entity types of an operation; `*` stands for any. */
export function subjects(operation: string): ReadonlySet<string> {
  const named = about[operation]
  if (named) return new Set(named.split(' '))
  const noun = operation.slice(operation.indexOf('_') + 1)
  return new Set([plain(singular(noun))])
}

/** Whether a change of `changed` makes a reading about `read` stale. */
export function touches(changed: ReadonlySet<string>, read: ReadonlySet<string>): boolean {
  if (changed.has('*') || read.has('*')) return true
  for (const one of changed) if (read.has(one)) return true
  return false
}
