import type { CallerName } from '../support/world.ts'

// Who may read which text of the campaign, each under a word of its own. This list is what was reviewed; content.ts puts
// the words into a campaign, and the tests hold that each caller meets exactly the words that stand beside their name.

/** The DM behind any credential that leaves the role: what is the table's is theirs, other people's private texts are not. */
const dms = ['dm', 'propose', 'oauth'] as const
/** What the DM wrote as a person: a token capped to `player` still is of its author. */
const byDm = [...dms, 'capped'] as const
const members = ['viewer', 'player', 'otherPlayer', ...byDm] as const
const nobody: readonly CallerName[] = []

const table = {
  // Open to the table: they show that the walk finds what is there to find.
  'quest body': members,
  'npc body': members,
  'location body': members,
  'faction goals': members,
  'reason of a reputation': members,
  'objective text': members,
  'event body': members,
  'map body': members,
  'pin label': members,
  'token label': members,
  'label of a relation': members,
  'game night notes': members,
  'house rules': members,
  'word with an answer': members,
  recap: members,
  'fight body': members,
  'combatant name': members,
  'action that was used': members,
  'attachment caption': members,
  'party note': members,
  'campaign description': members,
  'homebrew body': members,
  'draw for the party': members,
  'persona of the seat': members,

  'character body': members,
  'notes on an item': members,
  'reason in the ledger': members,
  'label of a roll': members,
  // Who only watches has no list of what players are asked.
  'reason of a request to roll': ['player', 'otherPlayer', ...byDm],

  // Secret fields of things that everybody sees.
  'quest dmSecret': dms,
  'npc dmSecret': dms,
  'location dmSecret': dms,
  'faction dmSecret': dms,
  'event dmSecret': dms,
  'character dmSecret': dms,
  'item dmSecret': dms,
  'notes of player on a character': ['player', ...dms],
  'map dmSecret': dms,
  'other half of a relation': dms,
  'homebrew dmSecret': dms,
  'session prep': dms,
  'fight dmSecret': dms,
  'combatant notes': dms,
  'what the seat was asked': dms,
  'style of the scribe': dms,
  'stat block': dms,
  'session dmSecret': dms,

  // Hidden things, and what hangs on them.
  'hidden quest title': dms,
  'hidden quest body': dms,
  'hidden quest reward': dms,
  'hidden quest tag': dms,
  'hidden quest dmSecret': dms,
  'hidden objective': dms,
  'objective of hidden quest': dms,
  'hidden npc name': dms,
  'hidden npc role': dms,
  'hidden npc species': dms,
  'hidden npc voice': dms,
  'hidden npc body': dms,
  'hidden npc tag': dms,
  'hidden npc dmSecret': dms,
  'hidden location name': dms,
  'hidden location kind': dms,
  'hidden location body': dms,
  'hidden location tag': dms,
  'hidden faction name': dms,
  'hidden faction kind': dms,
  'hidden faction goals': dms,
  'hidden faction tag': dms,
  'reason of a hidden reputation': dms,
  'planned fight name': dms,
  'hidden fight name': dms,
  'hidden fight body': dms,
  'hidden combatant name': dms,
  'hidden combatant action': dms,
  'hidden combatant condition': dms,
  'hidden homebrew name': dms,
  'hidden homebrew body': dms,
  'table name': dms,
  'table line': dms,
  'draw for the DM': dms,
  'arc title': dms,
  'arc summary': dms,
  'beat title': dms,
  'beat body': dms,
  'beat dmSecret': dms,
  'branch label': dms,
  'branch condition': dms,
  'label of a hidden relation': dms,
  'label towards a hidden npc': dms,
  'label from a hidden npc': dms,
  'hidden item name': dms,
  'hidden item notes': dms,
  'sealed roll of the DM': dms,
  'sealed expression of the DM': dms,
  'roll of otherPlayer and the DM': ['otherPlayer', ...dms],
  'secret request of otherPlayer': ['otherPlayer', ...dms],
  'roll of player and the DM': ['player', ...dms],
  'secret request of player': ['player', ...dms],
  'hidden event title': dms,
  'hidden event body': dms,
  'hidden event era': dms,
  'hidden map name': dms,
  'pin on a hidden map': dms,
  'hidden pin': dms,
  'pin under fog': dms,
  'pin of a hidden npc': dms,
  'hidden token': dms,
  'token under fog': dms,
  'unknown location name': dms,
  'unknown location body': dms,
  'hidden attachment name': dms,
  'hidden attachment caption': dms,
  'hidden attachment bytes': dms,
  // Whoever uploaded a picture and a DM get it as it was taken, others without its metadata.
  'open attachment metadata': dms,
  // Hidden by its uploader, who goes on seeing it.
  'own hidden attachment': ['player', ...dms],
  'hidden attachment of the DM': byDm,

  // Private texts: their author, whom they are for, and nobody else; a DM is nobody else.
  'private note of player': ['player'],
  'private note of otherPlayer': ['otherPlayer'],
  'private note of the DM': byDm,
  'note to the DM of player': ['player', ...dms],
  'note to the DM of otherPlayer': ['otherPlayer', ...dms],
  'whisper between players': ['player', 'otherPlayer'],
  'whisper to the viewer': ['player', 'viewer'],
  'whisper of the DM': ['otherPlayer', ...byDm],
  'whisper past the DM': ['otherPlayer'],
  'inbox of player': ['player', ...dms],
  'inbox of otherPlayer': ['otherPlayer', ...dms],
  'inbox resolution': ['otherPlayer', ...dms],
  'proposal of player': ['player', ...dms],
  'proposal of otherPlayer': ['otherPlayer', ...dms],
  'proposal reason of otherPlayer': ['otherPlayer', ...dms],
  'proposal of the DM': byDm,
  'decision on otherPlayer': ['otherPlayer', ...dms],
  'wish of player': ['player'],
  'wish of otherPlayer for the DM': ['otherPlayer', ...dms],
  'label of a shared recap': dms,
  'label of a display': dms,

  // What was.
  'earlier npc body': dms,
  'earlier npc dmSecret': dms,
  'earlier note to the DM': nobody,
  'trashed npc name': dms,
  'trashed npc dmSecret': dms,
  'trashed objective': dms,
  'trashed party note': dms,
  'trashed private note': nobody,
  'trashed whisper': nobody,
  'trashed inbox item': dms,
  'reason of a change': dms,

  // Other campaigns.
  'foreign campaign': ['outsider'],
  'foreign npc': ['outsider'],
  'foreign private note': ['outsider'],
  'bound campaign npc': [...byDm, 'bound'],
  'bound campaign npc dmSecret': [...dms, 'bound'],
  'bound campaign private note': [...byDm, 'bound'],
} as const satisfies Readonly<Record<string, readonly CallerName[]>>

