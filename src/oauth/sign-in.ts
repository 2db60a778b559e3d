import { Failure } from '../kernel/errors.ts'
import type { BrowserCall } from './authorize.ts'
import type { OauthServices } from './ports.ts'

/** What was wrong with a form. */
export interface Problem {
  readonly problem: string
  readonly status: number
}

/** Signs in by the form of a page. Null where it worked; throws only what nobody foresaw. */
export async function signInByForm(
  { signIn }: OauthServices,
  { parameters, context }: BrowserCall,
): Promise<Problem | null> {
  const username = (parameters.get('username') ?? '').trim()
  const password = parameters.get('password') ?? ''
  if (username === '' || username.length > 100 || password === '' || password.length > 200) {
    return { problem: 'Give your name and your password.', status: 400 }
  }
  try {
    await signIn(context, { username, password })
    return null
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { problem: error.message, status: error.status }
  }
}
