import { dayAt, inOrder, type WrittenBook, type WrittenRows } from './build.ts'

// What is going on: quests, the threads of the story, evenings, and what people wrote down.

const quests: WrittenRows = inOrder({
  harvest: {
    title: 'The Pomary’s harvest',
    status: 'active',
    body: 'Somebody in Aldersey buys years, and somebody in Aldersey sells them. The party has begun to ask which is worse.',
    locationId: 'location:pomary',
    tags: ['main'],
  },
  year: {
    title: 'The ferryman’s missing year',
    status: 'active',
    parentQuestId: 'quest:harvest',
    giverNpcId: 'npc:hob',
    locationId: 'location:ferry',
    body: '[Hob Fennick](npc:hob) can tell you the name of every passenger who ever paid him in apples. He cannot tell you one thing about the winter of 404.\n\nHis daughter was born that winter. He knows this because other people have told him. Last week a stranger on the ferry was humming the end of a song he cannot finish.',
    reward: 'Passage on the ferry for life, and the cradle',
    dmSecret:
      'The name in the ledger is his own hand, disguised badly. If Wren compares the signature to his ferry tokens, Investigation 14.',
    tags: ['hob'],
  },
  cradle: {
    title: 'A cradle with no maker',
    status: 'completed',
    parentQuestId: 'quest:year',
    giverNpcId: 'npc:hob',
    body: 'It is good work, pegged and not nailed, and it has a name scratched under the rail.',
    reward: 'A letter that says N.',
  },
  mother: {
    title: 'What my mother sold',
    status: 'active',
    parentQuestId: 'quest:harvest',
    body: 'Wren’s own. Her mother’s line stands in the ledger: one year, paid in silver. It does not say which.',
    dmSecret: 'The year Wren was born. [Ilse](npc:mother) is alive, and kind, and has never heard of her.',
    tags: ['wren'],
  },
  founder: {
    title: 'A founder for the bell',
    status: 'on_hold',
    giverNpcId: 'npc:avice',
    locationId: 'location:chapel',
    body: '[Sister Avice](npc:avice) needs somebody who casts bells, and metal that has never been money.',
  },
  count: {
    title: 'The Cellarer counts houses',
    status: 'available',
    body: 'Eleven doors in Aldersey have a chalk line this morning.',
    hidden: true,
    dmSecret: 'One for each child under ten.',
  },
})

const objectives: WrittenRows = inOrder({
  ask: { questId: 'quest:year', text: 'Ask the ferryman what he remembers', done: true },
  find: { questId: 'quest:year', text: 'Find the Pomary’s ledger', done: true },
  learn: { questId: 'quest:year', text: 'Learn who bought the winter of 404' },
  bring: {
    questId: 'quest:year',
    text: 'Bring Nettie the rest of the song, if you can, before it is pressed',
    optional: true,
  },
  compare: { questId: 'quest:year', text: 'Compare the hand in the ledger with Hob’s ferry tokens', hidden: true },
  rail: { questId: 'quest:cradle', text: 'Read what is scratched under the rail', done: true },
  midwife: { questId: 'quest:cradle', text: 'Find the midwife who was paid in silver', done: true },
  line: { questId: 'quest:mother', text: 'Find her line in the ledger', done: true },
  bank: { questId: 'quest:mother', text: 'Cross to the house on the far bank' },
  metal: { questId: 'quest:founder', text: 'Learn what the bell was cast from' },
})

const arcs: WrittenRows = inOrder({
  harvest: {
    title: 'The Pomary’s harvest',
    status: 'active',
    summary:
      'From a toll nobody asked for to a press that must not turn. Ends with somebody drinking the winter, or nobody.',
  },
  bell: {
    title: 'A bell that will not ring true',
    status: 'active',
    summary: 'The slow answer to the same question. If it is ever rung whole, Aldersey remembers.',
  },
  mother: {
    title: 'What my mother sold',
    status: 'planned',
    summary: 'Wren’s own. Keep it quiet, and never at the end of an evening.',
  },
  bank: { title: 'The far bank', status: 'resolved', summary: 'How they came to Aldersey and why they stayed.' },
})

