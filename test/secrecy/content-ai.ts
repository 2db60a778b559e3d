import type { TestWorld } from '../support/world.ts'
import { wordOf } from './canaries.ts'

/** What the AI of a campaign is told: how it speaks, what it was asked, how it should write. */
export async function askTheSeat({ as, server }: TestWorld, campaignId: number): Promise<void> {
  await as('dm', 'update_ai_seat', { campaignId, persona: wordOf('persona of the seat') })
  await as('dm', 'narrate', { campaignId, prompt: wordOf('what the seat was asked') })
  await as('dm', 'update_scribe_settings', { campaignId, style: wordOf('style of the scribe') })
  await server.app.ai.idle()
}
