import type { WrittenBook, WrittenRows } from './build.ts'

// Whom the table plays, what they carry, and what they promised each other. Nobody owns them: any member can be given one.

const actionOf = (key: string, name: string, more: object): object => ({ key, name, cost: 'action', ...more })
const hit = (expression: string, type: string): readonly object[] => [{ expression, type }]

const wren = {
  name: 'Wren Tallow',
  portraitAttachmentId: 'attachment:wren',
  species: 'Human',
  className: 'Rogue',
  level: 5,
  experience: 8350,
  abilities: { str: 8, dex: 18, con: 12, int: 14, wis: 13, cha: 12 },
  saves: { dex: 'proficient', int: 'proficient' },
  skills: {
    deception: 'proficient',
    insight: 'proficient',
    investigation: 'proficient',
    perception: 'proficient',
    'sleight-of-hand': 'expertise',
    stealth: 'expertise',
  },
  size: 'medium',
  ac: 16,
  speed: 30,
  hpMax: 33,
  hp: 29,
  hitDice: [{ die: 'd8', max: 5, used: 1 }],
  actions: [
    actionOf('shortsword', 'Shortsword', { attack: 7, damage: hit('1d6+4', 'piercing') }),
    actionOf('shortbow', 'Shortbow', { attack: 7, damage: hit('1d6+4', 'piercing'), says: '80/320 feet.' }),
    {
      key: 'sneak-attack',
      name: 'Sneak attack',
      cost: 'free',
      damage: hit('3d6', 'piercing'),
      says: 'Once a turn, on a hit with advantage, or with a friend at the target’s elbow.',
    },
    { key: 'cunning-action', name: 'Cunning action', cost: 'bonus', says: 'Dash, disengage or hide.' },
  ],
  body: 'Twenty-four, or twenty-three; there is some question about the year. Raised in Saltmarket by an aunt who was fond of her and vague about the rest.\n\nWren reads other people’s ledgers for a living, usually by night. She has read a great many. This is the first with her own name in it.',
  dmSecret: 'The year that is missing is her first. Do not let her find [Ilse](npc:mother) alone.',
}

const tamsin = {
  name: 'Tamsin Oake',
  portraitAttachmentId: 'attachment:tamsin',
  species: 'Human',
  className: 'Fighter',
  level: 5,
  experience: 8350,
  abilities: { str: 18, dex: 12, con: 16, int: 9, wis: 13, cha: 10 },
  saves: { str: 'proficient', con: 'proficient' },
  skills: {
    'animal-handling': 'proficient',
    athletics: 'proficient',
    intimidation: 'proficient',
    survival: 'proficient',
  },
  size: 'medium',
  ac: 18,
  speed: 30,
  hpMax: 49,
  hp: 49,
  hitDice: [{ die: 'd10', max: 5, used: 0 }],
  resources: [
    { key: 'second-wind', name: 'Second wind', max: 3, left: 2, recharge: 'long' },
    { key: 'action-surge', name: 'Action surge', max: 1, left: 1, recharge: 'short' },
  ],
  actions: [
    actionOf('longsword', 'Longsword', {
      attack: 7,
      damage: hit('1d8+4', 'slashing'),
      says: 'Twice, whenever she attacks.',
    }),
    actionOf('javelin', 'Javelin', { attack: 7, damage: hit('1d6+4', 'piercing'), says: '30/120 feet.' }),
    {
      key: 'second-wind',
      name: 'Second wind',
      cost: 'bonus',
      heals: '1d10+5',
      uses: { resource: 'second-wind', count: 1 },
    },
  ],
  body: 'Carried a pike for the salt road until the salt road stopped paying. She does not sit down in strange rooms, does not step on scales, and buries what she kills.',
}

const pell = {
  name: 'Pell Underbough',
  portraitAttachmentId: 'attachment:pell',
  species: 'Halfling',
  className: 'Bard',
  level: 5,
  experience: 8350,
  abilities: { str: 8, dex: 16, con: 13, int: 12, wis: 10, cha: 18 },
  saves: { dex: 'proficient', cha: 'proficient' },
  skills: {
    deception: 'proficient',
    history: 'proficient',
    insight: 'proficient',
    performance: 'expertise',
    persuasion: 'expertise',
  },
  size: 'small',
  ac: 14,
  speed: 30,
  hpMax: 33,
  hp: 33,
  hitDice: [{ die: 'd8', max: 5, used: 0 }],
  spellSlots: [
    { level: 1, max: 4, used: 1 },
    { level: 2, max: 3, used: 0 },
    { level: 3, max: 2, used: 0 },
  ],
  resources: [{ key: 'inspiration', name: 'Bardic inspiration, d8', max: 4, left: 3, recharge: 'short' }],
  actions: [
    actionOf('rapier', 'Rapier', { attack: 6, damage: hit('1d8+3', 'piercing') }),
    actionOf('vicious-mockery', 'Vicious mockery', {
      save: { checkId: 'save.wis', difficulty: 15 },
      damage: hit('2d6', 'psychic'),
      says: '60 feet. Who fails has disadvantage on their next attack.',
    }),
    {
      key: 'healing-word',
      name: 'Healing word',
      cost: 'bonus',
      spellLevel: 1,
      heals: '2d4+4',
      says: '60 feet.',
    },
    {
      key: 'inspire',
      name: 'Inspire',
      cost: 'bonus',
      uses: { resource: 'inspiration', count: 1 },
      says: 'A d8 for a friend within 60 feet, on one roll that failed, within the hour.',
    },
  ],
  body: 'Collects songs, and gives most of them back improved. Laughs at a reeve’s jokes as others pay a toll. Writes down what happened, a little better than it did.',
}

