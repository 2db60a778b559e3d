import { type Signal, signal } from '@preact/signals'
import type { Client } from './call.ts'

export interface User {
  readonly id: number
  readonly username: string
  readonly displayName?: string | null
  readonly admin: boolean
}

export interface Status {
  /** There is no user yet. */
  readonly setUpNeeded: boolean
  /** This browser may do the set-up without the one-time code. */
  readonly setUpOpen: boolean
  readonly user: User | null
  readonly version: string
}

export interface InvitePreview {
  readonly campaignName: string
  readonly role: string
  readonly expiresAt: string
}

export interface Session {
  /** Undefined until the server has answered the first time. */
  readonly status: Signal<Status | undefined>
  /** Asks the server who is signed in. Throws CallError. */
  refresh(): Promise<Status>
  setUp(input: { username: string; password: string; code?: string }): Promise<void>
  signIn(input: { username: string; password: string }): Promise<void>
  /** Resolves with the campaign that was joined. */
  register(input: { invite: string; username: string; password: string }): Promise<number>
  signOut(): Promise<void>
  preview(code: string): Promise<InvitePreview>
}

/**
 * Who is signed in. `onIdentity` runs whenever that becomes somebody else, before anything is shown to them; `isReload` says
 * that this page has just begun and somebody is signed in already.
 */
export function createSession(client: Client, onIdentity: (isReload: boolean) => void): Session {
  const status: Signal<Status | undefined> = signal(undefined)

  async function refresh(): Promise<Status> {
    const now = await client.send<Status>({ method: 'GET', path: '/auth/status' })
    const before = status.peek()
    if (before?.user?.id !== now.user?.id) onIdentity(before === undefined && now.user !== null)
    status.value = now
    return now
  }

  const post = async (path: string, body: object) => {
    await client.send({ method: 'POST', path, body })
    await refresh()
  }

  return {
    status,
    refresh,
    setUp: (input) => post('/auth/setup', input),
    signIn: (input) => post('/auth/login', input),
    async register(input) {
      const { campaignId } = await client.send<{ campaignId: number }>({
        method: 'POST',
        path: '/auth/register',
        body: input,
      })
      await refresh()
      return campaignId
    },
    signOut: () => post('/auth/logout', {}),
    preview: (code) => client.send({ method: 'GET', path: `/invites/preview?code=${encodeURIComponent(code)}` }),
  }
}
