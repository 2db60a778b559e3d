import { describe, expect, test } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { shareWorld } from '../support/shared-world.ts'
import { type CanaryName, canaryNames, wordOf, wordsFor, wordsIn } from './canaries.ts'
import { hiddenThings } from './worlds.ts'

// What leaves in which export: the words of canaries.ts that may be read by whom it is for, and no other.

const shared = shareWorld({ layer: hiddenThings })

/** All that an export holds, unpacked, as one text. */
async function textOf(profile: string, format: string): Promise<string> {
  const { world } = shared
  const url = `/api/v1/campaigns/${world.id('campaign')}/export?profile=${profile}&format=${format}`
  const { statusCode, rawPayload } = await world.server.app.server.inject({
    method: 'GET',
    url,
    headers: { host: 'localhost', ...world.session('dm').headers },
  })
  expect(statusCode).toBe(200)
  if (format === 'json') return rawPayload.toString('utf8')
  const zip = await fromBufferPromise(rawPayload)
  const pieces: Buffer[] = []
  for await (const entry of zip.eachEntry()) {
    pieces.push(Buffer.from(`${entry.fileName}\n`))
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece as Buffer)
  }
  return Buffer.concat(pieces).toString('latin1')
}

/** What members write to each other and to the Dungeon Master, and what is of the people and not of the tale. */
const betweenPeople = /^(private note|note to the DM|whisper|inbox|proposal|decision|earlier note)/
const ofPeople: readonly CanaryName[] = ['game night notes', 'word with an answer']
const named = (test: (name: CanaryName) => boolean): readonly string[] => canaryNames.filter(test).map(wordOf)

describe.each(['json', 'zip', 'markdown'])('as %s', (format) => {
  test('what is shown to the world is what a viewer reads, without what people write to each other', async () => {
    const text = await textOf('publish', format)
    const mine = new Set(wordsFor('viewer', {}))
    const allowed = named(
      (name) =>
        mine.has(wordOf(name)) && !betweenPeople.test(name) && name !== 'party note' && !ofPeople.includes(name),
    )
    expect(Array.from(wordsIn(text)).filter((word) => !allowed.includes(word))).toEqual([])
    expect(allowed.filter((word) => text.includes(word)).length).toBeGreaterThan(5)
  })

  test('what is handed on is the whole tale, and nothing that one person wrote to another', async () => {
    const text = await textOf('handoff', format)
    const leaked = named((name) => betweenPeople.test(name) || ofPeople.includes(name)).filter((word) =>
      text.includes(word),
    )
    expect(leaked).toEqual([])
    for (const name of ['quest dmSecret', 'hidden npc name', 'beat dmSecret', 'session prep', 'party note'] as const)
      expect(text, name).toContain(wordOf(name))
  })

  test('a backup holds what the Dungeon Master reads, and no word of others that they do not', async () => {
    const text = await textOf('backup', format)
    const mine = new Set(wordsFor('dm', {}))
    expect(Array.from(wordsIn(text)).filter((word) => !mine.has(word))).toEqual([])
    for (const name of ['private note of the DM', 'inbox of player', 'game night notes'] as const)
      expect(text, name).toContain(wordOf(name))
  })

  test.each(['publish', 'handoff', 'backup'])('%s holds no credential, hash or code', async (profile) => {
    const { world } = shared
    const text = await textOf(profile, format)
    const store = world.server.app.store()
    const column = (sql: string): string[] => store.all(sql).map((row) => String(Object.values(row)[0]))
    const hashes = [
      ...column('SELECT password_hash FROM users'),
      ...column('SELECT hash FROM sessions'),
      ...column('SELECT code_hash FROM invites'),
      ...column('SELECT hint FROM invites'),
      ...column('SELECT calendar_key FROM game_nights'),
      ...column('SELECT key FROM users'),
    ]
    expect(hashes.filter((hash) => text.includes(hash))).toEqual([])
    expect(text).not.toMatch(/tk[a-z]{1,2}_[A-Za-z0-9_-]{8}/)
  })
})