const characters: WrittenRows = { wren, tamsin, pell }

const items: WrittenRows = {
  ledger: {
    name: 'The Pomary’s ledger',
    weight: 2,
    notes:
      'A small book in one hand, [Marta Quill](npc:marta)’s. Every line is a person, a length of time and a price. One page is cut out, cleanly, between the tenth and the eleventh.',
    dmSecret: 'Marta has the page. It is the one with her own name on it.',
  },
  letter: {
    name: 'A letter that says N.',
    notes: 'It lay under the mattress of the cradle. There is nothing else on it.',
  },
  draughts: { name: 'Potion of healing', quantity: 2, weight: 0.5, value: '50 gp', notes: 'Heals 2d4+2.' },
  tools: {
    name: 'Thieves’ tools',
    characterId: 'character:wren',
    weight: 1,
    value: '25 gp',
    notes: 'Her aunt believes that they are for mending lace.',
  },
  shortbow: {
    name: 'Shortbow',
    characterId: 'character:wren',
    weight: 2,
    value: '25 gp',
    equipped: true,
    slot: 'Back',
  },
  leather: {
    name: 'Studded leather',
    characterId: 'character:wren',
    weight: 13,
    value: '45 gp',
    equipped: true,
    slot: 'Body',
  },
  longsword: {
    name: 'Longsword',
    characterId: 'character:tamsin',
    weight: 3,
    value: '15 gp',
    equipped: true,
    slot: 'Hand',
  },
  mail: {
    name: 'Chain mail',
    characterId: 'character:tamsin',
    weight: 55,
    value: '75 gp',
    equipped: true,
    slot: 'Body',
  },
  shield: { name: 'Shield', characterId: 'character:tamsin', weight: 6, value: '10 gp', equipped: true, slot: 'Arm' },
  collar: {
    name: 'A dog’s collar',
    characterId: 'character:tamsin',
    notes: '[Bramble](npc:hound)’s. She has not said why she kept it.',
  },
  tokens: {
    name: 'Ferry tokens',
    characterId: 'character:pell',
    quantity: 5,
    notes:
      'Pearwood, with [Hob](npc:hob)’s mark cut into each. Good for one crossing, if he ever asks for a toll again.',
  },
  flute: { name: 'Flute', characterId: 'character:pell', weight: 1, value: '2 gp' },
  bottle: {
    name: 'A bottle in straw',
    characterId: 'character:pell',
    weight: 2,
    hidden: true,
    notes: 'It is the size of a thumb. On its neck is a year: 390.',
    dmSecret:
      'Marta put it into Pell’s bag on the stair. It is the night on which the bell cracked, and it is the bell’s.',
  },
}

const purse: WrittenBook = {
  purse: { party: { coins: { sp: 63, gp: 28 } } },
  purse_entry: {
    road: {
      purseId: 'purse:party',
      delta: { gp: 48, sp: 30 },
      balance: { gp: 48, sp: 30 },
      reason: 'What the salt road left us',
      days: -40,
    },
    beds: {
      purseId: 'purse:party',
      delta: { sp: -8 },
      balance: { gp: 48, sp: 22 },
      reason: 'Four beds and the soup, which was worth it',
      days: -22,
    },
    draughts: {
      purseId: 'purse:party',
      delta: { gp: -20 },
      balance: { gp: 28, sp: 22 },
      reason: 'Two draughts from Sister Avice, who calls it an offering',
      days: -15,
    },
    drawer: {
      purseId: 'purse:party',
      delta: { sp: 41 },
      balance: { gp: 28, sp: 63 },
      reason: 'The drawer of the weigh-house. Tamsin wants it given back',
      days: -8,
    },
  },
}

