import { dayAt, type Written, type WrittenBook, type WrittenRows } from './build.ts'

// What came of playing with dice: requests and rolls, a fight that is over, with its log as a fight writes it, and one that is
// planned for the next evening.

const requests: WrittenRows = {
  wren: {
    characterId: 'character:wren',
    batch: 'past-the-dog',
    checkId: 'skill.stealth',
    checkName: 'Stealth',
    reason: 'Past the dog',
    difficulty: 12,
    difficultyShown: true,
    status: 'answered',
    days: -8,
  },
  tamsin: {
    characterId: 'character:tamsin',
    batch: 'past-the-dog',
    checkId: 'skill.stealth',
    checkName: 'Stealth',
    reason: 'Past the dog',
    difficulty: 12,
    difficultyShown: true,
    status: 'answered',
    days: -8,
  },
  tokens: {
    characterId: 'character:wren',
    batch: 'two-hands',
    checkId: 'skill.investigation',
    checkName: 'Investigation',
    reason: 'Hob’s tokens, held beside the ledger',
    difficulty: 14,
    status: 'open',
    days: -1,
  },
}

/** The faces of d20 as they fell; of two the lower counts. */
function rolled(faces: readonly number[], modifier: number) {
  const natural = Math.min(...faces)
  const counting = faces.indexOf(natural)
  const dice = faces.length === 1 ? '1d20' : `${faces.length}d20kl1`
  return {
    expression: modifier === 0 ? dice : `${dice}+${modifier}`,
    total: natural + modifier,
    natural,
    terms: [
      {
        text: dice,
        label: null,
        sides: 20,
        dice: faces.map((face, index) => ({
          face,
          value: face,
          out: index === counting ? null : 'dropped',
          extra: false,
          counts: null,
        })),
        total: natural,
        counting: false,
      },
    ],
  }
}

const rolls: WrittenRows = {
  wren: {
    ...rolled([13], 10),
    characterId: 'character:wren',
    checkRequestId: 'check_request:wren',
    label: 'Past the dog',
    difficulty: 12,
    difficultyShown: true,
    outcome: 'success',
    outcomeSays: 'Success',
    days: -8,
  },
  tamsin: {
    ...rolled([15, 4], 1),
    characterId: 'character:tamsin',
    checkRequestId: 'check_request:tamsin',
    label: 'Past the dog',
    difficulty: 12,
    difficultyShown: true,
    outcome: 'failure',
    outcomeSays: 'Failure',
    days: -8,
  },
  marta: { ...rolled([18], 0), label: 'Does Marta hear the dog?', visibility: 'secret', days: -8 },
}

const gap = 2 ** 30
const character = (encounterId: string, name: string, place: number, more: object = {}): Written => ({
  encounterId,
  name: { wren: 'Wren Tallow', tamsin: 'Tamsin Oake', pell: 'Pell Underbough' }[name],
  kind: 'character',
  characterId: `character:${name}`,
  hpShown: 'exact',
  place: place * gap,
  ...more,
})
const creature = (encounterId: string, hpMax: number, place: number, more: object): Written => ({
  encounterId,
  kind: 'monster',
  hpMax,
  hp: hpMax,
  place: place * gap,
  ...more,
})

const pickerStatblock = {
  rating: 1,
  size: 'medium',
  type: 'undead',
  abilities: { str: 14, dex: 14, con: 12, int: 6, wis: 8, cha: 5 },
  speeds: { walk: 30, climb: 20 },
  defences: { conditionImmunities: ['charmed', 'exhaustion'] },
  actions: [
    {
      key: 'picking-hook',
      name: 'Picking hook',
      cost: 'action',
      attack: 4,
      damage: [{ expression: '1d8+2', type: 'slashing' }],
    },
  ],
  says: 'Called by name: who says the name that it once had takes its reaction and its next turn from it.',
}
const pickers = Object.fromEntries(
  [1, 2, 3].map((number) => [
    `picker${number}`,
    creature('encounter:press', 27, 4 + number, {
      name: `Hollow picker ${number}`,
      ac: 13,
      statblock: pickerStatblock,
      initiativeGroup: 'Hollow picker',
    }),
  ]),
)