const beats: WrittenRows = inOrder({
  toll: {
    arcId: 'arc:harvest',
    title: 'A ferry with no toll',
    status: 'done',
    sessionId: 'session:s12',
    questId: 'quest:year',
    locationId: 'location:ferry',
    body: 'Hob waves them across and asks for nothing. Halfway over he asks for a year.',
  },
  shelf: {
    arcId: 'arc:harvest',
    title: 'The ledger on the third shelf',
    status: 'done',
    sessionId: 'session:s14',
    locationId: 'location:pomary',
    body: 'Marta is awake, and lets them.',
  },
  reads: { arcId: 'arc:harvest', title: 'Marta reads it to them', status: 'skipped', body: 'They did not ask her.' },
  lullaby: {
    arcId: 'arc:harvest',
    title: 'Nettie hears her own lullaby from inside the press',
    status: 'active',
    sessionId: 'session:s15',
    questId: 'quest:year',
    locationId: 'location:press',
    body: 'The year sold in her name is being pressed tonight. The song will stop when the screw comes down.',
    dmSecret: 'It is Hob’s year too. If he is at the wall when the song stops, he finishes it.',
  },
  midnight: {
    arcId: 'arc:harvest',
    title: 'The press-house at midnight',
    body: 'A hard fight in a place that is all wood and sugar. The lamp is the way to win it, and to lose it.',
    locationId: 'location:press',
  },
  bargain: {
    arcId: 'arc:harvest',
    title: 'A year for a year',
    body: 'The Cellarer will trade. Whose? Let them ask each other; do not hurry.',
    dmSecret: 'He would take one of his own sister’s, if anybody thought to offer it.',
  },
  drinks: {
    arcId: 'arc:harvest',
    title: 'Who drinks the winter',
    body: 'Either way there is a full cup on the table, and everybody is thirsty.',
  },
  asksfounder: {
    arcId: 'arc:bell',
    title: 'Avice asks for a founder',
    status: 'done',
    sessionId: 'session:s12',
    locationId: 'location:chapel',
  },
  cast: {
    arcId: 'arc:bell',
    title: 'What the bell was cast from',
    locationId: 'location:chapel',
    body: 'A receipt in the vestry, for silver, by weight, in Marta’s hand.',
  },
  wakes: {
    arcId: 'arc:bell',
    title: 'Aldersey wakes',
    body: 'Forty chimneys and every one of them with a light. The Reeve comes down in his slippers.',
  },
  findsline: {
    arcId: 'arc:mother',
    title: 'Wren finds her mother’s line',
    status: 'done',
    sessionId: 'session:s14',
    questId: 'quest:mother',
  },
  house: {
    arcId: 'arc:mother',
    title: 'The house on the far bank',
    questId: 'quest:mother',
    locationId: 'location:farbank',
    body: 'The path is swept. The door opens before they knock.',
  },
  forgotten: {
    arcId: 'arc:mother',
    title: 'She does not remember you',
    body: 'And she asks Wren in, and gives her tea, and is so glad of the company.',
  },
})

const branches: WrittenRows = {
  asked: { beatId: 'beat:shelf', label: 'They ask Marta to read', toBeatId: 'beat:reads', status: 'not_taken' },
  took: { beatId: 'beat:shelf', label: 'They take it and run', toBeatId: 'beat:lullaby', status: 'taken' },
  door: { beatId: 'beat:lullaby', label: 'They break the door', toBeatId: 'beat:midnight', condition: 'A hard fight' },
  deal: {
    beatId: 'beat:lullaby',
    label: 'They bargain with the Cellarer',
    toBeatId: 'beat:bargain',
    condition: 'Somebody has to say whose',
  },
  ring: {
    beatId: 'beat:lullaby',
    label: 'They ring the cracked bell',
    toBeatId: 'beat:wakes',
    condition: 'Everybody wakes, the Reeve included',
  },
  won: { beatId: 'beat:midnight', label: 'Either way', toBeatId: 'beat:drinks' },
  paid: { beatId: 'beat:bargain', label: 'Either way', toBeatId: 'beat:drinks' },
  crossed: { beatId: 'beat:house', label: 'She opens the door', toBeatId: 'beat:forgotten' },
}

