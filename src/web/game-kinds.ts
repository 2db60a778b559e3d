import type { KindOf } from './kind-words.ts'

// Kinds of the game itself, lines of the table in kinds.ts.

export const gameKinds = {
  character: {
    one: 'character',
    many: 'characters',
    pronoun: 'them',
    icon: 'me',
    section: 'characters',
    pages: {
      list: async () => (await import('./pages/party/party.tsx')).PartyPage,
      one: async () => (await import('./pages/party/character.tsx')).CharacterPage,
      edit: async () => (await import('./pages/party/edit.tsx')).CharacterEdit,
    },
    navigation: { group: 'tale', word: { dm: 'Party', others: 'Party' }, icon: 'heart', phone: true },
    mentionable: true,
    news: true,
    list: 'list_characters',
    get: 'get_character',
    create: 'create_character',
    update: 'update_character',
    delete: 'delete_character',
    titleOf: (row) => row.name,
  },
  inventory_item: {
    one: 'item',
    many: 'items',
    icon: 'book',
    mentionable: true,
    list: 'list_inventory',
    create: 'create_inventory_item',
    titleOf: (row) => row.name,
  },
  purse: { one: 'purse', many: 'purses', icon: 'book' },
  purse_entry: { one: 'line of the ledger', many: 'lines of the ledger', icon: 'book' },
  dice_roll: {
    one: 'roll',
    many: 'rolls',
    icon: 'dice',
    section: 'dice',
    pages: { list: async () => (await import('./pages/dice/dice.tsx')).DicePage },
    navigation: { group: 'table', word: { dm: 'Dice', others: 'Dice' } },
    list: 'list_dice_rolls',
  },
  check_request: { one: 'request to roll', many: 'requests to roll', icon: 'dice', list: 'list_check_requests' },
} as const satisfies {
  readonly character: KindOf<'character'>
  readonly inventory_item: KindOf<'inventory_item'>
  readonly purse: KindOf<'purse'>
  readonly purse_entry: KindOf<'purse_entry'>
  readonly dice_roll: KindOf<'dice_roll'>
  readonly check_request: KindOf<'check_request'>
}