export type CanaryName = keyof typeof table

const names = Object.keys(table) as CanaryName[]
export const canaryNames: readonly CanaryName[] = names

/** One word, so that search finds it whole and marks cannot cut it; none is the beginning of another. */
export function wordOf(name: CanaryName): string {
  return `zq${String(names.indexOf(name)).padStart(3, '0')}${name.toLowerCase().replaceAll(/[^a-z]/g, '')}`
}

export const words: readonly string[] = names.map(wordOf)

/**
 * What members write for each other, and the callers to whose outside AI it goes all the same while nobody has agreed: those of
 * its author (SPEC 2.2, appendix).
 */
export const memberTexts: Readonly<Partial<Record<CanaryName, readonly CallerName[]>>> = {
  'party note': ['player'],
  'private note of player': ['player'],
  'private note of otherPlayer': ['otherPlayer'],
  'private note of the DM': byDm,
  'note to the DM of player': ['player'],
  'note to the DM of otherPlayer': ['otherPlayer'],
  'whisper between players': ['player'],
  'whisper to the viewer': ['player'],
  'whisper of the DM': byDm,
  'whisper past the DM': ['otherPlayer'],
  'inbox of player': ['player'],
  'inbox of otherPlayer': ['otherPlayer'],
  'trashed party note': nobody,
  'trashed inbox item': nobody,
  'inbox resolution': nobody,
  'notes of player on a character': ['player'],
  'proposal of player': ['player'],
  'proposal of otherPlayer': ['otherPlayer'],
  'proposal reason of otherPlayer': ['otherPlayer'],
  'decision on otherPlayer': nobody,
  'wish of player': ['player'],
  'wish of otherPlayer for the DM': ['otherPlayer'],
}

/** Whether what a caller reads at a door leaves for an outside AI. */
export function readsForAi(caller: CallerName, door: 'rest' | 'mcp'): boolean {
  return door === 'mcp' || caller === 'oauth'
}

/** The words that a caller may meet, by the list above or with some of its lines put otherwise. */
export function wordsFor(
  caller: CallerName,
  otherwise: Readonly<Partial<Record<CanaryName, readonly CallerName[]>>> = {},
): readonly string[] {
  return names
    .filter((name) => (otherwise[name] ?? (table[name] as readonly CallerName[])).includes(caller))
    .map(wordOf)
}

const anyWord = /zq\d{3}[a-z]+/g

/** The words that stand in a text, also inside the cursors of its lists, which are base64. */
export function wordsIn(text: string): ReadonlySet<string> {
  const found = new Set(text.match(anyWord))
  for (const [, cursor = ''] of text.matchAll(/nextCursor\\?":\\?"([\w-]+)/g)) {
    for (const word of Buffer.from(cursor, 'base64url').toString('latin1').match(anyWord) ?? []) found.add(word)
  }
  return found
}