const combatants: WrittenRows = {
  wren: character('encounter:dog', 'wren', 1, { initiative: 19 }),
  bramble: creature('encounter:dog', 26, 2, {
    name: 'Bramble',
    kind: 'npc',
    npcId: 'npc:hound',
    ac: 13,
    initiative: 14,
    hp: 0,
    band: 'dead',
    lifeState: 'dead',
    statblock: {
      rating: 1,
      size: 'medium',
      type: 'beast',
      abilities: { str: 15, dex: 14, con: 14, int: 3, wis: 12, cha: 7 },
      speeds: { walk: 40 },
      actions: [
        {
          key: 'bite',
          name: 'Bite',
          cost: 'action',
          attack: 4,
          damage: [{ expression: '1d8+2', type: 'piercing' }],
        },
      ],
    },
  }),
  pell: character('encounter:dog', 'pell', 3, { initiative: 11 }),
  tamsin: character('encounter:dog', 'tamsin', 4, { initiative: 9 }),
  'press-wren': character('encounter:press', 'wren', 1),
  'press-tamsin': character('encounter:press', 'tamsin', 2),
  'press-pell': character('encounter:press', 'pell', 3),
  cellarer: creature('encounter:press', 84, 4, {
    name: 'The Cellarer',
    kind: 'npc',
    npcId: 'npc:cellarer',
    hidden: true,
    ac: 15,
    notes: 'He asks before he strikes: a year for a year. He means it, and keeps to it.',
    statblock: {
      rating: 5,
      size: 'medium',
      type: 'undead',
      abilities: { str: 18, dex: 14, con: 16, int: 13, wis: 12, cha: 17 },
      saves: { wis: 'proficient', con: 'proficient' },
      speeds: { walk: 30 },
      defences: { resistances: [{ type: 'necrotic' }, { type: 'cold' }], weaknesses: [{ type: 'fire' }] },
      actions: [
        {
          key: 'long-hand',
          name: 'Long hand',
          cost: 'action',
          attack: 7,
          damage: [
            { expression: '2d6+4', type: 'bludgeoning' },
            { expression: '1d6', type: 'cold' },
          ],
          says: 'Twice, whenever he attacks.',
        },
        {
          key: 'drink',
          name: 'Drink a day',
          cost: 'action',
          rechargeFrom: 5,
          save: { checkId: 'save.wis', difficulty: 14, half: true },
          damage: [{ expression: '4d8', type: 'necrotic' }],
          says: 'Within 30 feet. Who fails does not remember what they had for breakfast.',
        },
      ],
    },
  }),
  ...pickers,
}

const line = (label: string, text: string, total: number): object => ({ label, text, total })

