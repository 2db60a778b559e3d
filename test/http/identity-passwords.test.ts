import { describe, expect, it, test } from 'vitest'
import { chosenPassword } from '../../src/domain/user/rules.ts'
import { createPasswords, type Derivation, nodeArgon2, packagedArgon2 } from '../../src/identity/passwords.ts'
import { createQueue } from '../../src/kernel/queue.ts'
import { failure } from '../unit/identity-support.ts'

const quiet = { onFallback: () => {} }

describe('argon2id', () => {
  // RFC 9106, section 5.3, has secret and associated data, which are not used here; this vector is from the reference
  // implementation's tests: t=2, m=2^16, p=1, password "password", salt "somesalt".
  const vector: Derivation = {
    password: Buffer.from('password'),
    salt: Buffer.from('somesalt'),
    memoryKib: 65_536,
    passes: 2,
    lanes: 1,
    bytes: 32,
  }
  const expected = '09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7'

  it('is what the reference implementation makes, from the package and from Node', async () => {
    expect(Buffer.from(await (await packagedArgon2())(vector)).toString('hex')).toBe(expected)
    expect(Buffer.from(await (await nodeArgon2())(vector)).toString('hex')).toBe(expected)
  })

  it('makes PHC strings that both implementations verify', async () => {
    const packaged = createPasswords(quiet)
    const own = createPasswords({ ...quiet, load: nodeArgon2 })
    const phc = await packaged.hash('correct horse')
    expect(phc).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(await own.verify(phc, 'correct horse')).toBe(true)
    expect(await own.verify(phc, 'correct horsf')).toBe(false)
    expect(await packaged.verify(await own.hash('battery staple'), 'battery staple')).toBe(true)
    expect(await packaged.hash('correct horse')).not.toBe(phc)
    // The package reads our strings itself, so they are what others expect.
    const { verify } = await import('argon2')
    expect(await verify(phc, 'correct horse')).toBe(true)
  })

  it('takes the same characters however they were typed', async () => {
    const passwords = createPasswords(quiet)
    const phc = await passwords.hash('Kr\u00f6te im Teich')
    expect(await passwords.verify(phc, 'Kro\u0308te im Teich')).toBe(true)
  })

  test.each([
    '',
    '!',
    'correct horse',
    '$argon2i$v=19$m=65536,t=3,p=1$c29tZXNhbHQ$aGFzaGhhc2hoYXNo',
    '$argon2id$v=19$m=65536,t=3,p=1$$',
  ])('no password matches %j', async (stored) => {
    const passwords = createPasswords({ ...quiet, load: () => Promise.reject(new Error('must not be loaded')) })
    expect(await passwords.verify(stored, 'correct horse')).toBe(false)
  })

  it('is loaded at the first password, once, and Node steps in where the package cannot', async () => {
    const seen: unknown[] = []
    let loads = 0
    const passwords = createPasswords({
      onFallback: (error) => seen.push(error),
      load: async () => {
        loads += 1
        throw new Error('no native build found')
      },
    })
    expect(loads).toBe(0)
    const phc = await passwords.hash('correct horse')
    expect(await passwords.verify(phc, 'correct horse')).toBe(true)
    expect(loads).toBe(1)
    expect(seen).toEqual([new Error('no native build found')])
  })

  it('does the same work for a name that nobody has', async () => {
    const derivations: Derivation[] = []
    const passwords = createPasswords({
      ...quiet,
      load: async () => async (derivation) => {
        derivations.push(derivation)
        return new Uint8Array(derivation.bytes)
      },
    })
    // Even where the hash happens to be the dummy's, nobody is let in.
    expect(await passwords.verifyDummy('correct horse')).toBe(false)
    await passwords.verify(await passwords.hash('x'), 'correct horse')
    const [dummy, , real] = derivations
    expect({ ...dummy, salt: null }).toEqual({ ...real, salt: null })
    expect(dummy?.salt.length).toBe(real?.salt.length)
  })
})

describe('rules for a password', () => {
  test.each([
    ['1234567', false],
    ['12345678', true],
    ['        ', true],
    ['ä'.repeat(200), true],
    ['a'.repeat(201), false],
  ])('%j -> %s', (text, accepted) => {
    expect(chosenPassword().safeParse(text).success).toBe(accepted)
  })
})

describe('the queue', () => {
  it('runs two at once, lets twenty wait and sends the next away', async () => {
    const queue = createQueue(2, 20)
    let running = 0
    let most = 0
    const release: (() => void)[] = []
    const work = async (): Promise<void> => {
      running += 1
      most = Math.max(most, running)
      await new Promise<void>((resolve) => release.push(resolve))
      running -= 1
    }
    const admitted = Array.from({ length: 22 }, () => queue(work))
    const refused = await failure(queue(work))
    expect(refused?.code).toBe('rate_limited')
    expect(refused?.retryAfterSeconds).toBeGreaterThan(0)
    while (release.length > 0) {
      release.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all(admitted)
    expect(most).toBe(2)
    const again = queue(work)
    release.shift()?.()
    await again
  })

  it('goes on behind work that fails', async () => {
    const queue = createQueue(1, 5)
    const broken = queue(() => Promise.reject(new Error('broken')))
    const next = queue(async () => 'next')
    await expect(broken).rejects.toThrow('broken')
    expect(await next).toBe('next')
    expect(await queue(async () => 'later')).toBe('later')
  })
})
