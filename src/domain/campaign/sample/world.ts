import type { WrittenRows } from './build.ts'

// Aldersey and the far bank: places, powers, people, what binds them, and what has been.

export const locations: WrittenRows = {
  aldersey: {
    name: 'Aldersey',
    kind: 'Village',
    body: 'Forty chimneys on the dry side of the Tarrow, one street that bends because the first cart did. People here are kind, punctual, and now and then surprised by their own kitchens.\n\nMarket every twelfth day. The bell has been cracked since 390 and is rung anyway, once a year, badly.',
    tags: ['village', 'start here'],
  },
  ferry: {
    name: 'The Tarrow ferry',
    imageAttachmentId: 'attachment:ferry',
    kind: 'Crossing',
    parentLocationId: 'location:aldersey',
    body: 'A flat boat, a rope as thick as a wrist, and [Hob Fennick](npc:hob), who knows the depth at every post. The toll is a copper or an apple. He writes down neither.',
    tags: ['river'],
  },
  pomary: {
    name: 'The Pomary',
    kind: 'Orchard and press-house',
    parentLocationId: 'location:aldersey',
    body: 'A wall too high for apples. Behind it eleven rows of trees, a weigh-house with a very clean scale, and the press-house, where a lamp burns on the nights when nothing is being pressed.',
    dmSecret: 'The scale weighs years. Nobody is ever told the number; they are told it is enough.',
    tags: ['orchard', 'tonight'],
  },
  press: {
    name: 'The press-house',
    imageAttachmentId: 'attachment:press',
    kind: 'Cellar and screw',
    parentLocationId: 'location:pomary',
    body: 'Oak, iron, and a sweetness that gets into coats. The screw takes four people to turn. It is usually turned by one.',
    dmSecret: 'When the screw comes down the song stops. A hard knock on the third barrel opens the ice cellar.',
    discovery: 'rumoured',
    tags: ['tonight'],
  },
  icecellar: {
    name: 'The ice cellar',
    kind: 'Cellar',
    parentLocationId: 'location:press',
    body: 'Bottles in straw, each with a year on its neck and a name under the year. 404 is nearly empty.',
    dmSecret:
      'The bottle marked 381 is Marta’s own. It has never been opened, because the Cellarer is her brother and still has some manners.',
    hidden: true,
  },
  chapel: {
    name: 'The chapel of the Turning',
    kind: 'Chapel',
    parentLocationId: 'location:aldersey',
    body: 'Whitewash, a cold stove, and a bell with a crack you could post a letter through. [Sister Avice](npc:avice) wants a founder to recast it. She has asked for one eleven times.',
    tags: ['bell'],
  },
  farbank: {
    name: 'The house on the far bank',
    kind: 'House',
    body: 'Two rooms and a garden gone to mint. Somebody keeps the path swept who does not live there.',
    dmSecret:
      'Wren’s mother lives here and does not know that she had a child. She sweeps the path in case somebody comes.',
    discovery: 'rumoured',
  },
  city: {
    name: 'Saltmarket',
    imageAttachmentId: 'attachment:saltroad',
    kind: 'City',
    body: 'Nine days down the salt road. Buys cider by the cart and asks for the vintage by year.',
    discovery: 'unknown',
  },
}

export const factions: WrittenRows = {
  pomary: {
    name: 'The Pomary',
    kind: 'A trading house',
    goals:
      '- The winter of 412 pressed before Long Night\n- The ledger back, and the page that is missing from it\n- ~~Hob Fennick quiet~~',
    body: 'They press apples in autumn and years in winter. You bring them a season you would rather not have had, they weigh you, they pay in silver, and you walk home a little lighter.\n\nNobody in Aldersey calls it theft. Nobody in Aldersey can say how long they have not been calling it that.',
    dmSecret:
      'They drink what they buy. There has been no new year in the cellar since 404; the Cellarer is thirsty, and has begun to count houses.',
    reputation: -20,
    tags: ['cider', 'silver'],
  },
  reeve: {
    name: 'The Reeve’s office',
    kind: 'Law of the valley',
    goals: '- A tenth of everything that is weighed\n- No scandal before the city’s clerk arrives',
    body: 'One room, one seal, one chair for whoever is asking. [Aldous Marrin](npc:marrin) keeps it warm for himself.',
    reputation: 5,
    tags: ['law'],
  },
  chapel: {
    name: 'The chapel',
    kind: 'A faith with one roof',
    goals: '- The bell recast, out of honest metal',
    body: 'They believe that the river turned once and can be asked to again. They are patient about it.',
    dmSecret:
      'The bell was cast from Pomary silver. Rung true, it would give everybody back what they sold, all at once.',
    reputation: 20,
    tags: ['bell'],
  },
  bottle: {
    name: 'Those who keep a bottle',
    kind: 'A habit more than a society',
    goals: '- To taste somebody else’s spring\n- Never to be told whose',
    body: 'Eleven houses in Saltmarket with one shelf that is locked.',
    hidden: true,
  },
}

