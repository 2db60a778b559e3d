import type { WrittenRows } from './build.ts'

// Drawings of assets/sample and assets/art, which the build draws as WebP: `npc:marta` has the file marta.webp.

const portrait = (caption: string, more: object = {}) => ({ kind: 'portrait', caption, ...more })
const hidden = { hidden: true }

const drawn: WrittenRows = {
  marta: portrait('Marta Quill'),
  hob: portrait('Hob Fennick'),
  nettie: portrait('Nettie Crake'),
  marrin: portrait('Aldous Marrin, the Reeve'),
  cellarer: portrait('The Cellarer', hidden),
  avice: portrait('Sister Avice'),
  osk: portrait('Brother Osk'),
  ambrose: portrait('Ambrose Tull'),
  ilsabet: portrait('Ilse Tallow'),
  wren: portrait('Wren Tallow'),
  tamsin: portrait('Tamsin Oake'),
  pell: portrait('Pell Underbough'),
  picker: portrait('A hollow picker', hidden),
  stag: portrait('The stag', hidden),
  valley: { kind: 'map', caption: 'The valley of Aldersey' },
  // Players get the map with its fog; the picture below would show them the rest.
  'orchard-wall': { kind: 'map', caption: 'The orchard wall', ...hidden },
  ferry: { kind: 'image', caption: 'The Tarrow ferry' },
  press: { kind: 'image', caption: 'The press-house', ...hidden },
  saltroad: { kind: 'image', caption: 'The salt road' },
}

export const pictures: WrittenRows = Object.fromEntries(
  Object.entries(drawn).map(([name, row]) => [
    name,
    { ...row, fileName: `${name}.webp`, file: `${name}.webp`, days: -30 },
  ]),
)
