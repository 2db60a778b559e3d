import type { KindOf } from './kind-words.ts'

// Kinds of what the people at the table agree on and hear of, lines of the table in kinds.ts.

export const tableKinds = {
  session_share: {
    one: 'shared recap',
    many: 'shared recaps',
    icon: 'link',
    list: 'list_session_shares',
    create: 'create_session_share',
  },
  display: {
    one: 'display',
    many: 'displays',
    icon: 'eye',
    list: 'list_displays',
    create: 'create_display',
    update: 'update_display',
    delete: 'revoke_display',
  },
  charter: {
    one: 'charter',
    many: 'charters',
    icon: 'pact',
    section: 'charter',
    pages: { list: async () => (await import('./pages/charter/charter.tsx')).CharterPage },
    navigation: { group: 'table', word: { dm: 'Charter', others: 'Charter' } },
  },
  charter_acknowledgement: { one: 'agreement to the charter', many: 'agreements to the charter', icon: 'pact' },
  safety_signal: { one: 'safety signal', many: 'safety signals', icon: 'hand' },
  support_preference: {
    one: 'wish for the table',
    many: 'wishes for the table',
    icon: 'me',
    list: 'list_support_preferences',
  },
  model_call: {
    one: 'call of the AI',
    many: 'calls of the AI',
    icon: 'plug',
  },
  notification: {
    one: 'notice',
    many: 'notices',
    icon: 'bell',
    section: 'notices',
    pages: { list: async () => (await import('./pages/notices/notices.tsx')).NoticesPage },
    list: 'list_notifications',
  },
} as const satisfies {
  readonly [N in
    | 'session_share'
    | 'display'
    | 'charter'
    | 'charter_acknowledgement'
    | 'safety_signal'
    | 'support_preference'
    | 'notification'
    | 'model_call']: KindOf<N>
}
