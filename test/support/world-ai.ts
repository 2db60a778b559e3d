import type { Scene } from './world-content.ts'

/** The AI of the main campaign beside its Dungeon Master, and one run of the scribe. */
export async function seated({ server, as, campaignId, ids, make }: Scene): Promise<void> {
  await as('dm', 'update_ai_seat', { campaignId, mode: 'co_dm', persona: 'A ferryman’s ledger.' })
  await make('dm', 'narrate', { campaignId, prompt: 'Who is at the vats?' }, 'ai_turn')
  await make('dm', 'run_scribe', { campaignId, sessionId: ids.get('session') }, 'scribe_run')
  await server.app.ai.idle()
}
