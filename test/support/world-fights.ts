import type { Scene } from './world-content.ts'

/** One that runs with the player's turn, one that is planned, one that has ended, and a hidden one; `own` is the player's. */
export async function fights({ as, ids, userId, campaignId, make }: Scene): Promise<void> {
  const fight = (name: string, values: object, ...names: string[]) =>
    make('dm', 'create_encounter', { campaignId, name, ...values }, ...names)
  const add = (encounterId: number, values: object, ...names: string[]) =>
    make('dm', 'add_combatant', { encounterId, kind: 'monster', hpMax: 27, ac: 13, ...values }, ...names)
  const knife = { key: 'knife', name: 'Knife', cost: 'action', attack: 6, damage: [{ expression: '1d4+3' }] }
  const luck = { key: 'luck', name: 'Luck', max: 3, left: 3, recharge: 'long' }
  const rat = { name: 'Ratcatcher', kind: 'npc', ally: true, controllerUserId: userId.player }
  const statblock = { actions: [knife], resources: [luck] }
  const first = { initiativeModifier: 90 }
  const night = { questId: ids.get('quest'), locationId: ids.get('location'), dmSecret: 'The left antler.' }
  const running = await fight('The press-house at midnight', night, 'encounter')
  await add(running, { ...rat, ...first, statblock }, 'combatant own')
  await add(running, { name: 'Wicker Stag', statblock: { rating: 2 } }, 'combatant')
  await add(running, { name: 'The Cellarer’s hound', hidden: true, notes: 'Under the stair.' }, 'combatant hidden')
  await as('dm', 'begin_encounter', { encounterId: running })
  const hurt = await as('dm', 'damage_combatant', { combatantId: ids.get('combatant'), amount: 5 })
  ids.set('encounter_event', hurt.events[0].id)
  const turned = await fight('The ford', {}, 'encounter turned')
  const dying = { name: 'Old Hob', kind: 'character', controllerUserId: userId.player, ...first }
  await add(turned, dying, 'combatant dying')
  await add(turned, { name: 'Heron' })
  await as('dm', 'begin_encounter', { encounterId: turned })
  await as('dm', 'damage_combatant', { combatantId: ids.get('combatant dying'), amount: 30 })
  for (let turn = 0; turn < 2; turn++) await as('dm', 'next_turn', { encounterId: turned })
  await add(await fight('The cellar', {}, 'encounter ready'), { name: 'Hollow Picker', count: 2 })
  for (const [name, known] of [
    ['The gate', 'encounter ended'],
    ['The reeve’s men', 'encounter spare'],
  ] as const) {
    const over = await fight(name, {}, known)
    await add(over, { name: 'Gatekeeper' })
    await as('dm', 'begin_encounter', { encounterId: over })
    await as('dm', 'end_encounter', { encounterId: over })
  }
  await fight('Under the ice', { hidden: true }, 'encounter hidden')
}
