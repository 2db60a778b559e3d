import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { joinNames } from '../../kit/format.ts'
import { RoundError, roundWithKey, roundWithoutKey } from './mcp-round.ts'

type Found = { readonly isGood: boolean; readonly words: string }

/** Does what the assistant will do first, and says in a line what it would find. */
export function ConnectionTest({ address, secret }: { address: string; secret: string | null }): JSX.Element {
  const [found, setFound] = useState<Found | null>(null)
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      setFound({ isGood: true, words: secret === null ? await unkeyed(address) : await keyed(address, secret) })
    } catch (thrown) {
      if (!(thrown instanceof RoundError)) throw thrown
      setFound({ isGood: false, words: thrown.message })
    } finally {
      setBusy(false)
    }
  }
  return (
    <div class="line">
      <Button icon="plug" busy={isBusy} onClick={() => void run()}>
        Test the connection
      </Button>
      <p role="status" class={found === null || found.isGood ? 'small' : 'small bad'}>
        {found?.words}
      </p>
    </div>
  )
}

async function keyed(address: string, key: string): Promise<string> {
  const { tools, bytes, milliseconds, campaigns } = await roundWithKey(address, key)
  const sees = campaigns.length === 0 ? 'It sees no campaign yet.' : `It sees ${joinNames(campaigns)}.`
  return `${tools} tools in ${Math.max(1, Math.round(bytes / 1000))} kB, ${milliseconds} ms. ${sees}`
}

async function unkeyed(address: string): Promise<string> {
  return `It answers, and sends who is new to ${await roundWithoutKey(address)} to sign in.`
}