const charters: WrittenRows = {
  ours: {
    tone: 'A quiet tale with a cold draught in it. People are kind and have done something dreadful. We win by finding out, and sometimes by not asking. Jokes are welcome at the table and rare in the orchard.',
    lines:
      '- A child hurt: they may be in danger, and are got out of it\n- Cruelty to animals; a fight with one is over quickly\n- Jokes about forgetting, as an illness',
    veils:
      '- Deathbeds and old griefs: we know, and look out of the window\n- What somebody remembered, if they would rather keep it\n- Romance past the garden gate',
    safetyTools:
      '- Anybody can stop the scene without a reason, at the table or with the button\n- We pause after a hard scene and ask around\n- Who goes out for air is not followed, and is waited for',
    houseRules:
      '- A potion is a bonus action when you drink it yourself\n- Nobody sells a year of their character without a night to sleep on it; see [Selling a year](rule_entry:year)\n- Who is away is in the story, behind the others, and comes to no harm',
    days: -60,
  },
}

const pickerBlock = {
  size: 'medium',
  type: 'undead',
  alignment: 'neutral',
  rating: 1,
  armourClass: { value: 13, from: 'a stiff coat' },
  hitPoints: { value: 27, dice: '5d8+5' },
  speeds: { walk: 30, climb: 20 },
  abilities: { str: 14, dex: 14, con: 12, int: 6, wis: 8, cha: 5 },
  senses: ['darkvision 60 ft.'],
  passivePerception: 9,
  languages: 'understands its own name, if anybody knows it',
  conditionImmunities: ['charmed', 'exhaustion'],
  traits: [
    {
      name: 'Called by name',
      text: 'Who says the name that it once had takes its reaction and its next turn from it. The ledger has the names.',
    },
  ],
  actions: [
    {
      name: 'Picking hook',
      cost: 'action',
      attack: { bonus: 4, kind: 'melee', reach: 10 },
      damage: [{ dice: '1d8+2', type: 'slashing' }],
    },
  ],
}

const homebrew: WrittenRows = {
  picker: {
    kind: 'creature',
    name: 'Hollow picker',
    system: 'dnd5e',
    summary: 'Creature, medium undead. Challenge 1',
    body: 'Somebody who sold one year too many and came back in autumn for the work. They are tidy. They go round a ladder and never under it.',
    statblock: pickerBlock,
    dmSecret:
      'There are four, and each is a line in the first ledger. They stop for good where somebody gives the year back.',
    hidden: true,
  },
  year: {
    kind: 'rule',
    name: 'Selling a year',
    system: 'dnd5e',
    summary: 'Rule',
    body: 'Whoever is weighed at the Pomary may sell one year that they have lived.\n\n- They get 1d6 × 100 silver, and are lighter for it: advantage on the next three saves against being frightened\n- The player writes down, on paper, one thing that the character no longer knows, and gives it to the Dungeon Master\n- What is not remembered cannot be used: one skill that goes with that year is without proficiency\n\nA year that is drunk by somebody else does not come back.',
  },
}

const tables: WrittenRows = {
  wall: {
    name: 'Heard at the orchard wall',
    description: 'Whenever somebody stands still there after dark',
    expression: '1d6',
    rows: [
      { from: 1, text: 'Nothing, and then the same nothing a little nearer' },
      {
        from: 2,
        text: '[[1d4+1]] apples falling, one after the other, on the far side',
        more: 'It is Rimefall. There are none.',
      },
      { from: 3, text: 'A ladder being moved', more: 'Ambrose, or one of the hollow pickers: even faces are Ambrose.' },
      { from: 4, text: 'The second line of the lullaby, in a voice too low for a child' },
      { from: 5, text: 'A pen being sharpened' },
      { from: 6, text: 'The screw, turning once', more: 'If it is past eleven, the song loses a word.' },
    ],
    tags: ['tonight', 'orchard'],
  },
}

const draws: WrittenRows = {
  pen: {
    tableId: 'table:wall',
    text: 'A pen being sharpened',
    steps: [
      {
        depth: 0,
        tableId: 'table:wall',
        table: 'Heard at the orchard wall',
        expression: '1d6',
        total: 5,
        dice: [{ sides: 6, face: 5 }],
        row: 4,
        text: 'A pen being sharpened',
        more: null,
        thrown: [],
      },
    ],
    visibility: 'party',
    days: -8,
  },
}

/** The characters and all that is theirs, with the table's own rules. */
export const party: WrittenBook = {
  character: characters,
  inventory_item: items,
  ...purse,
  charter: charters,
  scribe_settings: {
    scribe: { afterSession: false, language: null, style: 'As an old ferryman tells it: dry, short, fond of weather.' },
  },
  rule_entry: homebrew,
  table: tables,
  table_draw: draws,
}
