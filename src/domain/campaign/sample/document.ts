import { documentOf } from './build.ts'
import { party } from './party.ts'
import { pictures } from './pictures.ts'
import { playAt } from './play.ts'
import { taleAt } from './tale.ts'
import { events, factions, locations, maps, npcs, pins, relations, strokes, tokens } from './world.ts'

const months = [
  'Thaw',
  'Ploughing',
  'Blossom',
  'Greening',
  'Long Light',
  'Haysun',
  'Firstfruit',
  'Pressing',
  'Leaffall',
  'Rimefall',
  'Deepwinter',
  'Candlemonth',
]

const calendar = {
  months: [
    ...months.map((name, index) => ({ id: index + 1, name, days: 30 })),
    { id: 13, name: 'Unsold Days', days: 5, leap: [{ every: 4, days: 1 }], between: true },
  ],
  weekdays: ['Ploughday', 'Riverday', 'Marketday', 'Bellday', 'Candleday', 'Restday'],
  firstWeekday: 0,
  moons: [
    { name: 'The Lantern', period: 27, fullOn: '412-10-6' },
    { name: 'The Pip', period: 41, fullOn: '412-9-20' },
  ],
  eras: [{ name: 'The Sold Years', from: 371 }],
}

const campaign = {
  name: 'The Orchard in Winter',
  description:
    'A village that sells its bad years to a cider house, and is a little lighter for it. Session fifteen is next: the party stands at the orchard wall with a child who hums a song she was never taught.\n\nThis is a sample to try things on. Begin at the story, or with [Marta Quill](npc:marta); nothing here can be broken that cannot be put back.',
  status: 'active',
  ruleSystem: 'D&D 5e (2024)',
  currentLocationId: 'location:pomary',
  calendar,
  worldDate: '412-10-9',
}

/** The sample campaign as an export would be, with its next evening some days from `now`. */
export function sampleDocument(now: string): Readonly<Record<string, unknown>> {
  const world = {
    attachment: pictures,
    location: locations,
    faction: factions,
    npc: npcs,
    relation: relations,
    timeline_event: events,
  }
  const map = { map: maps, pin: pins, map_token: tokens, fog_stroke: strokes }
  return documentOf(campaign, { ...world, ...map, ...taleAt(now), ...party, ...playAt(now) }, now)
}
