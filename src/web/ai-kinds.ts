import type { KindOf } from './kind-words.ts'

// Kinds of what an AI of this server does, lines of the table in kinds.ts.

export const aiKinds = {
  ai_seat: {
    one: 'AI seat',
    many: 'AI seats',
    icon: 'seat',
    section: 'seat',
    pages: { list: async () => (await import('./pages/ai/seat.tsx')).SeatPage },
    navigation: { group: 'table', word: { dm: 'AI seat', others: 'AI seat' } },
  },
  ai_turn: {
    one: 'turn of the AI seat',
    many: 'turns of the AI seat',
    icon: 'seat',
    list: 'list_ai_turns',
    create: 'narrate',
  },
  scribe_run: {
    one: 'run of the scribe',
    many: 'runs of the scribe',
    icon: 'quill',
    section: 'scribe',
    pages: { list: async () => (await import('./pages/ai/scribe.tsx')).ScribePage },
    list: 'list_scribe_runs',
    get: 'get_scribe_run',
    create: 'run_scribe',
  },
  scribe_settings: { one: 'settings of the scribe', many: 'settings of the scribe', icon: 'quill' },
} as const satisfies { readonly [N in 'ai_seat' | 'ai_turn' | 'scribe_run' | 'scribe_settings']: KindOf<N> }
