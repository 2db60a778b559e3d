import { beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { entities, operations } from '../../src/catalogue.ts'
import { checkOperations } from '../../src/kernel/admission.ts'
import { defineEntity, type Entity } from '../../src/kernel/entity.ts'
import { reference, required } from '../../src/kernel/fields.ts'
import { type AnyOperation, defineOperation } from '../../src/kernel/operation.ts'
import { checkOwnership } from '../../src/kernel/ownership.ts'
import { everyone } from '../../src/kernel/visibility.ts'
import { makeTable, type Person, type Table } from '../domain/support.ts'
import { partyEntities, partyOperations } from '../support/party-domain.ts'

// Whose something is follows from what it belongs to: an item lies in a pack, the pack is a character's, and the character
// is a player's. Nobody wrote the player's id into the item.

let table: Table
/** Pell plays Ilse, Wren plays Odo, nobody plays the mule. */
let ids: Readonly<Record<string, number>>

function insert(
  tableName: string,
  values: Readonly<Record<string, number | string | null>>,
  campaignId?: number,
): number {
  const row = {
    campaign_id: campaignId ?? table.campaignId,
    created_at: table.now(),
    updated_at: table.now(),
    ...values,
  }
  const names = Object.keys(row)
  return table.store.run(
    `INSERT INTO ${tableName} (${names.join(', ')}) VALUES (${names.map((each) => `@${each}`).join(', ')})`,
    row,
  ).id
}

beforeEach(async () => {
  table = await makeTable(partyEntities, partyOperations)
  const ilse = insert('test_characters', { name: 'Ilse', owner_user_id: table.userId('pell') })
  const odo = insert('test_characters', { name: 'Odo', owner_user_id: table.userId('wren') })
  const mule = insert('test_characters', { name: 'The mule', owner_user_id: null })
  const hiddenOne = insert('test_characters', { name: 'The heir', owner_user_id: null, hidden: 1 })
  const pack = insert('test_packs', { character_id: ilse })
  const othersPack = insert('test_packs', { character_id: odo })
  const partyPack = insert('test_packs', { character_id: null })
  const encounter = insert('test_encounters', {})
  const combatant = insert('test_combatants', { encounter_id: encounter, character_id: ilse })
  const monster = insert('test_combatants', { encounter_id: encounter, character_id: null })
  const ridden = insert('test_combatants', { encounter_id: encounter, character_id: mule })
  ids = {
    ilse,
    odo,
    mule,
    hiddenOne,
    pack,
    partyPack,
    encounter,
    combatant,
    monster,
    ridden,
    lantern: insert('test_items', { name: 'Lantern', pack_id: pack }),
    flute: insert('test_items', { name: 'Flute', pack_id: othersPack }),
    rope: insert('test_items', { name: 'Rope', pack_id: partyPack }),
    coin: insert('test_items', { name: 'Coin', pack_id: null }),
    diary: insert('test_diaries', { pack_id: pack }),
    nobodysDiary: insert('test_diaries', { pack_id: null }),
  }
})

const idOf = (what: string): number => ids[what] as number

/** What each gets: `done`, or the code of the refusal. */
async function outcomes(name: string, input: Readonly<Record<string, unknown>>): Promise<Record<Person, string>> {
  const tried = async (person: Person): Promise<string> =>
    table.call(person, name, input).then(
      () => 'done',
      (error: { readonly code: string }) => error.code,
    )
  return {
    ellen: await tried('ellen'),
    pell: await tried('pell'),
    wren: await tried('wren'),
    gast: await tried('gast'),
  }
}

describe('an item', () => {
  const edit = (what: string) => outcomes('edit_item', { itemId: idOf(what), name: 'Another name' })

  test('is its character’s owner’s and the DM’s: a strange player is refused', async () => {
    expect(await edit('lantern')).toEqual({ ellen: 'done', pell: 'done', wren: 'forbidden', gast: 'forbidden' })
    expect(await edit('flute')).toEqual({ ellen: 'done', pell: 'forbidden', wren: 'done', gast: 'forbidden' })
  })

  test('of the party is any player’s, however far up nobody owns it', async () => {
    for (const what of ['rope', 'coin'])
      expect(await edit(what)).toEqual({ ellen: 'done', pell: 'done', wren: 'done', gast: 'forbidden' })
  })

  test('changes hands with its character, at once', async () => {
    table.store.run('UPDATE test_characters SET owner_user_id = @wren WHERE id = @ilse', {
      wren: table.userId('wren'),
      ilse: idOf('ilse'),
    })
    expect(await edit('lantern')).toEqual({ ellen: 'done', pell: 'forbidden', wren: 'done', gast: 'forbidden' })
  })

  test('stays its owner’s while the character is in the trash', async () => {
    table.store.run('UPDATE test_characters SET deleted_at = @now WHERE id = @ilse', {
      now: table.now(),
      ilse: idOf('ilse'),
    })
    expect(await edit('lantern')).toEqual({ ellen: 'done', pell: 'done', wren: 'forbidden', gast: 'forbidden' })
  })

  test('is refused with words that say whose call it is', async () => {
    const { message } = await table.refusal('wren', 'edit_item', { itemId: idOf('lantern'), name: 'Mine' })
    expect(message).toBe('This belongs to somebody else: only they or a Dungeon Master may do this.')
  })
})

describe('a subject', () => {
  test('says whose a thing will be, where the path names nothing of anybody’s', async () => {
    expect(await outcomes('add_pack', { characterId: idOf('ilse') })).toEqual({
      ellen: 'done',
      pell: 'done',
      wren: 'forbidden',
      gast: 'forbidden',
    })
    const anybodys = { ellen: 'done', pell: 'done', wren: 'done', gast: 'forbidden' }
    expect(await outcomes('add_pack', { characterId: idOf('mule') })).toEqual(anybodys)
    expect(await outcomes('add_pack', { characterId: null })).toEqual(anybodys)
    expect(await outcomes('add_pack', {})).toEqual(anybodys)
  })

  test('that is a list has to be theirs, all of it', async () => {
    const gather = (...what: readonly string[]) => outcomes('gather_items', { itemIds: what.map(idOf) })
    const all = { ellen: 'done', pell: 'done', wren: 'done', gast: 'forbidden' }
    expect(await gather('lantern', 'rope')).toEqual({ ...all, wren: 'forbidden' })
    expect(await gather('lantern', 'flute')).toEqual({ ...all, pell: 'forbidden', wren: 'forbidden' })
    expect(await gather('rope', 'coin')).toEqual(all)
    expect(await gather()).toEqual(all)
  })

  test('may be in either of two members', async () => {
    expect(await outcomes('place_token', { combatantId: idOf('combatant') })).toMatchObject({
      pell: 'done',
      wren: 'forbidden',
    })
    expect(await outcomes('place_token', { characterId: idOf('odo') })).toMatchObject({
      pell: 'forbidden',
      wren: 'done',
    })
    expect(await outcomes('place_token', { combatantId: idOf('combatant'), characterId: idOf('odo') })).toMatchObject({
      ellen: 'done',
      pell: 'forbidden',
      wren: 'forbidden',
    })
    expect(await outcomes('place_token', {})).toMatchObject({ ellen: 'done', pell: 'forbidden', wren: 'forbidden' })
  })

  test('that is absent, foreign, hidden or in the trash is refused in the same words', async () => {
    const { id: elsewhere } = await table.call('wren', 'create_campaign', { name: 'Elsewhere' })
    const foreign = insert('test_characters', { name: 'Foreign', owner_user_id: table.userId('pell') }, elsewhere)
    table.store.run("UPDATE test_characters SET deleted_at = '2026-11-20T18:00:00.000Z' WHERE id = @id", {
      id: idOf('odo'),
    })
    const refusals = await Promise.all(
      [999, foreign, idOf('hiddenOne'), idOf('odo')].map((characterId) =>
        table.refusal('pell', 'add_pack', { characterId }),
      ),
    )
    for (const each of refusals)
      expect(each).toEqual({
        code: 'validation_failed',
        message: 'characterId: there is no such test character here. list_test_characters finds ids.',
      })
    expect(await outcomes('add_pack', { characterId: idOf('hiddenOne') })).toMatchObject({ ellen: 'done' })
  })
})

describe('a combatant', () => {
  const damage = (what: string) => outcomes('damage', { combatantId: idOf(what), amount: 1 })

  test('is its character’s player’s and the DM’s', async () => {
    expect(await damage('combatant')).toEqual({ ellen: 'done', pell: 'done', wren: 'forbidden', gast: 'forbidden' })
  })

  test('that nobody plays is the DM’s alone', async () => {
    for (const what of ['monster', 'ridden'])
      expect(await damage(what)).toEqual({ ellen: 'done', pell: 'forbidden', wren: 'forbidden', gast: 'forbidden' })
  })
})

describe('the turn', () => {
  const acting = async (what: string | null) => {
    table.store.run('UPDATE test_encounters SET acting_combatant_id = @id', { id: what === null ? null : idOf(what) })
    return outcomes('end_turn', { encounterId: idOf('encounter') })
  }

  test('is ended by who plays the one that acts, or the DM', async () => {
    expect(await acting('combatant')).toEqual({ ellen: 'done', pell: 'done', wren: 'forbidden', gast: 'forbidden' })
  })

  test('of a monster, or of nobody, is the DM’s', async () => {
    for (const what of ['monster', null])
      expect(await acting(what)).toEqual({ ellen: 'done', pell: 'forbidden', wren: 'forbidden', gast: 'forbidden' })
  })
})

describe('what is its author’s', () => {
  test('is not the DM’s, and nobody’s is nobody’s', async () => {
    expect(await outcomes('burn_diary', { diaryId: idOf('diary') })).toEqual({
      ellen: 'forbidden',
      pell: 'done',
      // Who does not own the pack does not even see the diary in it.
      wren: 'not_found',
      gast: 'not_found',
    })
    expect(await outcomes('burn_diary', { diaryId: idOf('nobodysDiary') })).toMatchObject({
      ellen: 'forbidden',
      pell: 'not_found',
    })
  })
})

describe('a declaration is refused', () => {
  const thing = (name: string, owner: string, fields: Entity['fields']): Entity =>
    defineEntity({
      name,
      table: `${name}s`,
      label: name,
      listedBy: `list_${name}s`,
      visible: everyone,
      owner,
      fields,
    }) as never

  test('whose path of ownership ends at no user', () => {
    const rock = defineEntity({
      name: 'rock',
      table: 'rocks',
      label: 'rock',
      listedBy: 'list_rocks',
      visible: everyone,
      fields: {},
    }) as never as Entity
    expect(() => checkOwnership([rock, thing('moss', 'rockId', { rockId: reference('rock') })])).toThrow(
      'moss: its owner (moss.rockId) leads to rock, which has none',
    )
    expect(() => checkOwnership([thing('fern', 'height', { height: required(z.int()) })])).toThrow(
      'fern: its owner (fern.height) references neither a user nor an entity',
    )
  })

  test('whose path of ownership comes back to itself', () => {
    const box = thing('box', 'boxId', { boxId: reference('box') })
    expect(() => checkOwnership([box])).toThrow('comes back to box')
    const [hen, egg] = [
      thing('hen', 'eggId', { eggId: reference('egg') }),
      thing('egg', 'henId', { henId: reference('hen') }),
    ]
    expect(() => checkOwnership([hen, egg])).toThrow('hen: its owner (hen.eggId -> egg.henId) comes back to hen')
  })

  const operation = (more: object): AnyOperation =>
    defineOperation({
      name: 'try_it',
      title: 'Try it',
      description: 'For tests.',
      toolset: 'party',
      access: 'owner',
      effect: 'write',
      route: 'POST /campaigns/{campaignId}/try',
      input: z.strictObject({
        campaignId: z.int(),
        noteId: entities.find(({ name }) => name === 'note')?.id as z.ZodInt,
        npcId: entities.find(({ name }) => name === 'npc')?.id as z.ZodInt,
      }),
      output: z.object({}),
      example: () => ({ campaignId: 1, noteId: 1, npcId: 1 }),
      handle: () => ({}),
      ...more,
    }) as never
  const check = (more: object) => () => checkOperations([operation(more)], entities)

  test('that asks whose something is and names nothing that could say', () => {
    expect(check({})).toThrow('try_it: its access owner needs a subject')
    expect(check({ subject: 'npcId' })).toThrow('try_it: its access owner cannot be judged by npcId')
    expect(check({ subject: 'noteId', access: 'turn' })).toThrow('cannot be judged by noteId')
    expect(check({ subject: 'noteId', access: 'dm' })).toThrow('try_it: its access dm asks for no subject')
    expect(check({ subject: 'noteId' })).not.toThrow()
    expect(check({ anonymous: true, access: 'dm+propose' })).toThrow('try_it: a proposal is never anonymous')
  })

  test('and none of the catalogue is', () => {
    expect(() => checkOperations(operations.values(), entities)).not.toThrow()
    expect(() => checkOwnership(entities)).not.toThrow()
  })
})