export const npcs: WrittenRows = {
  marta: {
    name: 'Marta Quill',
    portraitAttachmentId: 'attachment:marta',
    role: 'Keeper of the Pomary’s ledger',
    species: 'Human, sixty or so',
    voice: 'Dry, low, finishes your sentence with a smaller word',
    body: '“Every year is somebody’s favourite. I only write them down.”\n\nShe has kept the ledger for thirty-one winters and has never once been seen to eat an apple. She speaks slowly, because she is choosing which of two words is cheaper.\n\nShe likes precise questions, good paper, [Brother Osk](npc:osk). She does not like the bell, or being hurried.',
    dmSecret:
      'Line one of the first ledger is her daughter’s name. Marta sold the year the girl died, and has no idea that there was a girl. She keeps the ledger so carefully because she feels certain something in it is hers.',
    locationId: 'location:pomary',
    factionId: 'faction:pomary',
    tags: ['ledger', 'aldersey'],
  },
  hob: {
    name: 'Hob Fennick',
    portraitAttachmentId: 'attachment:hob',
    role: 'Ferryman',
    species: 'Human',
    voice: 'Unhurried; counts posts while he thinks',
    disposition: 'friendly',
    body: 'Knows every passenger who ever paid him in apples, and nothing at all about the winter of 404. He has a cradle he does not remember building.\n\n“Somebody has my year. I don’t want it back, mind. I want to know they were kind to it.”',
    dmSecret:
      'Nobody stole it. He sold the year himself, to pay the midwife, and drank the cider so he would not have to know.',
    locationId: 'location:ferry',
    tags: ['river', 'aldersey'],
  },
  nettie: {
    name: 'Nettie Crake',
    portraitAttachmentId: 'attachment:nettie',
    role: 'Eight years old; hums',
    species: 'Human',
    voice: 'Answers the question before yours',
    disposition: 'allied',
    body: 'Hums a song she says she was never taught. Found on the orchard wall on the eighth of Rimefall, in her nightshirt, not cold.',
    dmSecret:
      'She is Hob’s daughter, raised by Crakes who were paid not to say so. The song is the lullaby from his lost winter.',
    locationId: 'location:pomary',
    tags: ['aldersey', 'tonight'],
  },
  marrin: {
    name: 'Aldous Marrin',
    portraitAttachmentId: 'attachment:marrin',
    role: 'The Reeve',
    species: 'Human',
    voice: 'Warm; says your name too often',
    body: 'Signs what Marta writes and has never read a line of it. He calls this trust.',
    dmSecret:
      'He has read every line. His own is on page nine: the spring his brother drowned. He takes a tenth so that somebody pays for it.',
    locationId: 'location:aldersey',
    factionId: 'faction:reeve',
    tags: ['law', 'aldersey'],
  },
  cellarer: {
    name: 'The Cellarer',
    portraitAttachmentId: 'attachment:cellarer',
    role: 'Turns the screw',
    species: 'Human once',
    voice: 'Polite, very close, no breath in it',
    disposition: 'hostile',
    body: 'Thirty years old since 397.',
    dmSecret:
      'Marta’s brother, though neither can say so: each sold the year that would have told them. He bargains in years, and he is fair.',
    locationId: 'location:press',
    factionId: 'faction:pomary',
    hidden: true,
    tags: ['tonight'],
  },
  avice: {
    name: 'Sister Avice',
    portraitAttachmentId: 'attachment:avice',
    role: 'Keeper of the chapel',
    species: 'Half-elf',
    voice: 'Cheerful, as to a congregation of one',
    disposition: 'friendly',
    body: 'Asks every stranger whether they know a bell-founder. Prays for Marta by name, to Marta’s irritation.',
    locationId: 'location:chapel',
    factionId: 'faction:chapel',
    tags: ['bell', 'aldersey'],
  },
  osk: {
    name: 'Brother Osk',
    portraitAttachmentId: 'attachment:osk',
    role: 'A reader, on Thursdays',
    species: 'Dwarf',
    voice: 'Reads even when he is only talking',
    disposition: 'allied',
    body: 'Brings Marta good paper and reads to her. Neither has said what they would do on a Friday.',
    locationId: 'location:chapel',
    factionId: 'faction:chapel',
    tags: ['aldersey'],
  },
  ambrose: {
    name: 'Ambrose Tull',
    portraitAttachmentId: 'attachment:ambrose',
    role: 'Prunes, and asks nothing',
    species: 'Human',
    disposition: 'neutral',
    body: 'Has a ladder, a knife, and a key to the orchard gate that he would lose for the right reason.',
    locationId: 'location:pomary',
    factionId: 'faction:pomary',
  },
  mother: {
    name: 'Ilse Tallow',
    portraitAttachmentId: 'attachment:ilsabet',
    role: 'Sweeps a path',
    species: 'Human',
    status: 'missing',
    disposition: 'unfriendly',
    body: 'Wren’s mother. Her name stands in the ledger, one year, paid in silver.',
    locationId: 'location:farbank',
    tags: ['wren'],
  },
  hound: {
    name: 'Bramble',
    role: 'Dog of the orchard',
    species: 'Dog, mostly',
    status: 'dead',
    disposition: 'neutral',
    body: 'Was asleep, and then was not. Tamsin buried him under the seventh row.',
  },
}

