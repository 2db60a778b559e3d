import { routeOf } from '../../src/kernel/operation.ts'
import type { Declared, Line } from './matrix.ts'
import { type CallerName, callerNames } from './world.ts'

// A second opinion on who may what, from the words of a declaration alone. It shares no code with the authorisation that
// it judges: who changes a rule there has to change it here too, and say so in a review.

interface Standing {
  /** In the campaign of the examples, narrowed by the credential. */
  readonly role: 'viewer' | 'player' | 'dm' | null
  readonly signedIn: boolean
  /** Signed in to the web app, and not a token. */
  readonly session: boolean
  readonly admin: boolean
  /** Wrote what the examples call one's own. */
  readonly author: boolean
  readonly proposesOnly: boolean
  /** The credential knows one campaign, and it is another one. */
  readonly elsewhere: boolean
}

const nobody: Standing = {
  role: null,
  signedIn: false,
  session: false,
  admin: false,
  author: false,
  proposesOnly: false,
  elsewhere: false,
}
const person: Standing = { ...nobody, signedIn: true, session: true }
const token: Standing = { ...nobody, signedIn: true }

const standings: Readonly<Record<CallerName, Standing>> = {
  anonymous: nobody,
  outsider: person,
  viewer: { ...person, role: 'viewer' },
  player: { ...person, role: 'player', author: true },
  otherPlayer: { ...person, role: 'player' },
  dm: { ...person, role: 'dm' },
  capped: { ...token, role: 'player' },
  propose: { ...token, role: 'dm', proposesOnly: true },
  bound: { ...token, elsewhere: true },
  oauth: { ...token, role: 'dm' },
  admin: { ...person, admin: true },
}

/** Answers that do not depend on who may: the example meets a state that it cannot change, or leaves out what it must not do. */
const always: Readonly<Record<string, string>> = { set_up: '409 invalid_state' }
const inPlaceOfSuccess: Readonly<Record<string, string>> = {
  restore_backup: '400 confirm_required',
  restore_kept_backup: '400 confirm_required',
  // No Claude Desktop in the home of the tests.
  write_claude_desktop: '404',
}

/** Things that not every member sees: for those who do not, they are absent. */
const seenBy: Readonly<Record<string, (standing: Standing) => boolean>> = {
  inviteId: ({ role }) => role === 'dm',
  shareId: ({ role }) => role === 'dm',
  displayId: ({ role }) => role === 'dm',
  arcId: ({ role }) => role === 'dm',
  beatId: ({ role }) => role === 'dm',
  branchId: ({ role }) => role === 'dm',
  tableId: ({ role }) => role === 'dm',
  auditRecordId: ({ role }) => role === 'dm',
  revisionId: ({ role }) => role === 'dm',
  scribeRunId: ({ role }) => role === 'dm',
  inboxItemId: ({ role, author }) => role === 'dm' || author,
  proposalId: ({ role, author }) => role === 'dm' || author,
  rollId: ({ role, author }) => role === 'dm' || author,
}

/** What never waits as a proposal: who is at the table, what a person decides, what is secret, and files. */
const byPerson = new Set([
  'approve_proposals',
  'reject_proposals',
  'add_member',
  'update_member',
  'remove_member',
  'leave_campaign',
  'set_my_ai_consent',
  'create_invite',
  'revoke_invite',
  'delete_campaign',
  'duplicate_campaign',
  'restore_campaign',
  'rotate_calendar_feed',
  'create_attachment',
  'create_session_share',
  'create_display',
  'update_display',
  'revoke_display',
  'revoke_session_share',
  'acknowledge_charter',
  'raise_safety_signal',
  'clear_safety_signal',
  'set_my_support_preference',
  'delete_my_support_preference',
  'run_scribe',
  'update_ai_seat',
  'pause_ai_seat',
  'resume_ai_seat',
  'narrate',
])

/** What a person alone decides, whatever else the call says: by the web app, or with a token of their own over REST. */
const byHand = new Set(['resume_ai_seat'])

export function expectedCells({ declared, door }: Pick<Line, 'declared' | 'door'>): readonly string[] {
  return callerNames.map((caller) => {
    const answer = outcomeFor(declared, door, standings[caller])
    return answer === 'success' ? success(declared, door) : answer === 'proposal' ? proposal(door) : answer
  })
}

function success(declared: Declared, door: Line['door']): string {
  if (door === 'mcp') return 'ok'
  return inPlaceOfSuccess[declared.name] ?? (declared.creates ? '201' : '200')
}

function proposal(door: Line['door']): string {
  return door === 'mcp' ? 'proposed' : '202'
}

function outcomeFor(declared: Declared, door: Line['door'], me: Standing): string {
  const { name, access, effect } = declared
  if (always[name] !== undefined) return always[name]
  if (!me.signedIn) return access === 'public' && door === 'rest' ? 'success' : '401'
  switch (access) {
    case 'public':
      return 'success'
    case 'admin':
      return me.admin ? 'success' : '403'
    case 'session':
      if (!me.session) return '403'
      // Who was asked answers, and nobody for them.
      if (['accept_invitation', 'decline_invitation'].includes(name)) return me.author ? 'success' : '404'
      // One's own only; an administrator may end anybody's.
      return ['revoke_token', 'disconnect_app'].includes(name) && !me.author && !me.admin ? '404' : 'success'
    case 'user':
      if (effect === 'read') return 'success'
      if (me.elsewhere) return '403'
      return me.proposesOnly ? '403 write_mode' : 'success'
    default: {
      const answer = atTheTable(declared, me)
      const isMachine = door === 'mcp' || !me.session
      return answer === 'success' && byHand.has(name) && isMachine ? '403 human_needed' : answer
    }
  }
}

const ladder = ['viewer', 'player', 'dm']

/** Inside a campaign: not to be seen is 404 before anything is 403. */
function atTheTable({ name, access, effect, route }: Declared, me: Standing): string {
  if (me.role === null) return '404'
  // A fight that is to begin is planned, and so the Dungeon Masters' alone.
  if (name === 'begin_encounter' && me.role !== 'dm') return '404'
  if (routeOf(route).placeholders.some((key) => seenBy[key]?.(me) === false)) return '404'
  const reaches = (floor: string): boolean => ladder.indexOf(me.role ?? '') >= ladder.indexOf(floor)
  const allowed = {
    viewer: reaches('viewer'),
    player: reaches('player'),
    dm: reaches('dm'),
    'dm+propose': reaches('player'),
    author: me.author,
    'author+dm': me.author || reaches('dm'),
    owner: me.author || reaches('dm'),
    controller: me.author || reaches('dm'),
    turn: me.author || reaches('dm'),
  }[access as string]
  if (allowed !== true) return '403'
  if (access === 'dm+propose' && !reaches('dm')) return 'proposal'
  if (!me.proposesOnly || effect === 'read' || name === 'create_proposal' || name === 'draft_content') return 'success'
  return byPerson.has(name) ? '403 write_mode' : 'proposal'
}
