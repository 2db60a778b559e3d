import { describe, expect, it, test } from 'vitest'
import * as z from 'zod'
import { operations } from '../../src/catalogue.ts'
import { idOf } from '../../src/kernel/fields.ts'
import { type Access, type AnyOperation, toolsets } from '../../src/kernel/operation.ts'
import type { Effect } from '../../src/kernel/viewer.ts'
import { isSelected, presets, selectionOf } from '../../src/mcp/toolsets.ts'
import { actorWith } from '../mcp/small-world.ts'

const select = (query: string, headers: Record<string, string | string[]> = {}, actor = actorWith()) =>
  selectionOf(new URL(`http://localhost/mcp${query}`), headers, actor, operations)

const operationOf = (facts: Partial<AnyOperation>): AnyOperation =>
  ({
    name: 'x',
    toolset: 'table',
    route: 'POST /campaigns/{campaignId}/x',
    input: z.strictObject({ campaignId: idOf('campaign') }),
    ...facts,
  }) as AnyOperation

describe('presets', () => {
  // Hosts stop reading at 40, warn at 60 to 80, and refuse more than 128 with their own tools added.
  test.each([
    ['player', 40],
    ['session', 60],
    ['dm-core', 100],
  ])('%s has fewer than %i tools', (name, most) => {
    const tools = presets[name]
    expect(tools?.size).toBeGreaterThan(most / 2)
    expect(tools?.size).toBeLessThan(most)
  })

  it('are not named like toolsets', () => {
    expect(Object.keys(presets).filter((name) => (toolsets as readonly string[]).includes(name))).toEqual([])
  })
})