const bond = (from: string, to: string, label: string, inverseLabel: string, more: object = {}) => ({
  from,
  to,
  label,
  inverseLabel,
  ...more,
})

export const relations: WrittenRows = {
  'marta-marrin': bond('npc:marta', 'npc:marrin', 'calls him Aldous', 'signs what she writes'),
  'marta-pomary': bond('npc:marta', 'faction:pomary', 'keeps its ledger', 'pays her in paper'),
  'marta-cellarer': bond('npc:marta', 'npc:cellarer', 'has never met him', 'is her brother', {
    inverseLabelHidden: true,
  }),
  'marta-hob': bond('npc:marta', 'npc:hob', 'wrote him in, winter of 404', 'knows that hand', {
    inverseLabelHidden: true,
  }),
  'marta-osk': bond('npc:marta', 'npc:osk', 'is read to on Thursdays', 'brings her good paper'),
  'marta-avice': bond('npc:marta', 'npc:avice', 'will not enter the chapel', 'prays for her by name'),
  'hob-nettie': bond('npc:hob', 'npc:nettie', 'ferries her for nothing', 'is his daughter', {
    inverseLabelHidden: true,
  }),
  'reeve-pomary': bond('faction:reeve', 'faction:pomary', 'takes a tenth of it', 'pays it to look away'),
  'chapel-pomary': bond(
    'faction:chapel',
    'faction:pomary',
    'is afraid of what it weighs',
    'is afraid of what it would ring',
  ),
  'mother-quest': bond('npc:mother', 'quest:mother', 'is the answer to it', 'would end at her door', { hidden: true }),
}