const table = ['Imke', 'Tom', 'Noor', 'Jonas', 'Asha'] as const
const zone = 'Europe/Brussels'

function evenings(now: string): WrittenBook {
  const night = (days: number, more: object = {}) => ({
    startsAt: dayAt(now, days),
    localDate: dayAt(now, days).slice(0, 10),
    timeZone: zone,
    durationMinutes: 240,
    location: 'At Noor’s',
    ...more,
  })
  const answer = (game: string, days: number, name: string, given: string, note?: string) => ({
    gameNightId: game,
    name,
    answer: given,
    forStartsAt: dayAt(now, days),
    ...(note === undefined ? {} : { note }),
  })
  const there = (sessionId: string, away: readonly string[]) =>
    Object.fromEntries(
      table.map((name) => [
        `${sessionId.slice(8)}-${name.toLowerCase()}`,
        { sessionId, name, present: !away.includes(name) },
      ]),
    )
  return {
    game_night: {
      n12: night(-22),
      n13: night(-15),
      n14: night(-8),
      off: night(-21, { status: 'cancelled', cancelReason: 'Half of us are coughing' }),
      n15: night(6, {
        title: 'The press-house opens',
        notes: 'Somebody bring the good lamp. Noor’s bell is the upper one.',
      }),
      poll1: night(20, { tentative: true }),
      poll2: night(21, { tentative: true }),
    },
    rsvp: {
      noor: answer('game_night:n15', 6, 'Noor', 'yes', 'Shoes off, please'),
      imke: answer('game_night:n15', 6, 'Imke', 'yes'),
      tom: answer('game_night:n15', 6, 'Tom', 'yes', 'I bring the lamp'),
      jonas: answer('game_night:n15', 6, 'Jonas', 'maybe', 'Half past, the train'),
      tom2: answer('game_night:poll1', 20, 'Tom', 'no'),
      imke2: answer('game_night:poll2', 21, 'Imke', 'yes'),
    },
    session: {
      s12: {
        number: 12,
        title: 'The far bank',
        status: 'played',
        gameNightId: 'game_night:n12',
        playedAt: dayAt(now, -22).slice(0, 10),
        startedAt: dayAt(now, -22, 18),
        endedAt: dayAt(now, -22, 22),
        recap:
          'We crossed the Tarrow for nothing, which ought to have warned us.\n\n[Hob](npc:hob) does not charge people who look tired. He charged us a question instead, in the middle, where one cannot walk away: had any of us seen a winter lying about? His was gone. He did not want it back. He wanted to know that somebody had been kind to it.',
      },
      s13: {
        number: 13,
        title: 'A cradle with no maker',
        status: 'played',
        gameNightId: 'game_night:n13',
        playedAt: dayAt(now, -15).slice(0, 10),
        startedAt: dayAt(now, -15, 18),
        endedAt: dayAt(now, -15, 21),
        recap:
          'It is pegged and not nailed. It has a name under the rail, and the name begins with N.\n\nThe midwife remembered being paid. She remembered the silver, and the snow, and how glad he was. “He sang,” she said, and looked at Hob, who was looking at his boots.',
      },
      s14: {
        number: 14,
        title: 'The ledger',
        status: 'played',
        gameNightId: 'game_night:n14',
        playedAt: dayAt(now, -8).slice(0, 10),
        startedAt: dayAt(now, -8, 18),
        endedAt: dayAt(now, -8, 22),
        recap:
          'We had been warned about the dog and not about the clerk. The dog was asleep. [Marta Quill](npc:marta) was not; she was sitting on the stair with her lamp turned low, sharpening a pen, as if burglary were a thing that kept hours and we were late.\n\n“You will want the third shelf,” she said. “Mind the fourth, it leans.”\n\nIt was a small book. I had expected iron corners, a lock, perhaps a little smoke. The ledger was kept in her own hand, and every line of it was a person.\n\n*Hob Fennick, one year, paid in silver.*\n\nI read it aloud twice before anybody understood. Osk sat down. Tamsin, who does not sit down, put her hand flat against the wall. Then Wren turned the page and found her mother.',
        dmSecret: 'Marta let them. She wanted to see what their faces would do.',
      },
      s15: {
        number: 15,
        title: 'The press-house opens',
        status: 'planned',
        gameNightId: 'game_night:n15',
        prep: 'The party stands at the orchard wall with [Nettie](npc:nettie), who hums a song she says she was never taught.\n\n- [x] Print the ledger page\n- [ ] Give [the Cellarer](npc:cellarer) a voice: polite, very close, no breath in it\n- [ ] Decide what [Marrin](npc:marrin) wants\n\nIf they dither, the humming stops.',
      },
    },
    attendance: { ...there('session:s12', []), ...there('session:s13', ['Jonas']), ...there('session:s14', ['Asha']) },
  }
}

