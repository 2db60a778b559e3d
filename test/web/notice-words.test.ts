import { expect, test } from 'vitest'
import { grouped, type NoticeItem, wantsSomething, wordsOfNotice } from '../../src/web/pages/notices/notice-words.ts'

const notice = (values: object): NoticeItem =>
  ({
    id: 1,
    campaignId: 3,
    kind: 'whisper',
    entityType: 'note',
    entityId: 7,
    entity: { entityType: 'note', entityId: 7, title: 'He asked [Marta](npc:1) again' },
    byUserId: 5,
    byUser: { id: 5, title: 'imke' },
    about: null,
    readAt: null,
    createdAt: '2026-11-20T10:00:00.000Z',
    ...values,
  }) as unknown as NoticeItem

test('a notice says who did what, in words without marks, and leads to its thing', () => {
  expect(wordsOfNotice(notice({}), 9)).toEqual({
    icon: 'whisper',
    text: 'imke whispered to you',
    more: '“He asked Marta again”',
    act: null,
    to: '/campaigns/3/notes/7',
  })
  const named = { kind: 'mention', about: { entityType: 'npc', entityId: 1, title: 'Marta Quill' } }
  expect(wordsOfNotice(notice(named), 9).text).toBe('imke named Marta Quill in a note')
  expect(wordsOfNotice(notice({ ...named, about: null }), 9).text).toBe('imke named something of yours in a note')
})

test('what somebody is told that they did themself, an app of theirs did; of nobody it is somebody', () => {
  const filed = {
    kind: 'proposal_filed',
    entityType: 'proposal',
    entity: { entityType: 'proposal', entityId: 2, title: 'Create NPC' },
  }
  expect(wordsOfNotice(notice(filed), 5).text).toBe('An app of yours proposed a change')
  const of = (title: string) => wordsOfNotice(notice({ ...filed, entity: { ...filed.entity, title } }), 9).more
  expect(
    ['Create NPC', 'Set objective done', '3 changes: create NPC, update quest', 'Plan a game night'].map(of),
  ).toEqual(['Adds a person', 'Ticks a step', '3 changes: adds a person, changes a quest', 'Plan a game night'])
  const safety = { kind: 'safety', entityType: 'safety_signal', entity: null, byUserId: null, byUser: null }
  expect(wordsOfNotice(notice(safety), 5)).toMatchObject({ text: 'Somebody asked to stop', more: null, to: null })
})

test('what is not read stands first, then by how long ago', () => {
  const now = new Date('2026-11-20T12:00:00')
  const at = (createdAt: string, readAt: string | null = createdAt) => notice({ createdAt, readAt })
  const items = [
    at('2026-11-20T09:00:00'),
    at('2026-11-17T09:00:00'),
    at('2026-10-01T09:00:00', null),
    at('2026-10-01T09:00:00'),
  ]
  expect(grouped(items, now).map(({ title, items: group }) => [title, group.length])).toEqual([
    ['Since you last looked', 1],
    ['Today', 1],
    ['This week', 1],
    ['Earlier', 1],
  ])
})

test('some want something of their reader', () => {
  expect([wantsSomething(notice({})), wantsSomething(notice({ kind: 'night_asked' }))]).toEqual([false, true])
})
