import { expect, test } from 'vitest'
import { note } from '../../src/domain/note/entity.ts'
import { modelEyes } from '../../src/kernel/model-port.ts'
import { termsOf } from '../../src/storage/consent-terms.ts'
import { readerFor } from '../../src/storage/reader.ts'
import { shareWorld } from '../support/shared-world.ts'

// What the model of this server may read of what members write, over policy x consent x local flag x visibility x author x
// whether it may read secrets. `reads` is a small model of its own.

const shared = shareWorld()

const visibilities = ['private', 'dm', 'party', 'whisper'] as const
const authors = ['player', 'dm'] as const
interface Case {
  readonly policy: 'member_consent' | 'disabled'
  readonly consent: boolean
  readonly external: boolean
  readonly secrets: boolean
}

function reads({ policy, consent, external, secrets }: Case, visibility: (typeof visibilities)[number]): boolean {
  if (visibility === 'private' || visibility === 'whisper') return false
  if (visibility === 'dm' && !secrets) return false
  return !external || (policy === 'member_consent' && consent)
}

const both = [true, false]
const cases: readonly Case[] = (['member_consent', 'disabled'] as const).flatMap((policy) =>
  both.flatMap((consent) =>
    both.flatMap((external) => both.map((secrets) => ({ policy, consent, external, secrets }))),
  ),
)

test.each(cases)('$policy, consent $consent, external $external, secrets $secrets', (given) =>
  shared.alone(async (world) => {
    const campaignId = world.id('campaign')
    const word = (author: string, visibility: string): string => `zz${author}${visibility}`
    for (const author of authors) {
      for (const visibility of visibilities) {
        const body = word(author, visibility)
        if (visibility !== 'whisper') await world.as(author, 'create_note', { campaignId, visibility, body })
        else await world.as(author, 'send_whisper', { campaignId, body, recipientUserId: world.userId.otherPlayer })
      }
      await world.as(author, 'set_my_ai_consent', { campaignId, consent: given.consent })
    }
    await world.as('dm', 'update_campaign_settings', { campaignId, aiContentPolicy: given.policy })
    const store = world.server.app.store()
    const eyes = modelEyes({ campaignId, ...given, terms: termsOf(store, campaignId) })
    const found = readerFor(store, note, eyes)
      .all({ columns: ['body'] })
      .map(({ body }) => body)
    for (const author of authors) {
      for (const visibility of visibilities)
        expect(found.includes(word(author, visibility)), `${author}: ${visibility}`).toBe(reads(given, visibility))
    }
  })(),
)