describe('a selection', () => {
  test.each([
    ['', []],
    ['?toolsets=', []],
    ['?toolsets=all', []],
    ['?toolsets=story,all', []],
    ['?toolsets=story,%20World', [['story', 'world']]],
    ['?toolsets=story&toolsets=dm-core', [['story'], ['dm-core']]],
  ])('of "%s"', (query, groups) => {
    expect(select(query)).toMatchObject({ groups, readOnly: false, role: 'dm', compact: false })
  })

  it('narrows twice when it is given twice', () => {
    const operation = operations.get('create_quest') as AnyOperation
    expect(isSelected(select('?toolsets=story'), operation)).toBe(true)
    expect(isSelected(select('?toolsets=player,story'), operation)).toBe(true)
    expect(isSelected(select('?toolsets=story', { 'x-mcp-toolsets': 'player' }), operation)).toBe(false)
    expect(isSelected(select('?toolsets=story&readonly=1'), operation)).toBe(false)
  })

  it('is read-only by address, header or credential, and nobody can take that back', () => {
    expect(select('?readonly=1').readOnly).toBe(true)
    expect(select('?readonly=0', { 'x-mcp-readonly': 'TRUE' }).readOnly).toBe(true)
    expect(select('?readonly=0', {}, actorWith({ writeMode: 'read' })).readOnly).toBe(true)
    expect(select('', {}, actorWith({ writeMode: 'propose' })).readOnly).toBe(false)
  })

  it('is narrowed by what its owner opened at consent, whatever is asked for', () => {
    const actor = actorWith({ toolsets: ['campaign', 'story'] })
    const [quest, npc] = [operations.get('create_quest'), operations.get('create_npc')] as [AnyOperation, AnyOperation]
    for (const query of ['', '?toolsets=story,world', '?toolsets=all', '?tools=create_npc,create_quest']) {
      expect(isSelected(select(query, {}, actor), quest), query).toBe(true)
      expect(isSelected(select(query, {}, actor), npc), query).toBe(false)
    }
  })

  const listed = (query: string, headers = {}) => {
    const selection = select(query, headers)
    return Array.from(operations.values(), (each) => each)
      .filter((each) => isSelected(selection, each))
      .map(({ name }) => name)
  }

  it('of who proposes and asks for nothing holds the changes of every day, and all reads', () => {
    const held = (query: string, actor = actorWith({ writeMode: 'propose' })) => {
      const selection = select(query, {}, actor)
      return (name: string) => isSelected(selection, operations.get(name) as AnyOperation)
    }
    const names = [
      'update_quest',
      'get_quest',
      'get_story_graph',
      'create_proposal',
      'delete_quest',
      'damage_combatant',
    ]
    expect(names.map(held(''))).toEqual([true, true, true, true, false, false])
    // Whatever a client or the person at consent chose is more than this.
    for (const query of ['?toolsets=all', '?mode=full', '?toolsets=story,combat,review'])
      expect(names.map(held(query)), query).toEqual([true, true, true, true, true, true])
    expect(held('?tools=delete_quest')('delete_quest')).toBe(true)
    const chose = actorWith({ writeMode: 'propose', toolPreset: 'session' })
    expect(names.map(held('', chose))).toEqual([false, true, false, false, false, true])
    expect(names.map(held('', actorWith()))).toEqual(names.map(() => true))
  })

  it('of tools holds those alone, or beside toolsets, and never what is excluded', () => {
    expect(listed('?tools=get_npc,get_quest')).toEqual(['get_quest', 'get_npc'])
    expect(listed('', { 'x-mcp-tools': 'get_npc' })).toEqual(['get_npc'])
    expect(listed('?toolsets=files&tools=get_npc')).toEqual(expect.arrayContaining(['get_npc', 'list_attachments']))
    expect(listed('?toolsets=files&tools=get_npc')).not.toContain('get_quest')
    expect(listed('?tools=get_npc,get_quest', { 'x-mcp-exclude-tools': 'get_npc' })).toEqual(['get_quest'])
    expect(listed('?exclude_tools=get_npc')).not.toContain('get_npc')
    expect(() => listed('?tools=get_ncp')).toThrow('There is no tool get_ncp. Did you mean get_npc?')
  })

  it('of a credential that is bound to one campaign holds what its person can be there', () => {
    const actor = actorWith({ campaignId: 2 })
    const bound = (role: 'player' | 'dm', playersPropose = true) => {
      const seat = { role, playersPropose }
      const selection = selectionOf(new URL('http://localhost/mcp'), {}, actor, operations, seat)
      return (name: string) => isSelected(selection, operations.get(name) as AnyOperation)
    }
    expect(['create_campaign', 'delete_npc', 'create_npc', 'get_npc'].map(bound('dm'))).toEqual([
      false,
      true,
      true,
      true,
    ])
    expect(['delete_npc', 'create_npc', 'get_npc'].map(bound('player'))).toEqual([false, true, true])
    expect(['create_npc', 'create_note'].map(bound('player', false))).toEqual([false, true])
  })

  test.each([
    ['', {}, false],
    ['?mode=compact', {}, true],
    ['?mode=full', {}, false],
    ['', { 'x-mcp-mode': 'Compact' }, true],
    ['?mode=full', { 'x-mcp-mode': 'compact' }, true],
  ])('is compact for "%s" %j: %s', (query, headers, compact) => {
    expect(select(query, headers as Record<string, string>).compact).toBe(compact)
  })

  it('of scope viewer holds what a viewer may call somewhere, and nothing else', () => {
    const viewer = select('', {}, actorWith({ scope: 'viewer' }))
    const operation = (access: Access, effect: Effect, viewerMay?: true) =>
      operationOf({ access, effect, ...(viewerMay ? { viewerMay } : {}) })
    for (const access of ['public', 'user', 'viewer'] as const) {
      expect(isSelected(viewer, operation(access, 'read')), access).toBe(true)
      expect(isSelected(viewer, operation(access, 'write')), access).toBe(false)
      expect(isSelected(viewer, operation(access, 'write', true)), access).toBe(true)
    }
    for (const access of ['player', 'dm', 'owner', 'author', 'dm+propose', 'admin'] as const)
      expect(isSelected(viewer, operation(access, 'read')), access).toBe(false)
    const player = select('', {}, actorWith({ scope: 'player' }))
    for (const access of ['player', 'author', 'dm+propose', 'viewer'] as const)
      expect(isSelected(player, operation(access, 'write')), access).toBe(true)
    expect(isSelected(player, operation('dm', 'read'))).toBe(false)
  })
})