const steps: WrittenRows = {
  toll: {
    factionId: 'faction:pomary',
    delta: 15,
    reputation: 35,
    reason: 'They paid Hob’s toll without asking why',
    days: -40,
  },
  seen: { factionId: 'faction:pomary', delta: -5, reputation: 30, reason: 'Osk was seen at the chapel', days: -22 },
  weighed: {
    factionId: 'faction:pomary',
    delta: -15,
    reputation: 15,
    reason: 'Tamsin refused to be weighed',
    days: -15,
  },
  taken: {
    factionId: 'faction:pomary',
    delta: -35,
    reputation: -20,
    reason: 'They took the ledger, and Marta let them',
    days: -8,
  },
  founder: {
    factionId: 'faction:chapel',
    delta: 20,
    reputation: 20,
    reason: 'They promised to look for a founder',
    days: -22,
  },
  marrin: { factionId: 'faction:reeve', delta: 5, reputation: 5, reason: 'Pell laughed at his joke', days: -15 },
}

const notes: WrittenRows = {
  song: {
    visibility: 'party',
    entity: 'npc:nettie',
    body: 'The song has four lines. Nettie has two, the stranger had one, Hob has the first. **Nobody has the third.**',
    sessionId: 'session:s14',
    days: -8,
  },
  silver: {
    visibility: 'party',
    entity: 'quest:year',
    body: 'The midwife was paid in silver *by weight*. Who pays a midwife by weight?',
    sessionId: 'session:s13',
    days: -15,
  },
  voice: {
    visibility: 'dm',
    entity: 'npc:cellarer',
    body: 'Try the Cellarer without any s in his words. It is tiring, so keep him brief.',
    days: -3,
  },
  welcome: {
    visibility: 'private',
    body: 'This is yours to break. Tick something off, take a way out of the beat in *Story*, hide a place and look at it as your players do. What you delete waits in the trash.',
    days: 0,
  },
}

const inbox: WrittenRows = {
  bell: {
    body: 'Could Marta have rung the bell herself? She had the key that winter. (Tom, on the way home)',
    entity: 'npc:marta',
    days: -6,
  },
  lamp: {
    body: 'Who has the good lamp?',
    status: 'resolved',
    resolution: 'Tom has it.',
    resolvedAt: '2026-01-01T12:00:00.000Z',
    days: -7,
  },
}

/** Everything that happens, with its evenings around `now`. */
export function taleAt(now: string): WrittenBook {
  return {
    quest: quests,
    objective: objectives,
    arc: arcs,
    beat: beats,
    branch: branches,
    ...evenings(now),
    reputation_change: steps,
    note: notes,
    inbox_item: { ...inbox, lamp: { ...inbox.lamp, resolvedAt: dayAt(now, -7, 21) } },
  }
}
