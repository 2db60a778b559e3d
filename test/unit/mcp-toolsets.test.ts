import { describe, expect, it, test } from 'vitest'
import { type Access, toolsets } from '../../src/kernel/operation.ts'
import type { Effect } from '../../src/kernel/viewer.ts'
import { isSelected, presets, selectionOf } from '../../src/mcp/toolsets.ts'
import { actorWith } from '../mcp/small-world.ts'

const select = (query: string, headers: Record<string, string | string[]> = {}, actor = actorWith()) =>
  selectionOf(new URL(`http://localhost/mcp${query}`), headers, actor)

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
    expect(select(query)).toEqual({ groups, readOnly: false, viewer: false, compact: false })
  })

  it('narrows twice when it is given twice', () => {
    const operation = { name: 'create_quest', toolset: 'story', access: 'dm+propose', effect: 'write' } as const
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

  it('is narrowed by what its owner opened at consent, as one more group', () => {
    const actor = actorWith({ toolsets: ['campaign', 'story'] })
    expect(select('', {}, actor).groups).toEqual([['campaign', 'story']])
    expect(select('?toolsets=story,world', {}, actor).groups).toEqual([
      ['story', 'world'],
      ['campaign', 'story'],
    ])
    expect(select('?toolsets=all', {}, actor).groups).toEqual([['campaign', 'story']])
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
    const operation = (access: Access, effect: Effect, viewerMay?: true) => ({
      name: 'x',
      toolset: 'table' as const,
      access,
      effect,
      ...(viewerMay ? { viewerMay } : {}),
    })
    for (const access of ['public', 'user', 'viewer'] as const) {
      expect(isSelected(viewer, operation(access, 'read')), access).toBe(true)
      expect(isSelected(viewer, operation(access, 'write')), access).toBe(false)
      expect(isSelected(viewer, operation(access, 'write', true)), access).toBe(true)
    }
    for (const access of ['player', 'dm', 'owner', 'author', 'dm+propose', 'admin'] as const)
      expect(isSelected(viewer, operation(access, 'read')), access).toBe(false)
    expect(isSelected(select('', {}, actorWith({ scope: 'player' })), operation('dm', 'read'))).toBe(true)
  })
})
