import { describe, expect, test } from 'vitest'
import { areLookAlike } from '../../src/kernel/usernames.ts'
import { shareWorld } from '../support/shared-world.ts'

// A name is what a person tells others by: none may look like another's, and no text may read as another than it is.

const { alone } = shareWorld()

describe('the name of a user', () => {
  const password = 'a good long one'

  test.each([
    ['with a Cyrillic letter', 'Mаrta'],
    ['in another case', 'mаRTA'],
    ['with a digit for a letter', 'Marta1', 'Martal'],
    ['with a large I for a small l', 'Marta Iow', 'Marta low'],
    ['of wide letters', 'Ｍａｒｔａ'],
    ['with rn for m', 'rnarta'],
  ])('is refused where it looks like one that is taken: %s', (_, name, taken = 'Marta') =>
    alone(async ({ callers: { admin } }) => {
      expect((await admin.post('/api/v1/users', { username: taken, password })).status).toBe(201)
      const { status, body } = await admin.post('/api/v1/users', { username: name, password })
      expect([status, body.error?.code, body.error?.details?.[0]?.path]).toEqual([400, 'validation_failed', 'username'])
      // A change of name is no way around it.
      const other = await admin.post('/api/v1/users', { username: 'somebody', password })
      const path = `/api/v1/users/${other.body.id}`
      expect((await admin.request('PATCH', path, { username: name })).status).toBe(400)
    })(),
  )

  test(
    'may be written in another way by whoever has it, and like nobody else’s',
    alone(async ({ callers: { admin } }) => {
      const { body } = await admin.post('/api/v1/users', { username: 'Bill', password })
      expect((await admin.request('PATCH', `/api/v1/users/${body.id}`, { username: 'Bi11' })).status).toBe(200)
      for (const username of ['Ian', 'Lan', 'José', 'Jose', 'Ünal', 'Марта', 'たけし'])
        expect((await admin.post('/api/v1/users', { username, password })).status, username).toBe(201)
    }),
  )

  test.each([['\u034F'], ['\u3164'], ['\uFE0F'], ['\u200D'], ['\u2066'], ['\u115F']])(
    'holds nothing that is not seen: %j',
    (unseen) =>
      alone(async ({ callers: { admin } }) => {
        const { status } = await admin.post('/api/v1/users', { username: `No${unseen}body`, password })
        expect(status).toBe(400)
      })(),
  )

  test('looks like another by what is seen of it', () => {
    expect(areLookAlike('paypal', 'pаypаl')).toBe(true)
    expect(areLookAlike('scope', 'ѕсоре')).toBe(true)
    expect(areLookAlike('marta', 'martha')).toBe(false)
  })
})

describe('one line of text', () => {
  test(
    'keeps nothing that turns the reading direction or is never seen, and keeps emoji whole',
    alone(async ({ id, callers: { dm } }) => {
      const npcs = `/api/v1/campaigns/${id('campaign')}/npcs`
      const turned = await dm.post(npcs, {
        name: 'Lord \u202Etxt.exe\u202C \u2066x\u2069',
        role: 'a\u202Eb\u200B\u00AD',
      })
      expect([turned.body.name, turned.body.role]).toEqual(['Lord txt.exe x', 'ab'])
      for (const name of ['👩‍👩‍👧 family', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 flag', '❤️ heart', 'می‌خواهم', 'क्‍ष']) {
        const { body } = await dm.post(npcs, { name, tags: [name] })
        expect([body.name, body.tags]).toEqual([name, [name]])
      }
      for (const name of ['\u202E', '\u200D\uFE0F', '\u3164'])
        expect((await dm.post(npcs, { name })).status, JSON.stringify(name)).toBe(400)
    }),
  )
})
