import type { JSX } from 'preact'
import { Button } from '../../kit/button.tsx'
import { day, when } from '../../kit/format.ts'
import { LoadError, Loading } from '../../kit/page.tsx'
import { messageOf, useApp, usePages } from '../../shell/context.ts'
import { type Reread, type Token, useServerList } from '../../shell/server.ts'

export const useTokens = (): Reread<readonly Token[]> => useServerList('list_tokens')

export const scopes: Readonly<Record<Token['scope'], string>> = {
  dm: 'as you, the DM',
  player: 'as a player',
  viewer: 'as a guest',
}
export const modes: Readonly<Record<Token['writeMode'], string>> = {
  read: 'Reads',
  propose: 'Proposes',
  direct: 'Writes',
}

/** The keys that programs use in one's own name, and taking them back. */
export function Tokens({ tokens }: { tokens?: Reread<readonly Token[]> }): JSX.Element {
  const own = useTokens()
  const { data, error, refresh } = tokens ?? own
  const { client, toasts, confirmations } = useApp()
  const campaigns = usePages('list_campaigns', { limit: 200 }, { all: true }).items

  const revoke = async (token: Token) => {
    const yes = await confirmations.ask({
      title: `Take “${token.name}” back?`,
      text: 'Whatever uses this key is shut out at once.',
      yes: 'Take it back',
      danger: true,
    })
    if (!yes) return
    try {
      await client.write('revoke_token', { tokenId: token.id })
      toasts.say(`“${token.name}” opens nothing any more.`)
    } catch (thrown) {
      toasts.fail(messageOf(thrown))
    }
    await refresh()
  }

  if (!data) return error ? <LoadError error={error} /> : <Loading />
  if (data.length === 0) return <p class="soft">Nobody but you, and no program.</p>
  return (
    <div class="rows">
      {data.map((token) => {
        const where = campaigns.find((campaign) => campaign.id === token.campaignId)?.name
        const facts = [
          `${modes[token.writeMode]} ${scopes[token.scope]}`,
          where ? `in ${where}` : token.campaignId === null ? 'in all your campaigns' : null,
          token.admin ? 'keeps this server' : null,
          token.lastUsedAt ? `used ${when(token.lastUsedAt)}` : 'not used yet',
          token.expiresAt ? `until ${day(token.expiresAt)}` : null,
        ]
        return (
          <div key={token.id} class="row">
            <span class="grow">
              <strong>{token.name}</strong>
              <span class="secondary">
                {facts.filter(Boolean).join(', ')} · <code>{token.hint}…</code>
              </span>
            </span>
            <Button variant="danger-quiet" onClick={() => void revoke(token)}>
              Take back
            </Button>
          </div>
        )
      })}
    </div>
  )
}
