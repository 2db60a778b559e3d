// The lines of the table in kinds.ts that are about fights.

export const kindsOfFights = {
  encounter: {
    one: 'fight',
    many: 'fights',
    icon: 'swords',
    section: 'fights',
    pages: {
      list: async () => (await import('./pages/fights/fights.tsx')).FightsPage,
      one: async () => (await import('./pages/fights/fight.tsx')).FightPage,
      edit: async () => (await import('./pages/fights/edit.tsx')).FightEdit,
    },
    navigation: { group: 'table' },
    madeBy: 'dm',
    news: true,
    list: 'list_encounters',
    get: 'get_encounter',
    create: 'create_encounter',
    update: 'update_encounter',
    delete: 'delete_encounter',
    titleOf: (row: { readonly name: string }) => row.name,
  },
  combatant: {
    one: 'combatant',
    many: 'combatants',
    icon: 'me',
    list: 'list_combatants',
    get: 'get_combatant',
    create: 'add_combatant',
    update: 'update_combatant',
    delete: 'remove_combatant',
    titleOf: (row: { readonly name: string }) => row.name,
  },
  encounter_event: { one: 'event of a fight', many: 'events of a fight', icon: 'list', list: 'list_encounter_events' },
} as const