export const events: WrittenRows = {
  built: {
    title: 'The Pomary is built',
    worldDate: '371',
    era: 'The Sold Years',
    body: 'By masons from Saltmarket, who were paid well and remember nothing of that summer.',
  },
  pen: {
    title: 'Marta takes the pen',
    worldDate: '381-10',
    era: 'The Sold Years',
    body: '[Marta Quill](npc:marta) writes her first line in the ledger.',
  },
  bell: { title: 'The bell cracks on the first stroke of Long Night', worldDate: '390-10-20', era: 'The Sold Years' },
  ageing: {
    title: 'The Cellarer stops ageing',
    worldDate: '397',
    era: 'The Sold Years',
    hidden: true,
    dmSecret: 'The year he drank that day was a child’s. He has been looking for another as good ever since.',
  },
  winter: {
    title: 'Hob sells the winter',
    worldDate: '404-11',
    era: 'The Sold Years',
    hidden: true,
    body: 'In silver, to pay the midwife.',
  },
  asks: { title: 'Hob asks for his year, and does not want it back', worldDate: '412-9-28', sessionId: 'session:s12' },
  ledger: {
    title: 'The ledger is taken from the third shelf',
    worldDate: '412-10-5',
    sessionId: 'session:s14',
    body: 'Wren finds her mother in it.',
  },
  nettie: {
    title: 'Nettie is not in her bed',
    worldDate: '412-10-8',
    sessionId: 'session:s14',
    body: 'She is on the orchard wall, humming.',
  },
  pressing: {
    title: 'The winter of 412 is pressed',
    worldDate: '412-10-10',
    hidden: true,
    dmSecret: 'At midnight, unless somebody stops the screw.',
  },
  market: { title: 'Market at Aldersey', worldDate: '412-10-12' },
  clerk: { title: 'The city’s clerk arrives', worldDate: '412-10-15', hidden: true },
  night: {
    title: 'Long Night',
    worldDate: '412-10-20',
    body: 'The bell is rung, badly, and everybody is glad when it is over.',
  },
  stag: {
    title: 'Somebody wove the stag',
    body: 'It hangs in the weigh-house. Nobody knows when it was made, or of whose hair.',
  },
}

/** Drawn by nobody yet: its picture is the table's to add. */
export const maps: WrittenRows = {
  valley: {
    name: 'The valley of Aldersey',
    kind: 'Map',
    attachmentId: 'attachment:valley',
    locationId: 'location:aldersey',
    body: 'Drawn by the Reeve’s office, which has never been to the far bank.',
  },
  orchard: {
    name: 'The orchard wall',
    kind: 'Sketch',
    attachmentId: 'attachment:orchard-wall',
    locationId: 'location:pomary',
    body: 'Eleven rows, one gate, and the press-house where the rows end.',
    dmSecret: 'The third barrel stands under the window that is always lit.',
    fogEnabled: true,
  },
}

export const pins: WrittenRows = {
  pomary: { mapId: 'map:valley', x: 0.58, y: 0.2, label: 'The orchard wall', entity: 'map:orchard', icon: 'map' },
  ferry: { mapId: 'map:valley', x: 0.25, y: 0.7, label: 'The Tarrow ferry', entity: 'location:ferry', icon: 'water' },
  chapel: { mapId: 'map:valley', x: 0.32, y: 0.34, label: 'The chapel', entity: 'location:chapel', icon: 'bell' },
  house: {
    mapId: 'map:valley',
    x: 0.13,
    y: 0.84,
    label: 'The house on the far bank',
    entity: 'location:farbank',
    icon: 'house',
    hidden: true,
  },
  press: { mapId: 'map:orchard', x: 0.73, y: 0.24, label: 'The press-house', entity: 'location:press', icon: 'house' },
  wall: { mapId: 'map:orchard', x: 0.37, y: 0.88, label: 'Where Nettie sits', entity: 'npc:nettie', icon: 'person' },
  row: { mapId: 'map:orchard', x: 0.37, y: 0.6, label: 'The seventh row', icon: 'wood' },
}

export const tokens: WrittenRows = {
  nettie: { mapId: 'map:orchard', npcId: 'npc:nettie', x: 0.41, y: 0.84 },
  wren: { mapId: 'map:orchard', label: 'Wren Tallow', x: 0.5, y: 0.82 },
  cellarer: { mapId: 'map:orchard', npcId: 'npc:cellarer', x: 0.72, y: 0.33, hidden: true },
}

export const strokes: WrittenRows = {
  wall: { mapId: 'map:orchard', effect: 'reveal', shape: 'rectangle', points: [0, 0.72, 1, 1] },
}
