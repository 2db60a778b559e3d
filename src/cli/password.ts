import { randomInt } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { fail } from '../kernel/errors.ts'

// Without letters and digits that look alike: it is copied from a screen by hand.
const letters = 'abcdefghijkmnpqrstuvwxyz23456789'

/** Four groups of four letters: 80 random bits. */
export function generatePassword(): string {
  const group = (): string => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('')
  return [group(), group(), group(), group()].join('-')
}

/** Asks for a new password twice, without showing it. Throws where the two differ or it is too short. */
export async function askPassword(username: string): Promise<string> {
  const first = await ask(`New password for ${username}: `)
  if (first.length < 8) throw fail('validation_failed', 'A password has at least 8 characters. Nothing was changed.')
  if ((await ask('The same again: ')) !== first)
    throw fail('validation_failed', 'The two passwords differ. Nothing was changed.')
  return first
}

async function ask(question: string): Promise<string> {
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      lines.once('SIGINT', () => reject(fail('cancelled')))
      lines.once('close', () => reject(fail('cancelled')))
    })
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
