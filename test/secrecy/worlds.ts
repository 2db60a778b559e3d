import type { TestWorld } from '../support/world.ts'
import type { WorldLayer } from '../support/world-file.ts'
import { addHiddenThings, addOpenThings } from './content.ts'

/** With what everybody at the table sees and the player's own texts. */
export const openThings: WorldLayer = { name: 'open', add: inOneCommit(addOpenThings) }

/** And with what the player and the viewer may not notice. */
export const hiddenThings: WorldLayer = { name: 'hidden', below: openThings, add: inOneCommit(addHiddenThings) }

/** Where everybody has consented and the campaign lets no text of a member reach an outside AI (SPEC 2.2). */
export const noTextsForAi: WorldLayer = {
  name: 'no-texts-for-ai',
  below: hiddenThings,
  async add({ as, id }) {
    const campaignId = id('campaign')
    for (const person of ['player', 'otherPlayer', 'dm'] as const)
      await as(person, 'set_my_ai_consent', { campaignId, consent: true })
    await as('dm', 'update_campaign_settings', { campaignId, aiContentPolicy: 'disabled' })
  },
}

/** Each commit waits for the disk. */
function inOneCommit(add: WorldLayer['add']): WorldLayer['add'] {
  return async (world: TestWorld) => {
    const { connection } = world.server.app.store()
    connection.exec('BEGIN')
    await add(world)
    connection.exec('COMMIT')
  }
}
