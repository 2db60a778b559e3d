import { expect, test, vi } from 'vitest'
import { entities, operations } from '../../src/catalogue.ts'
import type { EntityName } from '../../src/web/api/contract.ts'
import type { KindOf } from '../../src/web/kind-words.ts'
import { allKinds, idMember, kindOf, kinds } from '../../src/web/kinds.ts'
import { operationLabel } from '../../src/web/kit/labels.ts'
import { entityPath, sectionPath } from '../../src/web/shell/links.ts'

// Where there is no document there is nothing to put a sheet into.
vi.mock('../../src/web/shell/style-sheet.ts', () => ({ styleSheet: async () => {} }))

type Table = { readonly [N in EntityName]: KindOf<N> }

test('a table that lacks a kind, or names an operation that does not fit, does not compile', () => {
  const { npc, ...others } = kinds
  // @ts-expect-error the line of a kind is missing
  const withoutOne: Table = others
  // @ts-expect-error there is no such operation
  const misspelt: Table = { ...kinds, npc: { ...npc, get: 'get_person' } }
  // @ts-expect-error it answers one, not a page
  const noPage: Table = { ...kinds, npc: { ...npc, list: 'get_npc' } }
  // @ts-expect-error it answers pages of another kind
  const foreignPage: Table = { ...kinds, npc: { ...npc, list: 'list_quests' } }
  const { delete: _, ...undeletable } = npc
  // @ts-expect-error the catalogue can delete one, so the line says how
  const forgotten: Table = { ...kinds, npc: undeletable }
  expect([withoutOne, misspelt, noPage, foreignPage, forgotten]).toHaveLength(5)
})

test('every entity of a campaign has its line, and what can be mentioned on the server can be chosen here', () => {
  expect(allKinds.map(({ name }) => name).sort()).toEqual(
    entities
      .filter(({ scope }) => scope === 'campaign' || scope === 'root')
      .map(({ name }) => name)
      .sort(),
  )
  const mentionable = allKinds.filter((kind) => kind.mentionable).map(({ name }) => name)
  expect(mentionable.sort()).toEqual(
    entities
      .filter(({ mention }) => mention)
      .map(({ name }) => name)
      .sort(),
  )
})

test('operations take the id of their kind under the name that is made for it', () => {
  expect([idMember('npc'), idMember('inbox_item')]).toEqual(['npcId', 'inboxItemId'])
  for (const { name, ...kind } of allKinds) {
    for (const operation of [kind.get, kind.update, kind.delete]) {
      if (operation) expect(operations.get(operation)?.input.shape, operation).toHaveProperty(idMember(name))
    }
  }
})

test('addresses are told apart, and each leads to a page that is there', async () => {
  const sections = allKinds.flatMap(({ section }) => section ?? [])
  expect(new Set(sections).size).toBe(sections.length)
  for (const { name, pages, section } of allKinds) {
    const loaders = [pages?.list, pages?.one, pages?.edit, ...Object.values(pages?.below ?? {})]
    for (const load of loaders) if (load) expect(await load(), name).toBeTypeOf('function')
    if (loaders.some(Boolean)) expect(section, name).toBeTypeOf('string')
  }
})

test('things lead to their own page, to the section they are listed in, or nowhere', () => {
  expect(entityPath(3, 'npc', 7)).toBe(sectionPath(3, 'people', 7))
  expect(entityPath(3, 'inbox_item', 7)).toBe('/campaigns/3/inbox/7')
  expect(entityPath(3, 'member', 7)).toBe('/campaigns/3/members')
  expect(entityPath(3, 'campaign', 3)).toBe('/campaigns/3')
  expect(entityPath(3, 'objective', 7)).toBeNull()
  expect(entityPath(3, 'dragon', 7)).toBeNull()
  expect(kindOf('dragon')).toBeUndefined()
})

test('the history speaks of every change in words', () => {
  for (const [name, { effect }] of operations) {
    if (effect !== 'read') expect(operationLabel(name), name).toMatch(/^[a-z][a-zA-Z ]+$/)
  }
  expect(operationLabel('reorder_quests')).toBe('reorders the quests')
  expect(operationLabel('resolve_inbox_item')).toBe('settles a note to the DM')
  expect(operationLabel('revoke_invite')).toBe('takes an invitation back')
})