/** The log of the fight with the dog, each list what one command did. */
const steps: readonly (readonly Written[])[] = [
  [
    { kind: 'begin', says: 'The fight begins.' },
    ...(
      [
        ['wren', 15, 4],
        ['bramble', 12, 2],
        ['pell', 8, 3],
        ['tamsin', 8, 1],
      ] as const
    ).map(([who, face, modifier]) => ({
      kind: 'initiative',
      combatantId: `combatant:${who}`,
      amount: face + modifier,
      says: `Initiative ${face + modifier}.`,
      rolls: [line('Initiative', `1d20 (${face}) + ${modifier}`, face + modifier)],
    })),
    { kind: 'turn', combatantId: 'combatant:wren', says: '' },
  ],
  [
    { kind: 'action', combatantId: 'combatant:wren', says: 'Shortbow.' },
    {
      kind: 'action',
      combatantId: 'combatant:wren',
      targetId: 'combatant:bramble',
      rolls: [line('Shortbow', '1d20 (3) + 7', 10)],
      says: 'Miss.',
    },
  ],
  [
    { kind: 'turn_end', combatantId: 'combatant:wren', says: '' },
    { kind: 'turn', combatantId: 'combatant:bramble', says: '' },
  ],
  [
    { kind: 'action', combatantId: 'combatant:bramble', says: 'Bite.' },
    {
      kind: 'damage',
      combatantId: 'combatant:bramble',
      targetId: 'combatant:wren',
      amount: 7,
      rolls: [line('Bite', '1d20 (14) + 4', 18), line('piercing', '1d8 (5) + 2', 7)],
      says: 'Hurt by piercing.',
      numbers: '7 damage.',
    },
  ],
  [
    { kind: 'turn_end', combatantId: 'combatant:bramble', says: '' },
    { kind: 'turn', combatantId: 'combatant:pell', says: '' },
  ],
  [
    { kind: 'action', combatantId: 'combatant:pell', says: 'Vicious mockery.' },
    {
      kind: 'damage',
      combatantId: 'combatant:pell',
      targetId: 'combatant:bramble',
      amount: 6,
      rolls: [line('Wisdom save, DC 15', '1d20 (9) + 1', 10)],
      says: 'Hurt by psychic.',
      numbers: '6 damage.',
    },
  ],
  [
    { kind: 'turn_end', combatantId: 'combatant:pell', says: '' },
    { kind: 'turn', combatantId: 'combatant:tamsin', says: '' },
  ],
  [
    { kind: 'action', combatantId: 'combatant:tamsin', says: 'Longsword.' },
    {
      kind: 'damage',
      combatantId: 'combatant:tamsin',
      targetId: 'combatant:bramble',
      amount: 10,
      rolls: [line('Longsword', '1d20 (16) + 7', 23), line('slashing', '1d8 (6) + 4', 10)],
      says: 'Hurt by slashing.',
      numbers: '10 damage.',
    },
  ],
  [
    { kind: 'action', combatantId: 'combatant:tamsin', says: 'Longsword.' },
    {
      kind: 'damage',
      combatantId: 'combatant:tamsin',
      targetId: 'combatant:bramble',
      amount: 14,
      rolls: [line('Longsword', '1d20 (20) + 7', 27), line('slashing', '2d8 (7, 3) + 4', 14)],
      says: 'Hurt by slashing. Dead.',
      numbers: '14 damage.',
    },
  ],
  [{ kind: 'end', says: 'Bramble does not get up. Tamsin asks for a spade.' }],
]

/** Rows of the log. Numbers of a creature are not for everybody. */
const events: WrittenRows = Object.fromEntries(
  steps.flatMap((step, at) =>
    step.map((told, index) => {
      const { combatantId, targetId } = told
      const about =
        combatantId === undefined
          ? targetId === undefined
            ? 'fight'
            : 'target'
          : targetId === undefined
            ? 'one'
            : 'two'
      const open = (targetId ?? combatantId) !== 'combatant:bramble'
      const row = { encounterId: 'encounter:dog', round: 1, about, open, step: at + 1, days: -8, ...told }
      return [`${at + 1}-${index + 1}`, row]
    }),
  ),
)

/** What was rolled and fought on the evenings around `now`. */
export function playAt(now: string): WrittenBook {
  return {
    check_request: requests,
    dice_roll: rolls,
    encounter: {
      dog: {
        name: 'The dog wakes',
        status: 'ended',
        body: 'On the way out, by the weigh-house. It is dark under the trees and the grass is long.',
        locationId: 'location:pomary',
        sessionId: 'session:s14',
        dmSecret: '[Bramble](npc:hound) stops for anybody who hums the lullaby. Nobody has to know it to hum it.',
        round: 1,
        turns: 3,
        actingCombatantId: 'combatant:tamsin',
        outcome: 'Bramble does not get up. Tamsin asks for a spade.',
        startedAt: dayAt(now, -8, 20),
        endedAt: dayAt(now, -8, 21),
        days: -8,
      },
      press: {
        name: 'The press-house at midnight',
        body: 'Dim light, wood, and sugar in the air. Whoever carries open fire makes a Dexterity save at the end of every turn, DC 10. The screw comes down at the end of the fourth round.',
        locationId: 'location:press',
        questId: 'quest:year',
        sessionId: 'session:s15',
        dmSecret:
          '[The Cellarer](npc:cellarer) waits behind the third barrel and comes when the first [hollow picker](rule_entry:picker) falls. Two at the screw hold it, with Athletics 15 each.',
        days: -2,
      },
    },
    combatant: combatants,
    encounter_event: events,
  }
}
