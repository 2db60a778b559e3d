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

/** Rules and random tables. */
export const ruleKinds = {
  table: {
    one: 'random table',
    many: 'random tables',
    icon: 'list',
    section: 'tables',
    pages: {
      list: async () => (await import('./pages/tables/tables.tsx')).TablesPage,
      one: async () => (await import('./pages/tables/table.tsx')).TablePage,
      edit: async () => (await import('./pages/tables/edit.tsx')).TableEdit,
    },
    navigation: { group: 'tale', dmOnly: true },
    madeBy: 'dm',
    mentionable: true,
    list: 'list_random_tables',
    get: 'get_random_table',
    create: 'create_random_table',
    update: 'update_random_table',
    delete: 'delete_random_table',
    titleOf: (row) => row.name,
  },
  table_draw: { one: 'draw', many: 'draws', icon: 'list', news: true },
  rule_entry: {
    one: 'rule of your own',
    many: 'rules of your own',
    icon: 'book',
    section: 'rules',
    pages: {
      list: async () => (await import('./pages/rules/rules.tsx')).RulesPage,
      one: async () => (await import('./pages/rules/rules.tsx')).RulePage,
      edit: async () => (await import('./pages/rules/edit.tsx')).RuleEdit,
    },
    navigation: { group: 'tale', word: { dm: 'Rules', others: 'Rules' } },
    madeBy: 'dm',
    mentionable: true,
    news: true,
    list: 'list_homebrew',
    get: 'get_rule_entry',
    create: 'create_homebrew',
    update: 'update_homebrew',
    delete: 'delete_homebrew',
    titleOf: (row) => row.name,
  },
} as const satisfies { readonly [N in 'table' | 'table_draw' | 'rule_entry']: KindOf<N> }
